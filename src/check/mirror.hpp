#pragma once

// Checks of reductions by their mirror image: a reduction that is a broadcast backwards is right if
// that broadcast is.
//
// Theory. The mirror image of rows 0..m-1 has in row i the transfers of row m - 1 - i, each from
// its destination to its source, copies in place of reductions. Let the image of a reduction be a
// broadcast of which no check has anything to report. Then every rank but the root r receives each
// chunk once, after the rank that sends it has received it, and r never does: the transfers of the
// chunk are a tree with root r, and a rank receives it in a row before those in which it sends it.
// Backwards, each rank but r sends the chunk once, to the one above it, in a row after those in
// which it receives it from the ones below. So by induction from the leaves it sends the
// contributions of its subtree, each of them once, and at the end r has those of all ranks:
// causality and delivery hold, and nothing is copied that a rank might have.
//
// A message of one is a message of the other, from its other end. So the number of messages, their
// widths and the volume are the same, and so are ports, where a rank may send as many messages in a
// step as it may receive. In the broadcast a rank keeps a chunk from the row in which it receives
// it until its last send, and in the reduction from the first arrival until it sends the sum: the
// same rows, backwards. The queue of r is empty in both, as it has all chunks from the start, or
// never sends one. So the longest queues are the same.
//
// An allreduce of 2m rows may be such a reduction, in the first m rows, followed by its image. Let
// P be 2 or more. After the reduction r has the sums, and no other rank has, since the contribution
// of r has not been sent; then each of the others gets each chunk once, as a copy of what r has. So
// delivery holds, nothing is redundant, and all ranks have the same expression. Each chunk waits at
// r from the first half to the second one, and no queue is longer than all chunks: so the longest
// one has K.
//
// So the halves of an allreduce are compared with one another, and of them, as of a reduction, the
// usual checks see the broadcast alone: whether a rank has a copy is found with less time and
// memory than what contributions it has, and the broadcast may be checked by an excerpt
// (period/period.hpp). If there is anything to report of it, all is done again, transfer by
// transfer (Abandoned).
//
// The rows of a phase may be any steps. That their order is all that matters, and that operands may
// be in any order, is not so on machines with times, routes or channels, with `--ordered`, other
// semantics of blocking calls, or `--same-as`.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "check/crew.hpp"
#include "schedcc/check.hpp"

namespace schedcc {

/// What is checked instead of a reduction.
struct MirrorImage {
  Source broadcast;
  std::uint64_t steps = 0;  ///< of the reduction, or of both halves of the allreduce
};

/// The image of a reduce, or the second half of an allreduce that seems to be the image of the
/// first. None if the problem, the machine or the options are others.
std::optional<MirrorImage> likely_image(const Source& source, const Machine& machine,
                                        const CheckOptions& options);

/// Compares the halves of an allreduce, by a crew. Throws Abandoned if the second is not
/// the image of the first. `progress` is called by the caller's thread with the number of transfers
/// read.
void compare_halves(const Steps& rows, const Crew& crew,
                    const std::function<void(std::uint64_t)>& progress);

/// The checks of the image from which all that the options ask for follow, for a problem of this
/// collective.
CheckOptions checks_of_image(const CheckOptions& options, Collective collective);

}  // namespace schedcc
