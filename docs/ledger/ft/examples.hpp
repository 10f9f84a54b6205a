#pragma once

// FT, section 3: the performance examples, and figure 3.

#include <vector>

#include "ledger.hpp"

namespace ledger::FT {

/// The claims, as a part of the section.
std::vector<Claim> examples();

}  // namespace ledger::FT
