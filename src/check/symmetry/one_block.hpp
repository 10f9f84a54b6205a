#pragma once

// Allgathers and reduce-scatters whose blocks are all treated alike: the first block shows what
// becomes of all of them, and one rank what ports see.
//
// Theory. Let the rows of a symmetric schedule be made as the rotations of seeds (symmetry.hpp),
// which carry chunks of block 0 only, of an allgather or a reduce-scatter with K chunks to a block.
// The seeds are a schedule by themselves: a broadcast of K chunks from rank 0, or a reduction of K
// chunks to rank 0. What ranks have of a chunk depends on the transfers of this chunk alone. Those
// of block b are the seeds with b added to each rank, and rank r + b has of block b, at the start,
// in the end, and so all the time, what rank r has of block 0, renamed. So causality, delivery,
// redundancy, and whether arrivals meet, hold if they hold for the seeds; and no chunk of a
// reduce-scatter ends at two ranks, which might have different sums.
//
// Rank 0 sends in a row one transfer for each seed (s, d): its rotation by -s, to rank d - s; and
// it receives one from s - d. So its messages are groups of seeds with the same d - s, of as many
// chunks as these have; all other ranks send and receive as many. That is all that ports, widths
// and volumes depend on, so that a message is handed to their checks as one transfer, of so many
// chunks, whatever their numbers.
//
// Rank 0 has of block b in its queue what rank -b has of block 0 in its own. So the queue of rank
// 0, like that of any rank, is as long as those of all ranks together in the schedule of the seeds:
// these are counted as one.
//
// So of P transfers one is looked at, however many chunks a block has, and no sets of contributions
// are needed: a reduction is checked by its mirror image (mirror.hpp).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "check/crew.hpp"
#include "check/symmetry/symmetry.hpp"
#include "schedcc/check.hpp"

namespace schedcc {

/// What is checked instead of an allgather or a reduce-scatter.
struct OneBlock {
  Source block;             ///< a broadcast from rank 0, or a reduction to it
  Source messages;          ///< the original, with the messages of rank 0 as its transfers
  std::uint64_t transfers;  ///< of the block
};

/// None for other problems, or where rows are not made as rotations that the symmetry has. Throws
/// Abandoned if a message is too large for one transfer, or if there may be anything to report. The
/// rows are read by a crew.
std::optional<OneBlock> one_block(const Source& source, const Symmetry& symmetry, const Crew& crew);

}  // namespace schedcc
