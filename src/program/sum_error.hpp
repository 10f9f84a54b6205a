#pragma once

// What is wrong with a sum.

#include <string>

#include "analysis/contributions.hpp"

namespace schedcc::program {

/// The first contribution that is in the sum `has` and not in `wanted`, the other way around, or
/// counted twice, in a sentence; the sums differ.
std::string sum_error(Contributions& contributions, Contributions::Id has,
                      Contributions::Id wanted);

}  // namespace schedcc::program
