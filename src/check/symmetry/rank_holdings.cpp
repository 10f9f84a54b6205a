#include "check/symmetry/rank_holdings.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "analysis/abandoned.hpp"
#include "analysis/chunk_table.hpp"
#include "analysis/contributions.hpp"
#include "analysis/layout.hpp"
#include "analysis/problem_contributions.hpp"
#include "analysis/run_map.hpp"
#include "analysis/shared_sums.hpp"
#include "check/share.hpp"
#include "check/symmetry/renamed_contributions.hpp"
#include "check/symmetry/sum_stabilizers.hpp"

namespace schedcc {

namespace {

using Id = Contributions::Id;

/// As in the state of all ranks (analysis/reduction_holdings.cpp), each chunk has the number of a
/// collection of contributions; a chunk that is copied is the collection `value`.
class RankHoldings final : public Holdings {
 public:
  RankHoldings(const Problem& problem, const Symmetry& symmetry)
      : Holdings(problem, 1, Share().chunks(problem)),
        symmetry_(symmetry),
        states_(Layout<16>(1, problem.total_chunks())) {
    const bool same_chunks = symmetry.coordinates() == 0;
    if (shares_sums_ && same_chunks && symmetry.group() == Symmetry::Group::exclusive_ors)
      sums_.emplace(problem.ranks, problem.total_chunks());
  }

  /// Rank 0's goal holds, and so do those of all others.
  std::uint64_t shortfalls(std::size_t, const std::function<void(Shortfall)>&) const override {
    for (const Run run : problem_.goal(0)) {
      if (satisfied(0, run) != run.count) throw Abandoned();
    }
    return 0;
  }

  /// None whose sums may differ.
  std::vector<Run> may_disagree() const override {
    if (again_ && !(sums_ && sums_->all_same())) throw Abandoned();
    return {};
  }

 protected:
  void send(const Step& step, bool meet, Outcome&) override {
    arrivals_.clear();
    for (const Transfer& t : step.transfers) {
      if (t.dst == 0) load(t);
    }
    for (const Arrival& arrival : arrivals_) arrival.reduce ? add(arrival, meet) : copy(arrival);
  }
  void arrive(std::uint64_t, Outcome&) override {}  // in the step in which they were sent

  void prepare_reads(std::uint64_t chunks, std::uint64_t) override {
    states_.prepare_reads(chunks, 1);
  }

  std::uint64_t satisfied(Rank rank, Run run) const override {
    std::uint64_t count = 0;
    ends_.each_goal(rank, run, [&](Run part, Id want) {
      each_state(part, [&](Run piece, Id have) {
        if (have != Contributions::empty && have == want) count += piece.count;
      });
    });
    return count;
  }

  Shortfall explain(Rank, Chunk) const override { throw Abandoned(); }
  std::vector<Rank> touched() const override { return {0}; }

 private:
  /// What rank `from` sends to rank 0 of some chunks.
  struct Arrival {
    Run run;
    Id id;
    Rank from;
    bool reduce;
  };

  /// Calls f(piece, what rank 0 has of its chunks) for pieces that make up the run.
  template <typename F>
  void each_state(Run run, F f) const {
    states_.each(0, run, [&](Run piece, Id id) {
      id != Contributions::unset ? f(piece, id) : ends_.each_start(0, piece, f);
    });
  }
  const std::vector<std::pair<Run, Id>>& pieces_of(Run run) {
    pieces_.clear();
    each_state(run, [&](Run piece, Id id) { pieces_.emplace_back(piece, id); });
    return pieces_;
  }
  void assign(Run run, Id id) { states_.assign(0, run, id); }

  /// The sender has the images of what rank 0 has.
  void load(const Transfer& t) {
    const Run run{t.first, t.count};
    states_.expect(run.count);
    const Run own = symmetry_.rename(symmetry_.inverse(t.src), run);
    for (const auto& [piece, id] : pieces_of(own)) {
      if (id == Contributions::empty) throw Abandoned();
      const Id renamed = renamed_(id, t.src);
      const auto arrives = [&](Run part) {
        arrivals_.push_back({part, renamed, t.src, t.reduce != 0});
      };
      if (piece == own) {
        arrives(run);
      } else {
        symmetry_.each_block(piece, [&](Run part) { arrives(symmetry_.rename(t.src, part)); });
      }
    }
  }

  void copy(const Arrival& arrival) {
    for (const auto& [piece, id] : pieces_of(arrival.run)) {
      if (id == arrival.id && !problem_.tokens()) throw Abandoned();  // redundant
    }
    assign(arrival.run, arrival.id);
  }

  void add(const Arrival& arrival, bool meet) {
    for (const auto& [piece, before] : pieces_of(arrival.run)) {
      const Id after = contributions_.unite(before, arrival.id);
      if (contributions_.counts_twice(after)) throw Abandoned();
      assign(piece, after);
      const bool added = before != Contributions::empty;
      if (shares_sums_ && added && after == ends_.whole(piece.first)) note_completion(piece);
    }
    if (!sums_) return;
    meet ? sums_->forget(arrival.run) : sums_->add_images(arrival.run, arrival.from);
  }

  /// Rank 0 completes sums by an addition, and each other rank their images: those of the chunks of
  /// a block, each of one block.
  void note_completion(Run run) {
    if (symmetry_.coordinates() == 0) {
      again_ = true;
      return;
    }
    symmetry_.each_block(run, [&](Run part) {
      const Run places{part.first % symmetry_.block(), part.count};
      completed_.each(places, [&](Run, std::uint8_t times) { again_ |= times > 0; });
      completed_.assign(places, 1);
    });
  }

  const Symmetry symmetry_;
  const bool shares_sums_ = schedcc::shares_sums(problem_);
  ChunkTable<Id, 16> states_;
  mutable Contributions contributions_{problem_.ranks};  ///< numbers are given on demand
  mutable ProblemContributions ends_{problem_, contributions_};
  RenamedContributions renamed_{symmetry_, contributions_};
  std::vector<Arrival> arrivals_;
  std::vector<std::pair<Run, Id>> pieces_;
  RunMap<std::uint8_t> completed_;  ///< by place in a block
  bool again_ = false;              ///< is any sum completed by several additions?
  std::optional<SumStabilizers> sums_;
};

}  // namespace

std::unique_ptr<Holdings> rank_holdings(const Problem& problem, const Symmetry& symmetry) {
  return std::make_unique<RankHoldings>(problem, symmetry);
}

}  // namespace schedcc
