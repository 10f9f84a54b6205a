// Who holds which contributions to which chunk.
//
// For each (node, chunk) that something arrived at, the number of a collection; all others are as
// at the start: a rank's own contribution, or nothing. Custom collectives may also have chunks that
// are only copied; their value is a special collection.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "analysis/chunk_table.hpp"
#include "analysis/contributions.hpp"
#include "analysis/flights.hpp"
#include "analysis/holdings.hpp"
#include "analysis/layout.hpp"
#include "analysis/problem_contributions.hpp"
#include "analysis/run_budget.hpp"
#include "analysis/shared_sums.hpp"
#include "analysis/sum_splits.hpp"
#include "model/runs.hpp"

namespace schedcc {

namespace {

using Id = Contributions::Id;

class ReductionHoldings final : public Holdings {
 public:
  ReductionHoldings(const Problem& problem, std::uint64_t nodes, std::uint64_t latency,
                    const Run& part)
      : Holdings(problem, latency, part), states_(Cells(nodes, part)) {
    if (shares_sums(problem)) completions_.emplace(Layout<64>(1, part));
  }

  std::vector<Run> may_disagree() const override {
    std::vector<Run> result;
    if (!any_again_ || splits_.one_each()) return result;
    completions_->prepare_reads(part_.count, 1);
    completions_->each(0, part_, [&](Run run, std::uint8_t times) {
      if (times > 1) result.push_back(run);
    });
    return joined_neighbours(result);
  }

  void each_right(Rank rank, Run run, const std::function<void(Run)>& f) const override {
    std::optional<Run> right;  // pieces that follow one another are one part
    each_right_piece(rank, run, [&](Run piece) {
      if (right && end(*right) == piece.first) {
        right->count += piece.count;
        return;
      }
      if (right) f(*right);
      right = piece;
    });
    if (right) f(*right);
  }

 protected:
  void send(const Step& step, bool meet, Outcome& outcome) override {
    const bool one_by_one = latency_ == 1 && !meet && step.origins.empty();
    if (!one_by_one) splits_.give_up();
    if (one_by_one && send_at_once(step, outcome)) return;
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      Load& under_way = flights_.at(arrival(step, i));
      states_.expect(step.transfers[i].count);
      load(step, i, under_way.values, outcome);
      under_way.transfers.push_back(locate(step, i));
      budget_.add_transfer();
      spend(step.number);
    }
    arrive(step.number + 1, outcome);
  }

  void arrive(std::uint64_t time, Outcome& outcome) override {
    flights_.arrive(time, [&](const Load& arriving) {
      // They arrive together: redundancy is decided before the state changes.
      auto value = arriving.values.begin();
      for (const LocatedTransfer& flight : arriving.transfers)
        note_redundant(flight, value, outcome);
      value = arriving.values.begin();
      for (const LocatedTransfer& flight : arriving.transfers) {
        deliver(flight.transfer, value);
        spend(flight.step);
      }
    });
  }

  void prepare_reads(std::uint64_t chunks, std::uint64_t ranks) override {
    states_.prepare_reads(chunks, ranks);
  }

  std::uint64_t satisfied(Rank rank, Run run) const override {
    std::uint64_t count = 0;
    each_right_piece(rank, run, [&](Run piece) { count += piece.count; });
    return count;
  }

  Shortfall explain(Rank rank, Chunk chunk) const override {
    Shortfall result{rank, chunk, 1, {}};
    const Id have = state(rank, chunk);
    if (have == Contributions::empty || !problem_.reduced(chunk)) return result;
    RankSets& sets = contributions_.sets();
    const RankSets::Id there = contributions_.ranks(have);
    const RankSets::Id asked = contributions_.ranks(ends_.goal(rank, chunk));
    if (const auto missing = sets.subtract(asked, there); missing != RankSets::empty) {
      result.detail = fmt::format("the contribution of {} is missing", ranks(missing));
    } else if (contributions_.counts_twice(have)) {
      result.detail =
          fmt::format("the contribution of {} is counted twice", ranks(contributions_.twice(have)));
    } else {
      result.detail = fmt::format("the contribution of {} does not belong to it",
                                  ranks(sets.subtract(there, asked)));
    }
    return result;
  }

  std::vector<Rank> touched() const override { return states_.touched(); }

 private:
  static constexpr std::uint32_t block_size = 16;
  using Cells = Layout<block_size>;
  using Table = ChunkTable<Id, block_size>;

  Id state(Rank node, Chunk chunk) const {
    const Id id = states_.get(node, chunk);
    return id == Contributions::unset ? at_start(node, chunk) : id;
  }

  /// Counts the runs covered since the last call; for states that are not kept by runs, the
  /// collections created.
  void spend(std::uint64_t step) {
    const std::uint64_t covered = budget_.take_covered();
    const std::uint64_t made = contributions_.size() - std::exchange(known_, contributions_.size());
    budget_.spend(states_.by_runs() ? covered : made, step);
  }

