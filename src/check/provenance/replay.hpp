#pragma once

// Replays a chunk's history, unchanged or with some transfers edited.
//
// The state of a node is whether it holds anything, and for each of a window of 512 contributors
// whether their contributions are included once, or more than once. A chunk that is only copied has
// one contributor, the value itself.

#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

#include "check/provenance/history.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::provenance {

inline constexpr std::size_t window_size = 512;
using Window = std::bitset<window_size>;

struct Content {
  bool held = false;
  Window once = {}, twice = {};  ///< at least once, at least twice
};

/// A transfer replayed with a change.
struct Edit {
  enum class Kind : std::uint8_t { leave_out, other_mode, redirect };
  std::size_t transfer;
  Kind kind;
  std::size_t to = 0;  ///< `redirect`: the place of another destination
};

class Replay {
 public:
  /// `others`: ranks to be included in addition to those that take part.
  Replay(const Problem& problem, const History& history, std::span<const Rank> others);

  /// What each transfer brings, what its destination had before, and the state at the end.
  class Run {
   public:
    const Content& carried(std::size_t transfer) const { return contents_[carried_[transfer]]; }
    const Content& before(std::size_t transfer) const { return contents_[before_[transfer]]; }
    const Content& final(std::size_t place) const { return contents_[final_[place]]; }

   private:
    friend class Replay;
    std::size_t add(const Content& content) {
      contents_.push_back(content);
      return contents_.size() - 1;
    }
    std::vector<Content> contents_;  ///< a transfer of a sum adds one; the first is nothing
    std::vector<std::size_t> carried_, before_, final_;  ///< places in contents_
  };
  /// Replays the transfers with the contributors of a window.
  Run run(std::size_t window, std::span<const Edit> edits) const;
  /// The same, in the memory of an earlier one.
  void run(std::size_t window, std::span<const Edit> edits, Run& result) const;

  /// Calls f(transfer, whether it is sent or arrives) in the order in which that happens.
  template <typename F>
  void each_action(F f) const {
    for (const Action& action : actions_) f(action.transfer, action.sends);
  }

  /// The nodes that take part have places 0, 1, ..., in the order of their numbers.
  std::size_t places() const { return nodes_.size(); }
  Rank node(std::size_t place) const { return nodes_[place]; }
  std::size_t place(Rank node) const;
  /// The cost of one replay of the history.
  std::uint64_t size() const { return history_.transfers.size() + nodes_.size(); }
  std::size_t src(std::size_t transfer) const { return ends_[transfer].first; }
  std::size_t dst(std::size_t transfer) const { return ends_[transfer].second; }

  bool reduced() const { return reduced_; }
  /// Windows that have contributors: bit i of window w is the contribution of place 512 w + i.
  std::size_t windows() const;
  /// Must the node at this place end with the chunk?
  bool wanted(std::size_t place) const { return wanted_[place]; }
  /// The contributors of a window.
  Window contributors(std::size_t window) const;
  /// The contributors whose contributions must be included at the end.
  Window expected(std::size_t place, std::size_t window, Window contributors) const;
  /// The first rank without a place whose contribution must be included at the end; none:
  /// Problem::ranks.
  Rank first_silent(std::size_t place) const;

  const Problem& problem() const { return problem_; }
  const History& history() const { return history_; }

 private:
  void start(std::size_t window, Run& run) const;

  const Problem& problem_;
  const History& history_;
  bool reduced_;
  std::vector<Rank> nodes_;  ///< ascending
  std::vector<std::pair<std::size_t, std::size_t>> ends_;
  std::vector<bool> starts_, wanted_;
  std::vector<Action> actions_;
};

}  // namespace schedcc::provenance
