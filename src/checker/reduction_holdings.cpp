// Who holds which contributions to which chunk.
//
// For each (node, chunk) that something arrived at, the number of a collection; all others are as
// at the start: a rank's own contribution, or nothing. Custom collectives may also have chunks that
// are only copied; their value is a collection of its own kind.

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/core.h>

#include "checker/contributions.hpp"
#include "checker/flights.hpp"
#include "checker/holdings.hpp"
#include "checker/layout.hpp"
#include "ir/runs.hpp"

namespace schedcc {

namespace {

using Id = Contributions::Id;

class ReductionHoldings : public Holdings {
 public:
  ReductionHoldings(const Problem& problem, std::uint64_t nodes, std::uint64_t latency)
      : Holdings(problem, latency), layout_(nodes, problem.total_chunks()) {}

 protected:
  void send(const Step& step, bool, Outcome& outcome) override {
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      Load& under_way = flights_.at(arrival(step, i));
      load(step, i, under_way.values, outcome);
      under_way.transfers.push_back(locate(step, i));
    }
    arrive(step.number + 1, outcome);
  }

  void arrive(std::uint64_t time, Outcome& outcome) override {
    flights_.arrive(time, [&](const Load& arriving) {
      // They arrive together: what is redundant is decided before any of them counts.
      auto value = arriving.values.begin();
      for (const Located& flight : arriving.transfers) note_redundant(flight, value, outcome);
      value = arriving.values.begin();
      for (const Located& flight : arriving.transfers) deliver(flight, value);
    });
  }

  std::uint64_t satisfied(Rank rank, Run run) const override {
    std::uint64_t count = 0;
    for (std::uint64_t chunk = run.first; chunk < end(run);) {
      const auto c = static_cast<Chunk>(chunk);
      // Chunks that nothing near arrived at are alike up to the next border.
      std::uint64_t next = chunk + 1;
      if (const Cell cell = layout_.cell(rank, c); states_.find(cell.block) == nullptr) {
        next = states_.empty() ? end(run) : chunk + layout_.contiguous(cell);
        next = std::min(next, end(run));
        if (problem_.custom) next = std::min(next, problem_.custom->same_until(c));
      }
      const Id have = state(rank, c);
      if (have != Contributions::empty && have == expected(rank, c)) count += next - chunk;
      chunk = next;
    }
    return count;
  }

  Shortfall explain(Rank rank, Chunk chunk) const override {
    Shortfall result{rank, chunk, 1, {}};
    const Id id = state(rank, chunk);
    if (id == Contributions::empty || !problem_.reduced(chunk)) return result;
    const auto& have = contributions_[id];
    const auto& want = contributions_[expected(rank, chunk)];
    if (const auto missing = subtract(want.ranks, have.ranks); !missing.empty()) {
      result.detail = fmt::format("the contribution of {} is missing", ranks(missing));
    } else if (!have.twice.empty()) {
      result.detail = fmt::format("the contribution of {} is counted twice", ranks(have.twice));
    } else {
      result.detail = fmt::format("the contribution of {} does not belong to it",
                                  ranks(subtract(have.ranks, want.ranks)));
    }
    return result;
  }

  std::vector<Rank> touched() const override { return layout_.nodes_of(states_); }

 private:
  static constexpr std::uint32_t block_size = 16;
  using Table = BlockTable<Id, block_size>;

  Id state(Rank node, Chunk chunk) const {
    const Id id = states_.get(layout_.cell(node, chunk));
    return id == Contributions::unset ? at_start(node, chunk) : id;
  }

  Id at_start(Rank node, Chunk chunk) const {
    if (!is_rank(node) || !problem_.starts_with(node, chunk)) return Contributions::empty;
    return problem_.reduced(chunk) ? contributions_.only(node) : Contributions::value;
  }

  /// What a rank must end with.
  Id expected(Rank rank, Chunk chunk) const {
    switch (problem_.collective) {
      case Collective::scan:
        return contributions_.of({{{0, rank}}, {}});
      case Collective::exscan:
        return rank == 0 ? Contributions::empty : contributions_.of({{{0, rank - 1}}, {}});
      case Collective::custom:
        return problem_.reduced(chunk) ? all_holders(chunk) : Contributions::value;
      default:
        return contributions_.of({{{0, problem_.ranks - 1}}, {}});
    }
  }

