// Who holds which sums, where each chunk is reduced along a tree: without sets of contributions.
//
// Theory. Let there be P ranks, each with a contribution to each chunk. Follow a chunk as long as
//
// - a rank sends its sum of the chunk at most once, to be added; nothing is added at a rank in that
//   step or later; and at most P - 1 ranks send theirs;
// - copies are sent by ranks with the whole sum, to ranks that have sent theirs and have no copy.
//
// The whole sum is with those that have received a copy, and, once P - 1 ranks have sent theirs in
// earlier steps, with the last one, the root. For then the sends are a tree: a rank other than the
// root sends once, to a rank that sends later or is the root. So each contribution has been added
// once to each sum on one path, which leads to the root, and has reached it.
//
// So there is nothing to report on the way: who sends a sum has a contribution, at least its own,
// and who sends a copy has the whole sum. A copy brings a rank what it does not hold, as one that
// has sent its sum lacks the contribution of the root. The last addition to a chunk is made once:
// at the root.
//
// A rank is in one of three states for a chunk, and a chunk has a number of sums that were sent.
// That takes a fraction of the time of sets, which are different ones for each tree. With the first
// transfer that is of no such reduction, or long, the sets are followed, and so they are where the
// steps end before every chunk has a whole sum.

#include <algorithm>
#include <utility>

#include "analysis/chunk_table.hpp"
#include "analysis/layout.hpp"
#include "analysis/provisional_holdings.hpp"
#include "model/runs.hpp"

namespace schedcc {

namespace {

class TreeHoldings final : public ProvisionalHoldings {
 public:
  TreeHoldings(const Problem& problem, Reopen reopen)
      : ProvisionalHoldings(problem, reduction_holdings, std::move(reopen)),
        states_(Layout<64>(problem.ranks, part_)),
        sent_(Layout<16>(1, part_)) {}

  void each_right(Rank rank, Run run, const std::function<void(Run)>& f) const override {
    if (!all_summed()) return proper().each_right(rank, run, f);
    Run right{run.first, 0};
    for (std::uint64_t c = run.first; c < end(run); ++c) {
      if (has_whole(rank, static_cast<Chunk>(c))) {
        ++right.count;
        continue;
      }
      if (right.count > 0) f(right);
      right = {static_cast<Chunk>(c + 1), 0};
    }
    if (right.count > 0) f(right);
  }

 protected:
  bool stands_in(const Step& step) override {
    // With a step that is not one of these, the states are not those of any step.
    return along_trees_ = along_trees_ && follow(step);
  }

  std::uint64_t satisfied(Rank rank, Run run) const override {
    std::uint64_t count = 0;
    each_right(rank, run, [&](Run right) { count += right.count; });
    return count;
  }

 private:
  /// What a rank has of a chunk.
  enum class State : std::uint8_t {
    open,  ///< all that has come to it; it is the root if all others have sent theirs
    sent,  ///< less than the whole sum
    copy   ///< a copy of the whole sum
  };

  /// At the end: is there a whole sum of every chunk, without the sets?
  bool all_summed() const {
    return !is_proper() && all_sent_ == (problem_.ranks - 1) * problem_.total_chunks();
  }

  bool has_whole(Rank rank, Chunk chunk) const {
    const State state = states_.get(rank, chunk);
    return state == State::copy ||
           (state == State::open && sent_.get(0, chunk) == problem_.ranks - 1);
  }

  /// Is a step one of reductions along trees?
  bool follow(const Step& step) {
    // Sends read the state before the step.
    for (const Transfer& t : step.transfers) {
      if (t.count >= long_run || (t.reduce == 0 && !may_copy(t))) return false;
    }
    for (const Transfer& t : step.transfers) {
      if (t.reduce != 0 && !send_sum(t)) return false;
    }
    return std::ranges::all_of(step.transfers, [this](const Transfer& t) { return arrives(t); });
  }

  bool may_copy(const Transfer& t) const {
    for (Chunk c = t.first; c < t.first + t.count; ++c) {
      if (!has_whole(t.src, c)) return false;
    }
    return true;
  }

  bool send_sum(const Transfer& t) {
    bool right = true;
    all_sent_ += t.count;
    states_.each_cell_at(t.src, {t.first, t.count}, [&](Chunk, State& state) {
      right &= state == State::open;
      state = State::sent;
    });
    sent_.each_cell_at(0, {t.first, t.count},
                       [&](Chunk, std::uint32_t& sent) { right &= ++sent < problem_.ranks; });
    return right;
  }

  bool arrives(const Transfer& t) {
    bool right = true;
    states_.each_cell_at(t.dst, {t.first, t.count}, [&](Chunk, State& state) {
      right &= state == (t.reduce != 0 ? State::open : State::sent);
      if (t.reduce == 0) state = State::copy;
    });
    return right;
  }

  using States = ChunkTable<State, 64>;
  static constexpr std::uint32_t long_run = States::long_run;

  States states_;
  ChunkTable<std::uint32_t, 16> sent_;  ///< how many sums, by chunk
  std::uint64_t all_sent_ = 0;          ///< of all chunks
  bool along_trees_ = true;             ///< all steps so far
};

}  // namespace

bool may_be_along_trees(const Problem& problem) {
  using enum Collective;
  return !problem.declared() && !problem.ordered && problem.ranks > 1 &&
         (problem.collective == reduce || problem.collective == reduce_scatter ||
          problem.collective == allreduce);
}

std::unique_ptr<Holdings> tree_holdings(const Problem& problem,
                                        std::function<std::unique_ptr<StepStream>()> reopen) {
  return std::make_unique<TreeHoldings>(problem, std::move(reopen));
}

}  // namespace schedcc
