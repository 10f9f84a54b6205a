#pragma once

// Symmetric total exchanges on trees, hop by hop.
//
// Theory. Let the ranks be the leaves of a binary tree with branches of the same kind on the whole
// of a level. The exclusive ors map the tree onto itself: with the leaves they rename the nodes of
// each level, and the route between two ranks becomes that between the renamed ones. So with its
// transfers the hops of a symmetric step are symmetric, too, in whichever step they are made. A
// branch below which there are n ranks is mapped onto itself by n of the renamings, and onto each
// other branch of its level by n others. So of all images of a hop, P of them, n are made over each
// branch of the level, in the same direction; and the load of every branch is n times the number of
// chunks that rank 0's own transfers take over the level in that direction.
//
// The other properties of hops are those of their ends, with one exception: a chunk that two
// transfers take to one router in the same step. Let every transfer take a chunk from its origin to
// its destination. Then a chunk is in several transfers only if it arrives at its destination
// again, which rank 0 sees of its own; so no two meet. Since no rank forwards anything, it does not
// matter how long the ways are. Other exchanges are checked transfer by transfer (Abandoned).

#include <memory>

#include "check/checks.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Is it a tree of which, and an exchange of which the theory speaks?
bool is_tree_exchange(const Problem& problem, const Machine& machine);

/// Transfers of rank 0, which have to be direct: it throws Abandoned at others, when they are read.
Source direct_exchange(Source source);

/// The check `links` for the hops of rank 0's transfers, as the load of all branches.
std::unique_ptr<Check> make_symmetric_links(const Context& context);

}  // namespace schedcc
