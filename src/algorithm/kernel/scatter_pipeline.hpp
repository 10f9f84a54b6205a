#ifndef SCHEDCC_LOCAL_SCATTER_PIPELINE_HPP
#define SCHEDCC_LOCAL_SCATTER_PIPELINE_HPP

// A pipeline of scatters and allgathers: rank 0 sends parts of a message, one in each step, to the
// N other ranks, who scatter each among them down a tree of radix r, and gather it around their
// ring.
//
// In the first step of a part rank 0 does what the tree's root would, and sends that rank's own
// share, too; the later steps are those of TreeScatter and CircularAllgather on N ranks. A part
// takes so many steps, its stages, whatever the others do: so in a step a rank does what it does in
// some stage of each part under way, at most 2 ceil(log_r N) of them, and part p is p steps later,
// with chunks p N and following.
//
// Source: CC, Other collectives in BSP (broadcast as a scatter, then an allgather), of which this
// is the pipeline.

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"
#include "algorithm/kernel/circular.hpp"
#include "algorithm/kernel/trees.hpp"

namespace schedcc::local {

/// One part, of `total` chunks, for N >= 1 ranks, which are 1, 2, ..., N.
class ScatteredPart {
 public:
  ScatteredPart(std::uint64_t N, std::uint64_t total, std::uint64_t r)
      : blocks_{total, N},
        r_(r),
        tree_(N, total, r),
        gather_(N, total, r, InitialBlocks::forest_blocks) {}

  /// The steps of the scatter, one even for a single rank, and those of both.
  std::uint64_t scatter_steps() const { return std::max<std::uint64_t>(1, tree_.steps()); }
  std::uint64_t steps() const { return scatter_steps() + gather_.steps(); }

  /// The ranks that send in a stage.
  Ranks senders(std::uint64_t stage) const {
    if (stage == 0) return {0, 1, 1};
    if (stage >= scatter_steps()) return {1, blocks_.P + 1, 1};
    const Ranks places = tree_.senders(share(stage));
    return {places.first + 1, places.end + 1, places.stride};
  }
  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t stage, F f) const {
    if (stage >= scatter_steps())
      return gather_.sends(rank - 1, gather_.step_data(stage - scatter_steps()), named(f));
    if (stage > 0) return tree_.sends(rank - 1, share(stage), named(f));
    blocks_.send(1, 0, share(0), f);
    tree_.sends(0, share(0), named(f));
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t stage, F f) const {
    if (rank == 0) return;
    if (stage >= scatter_steps())
      return gather_.receives(rank - 1, gather_.step_data(stage - scatter_steps()), named(f));
    if (stage > 0) return tree_.receives(rank - 1, share(stage), named(f));
    if (rank == 1) return blocks_.send(0, 0, share(0), f);
    tree_.receives(rank - 1, share(0), f);  // of the root, whose place rank 0 takes
  }

 private:
  /// The ranks of a share in a step of the scatter.
  std::uint64_t share(std::uint64_t stage) const { return power(r_, scatter_steps() - 1 - stage); }
  /// Peers are named as the N ranks are here.
  template <typename F>
  static auto named(F f) {
    return [f](RankTransfer transfer) {
      ++transfer.peer;
      f(transfer);
    };
  }

  Blocks blocks_;
  std::uint64_t r_;
  TreeScatter tree_;
  CircularAllgather gather_;
};

/// The broadcast of K chunks from rank 0 of P, in parts of P - 1 chunks.
class ScatterPipeline {
 public:
  ScatterPipeline(std::uint64_t P, std::uint64_t K, std::uint64_t r)
      : N_(std::max<std::uint64_t>(P, 2) - 1),
        parts_(P == 1 ? 0 : ceil_div(K, N_)),
        whole_(N_, N_, r),
        last_(N_, P == 1 ? N_ : K - (parts_ - 1) * N_, r) {}

  std::uint64_t steps() const { return parts_ == 0 ? 0 : parts_ + whole_.steps() - 1; }
  RankSchedule<ScatterPipeline> at(std::uint64_t rank) const { return {*this, rank}; }
  /// Rank 0 sends in the first step of each part.
  StepRange active_steps(std::uint64_t rank) const { return {0, rank == 0 ? parts_ : steps(), 1}; }

  /// Calls g(the part, its stage, its first chunk) for the parts under way in a step.
  template <typename G>
  void each_part(std::uint64_t step, G g) const {
    const std::uint64_t stages = whole_.steps();
    for (std::uint64_t p = step < stages ? 0 : step - stages + 1; p < parts_ && p <= step; ++p)
      g(p + 1 < parts_ ? whole_ : last_, step - p, p * N_);
  }
  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    each_part(step, [&](const ScatteredPart& part, std::uint64_t stage, std::uint64_t first) {
      if (part.senders(stage).contains(rank)) part.sends(rank, stage, moved(first, f));
    });
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    each_part(step, [&](const ScatteredPart& part, std::uint64_t stage, std::uint64_t first) {
      part.receives(rank, stage, moved(first, f));
    });
  }

 private:
  template <typename F>
  static auto moved(std::uint64_t first, F f) {
    return [first, f](RankTransfer transfer) {
      transfer.first += first;
      f(transfer);
    };
  }

  std::uint64_t N_, parts_;
  ScatteredPart whole_, last_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_SCATTER_PIPELINE_HPP
