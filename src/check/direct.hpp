#pragma once

// Direct total exchanges on trees, without their hops.
//
// Theory. Let the ranks be the leaves of a binary tree, and let every transfer take chunks of a
// block from the block's origin to its destination, each chunk once. Origins hold their blocks from
// the start, so that causality does not depend on when anything arrives; the exchange is complete
// if the chunks of all blocks are transferred. Of what the lowered steps show, only this is left:
//
// - No two hops of a step bring one chunk to one router, since only one transfer has the chunk.
// - A transfer that leaves in step s, between ranks whose lowest common ancestor is on level i,
//   takes 2i hops: in step s + l upwards from level l to level l + 1, l < i; in step s + 2i - 1 - l
//   downwards from level l + 1 to level l. So the transfers that go up over one branch in the same
//   step have left in the same step, and those that go down over one have the same last step. The
//   load of a branch upwards is that of the transfers of a step, downwards that of the transfers
//   that end in a step, and no hop has to be made to count it.
// - No chunk waits on its way, and no rank forwards one.
//
// Transfers, messages, width and volume are those of the ends; hops and the last step are sums of,
// and the largest of, those above. As by symmetry it is only shown that there is nothing to report;
// else all is done again, hop by hop (Abandoned).

#include <memory>

#include "analysis/holdings.hpp"
#include "check/checks.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Is it an exchange on a tree that may be direct, with the checks of which the theory speaks?
/// Then its transfers have to be read by `direct_exchange`, to be sure that they are.
bool may_be_direct(const Source& source, const Machine& machine, const CheckOptions& options);

/// Which chunks have been transferred. Throws Abandoned if one is for the second time, or if one is
/// missing at the end.
std::unique_ptr<Holdings> direct_holdings(const Problem& problem);

/// The check `links`, which also counts the hops and the steps.
std::unique_ptr<Check> make_direct_links(const Context& context);

}  // namespace schedcc
