// Who holds which contributions to which chunk.
//
// For each (node, chunk) that something arrived at, the number of a collection; all others are as
// at the start: a rank's own contribution, or nothing. Custom collectives may also have chunks that
// are only copied; their value is a collection of its own kind.

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
#include "analysis/run_budget.hpp"
#include "model/runs.hpp"

namespace schedcc {

namespace {

using Id = Contributions::Id;

class ReductionHoldings final : public Holdings {
 public:
  ReductionHoldings(const Problem& problem, std::uint64_t nodes, std::uint64_t latency)
      : Holdings(problem, latency), states_(Cells(nodes, problem.total_chunks())) {}

 protected:
  void send(const Step& step, bool, Outcome& outcome) override {
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
      // They arrive together: what is redundant is decided before any of them counts.
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

  void settle(std::uint64_t chunks, std::uint64_t ranks) override { states_.settle(chunks, ranks); }

  std::uint64_t satisfied(Rank rank, Run run) const override {
    std::uint64_t count = 0;
    const auto add = [&](Run piece, Id have, Id want) {
      if (have != Contributions::empty && have == want) count += piece.count;
    };
    if (!problem_.custom) {
      const Id want = expected(rank, run.first);
      each_state(rank, run, [&](Run piece, Id have) { add(piece, have, want); });
    } else {
      each_state(rank, run, [&](Run alike, Id have) {
        each_goal(rank, alike, [&](Run piece, Id want) { add(piece, have, want); });
      });
    }
    return count;
  }

  Shortfall explain(Rank rank, Chunk chunk) const override {
    Shortfall result{rank, chunk, 1, {}};
    const Id have = state(rank, chunk);
    if (have == Contributions::empty || !problem_.reduced(chunk)) return result;
    RankSets& sets = contributions_.sets();
    const RankSets::Id there = contributions_.ranks(have);
    const RankSets::Id asked = contributions_.ranks(expected(rank, chunk));
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

  /// Counts the runs that were looked at since it was last called; of states that are not kept by
  /// runs, the collections that were made.
  void spend(std::uint64_t step) {
    const std::uint64_t covered = std::exchange(covered_, 0);
    const std::uint64_t made = contributions_.size() - std::exchange(known_, contributions_.size());
    budget_.spend(states_.by_runs() ? covered : made, step);
  }

  Id at_start(Rank node, Chunk chunk) const {
    if (!is_rank(node) || !problem_.starts_with(node, chunk)) return Contributions::empty;
    return problem_.reduced(chunk) ? contributions_.only(node) : Contributions::value;
  }

  /// Calls f(run, what the node has of each of its chunks) for runs that make up `run`, in
  /// ascending order.
  template <typename F>
  void each_state(Rank node, Run run, F f) const {
    states_.each(node, run, [&](Run piece, Id id) {
      ++covered_;
      if (id != Contributions::unset) return f(piece, id);
      each_start(node, piece, f);
    });
  }

  /// The same for what the node starts with.
  template <typename F>
  void each_start(Rank node, Run run, F f) const {
    if (!problem_.custom || !is_rank(node)) return f(run, at_start(node, run.first));
    each_part(
        run, [&](Chunk chunk) { return problem_.custom->same_until(node, chunk); },
        [&](Run part) { f(part, at_start(node, part.first)); });
  }

  /// Cuts a run at until(its first chunk), and so on: calls f(part).
  template <typename Until, typename F>
  static void each_part(Run run, Until until, F f) {
    for (std::uint64_t chunk = run.first; chunk < end(run);) {
      const auto first = static_cast<Chunk>(chunk);
      chunk = std::min(end(run), until(first));
      f(Run{first, static_cast<std::uint32_t>(chunk - first)});
    }
  }

  /// What a rank must end with.
  Id expected(Rank rank, Chunk chunk) const {
    switch (problem_.collective) {
      case Collective::scan:
        return contributions_.of({{0, rank}});
      case Collective::exscan:
        return rank == 0 ? Contributions::empty : contributions_.of({{0, rank - 1}});
      case Collective::custom:
        return wanted(chunk)->id;
      default:
        return contributions_.of({{0, problem_.ranks - 1}});
    }
  }

  /// Calls f(run, what the rank must end with) for the parts of a run.
  template <typename F>
  void each_goal(Rank rank, Run run, F f) const {
    if (!problem_.custom) return f(run, expected(rank, run.first));
    auto here = wanted(run.first);
    each_part(
        run, [&](Chunk) { return std::next(here)->from; },
        [&](Run part) { f(part, (here++)->id); });
  }

  /// From a chunk on, up to the next entry, what ranks of a custom collective must end with: the
  /// contributions of all that start with it, or its value.
  struct Wanted {
    std::uint64_t from;
    Id id;
  };

  /// The entry of a chunk.
  std::vector<Wanted>::const_iterator wanted(Chunk chunk) const {
    if (wanted_.empty()) make_wanted();
    return std::prev(std::ranges::upper_bound(wanted_, chunk, {}, &Wanted::from));
  }

  /// Goes through the chunks, from each border of the ranks' starts to the next.
  void make_wanted() const {
    struct Border {
      std::uint64_t chunk;
      Rank rank;
      bool begins;
    };
    std::vector<Border> borders;
    for (const Holding& start : problem_.custom->starts()) {  // ascending
      for (const Run& run : start.runs) {
        borders.push_back({run.first, start.rank, true});
        borders.push_back({end(run), start.rank, false});
      }
    }
    std::ranges::stable_sort(borders, {}, &Border::chunk);
    RankSets& sets = contributions_.sets();
    RankSets::Id holders = RankSets::empty;
    auto next = borders.begin();
    const std::uint64_t chunks = problem_.total_chunks();
    for (std::uint64_t chunk = 0; chunk < chunks;) {
      Intervals begin, end;
      for (; next != borders.end() && next->chunk == chunk; ++next)
        add(next->begins ? begin : end, next->rank);
      holders = sets.unite(sets.subtract(holders, sets.of(end)), sets.of(begin));
      const auto first = static_cast<Chunk>(chunk);
      const bool reduced = problem_.reduced(first);
      const Id id = reduced ? contributions_.of(holders) : Contributions::value;
      if (wanted_.empty() || wanted_.back().id != id) wanted_.push_back({chunk, id});
      chunk = next_border(problem_.custom->reduced_runs(), first);
      if (next != borders.end()) chunk = std::min(chunk, next->chunk);
    }
    wanted_.push_back({std::uint64_t{1} << 32, Contributions::empty});
  }

  /// Adds a rank above all in a set.
  static void add(Intervals& set, Rank rank) {
    if (set.empty() || set.back().last + 1 != rank) set.push_back({rank, rank});
    set.back().last = rank;
  }

  /// Are the contributions those of an interval of ranks? In a custom collective, of those ranks
  /// that contribute at all.
  bool in_order(Id id, Chunk chunk) const {
    if (!problem_.custom || id == Contributions::value) return contributions_.is_interval(id);
    const RankSets::Id all = contributions_.ranks(wanted(chunk)->id);
    RankSets& sets = contributions_.sets();
    const RankSets::Id ranks = contributions_.ranks(id);
    const Interval hull = sets.hull(ranks);
    return sets.intersect(all, sets.of({&hull, 1})) == ranks;
  }

  /// The first chunk of a run at which contributions are not in order.
  std::optional<Chunk> first_unordered(Id id, Run run) const {
    std::optional<Chunk> found;
    each_goal(0, run, [&](Run part, Id) {
      if (!found && !in_order(id, part.first)) found = part.first;
    });
    return found;
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

  /// Calls f(run, value) for the values that a transfer brings, from `value` on.
  template <typename F>
  static void each_value(const Transfer& t, Values& value, F f) {
    for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++value) {
      f(Run{static_cast<Chunk>(c), value->chunks}, value->id);
      c += value->chunks;
    }
  }

  /// Reports a copy to a rank that brings what it has. Takes the transfer's values from `value` on.
  void note_redundant(const LocatedTransfer& where, Values& value, Outcome& outcome) const {
    const Transfer& t = where.transfer;
    bool found = t.reduce != 0 || !is_rank(t.dst);
    each_value(t, value, [&](Run run, Id arriving) {
      // Of what is there twice nobody knows how often: two such values need not be the same.
      if (found || arriving == Contributions::empty || contributions_.counts_twice(arriving))
        return;
      each_state(t.dst, run, [&](Run piece, Id id) {
        if (found || id != arriving) return;
        outcome.redundant.push_back({where, piece.first});
        found = true;
      });
    });
  }

  /// Lets a transfer's chunks arrive. Takes their values from `value` on.
  void deliver(const Transfer& t, Values& value) {
    each_value(t, value, [&](Run run, Id arriving) {
      if (arriving == Contributions::empty) return;
      if (t.reduce == 0) return states_.assign(t.dst, run, arriving);
      if (states_.by_runs()) return reduce(t.dst, run, arriving);
      states_.each_cell_at(t.dst, run, [&](Chunk chunk, Id& cell) {
        const Id before = cell == Contributions::unset ? at_start(t.dst, chunk) : cell;
        cell = contributions_.unite(before, arriving);
      });
    });
  }

  void reduce(Rank dst, Run run, Id arriving) {
    pieces_.clear();
    each_state(dst, run, [&](Run piece, Id before) { pieces_.emplace_back(piece, before); });
    for (const auto& [piece, before] : pieces_)
      states_.assign(dst, piece, contributions_.unite(before, arriving));
  }

  /// "rank 3", or "ranks 3, 5-7, ..."
  std::string ranks(RankSets::Id set) const {
    const Intervals intervals = contributions_.sets().intervals(set, 20);
    if (intervals.size() == 1 && intervals[0].first == intervals[0].last) {
      return fmt::format("rank {}", intervals[0].first);
    }
    std::string text;
    for (const Interval& i : intervals) {
      if (text.size() > 40) return fmt::format("ranks {}, ...", text);
      if (!text.empty()) text += ", ";
      text +=
          i.first == i.last ? fmt::format("{}", i.first) : fmt::format("{}-{}", i.first, i.last);
    }
    return fmt::format("ranks {}", text);
  }

  Table states_;
  mutable Contributions contributions_;  ///< collections are named when they are first asked for
  mutable std::vector<Wanted> wanted_;   ///< custom collectives; made when it is first asked for
  std::vector<std::pair<Run, Id>> pieces_;
  mutable std::uint64_t covered_ = 0;  ///< runs that were looked at, not yet in budget_
  std::size_t known_ = 0;              ///< collections in budget_
  RunBudget budget_;
  Flights<Load> flights_;
};

}  // namespace

std::unique_ptr<Holdings> reduction_holdings(const Problem& problem, std::uint64_t nodes,
                                             std::uint64_t latency) {
  return std::make_unique<ReductionHoldings>(problem, nodes, latency);
}

}  // namespace schedcc
