#pragma once

// Streams of steps made from kernels: a schedule's rule is its kernel (kernel/base.hpp), and the
// stream collects the sends of the kernel's ranks, step by step.
//
// A step's transfers are in the order of their senders, by the kernel's ranks: before rotation to
// another root, reversal and the like, for which model/algebra.hpp is used. Only ranks that are
// `senders` in the step are visited, so that the cost is proportional to the transfers.
//
// Exceptions are the kernels that have a function of their own here. Where the reason is the order
// within a step, it is the order in which the calls of sequential programs come
// (docs/sequential-programs.md), and that of output files. In brackets: nanoseconds for a transfer,
// and those of the generic loop over all ranks in every step.
//
//   Chain               order: on duplex ranks every other sender first (those that send in the
//                       first half of a step, see fractional_tree.cpp), then the others; by
//                       ascending ranks blocking calls would pass a packet on one after another.
//   CircularAllgather   order: by receiver, which receives from the nearest rank first.
//   ScatterAllgather    its last step is left out if it is idle.
//   ScatterPipeline     order: part by part, each by sender while it is scattered, and by receiver
//                       as CircularAllgather while it is gathered.
//   FractionalTree      order, and speed: by the half of the step, then by the time at which ranks
//                       start, from a table of edges (fractional_tree/layout.hpp) that trees on
//                       simplex ranks, couples and layouts on networks share; idle ranks would make
//                       a step O(P). (r = 8; P = 4096, K = 1000: 2.4, 19;
//                       P = 2^20, K = 1: 3, 1300.) So both number and join the trees of a
//                       split, the kernel those on the way to one rank. fractional::depth is the
//                       last index of the kernel's N, in time that does not grow with r.
//   CirculantAllgather  rotations of the broadcast's steps, which are checked as such: its table,
//                        while a rank searches the cells of the graph.
//   Butterfly           order, and speed: level by level, by enumeration of its members, while a
//                       rank searches h levels for its own. (P = 4096, K = 1000: 14, 220.)
//   Circulant           order, and speed: by receiver, from a table of q bytes a rank, laid out by
//                       rounds; a rank's kernel state has 168 bytes. (P = 4096, K = 1000: 3, 35;
//                       P = 2^20, K = 4: 8, 220.)
//   GrowingTree         order, and speed: by the turns of the senders, in O(1) an edge
//                       (logp_shapes.cpp), while a rank counts those that come before it.
//   BucketAllgather, SwingAllgather, TrivanceAllgather, BineTree, BineExchange
//                       order: by receiver, from trees of offsets (torus_trees.hpp), which also
//                       serve several parts of blocks at once and numbers of ranks for which no
//                       formula is known.
//   SplitBinaryTree, TwoTrees, DoubleBinaryTree, InOrderBroadcast
//                       speed: from tables of the trees' edges (pipelined.hpp), found from the root
//                       by the kernel's terms, while a rank walks to the root or from it.
//
// Streams made without a kernel are those of the trees on simplex ranks, in couples and in layouts
// (binary-tree is the fractional tree with r = 1: it has its kernel, and its table of edges), and
// of all algorithms whose entry has no kernel.
//
// Some statements of a rule are separate on purpose:
//
//   an entry's claim     is the figure of the cited source: the number of steps is in closed form,
//                        whatever the kernel's `steps` says. Tests compare it with the steps of the
//                        schedule (registry_test), proofs with the formula that they are about. The
//                        kernel's are only data for which the source has no formula: the d of
//                        trees, the factors of recursive-multiplying, and for volumes the ranks
//                        that act in recexch and the skips.
//   printed formulas     of cost/printed_formulas.cpp are times as papers have them, wrong ones,
//                        too: what claims are compared with in reports.
//   mpi/collective.hpp   states what ranks hold at the start and at the end of each collective once
//                        more, since programs that run without the library compare their results
//                        with it.
//   transform/           reverses, joins and renumbers schedules in memory, row by row, with the
//                        rounds of a step, collectives of any kind and chunks that do not exist;
//                        parts that run one after the other are apart by the latency of a network.
//                        What becomes of a transfer in a reverse is that of the algebra.
//
// Other roots, reverses and sequences are defined for streams (model/algebra.hpp), where they keep
// the order within a step, and for kernels (kernel/base.hpp), where a rank computes its own part;
// the compositions that make a collective are shared by both (shapes.hpp).

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "algorithm/kernel/base.hpp"
#include "model/algebra.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

namespace local {
class BineExchange;
class BineTree;
class BucketAllgather;
class Butterfly;
class Chain;
class Circulant;
class CirculantAllgather;
class CircularAllgather;
class DoubleBinaryTree;
class FractionalTree;
class GrowingTree;
class InOrderBroadcast;
class ScatterAllgather;
class ScatterPipeline;
class SplitBinaryTree;
class SwingAllgather;
class TrivanceAllgather;
class TwoTrees;
template <typename Kernel>
class ExcessFolded;
template <typename Kernel>
class BitsReversed;
}  // namespace local

