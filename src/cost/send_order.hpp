#pragma once

// The order in which ranks start the sends of a step.

#include <algorithm>
#include <span>
#include <vector>

#include "cost/messages.hpp"

namespace schedcc {

/// The messages of a step by the distance from source to destination, so that each rank sends to
/// the next one first. (Modulo 2^32 the distances of a rank have the same order as modulo P.)
inline std::vector<SizedMessage> in_order_of_sends(std::span<const SizedMessage> messages) {
  std::vector<SizedMessage> result(messages.begin(), messages.end());
  std::ranges::stable_sort(result, {}, [](const SizedMessage& m) { return Rank{m.dst - m.src}; });
  return result;
}

}  // namespace schedcc
