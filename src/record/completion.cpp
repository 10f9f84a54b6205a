#include "record/completion.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include <fmt/core.h>

namespace schedcc::record {

namespace {

class CompletionCheck {
 public:
  CompletionCheck(const Execution& execution, const std::vector<Log>& logs)
      : execution_(execution) {
    for (const std::int32_t process : execution.world) {
      const auto found =
          std::ranges::find(logs, process, [](const Log& l) { return l.state.rank; });
      states_.push_back(found == logs.end() ? nullptr : &found->state);
    }
  }

  std::string unknown() const {
    for (Rank rank = 0; rank < states_.size(); ++rank) {
      if (states_[rank] != nullptr && states_[rank]->full != 0) return no_space(rank);
    }
    if (any_failed()) return {};
    for (Rank rank = 0; rank < states_.size(); ++rank) {
      if (execution_.segments[rank].begun) continue;
      return fmt::format(
          "rank {} does not call schedcc_record_begin, in which the others wait for it", rank);
    }
    return {};
  }

  std::vector<Finding> findings() const {
    std::vector<Finding> result;
    for (Rank rank = 0; rank < states_.size(); ++rank) {
      if (states_[rank] == nullptr) continue;
      if (std::string text = failure(*states_[rank], rank); !text.empty())
        result.push_back(finding(rank, std::move(text)));
    }
    if (!result.empty()) return result;  // the others were stopped
    if (auto cycle = waiting_cycle()) result.push_back(std::move(*cycle));
    for (Rank rank = 0; rank < states_.size(); ++rank) {
      if (!execution_.segments[rank].ended) result.push_back(finding(rank, what_it_does(rank)));
    }
    return result;
  }

 private:
  bool any_failed() const {
    return std::ranges::any_of(states_, [](const State* state) {
      return state != nullptr && !failure(*state, state->rank).empty();
    });
  }

  Finding finding(Rank rank, std::string message) const {
    Finding result;
    result.check = completion_check;
    result.rank = rank;
    result.message = std::move(message);
    return result;
  }

  std::string name(std::int32_t process) const {
    if (process == any_peer) return "any rank";
    Rank rank = 0;
    if (execution_.rank_of(process, rank)) return fmt::format("rank {}", rank);
    return fmt::format("process {}", process);
  }

  /// "a message from rank 2 with tag 7 (rank 2 has completed the collective)".
  std::string message(const Wait& wait) const {
    const std::string peer = name(wait.peer),
                      tag = wait.tag == any_tag ? "any tag" : fmt::format("tag {}", wait.tag);
    Rank rank = 0;
    const bool gone = execution_.rank_of(wait.peer, rank) && execution_.segments[rank].ended;
    return (wait.receives != 0 ? fmt::format("a message from {} with {}", peer, tag)
                               : fmt::format("{} to receive one with {}", peer, tag)) +
           (gone ? fmt::format(" ({} has completed the collective)", peer) : "");
  }

  std::string what_it_does(Rank rank) const {
    const State* const state = states_[rank];
    if (state == nullptr || !execution_.segments[rank].begun)
      return fmt::format("rank {} does not begin the collective", rank);
    if (state->finalized != 0)
      return fmt::format("rank {} calls MPI_Finalize without schedcc_record_end before", rank);
    if (state->call[0] == 0) return fmt::format("rank {} is outside of calls of MPI", rank);
    std::string result = fmt::format("rank {} waits in {}", rank, state->call);
    for (std::uint32_t i = 0; i < state->waits && i < max_waits; ++i)
      result += (i == 0 ? " for " : ", for ") + message(state->waiting[i]);
    if (state->others > 0) result += fmt::format(" and {} more", state->others);
    return state->waits == 0 ? result + those_gone() : result;
  }

  /// Of calls that several ranks make together, such as MPI_Win_fence: who makes none any more.
  std::string those_gone() const {
    for (Rank rank = 0; rank < states_.size(); ++rank) {
      if (execution_.segments[rank].ended)
        return fmt::format(" (rank {} has completed the collective)", rank);
    }
    return {};
  }

  /// The rank that a rank waits for first.
  std::optional<Rank> waits_for(Rank rank) const {
    const State* const state = states_[rank];
    if (state == nullptr || state->call[0] == 0 || state->waits == 0) return std::nullopt;
    Rank peer = 0;
    if (!execution_.rank_of(state->waiting[0].peer, peer)) return std::nullopt;
    return peer;
  }

  std::optional<Finding> waiting_cycle() const {
    std::vector<Rank> seen(states_.size(), 0);  // by which walk: 1, 2, ...
    for (Rank start = 0; start < states_.size(); ++start) {
      std::optional<Rank> rank = start;
      while (rank && seen[*rank] == 0) {
        seen[*rank] = start + 1;
        rank = waits_for(*rank);
      }
      if (!rank || seen[*rank] != start + 1) continue;
      std::string text = fmt::format("ranks wait for one another: {}", *rank);
      std::optional<Rank> next = waits_for(*rank);
      for (; next && *next != *rank; next = waits_for(*next)) text += fmt::format(" -> {}", *next);
      return finding(*rank, text + fmt::format(" -> {}", *rank));
    }
    return std::nullopt;
  }

  const Execution& execution_;
  std::vector<const State*> states_;  ///< by rank
};

}  // namespace

std::string failure(const State& state, std::int64_t rank) {
  const std::string in = state.call[0] != 0 ? fmt::format(" in {}", state.call) : "";
  if (state.signal != 0) {
    return fmt::format("rank {} was killed by signal {} ({}){}", rank, state.signal,
                       ::strsignal(state.signal), in);
  }
  if (state.error[0] != 0) return fmt::format("rank {} failed{}: {}", rank, in, state.error);
  if (state.exited != 0 && state.finalized == 0)
    return fmt::format("rank {} ended with exit status {}{}", rank, state.exit_status, in);
  return {};
}

std::string no_space(std::int64_t rank) {
  return fmt::format("there was no space left for the log of rank {}", rank);
}

std::string unknown_completion(const Execution& execution, const std::vector<Log>& logs) {
  if (execution.ended()) return {};
  return CompletionCheck(execution, logs).unknown();
}

std::vector<Finding> incomplete_ranks(const Execution& execution, const std::vector<Log>& logs) {
  if (execution.ended()) return {};
  return CompletionCheck(execution, logs).findings();
}

}  // namespace schedcc::record