/// The sends of `src`.
inline Transfer transfer_of(std::uint64_t src, const local::RankTransfer& part) {
  return {static_cast<Rank>(src), static_cast<Rank>(part.peer), static_cast<Chunk>(part.first),
          static_cast<std::uint32_t>(part.count) & max_transfer_count, part.reduce ? 1U : 0U};
}

/// The steps of a kernel for ranks 0..P-1, P >= 2.
template <typename Kernel>
Steps from_kernel(const Kernel& kernel, std::uint64_t P);

// The exceptions, each defined in its algorithm's file.
Steps from_kernel(const local::BineExchange& kernel, std::uint64_t P);
Steps from_kernel(const local::BineTree& kernel, std::uint64_t P);
Steps from_kernel(const local::BucketAllgather& kernel, std::uint64_t P);
Steps from_kernel(const local::Butterfly& kernel, std::uint64_t P);
Steps from_kernel(const local::Chain& kernel, std::uint64_t P);
Steps from_kernel(const local::Circulant& kernel, std::uint64_t P);
Steps from_kernel(const local::CirculantAllgather& kernel, std::uint64_t P);
Steps from_kernel(const local::CircularAllgather& kernel, std::uint64_t P);
Steps from_kernel(const local::DoubleBinaryTree& kernel, std::uint64_t P);
Steps from_kernel(const local::FractionalTree& kernel, std::uint64_t P);
Steps from_kernel(const local::GrowingTree& kernel, std::uint64_t P);
Steps from_kernel(const local::InOrderBroadcast& kernel, std::uint64_t P);
Steps from_kernel(const local::ScatterAllgather& kernel, std::uint64_t P);
Steps from_kernel(const local::ScatterPipeline& kernel, std::uint64_t P);
Steps from_kernel(const local::SplitBinaryTree& kernel, std::uint64_t P);
Steps from_kernel(const local::SwingAllgather& kernel, std::uint64_t P);
Steps from_kernel(const local::TrivanceAllgather& kernel, std::uint64_t P);
Steps from_kernel(const local::TwoTrees& kernel, std::uint64_t P);

// Compositions of kernels are compositions of their streams.

template <typename First, typename Second>
Steps from_kernel(const local::Sequence<First, Second>& kernel, std::uint64_t P);
template <typename Kernel>
Steps from_kernel(const local::Reversed<Kernel>& kernel, std::uint64_t P);
template <typename Kernel>
Steps from_kernel(const local::Rooted<Kernel>& kernel, std::uint64_t P);
template <typename Kernel>
Steps from_kernel(const local::Delayed<Kernel>& kernel, std::uint64_t P);
template <typename Kernel>
Steps from_kernel(const local::BitsReversed<Kernel>& kernel, std::uint64_t P);
template <typename Kernel>
Steps from_kernel(const local::ExcessFolded<Kernel>& kernel, std::uint64_t P);

template <typename First, typename Second>
Steps from_kernel(const local::Sequence<First, Second>& kernel, std::uint64_t P) {
  return sequence(from_kernel(kernel.first(), P), from_kernel(kernel.second(), P));
}

template <typename Kernel>
Steps from_kernel(const local::Reversed<Kernel>& kernel, std::uint64_t P) {
  return reverse(from_kernel(kernel.inner(), P), kernel.reduces());
}

template <typename Kernel>
Steps from_kernel(const local::Rooted<Kernel>& kernel, std::uint64_t P) {
  return reroot(from_kernel(kernel.inner(), P), P, kernel.root(), kernel.shift(), kernel.total());
}

/// Steps state sends only.
template <typename Kernel>
Steps from_kernel(const local::Delayed<Kernel>& kernel, std::uint64_t P) {
  return from_kernel(kernel.inner(), P);
}

/// The steps of a kernel whose ranks are renumbered.
template <typename Kernel>
Steps from_renamed(const Kernel& kernel, std::uint64_t P) {
  return relabel(from_kernel(kernel.inner(), P),
                 [renamed = kernel.renaming()](Rank v) { return static_cast<Rank>(renamed(v)); });
}
template <typename Kernel>
Steps from_kernel(const local::BitsReversed<Kernel>& kernel, std::uint64_t P) {
  return from_renamed(kernel, P);
}
template <typename Kernel>
Steps from_kernel(const local::ExcessFolded<Kernel>& kernel, std::uint64_t P) {
  return from_renamed(kernel, std::bit_floor(P));
}

/// Appends a rank's sends; `data` as in kernel/base.hpp.
template <typename Kernel, typename StepData>
void append_sends(const Kernel& kernel, std::uint64_t rank, const StepData& data, Transfers& out) {
  kernel.sends(rank, data, [&out, rank](const local::RankTransfer& part) {
    out.push_back(transfer_of(rank, part));
  });
}
/// Appends the sends of several ranks.
template <typename Kernel, typename StepData>
void append_sends(const Kernel& kernel, const local::Ranks& ranks, const StepData& data,
                  Transfers& out) {
  for (std::uint64_t rank = ranks.first; rank < ranks.end; rank += ranks.stride) {
    append_sends(kernel, rank, data, out);
  }
}

