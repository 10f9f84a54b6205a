#pragma once

// Problems in which several ranks end with the same sum, so that they may disagree about it.

#include "schedcc/problem.hpp"

namespace schedcc {

/// Must several ranks end with the same sum of a reduction chunk? In an allreduce of two ranks or
/// more; in a custom collective with such goals. In a scan every rank has a sum of its own.
bool shares_sums(const Problem& problem);

}  // namespace schedcc