  /// The contributions of all ranks that start with a chunk of a custom collective.
  Id all_holders(Chunk chunk) const {
    Id& known = holders_[problem_.custom->same_until(chunk)];
    if (known != Contributions::unset) return known;
    Intervals all;
    for (const Rank rank : problem_.custom->holders(chunk)) {  // ascending
      if (!all.empty() && all.back().last + 1 == rank) {
        all.back().last = rank;
      } else {
        all.push_back({rank, rank});
      }
    }
    return known = contributions_.of({all, {}});
  }

  /// Are the contributions those of an interval of ranks? In a custom collective, of those ranks
  /// that contribute at all.
  bool in_order(Id id, Chunk chunk) const {
    if (!problem_.custom || id == Contributions::value) return contributions_.is_interval(id);
    const Id all = all_holders(chunk);  // may make a collection, and move the others
    const Intervals& ranks = contributions_[id].ranks;
    const Interval hull{ranks.front().first, ranks.back().last};
    return intersect(contributions_[all].ranks, {&hull, 1}) == ranks;
  }

  /// Transfers under way, and the values of their chunks.
  struct Load {
    std::vector<Located> transfers;
    std::vector<Id> values;
    void clear() {
      transfers.clear();
      values.clear();
    }
  };

  /// Appends what the sender has of each chunk to `values`.
  void load(const Step& step, std::size_t i, std::vector<Id>& values, Outcome& outcome) {
    const Transfer& t = step.transfers[i];
    bool unheld = false, unordered = false;
    for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c) {
      const auto chunk = static_cast<Chunk>(c);
      const Id id = state(t.src, chunk);
      values.push_back(id);
      if (id == Contributions::empty) {
        if (!std::exchange(unheld, true)) outcome.unheld.push_back({locate(step, i), chunk});
      } else if (problem_.ordered && !in_order(id, chunk)) {
        if (!std::exchange(unordered, true)) {
          outcome.unordered.push_back({locate(step, i), chunk, ranks(contributions_[id].ranks)});
        }
      }
    }
  }

  using Values = std::vector<Id>::const_iterator;

  /// Reports a copy to a rank that brings what it has. Takes the transfer's values from `value` on.
  void note_redundant(const Located& where, Values& value, Outcome& outcome) const {
    const Transfer& t = where.transfer;
    bool found = t.reduce != 0 || !is_rank(t.dst);
    for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c) {
      const auto chunk = static_cast<Chunk>(c);
      const Id arriving = *value++;
      // Of what is there twice nobody knows how often: two such values need not be the same.
      if (found || arriving == Contributions::empty || arriving != state(t.dst, chunk) ||
          !contributions_[arriving].twice.empty()) {
        continue;
      }
      outcome.redundant.push_back({where, chunk});
      found = true;
    }
  }

  /// Lets a transfer's chunks arrive. Takes their values from `value` on.
  void deliver(const Located& where, Values& value) {
    const Transfer& t = where.transfer;
    for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c) {
      const auto chunk = static_cast<Chunk>(c);
      const Id arriving = *value++;
      if (arriving == Contributions::empty) continue;
      Id& cell = states_.at(layout_.cell(t.dst, chunk));
      const Id before = cell == Contributions::unset ? at_start(t.dst, chunk) : cell;
      cell = t.reduce != 0 ? contributions_.unite(before, arriving) : arriving;
    }
  }

  /// "rank 3", or "ranks 3, 5-7, ..."
  static std::string ranks(const Intervals& intervals) {
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

  Layout<block_size> layout_;
  Table states_;
  mutable Contributions contributions_;  ///< collections are named when they are first asked for
  mutable std::map<std::uint64_t, Id> holders_;  ///< by the end of the chunks that they all hold
  Flights<Load> flights_;
};

}  // namespace

std::unique_ptr<Holdings> reduction_holdings(const Problem& problem, std::uint64_t nodes,
                                             std::uint64_t latency) {
  return std::make_unique<ReductionHoldings>(problem, nodes, latency);
}

}  // namespace schedcc
