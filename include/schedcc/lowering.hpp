#pragma once

// Lowering: an endpoint schedule on a routed machine becomes a hop-level one.

#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// The source's hops, to be counted or timed; the source itself if it is at hop level already.
Source lower(Source source, const Machine& machine);

/// The source as a hop-level schedule, with the same meaning. At hop level a rank holds what
/// reaches it: throws InputError, with the transfer, if a route passes through a rank.
Source at_hop_level(Source source, const Machine& machine);

}  // namespace schedcc

#pragma GCC visibility pop