  Id at_start(Rank node, Chunk chunk) const {
    return is_rank(node) ? ends_.start(node, chunk) : Contributions::empty;
  }

  /// Calls f(run, what the node has of each of its chunks) for runs that make up `run`, in
  /// ascending order.
  template <typename F>
  void each_state(Rank node, Run run, F f) const {
    states_.each(node, run, [&](Run piece, Id id) {
      budget_.cover();
      if (id != Contributions::unset) return f(piece, id);
      is_rank(node) ? ends_.each_start(node, piece, f) : f(piece, Contributions::empty);
    });
  }

  template <typename F>
  void each_right_piece(Rank rank, Run run, F f) const {
    ends_.each_goal(rank, run, [&](Run part, Id want) {
      each_state(rank, part, [&](Run piece, Id have) {
        if (have != Contributions::empty && have == want) f(piece);
      });
    });
  }

  /// The first chunk of a run at which contributions are not in order.
  std::optional<Chunk> first_unordered(Id id, Run run) const {
    std::optional<Chunk> found;
    ends_.each_goal(0, run, [&](Run part, Id) {
      if (!found && !ends_.in_order(id, part.first)) found = part.first;
    });
    return found;
  }

  /// For steps of short transfers, no two of which bring the same chunk to a node; false, with no
  /// change, if one of them is long, or wrong.
  bool send_at_once(const Step& step, Outcome& outcome) {
    if (states_.by_runs()) return false;
    carried_.clear();
    for (const Transfer& t : step.transfers) {
      if (!carry(t)) return false;
    }
    auto value = carried_.cbegin();
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      if (t.reduce == 0) note_redundant_at_once(step, i, value, outcome);
      states_.each_cell_at(t.dst, {t.first, t.count}, [&](Chunk chunk, Id& cell) {
        t.reduce == 0 ? void(cell = *value) : add(t.dst, chunk, cell, *value);
        ++value;
      });
    }
    budget_.add_transfers(step.transfers.size());
    spend(step.number);
    return true;
  }

  /// Appends what the sender has of each chunk to `carried_`; false if that is nothing, not in
  /// order, or long.
  bool carry(const Transfer& t) {
    if (t.count >= Table::long_run) return false;
    bool right = true;
    const auto append = [&](Run run, Id id) {
      right &= id != Contributions::empty && !(problem_.ordered && first_unordered(id, run));
      for (std::uint32_t i = 0; i < run.count; ++i) carried_.push_back(id);
    };
    if (t.count == 1) {
      append({t.first, 1}, state(t.src, t.first));
    } else {
      each_state(t.src, {t.first, t.count}, append);
    }
    return right;
  }

  /// As note_redundant, with a value for each chunk.
  void note_redundant_at_once(const Step& step, std::size_t i,
                              std::vector<Id>::const_iterator value, Outcome& outcome) const {
    const Transfer& t = step.transfers[i];
    if (!is_rank(t.dst)) return;
    for (std::uint32_t k = 0; k < t.count; ++k, ++value) {
      if (state(t.dst, t.first + k) != *value || contributions_.counts_twice(*value)) continue;
      outcome.redundant.push_back({locate(step, i), t.first + k});
      return;
    }
  }

  /// A reduction at a node, to a chunk whose value is in `cell`.
  void add(Rank node, Chunk chunk, Id& cell, Id arriving) {
    const Id before = cell == Contributions::unset ? at_start(node, chunk) : cell;
    cell = sum(before, arriving);
    if (completions_ && before != Contributions::empty && cell == ends_.whole(chunk))
      note_completion({chunk, 1});
  }

  /// Neighbouring chunks, and those of neighbouring nodes, often have the same sum: it is looked up
  /// once.
  Id sum(Id before, Id arriving) {
    if (before == last_.before && arriving == last_.arriving) return last_.sum;
    last_ = {before, arriving, contributions_.unite(before, arriving)};
    if (completions_ && before != Contributions::empty && !contributions_.counts_twice(last_.sum))
      splits_.note(before, arriving, last_.sum);
    return last_.sum;
  }

  /// The value of some chunks that follow one another.
  struct Value {
    std::uint32_t chunks;
    Id id;
  };

  /// Transfers under way, and the values of their chunks.
  struct Load {
    std::vector<LocatedTransfer> transfers;
    std::vector<Value> values;
    void clear() {
      transfers.clear();
      values.clear();
    }
  };

