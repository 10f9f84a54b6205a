#include "check/provenance/replay.hpp"

#include <algorithm>

#include "core/integers.hpp"

namespace schedcc::provenance {

Replay::Replay(const Problem& problem, const History& history, std::span<const Rank> others)
    : problem_(problem),
      history_(history),
      reduced_(problem.reduction() && problem.reduced(history.chunk)),
      nodes_(others.begin(), others.end()),
      actions_(actions(history)) {
  for (const ChunkTransfer& transfer : history.transfers) {
    nodes_.push_back(transfer.src());
    nodes_.push_back(transfer.dst());
  }
  std::ranges::sort(nodes_);
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  for (const Rank node : nodes_) {
    starts_.push_back(problem.starts_with(node, history.chunk));
    wanted_.push_back(problem.ends_with(node, history.chunk));
  }
  for (const ChunkTransfer& transfer : history.transfers)
    ends_.emplace_back(place(transfer.src()), place(transfer.dst()));
}

std::size_t Replay::place(Rank node) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(nodes_, node) - nodes_.begin());
}

std::size_t Replay::windows() const { return reduced_ ? ceil_div(nodes_.size(), window_size) : 1; }

Window Replay::contributors(std::size_t window) const {
  Window result;
  if (!reduced_) return result.set(0);
  for (std::size_t i = 0, p = window * window_size; i < window_size && p < nodes_.size(); ++i, ++p)
    result[i] = starts_[p];
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
    // Of ranks in a row, the first that has no place comes at the latest after all that have.
    for (std::uint64_t rank = some.first; rank <= some.last; ++rank) {
      const auto contributor = static_cast<Rank>(rank);
      if (!std::ranges::binary_search(nodes_, contributor)) return contributor;
    }
  }
  return problem_.ranks;
}

/// The state before the first transfer.
void Replay::start(std::size_t window, Run& run) const {
  run.contents_.clear();
  run.contents_.reserve(reduced_ ? 2 + nodes_.size() + history_.transfers.size() : 2);
  const std::size_t nothing = run.add({});
  run.carried_.assign(history_.transfers.size(), nothing);
  run.before_.assign(history_.transfers.size(), nothing);
  run.final_.assign(nodes_.size(), nothing);
  Content value{.held = true};
  if (!reduced_) value.once.set(0);
  const std::size_t alike = run.add(value);  // a copied chunk, or contributions beyond the window
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!starts_[i]) continue;
    run.final_[i] = alike;
    if (!reduced_ || i / window_size != window) continue;
    Content own{.held = true};
    own.once.set(i % window_size);
    run.final_[i] = run.add(own);
  }
}

Replay::Run Replay::run(std::size_t window, std::span<const Edit> edits) const {
  Run result;
  run(window, edits, result);
  return result;
}

void Replay::run(std::size_t window, std::span<const Edit> edits, Run& result) const {
  start(window, result);
  for (const Action& action : actions_) {
    const std::size_t i = action.transfer;
    const auto edit = std::ranges::find(edits, i, &Edit::transfer);
    const bool edited = edit != edits.end();
    if (edited && edit->kind == Edit::Kind::leave_out) continue;
    const bool redirected = edited && edit->kind == Edit::Kind::redirect;
    if (action.sends) {
      result.carried_[i] = result.final_[src(i)];
      continue;
    }
    std::size_t& here = result.final_[redirected ? edit->to : dst(i)];
    result.before_[i] = here;
    const Content& carried = result.carried(i);
    if (!carried.held) continue;
    const bool other = edited && edit->kind == Edit::Kind::other_mode;
    if (reduced_ && history_.transfers[i].reduce() != other) {
      Content sum = result.before(i);
      sum.twice |= carried.twice | (sum.once & carried.once);
      sum.once |= carried.once;
      sum.held = true;
      here = result.add(sum);
    } else {
      here = result.carried_[i];
    }
  }
}

}  // namespace schedcc::provenance
