#pragma once

// Schedules that move one block after another, each in the same way: the first one shows all that
// happens.
//
// Theory. Let the problem be an allgather of P blocks, or a reduce-scatter, and let its rows, the
// steps that are not empty, be P groups, one after another, of the same number of rows, each for a
// block of its own. Let row i of the group of block b have the transfers of row i of the first
// group, that of block a, with b - a added to the ranks, modulo P, and to the number of the block.
// Block a is broadcast from rank a, or reduced to it. What is done with block b is that, renamed;
// the other blocks have no part in it. So causality, delivery and redundancy are those of block a.
// Each row is one of the first group, renamed. So ports, channels and deadlocks are those of this
// group, if the machine is the same after the renaming. A rank keeps a chunk from its arrival until
// its last send, which are in rows of the same group; so at no time do ranks keep chunks of two
// blocks, and queues are those of the first group.
//
// So there is nothing to report if there is nothing to report of the broadcast, or reduction, of
// one block; and sums over steps are P times those of the first group.
//
// All transfers are read once, in order, to be compared. In a step they may be in any order, as
// they happen at once; those in the order of the first group are recognised, and those that begin
// elsewhere in it and go round, as where a rank sends to all others by their numbers.

#include <cstdint>
#include <functional>
#include <optional>

#include "check/period/period.hpp"

namespace schedcc {

/// The part of the source that moves the first block. None if it is not seen to move one block
/// after another, or if the problem, the machine or the options are not the same for all ranks.
/// `progress` is called with the number of transfers read.
std::optional<Excerpt> first_block(const Source& source, const Machine& machine,
                                   const CheckOptions& options,
                                   const std::function<void(std::uint64_t)>& progress);

}  // namespace schedcc
