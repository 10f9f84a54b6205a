#pragma once

// Lowering: an endpoint schedule on a routed machine becomes a hop-level one.

#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// The source's hops, for counting or timing; the source itself if it is already at hop level.
Source lower(Source source, const Machine& machine);

/// The source as a hop-level schedule, with the same meaning. At hop level a rank holds all chunks
/// that reach it: throws InputError, with the transfer, if a route passes through a rank.
Source at_hop_level(Source source, const Machine& machine);

}  // namespace schedcc

#pragma GCC visibility pop
