#pragma once

// What the theories ask for by which a part of a schedule is enough, apart from its steps.
//
// A machine with ports has no times and no routes (Machine::ports), but perhaps channels.

#include "schedcc/check.hpp"

namespace schedcc {

/// Is there no more to a source than its problem and its steps, at endpoint level?
bool only_steps(const Source& source);

/// Are there only checks of which the theories speak? deadlock compares the calls of all ranks, but
/// can fail only for some semantics; that arrivals do not conflict, by `shape`, is what the other
/// checks rely on.
bool decides_without_order(const CheckOptions& options);

}  // namespace schedcc
