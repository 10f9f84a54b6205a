#pragma once

// Lowering: an endpoint schedule on a routed machine becomes a hop-level one.

#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// The source as a hop-level schedule, with the same meaning; the source itself if it is one. At
/// hop level a rank holds all chunks that reach it: throws InputError, with the transfer, if a
/// route passes through a rank, and if the machine has no network.
Source at_hop_level(Source source, const Machine& machine);

}  // namespace schedcc

#pragma GCC visibility pop
