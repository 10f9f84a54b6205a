#pragma once

// The specification of a tree by its degree.

#include <string>
#include <string_view>

#include "ledger.hpp"

namespace ledger::BL {

inline std::string named(std::string_view algorithm, U64 k) {
  return fmt::format("{}:k={}", algorithm, k);
}

}  // namespace ledger::BL
