#pragma once

// The memory that schedcc may use, for code that can compute its needs in advance.

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/checked.hpp"

namespace schedcc {

/// In bytes: the memory of the machine, or the limit on the address space where that is less.
std::uint64_t usable_memory();

/// Throws LimitError where `bytes`, the least that `what` ("a tree of 3 ranks") takes, are more
/// than usable_memory().
void require_memory(Saturating bytes, std::string_view what);

/// Before one more item: throws LimitError where the vector has to grow and cannot.
template <typename T>
void require_room(const std::vector<T>& items, std::string_view what) {
  if (items.size() < items.capacity()) return;
  constexpr std::uint64_t copies = 3;  // the old elements, and room for twice as many
  require_memory(Saturating(items.size()) * (copies * sizeof(T)), what);
}

}  // namespace schedcc
