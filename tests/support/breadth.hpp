#pragma once

// An oracle for `prove`: breadth-first search over all sets of transfers of a step, with numbers of
// 128 bits, for problems that are small enough.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace breadth {

using namespace schedcc;
__extension__ using Wide = unsigned __int128;

/// The set of contributions that each node holds of each chunk; {0} for a chunk that is copied.
/// Bits 4 (node + nodes * chunk) .. + 3.
using State = std::uint64_t;

class Search {
 public:
  Search(const Problem& problem, const Machine& machine) : problem_(problem), machine_(machine) {
    nodes_ = machine.network() ? machine.network()->nodes() : problem.ranks;
    for (Rank u = 0; u < nodes_; ++u) {
      for (Rank v = 0; v < nodes_; ++v) {
        if (u == v || (machine.network() && !machine.network()->link(u, v))) continue;
        for (Chunk c = 0; c < problem.total_chunks(); ++c) moves_.push_back({u, v, c});
      }
    }
  }

  /// The least steps, up to `most`, that share at most `rounds` rounds (none: one each).
  std::optional<std::uint64_t> least(std::uint64_t most,
                                     std::optional<std::uint64_t> rounds = std::nullopt) {
    per_step_ = !rounds;
    std::map<State, Wide> now{{start(), 0}};  // with the fewest rounds
    for (std::uint64_t steps = 0;; ++steps) {
      for (const auto& [state, taken] : now) {
        if (done(state) && (!rounds || std::max(taken, Wide{steps}) <= *rounds)) return steps;
      }
      if (steps == most) return std::nullopt;
      next_ = now;
      if (rounds) {
        for (auto& [state, taken] : next_) ++taken;  // a step takes one
      }
      for (const auto& [state, taken] : now) {
        before_ = state;
        taken_ = taken;
        chosen_.clear();
        step(0);
      }
      now = next_;
    }
  }

 private:
  struct Move {
    Rank from, to;
    Chunk chunk;
  };
  struct ChosenParameters {
    Move move;
    bool reduce;
  };

  unsigned shift(Rank v, Chunk c) const { return 4 * static_cast<unsigned>(v + nodes_ * c); }
  unsigned at(State state, Rank v, Chunk c) const { return (state >> shift(v, c)) & 15U; }

  State start() const {
    State state = 0;
    for (Rank r = 0; r < problem_.ranks; ++r) {
      for (Chunk c = 0; c < problem_.total_chunks(); ++c) {
        if (!problem_.starts_with(r, c)) continue;
        state |= State{1} << (shift(r, c) + (problem_.reduced(c) ? r : 0));
      }
    }
    return state;
  }

  bool done(State state) const {
    for (Rank r = 0; r < problem_.ranks; ++r) {
      for (const Run run : problem_.goal(r)) {
        for (Chunk c = run.first; c < run.first + run.count; ++c) {
          if (at(state, r, c) != wanted(r, c)) return false;
        }
      }
    }
    return true;
  }

  unsigned wanted(Rank r, Chunk c) const {
    if (!problem_.reduced(c)) return 1;
    unsigned all = (1U << problem_.ranks) - 1;
    if (problem_.collective == Collective::scan) all = (1U << (r + 1)) - 1;
    if (problem_.collective == Collective::exscan) all = (1U << r) - 1;
    return all;
  }

  /// Chooses for move `i` and each later one whether it is made.
  void step(std::size_t i) {
    if (i == moves_.size()) return finish();
    step(i + 1);
    const Move& move = moves_[i];
    if (at(before_, move.from, move.chunk) == 0) return;
    for (const bool reduce : {false, true}) {
      if (reduce && !problem_.reduced(move.chunk)) continue;
      chosen_.push_back({move, reduce});
      if (allowed()) step(i + 1);
      chosen_.pop_back();
    }
  }

  /// Ports and capacities, with the rounds that the topology's step takes; shape.
  bool allowed() {
    std::map<std::pair<Rank, Rank>, Wide> load;
    const ChosenParameters& last = chosen_.back();
    for (const ChosenParameters& c : chosen_) {
      ++load[{c.move.from, c.move.to}];
      const bool same = c.move.to == last.move.to && c.move.chunk == last.move.chunk;
      if (same && &c != &last && !(c.reduce && last.reduce)) return false;  // a copy comes alone
    }
    rounds_ = 1;
    std::vector<Wide> sent(nodes_), received(nodes_);
    for (const auto& [ends, chunks] : load) {
      ++sent[ends.first];
      ++received[ends.second];
      if (machine_.network()) {
        const Wide capacity = machine_.network()->link(ends.first, ends.second)->capacity;
        rounds_ = std::max(rounds_, (chunks + capacity - 1) / capacity);
      } else if (machine_.width() != 0 && chunks > machine_.width()) {
        return false;
      }
    }
    if (machine_.channels() != nullptr && !channels_allow(load)) return false;
    if (per_step_ && rounds_ > 1) return false;
    for (Rank v = 0; v < nodes_ && machine_.ports(); ++v) {
      const PortLimits& limits = *machine_.ports();
      if (sent[v] > limits.send || received[v] > limits.receive) return false;
      if (sent[v] + received[v] > limits.both) return false;
    }
    return true;
  }

  /// No channel has more messages than it carries.
  bool channels_allow(const std::map<std::pair<Rank, Rank>, Wide>& messages) const {
    std::map<std::uint64_t, std::uint64_t> on;
    std::vector<Channels::Run> runs;
    for (const auto& [ends, chunks] : messages) {
      runs.clear();
      machine_.channels()->route(ends.first, ends.second, runs);
      for (const Channels::Run& run : runs) {
        for (std::uint64_t c = run.first; c < run.first + run.count; ++c) ++on[c];
      }
    }
    return std::ranges::all_of(on, [&](const auto& entry) {
      return machine_.channels()->shared() ||
             entry.second <= machine_.channels()->capacity(entry.first);
    });
  }

  void finish() {
    State after = before_;
    rounds_ = 1;
    if (!chosen_.empty()) allowed();
    for (const ChosenParameters& c : chosen_) {
      const unsigned place = shift(c.move.to, c.move.chunk);
      const unsigned held = at(after, c.move.to, c.move.chunk);
      const unsigned brought = at(before_, c.move.from, c.move.chunk);
      if (c.reduce && (held & brought) != 0) return;  // counts a contribution twice
      const unsigned value = c.reduce ? held | brought : brought;
      after = (after & ~(State{15} << place)) | (State{value} << place);
    }
    const Wide taken = taken_ + rounds_;
    const auto [found, added] = next_.try_emplace(after, taken);
    if (!added) found->second = std::min(found->second, taken);
  }

  const Problem& problem_;
  const Machine& machine_;
  std::uint64_t nodes_ = 0;
  std::vector<Move> moves_;
  std::vector<ChosenParameters> chosen_;
  bool per_step_ = true;
  State before_ = 0;
  Wide taken_ = 0, rounds_ = 1;
  std::map<State, Wide> next_;
};

}  // namespace breadth
