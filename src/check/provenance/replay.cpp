#include "check/provenance/replay.hpp"

#include <algorithm>
#include <tuple>

namespace schedcc::provenance {

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
  for (const Rank node : nodes_) wanted_.push_back(problem.ends_with(node, history.chunk));
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
  return problem_.starts_with(nodes_[place], history_.chunk);
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
  if (!reduced_) return contributors;
  const std::size_t first = window * window_size;
  const std::size_t end = this->place(problem_.contributors_end(nodes_[place]));
  const std::size_t count = end < first ? 0 : std::min(end - first, window_size);
  return contributors & (~Window() >> (window_size - count));
}

Rank Replay::first_silent(std::size_t place) const {
  if (!reduced_ || !wanted_[place]) return problem_.ranks;
  for (const RankInterval& some : problem_.contributors(history_.chunk, nodes_[place])) {
    // Of ranks in a row, the first that has no place comes at the latest behind all that have.
    for (std::uint64_t rank = some.first; rank <= some.last; ++rank) {
      const auto contributor = static_cast<Rank>(rank);
      if (!std::ranges::binary_search(nodes_, contributor)) return contributor;
    }
  }
  return problem_.ranks;
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
