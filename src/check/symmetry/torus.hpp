#pragma once

// Symmetric steps on a torus: the loads of its edges.
//
// Theory. The translations of a torus rename its ranks, and with them its directed edges; they map
// the route between two ranks onto that between the renamed ones, as routes depend on distances
// only, along the row first. Each edge is mapped onto every other one of its direction by exactly
// one translation. So of all images of a message that takes n edges of one direction, each edge of
// that direction has n; and in a symmetric step the load of every edge is the number of edges of
// its direction that the messages of rank 0 take together.

#include <memory>
#include <optional>

#include "check/checks.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

/// The ranks of a row of a machine whose channels are the edges of a torus; none of another one.
std::optional<Rank> torus_columns(const Machine& machine);

/// The check `links` for the messages of rank 0 on a torus, as the loads of all edges.
std::unique_ptr<Check> make_torus_links(const Context& context);

}  // namespace schedcc