/// Appends what several ranks receive.
template <typename Kernel, typename StepData>
void append_receives(const Kernel& kernel, const local::Ranks& ranks, const StepData& data,
                     Transfers& out) {
  for (std::uint64_t rank = ranks.first; rank < ranks.end; rank += ranks.stride) {
    kernel.receives(rank, data, [&out, rank](local::RankTransfer part) {
      const std::uint64_t from = std::exchange(part.peer, rank);
      out.push_back(transfer_of(from, part));
    });
  }
}

/// Appends the sends of the ranks first..end-1, most of which are idle.
template <typename Kernel, typename StepData>
void append_sends_but_idle(const Kernel& kernel, std::uint64_t first, std::uint64_t end,
                           const StepData& data, Transfers& out) {
  for (std::uint64_t rank = first; rank < end; ++rank) {
    rank += kernel.idle_from(rank);
    if (rank < end) append_sends(kernel, rank, data, out);
  }
}

/// Those of several ranks that are among first..end-1.
inline local::Ranks ranks_between(local::Ranks ranks, std::uint64_t first, std::uint64_t end) {
  if (ranks.first < first)
    ranks.first += ceil_div(first - ranks.first, ranks.stride) * ranks.stride;
  ranks.end = std::min(ranks.end, end);
  return ranks;
}

/// Can a kernel tell which of some neighbouring ranks send, without searching through all?
template <typename Kernel, typename StepData>
constexpr bool divides_senders = !requires(const Kernel& kernel, const StepData& data) {
  kernel.each_sender(data, [](std::uint64_t) {});
};

/// Appends the sends of those of the ranks first..end-1 that send in the step.
template <typename Kernel, typename StepData>
void append_step(const Kernel& kernel, std::uint64_t first, std::uint64_t end, const StepData& data,
                 Transfers& out) {
  if constexpr (requires { kernel.senders(data); }) {
    append_sends(kernel, ranks_between(kernel.senders(data), first, end), data, out);
  } else if constexpr (!divides_senders<Kernel, StepData>) {
    kernel.each_sender(data, [&](std::uint64_t rank) { append_sends(kernel, rank, data, out); });
  } else {
    if constexpr (requires { kernel.has_idle(); }) {
      if (kernel.has_idle()) return append_sends_but_idle(kernel, first, end, data, out);
    }
    append_sends(kernel, local::Ranks{first, end, 1}, data, out);
  }
}

/// A kernel for the time of a row: on the stack, where no push_back can change it, unless it has
/// memory of its own.
template <typename Kernel>
using LocalCopy =
    std::conditional_t<std::is_trivially_copyable_v<Kernel>, const Kernel, const Kernel&>;

template <typename Kernel>
std::uint64_t row_count(const Kernel& kernel) {
  if constexpr (requires { kernel.rows(); }) {
    return kernel.rows();
  } else {
    return kernel.steps();
  }
}
/// The data of a row, and the number of its step.
template <typename Kernel>
auto data_of_row(const Kernel& kernel, std::uint64_t row) {
  if constexpr (requires { kernel.rows(); }) {
    return std::pair(kernel.step_data_of_row(row), kernel.step_of(row));
  } else {
    return std::pair(local::step_data_of(kernel, row), row);
  }
}

/// Appends the sends of the ranks first..end-1 in the step of a row; returns its number. All calls
/// are inlined: this is where the transfers of most schedules are made.
template <typename Kernel>
[[gnu::flatten]] std::uint64_t append_row(const Kernel& kernel, std::uint64_t row,
                                          std::uint64_t first, std::uint64_t end, Transfers& out) {
  LocalCopy<Kernel> local_copy = kernel;
  const auto [data, number] = data_of_row(local_copy, row);
  append_step(local_copy, first, end, data, out);
  return number;
}

template <typename Kernel>
Steps from_kernel(const Kernel& kernel, std::uint64_t P) {
  const auto fill = [kernel, P](std::uint64_t row, Transfers& out) {
    return append_row(kernel, row, 0, P, out);
  };
  using StepData = decltype(data_of_row(kernel, 0).first);
  if constexpr (!divides_senders<Kernel, StepData>) {
    return Steps(row_count(kernel), fill);
  } else {
    return Steps(row_count(kernel), fill, P,
                 [kernel](std::uint64_t row, const RowParts& parts, Transfers& buffer) {
                   buffer.clear();
                   Step step;
                   step.number = append_row(kernel, row, parts.first, parts.end, buffer);
                   step.transfers = buffer;
                   return step;
                 });
  }
}

}  // namespace schedcc
