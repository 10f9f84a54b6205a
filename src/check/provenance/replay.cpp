#include "check/provenance/replay.hpp"

#include <algorithm>
#include <tuple>

#include "model/runs.hpp"

namespace schedcc::provenance {

bool is_goal(const Problem& problem, Rank rank, Chunk chunk) {
  if (rank >= problem.ranks) return false;
  if (problem.custom) {
    const auto goals = problem.custom->goals();
    const auto found = std::ranges::lower_bound(goals, rank, {}, &Holding::rank);
    return found != goals.end() && found->rank == rank && contains(found->runs, chunk);
  }
  const Problem::Goal goal = problem.goal(rank);
  if (goal.run.count == 0 || chunk < goal.run.first) return false;
  const std::uint64_t offset = chunk - goal.run.first;
  const std::uint64_t part = goal.stride == 0 ? 0 : offset / goal.stride;
  return part < goal.repeat && offset - part * goal.stride < goal.run.count;
}

Replay::Replay(const Problem& problem, const History& history, std::span<const Rank> others)
    : problem_(problem),
      history_(history),
      reduced_(problem.reduction() && problem.reduced(history.chunk)),
      nodes_(others.begin(), others.end()) {
  for (const Move& move : history.moves) {
    nodes_.push_back(move.src());
    nodes_.push_back(move.dst());
  }
  std::ranges::sort(nodes_);
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  for (const Rank node : nodes_) wanted_.push_back(is_goal(problem, node, history.chunk));
  for (std::size_t i = 0; i < history.moves.size(); ++i) {
    const Move& move = history.moves[i];
    ends_.emplace_back(place(move.src()), place(move.dst()));
    actions_.push_back({move.where.step, true, i});
    actions_.push_back({move.arrives, false, i});
  }
  std::ranges::sort(actions_, {},
                    [](const Action& a) { return std::tuple(a.time, a.sends, a.move); });
}

std::size_t Replay::place(Rank node) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(nodes_, node) - nodes_.begin());
}

std::size_t Replay::windows() const {
  return reduced_ ? (nodes_.size() + window_size - 1) / window_size : 1;
}

bool Replay::starts(std::size_t place) const {
  return nodes_[place] < problem_.ranks && problem_.starts_with(nodes_[place], history_.chunk);
}

bool Replay::belongs(Rank contributor, Rank rank) const {
  switch (problem_.collective) {
    case Collective::scan:
      return contributor <= rank;
    case Collective::exscan:
      return contributor < rank;
    default:
      return problem_.starts_with(contributor, history_.chunk);
  }
}

Window Replay::contributors(std::size_t window) const {
  Window result;
  if (!reduced_) return result.set(0);
  for (std::size_t i = 0, p = window * window_size; i < window_size && p < nodes_.size(); ++i, ++p)
    result[i] = starts(p);
  return result;
}

Window Replay::expected(std::size_t place, std::size_t window, Window contributors) const {
  if (!wanted_[place]) return {};
  const bool inclusive = problem_.collective == Collective::scan;
  if (!reduced_ || (!inclusive && problem_.collective != Collective::exscan)) return contributors;
  const std::size_t first = window * window_size;
  const std::size_t before = place + (inclusive ? 1 : 0);  // places in the order of their ranks
  const std::size_t count = before < first ? 0 : std::min(before - first, window_size);
  return contributors & (~Window() >> (window_size - count));
}

Rank Replay::first_silent(std::size_t place) const {
  if (!reduced_ || !wanted_[place]) return problem_.ranks;
  const auto silent = [&](Rank rank) {
    return belongs(rank, nodes_[place]) && !std::ranges::binary_search(nodes_, rank);
  };
  if (problem_.custom) {
    for (const Rank rank : problem_.custom->holders(history_.chunk)) {
      if (silent(rank)) return rank;
    }
    return problem_.ranks;
  }
  Rank rank = 0;  // the first that has no place
  while (rank < nodes_.size() && nodes_[rank] == rank) ++rank;
  return rank < problem_.ranks && silent(rank) ? rank : problem_.ranks;
}

Replay::Run Replay::run(std::size_t window, std::span<const Edit> edits) const {
  const std::size_t moves = history_.moves.size();
  Run result{std::vector<Content>(moves), std::vector<Content>(moves),
             std::vector<Content>(nodes_.size())};
  auto& state = result.final;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    state[i].held = starts(i);
    if (!state[i].held) continue;
    if (!reduced_) state[i].once.set(0);
    if (reduced_ && i / window_size == window) state[i].once.set(i % window_size);
  }
  for (const Action& action : actions_) {
    const std::size_t i = action.move;
    const auto edit = std::ranges::find(edits, i, &Edit::move);
    const bool edited = edit != edits.end();
    if (edited && edit->kind == Edit::Kind::leave_out) continue;
    const bool redirected = edited && edit->kind == Edit::Kind::redirect;
    if (action.sends) {
      result.carried[i] = state[src(i)];
      continue;
    }
    const Content& carried = result.carried[i];
    Content& here = state[redirected ? edit->to : dst(i)];
    result.before[i] = here;
    if (!carried.held) continue;
    const bool other = edited && edit->kind == Edit::Kind::other_mode;
    if (reduced_ && history_.moves[i].reduce() != other) {
      here.twice |= carried.twice | (here.once & carried.once);
      here.once |= carried.once;
    } else {
      here = carried;
    }
    here.held = true;
  }
  return result;
}

}  // namespace schedcc::provenance