  /// Appends what the sender has of each chunk to `values`.
  void load(const Step& step, std::size_t i, std::vector<Value>& values, Outcome& outcome) const {
    const Transfer& t = step.transfers[i];
    const std::size_t begin = values.size();
    bool unheld = false, unordered = false;
    each_state(t.src, {t.first, t.count}, [&](Run run, Id id) {
      if (values.size() > begin && values.back().id == id) {
        values.back().chunks += run.count;
      } else {
        values.push_back({run.count, id});
      }
      if (id == Contributions::empty) {
        if (!std::exchange(unheld, true)) outcome.unheld.push_back({locate(step, i), run.first});
      } else if (problem_.ordered && !unordered) {
        const auto chunk = first_unordered(id, run);
        if (!chunk) return;
        unordered = true;
        outcome.unordered.push_back({locate(step, i), *chunk, ranks(contributions_.ranks(id))});
      }
    });
  }

  using Values = std::vector<Value>::const_iterator;

  /// Calls f(run, value) for the values that a transfer brings, starting with `value`.
  template <typename F>
  static void each_value(const Transfer& t, Values& value, F f) {
    for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++value) {
      f(Run{static_cast<Chunk>(c), value->chunks}, value->id);
      c += value->chunks;
    }
  }

  /// Reports a copy to a rank that holds the same value. The transfer's values begin at `value`.
  void note_redundant(const LocatedTransfer& where, Values& value, Outcome& outcome) const {
    const Transfer& t = where.transfer;
    bool found = t.reduce != 0 || !is_rank(t.dst);
    each_value(t, value, [&](Run run, Id arriving) {
      // How often a duplicated contribution is included is not known: two such values may differ.
      if (found || arriving == Contributions::empty || contributions_.counts_twice(arriving))
        return;
      each_state(t.dst, run, [&](Run piece, Id id) {
        if (found || id != arriving) return;
        outcome.redundant.push_back({where, piece.first});
        found = true;
      });
    });
  }

  /// Delivers a transfer's chunks, whose values begin at `value`.
  void deliver(const Transfer& t, Values& value) {
    each_value(t, value, [&](Run run, Id arriving) {
      if (arriving == Contributions::empty) return;
      if (t.reduce == 0) return states_.assign(t.dst, run, arriving);
      if (states_.by_runs()) return reduce(t.dst, run, arriving);
      states_.each_cell_at(t.dst, run,
                           [&](Chunk chunk, Id& cell) { add(t.dst, chunk, cell, arriving); });
    });
  }

  void reduce(Rank dst, Run run, Id arriving) {
    pieces_.clear();
    each_state(dst, run, [&](Run piece, Id before) { pieces_.emplace_back(piece, before); });
    for (const auto& [piece, before] : pieces_) {
      const Id after = sum(before, arriving);
      states_.assign(dst, piece, after);
      if (!completions_ || before == Contributions::empty) continue;
      ends_.each_whole(piece, [&](Run part, Id want) {
        if (after == want) note_completion(part);
      });
    }
  }

  /// An addition has made sums complete.
  void note_completion(Run run) {
    completions_->expect(run.count);
    const auto again = [&](std::uint8_t times) {
      any_again_ |= times > 0;
      return static_cast<std::uint8_t>(std::min(times + 1, 2));
    };
    if (!completions_->by_runs()) {
      completions_->each_cell_at(0, run, [&](Chunk, std::uint8_t& times) { times = again(times); });
      return;
    }
    std::vector<std::pair<Run, std::uint8_t>> changed;
    completions_->each(0, run, [&](Run part, std::uint8_t times) {
      if (times < 2) changed.emplace_back(part, again(times));
    });
    for (const auto& [part, times] : changed) completions_->assign(0, part, times);
  }

  /// "rank 3", or "ranks 3, 5-7, ..."
  std::string ranks(RankSets::Id set) const {
    return in_words(contributions_.sets().intervals(set, 20));
  }

  Table states_;
  mutable Contributions contributions_{problem_.ranks};  ///< numbers are given on demand
  mutable ProblemContributions ends_{problem_, contributions_};
  std::vector<Id> carried_;  ///< by the transfers of a step, chunk by chunk
  std::vector<std::pair<Run, Id>> pieces_;
  /// How often the sum of each chunk was completed, up to 2; none: it does not matter.
  mutable std::optional<ChunkTable<std::uint8_t, 64>> completions_;
  bool any_again_ = false;  ///< was any completed twice?
  SumSplits splits_{std::uint64_t{64} * problem_.ranks};
  /// The last addition.
  struct {
    Id before = Contributions::empty, arriving = Contributions::empty, sum = Contributions::empty;
  } last_;
  std::size_t known_ = 0;  ///< collections in budget_
  RunBudget budget_;
  Flights<Load> flights_;
};

}  // namespace

std::unique_ptr<Holdings> reduction_holdings(const Problem& problem, std::uint64_t nodes,
                                             std::uint64_t latency, const Run& part) {
  return std::make_unique<ReductionHoldings>(problem, nodes, latency, part);
}

}  // namespace schedcc
