#include "check/provenance/replayed_sums.hpp"

#include <algorithm>
#include <utility>

namespace schedcc::provenance {

std::size_t SumFaults::count() const {
  std::size_t sum = 0;
  for (std::size_t p = 0; p < missing.size(); ++p) sum += at(p).count();
  return sum;
}

bool SumFaults::adds_to(const SumFaults& before) const {
  for (std::size_t p = 0; p < missing.size(); ++p) {
    if ((at(p) & ~before.at(p)).any() || (without[p] && !before.without[p])) return true;
  }
  for (std::size_t i = 0; i < failing.size(); ++i) {
    if (failing[i] && !before.failing[i]) return true;
  }
  return false;
}

ReplayedSums::ReplayedSums(const Replay& replay, std::size_t window)
    : replay_(replay), window_(window) {
  const Window contributors = replay.contributors(window);
  for (std::size_t p = 0; p < replay.places(); ++p)
    expected_.push_back(replay.expected(p, window, contributors));
}

void ReplayedSums::replay_moves() {
  replay_.run(window_, edits_, run_);
  find_faults(run_, faults_);
}

const SumFaults& ReplayedSums::faults_with(const Edit& edit) {
  edits_.push_back(edit);
  replay_.run(window_, edits_, run_with_);
  edits_.pop_back();
  find_faults(run_with_, faults_with_);
  return faults_with_;
}

bool ReplayedSums::breaks(const Edit& edit, std::size_t window) const {
  ReplayedSums sums(replay_, window);
  sums.edits_ = edits_;
  sums.replay_moves();
  return sums.faults_with(edit).adds_to(sums.faults());
}

void ReplayedSums::find_faults(const Replay::Run& run, SumFaults& result) const {
  result.missing.assign(replay_.places(), {});
  result.extra.assign(replay_.places(), {});
  result.missing_anywhere = result.extra_anywhere = {};
  result.without.assign(replay_.places(), false);
  result.failing.assign(moves().size(), false);
  for (std::size_t i = 0; i < moves().size(); ++i) result.failing[i] = !run.carried(i).held;
  for (std::size_t p = 0; p < replay_.places(); ++p) {
    const Content& have = run.final(p);
    result.without[p] = replay_.wanted(p) && !have.held;
    if (!replay_.wanted(p) || !have.held) continue;  // that is an absence
    result.missing[p] = expected_[p] & ~have.once;
    result.extra[p] = have.twice | (have.once & ~expected_[p]);
    result.missing_anywhere |= result.missing[p];
    result.extra_anywhere |= result.extra[p];
  }
}

bool ReplayedSums::edited(std::size_t move) const {
  return std::ranges::find(edits_, move, &Edit::move) != edits_.end();
}

std::size_t ReplayedSums::destination(std::size_t move) const {
  const auto edit = std::ranges::find(edits_, move, &Edit::move);
  const bool redirected = edit != edits_.end() && edit->kind == Edit::Kind::redirect;
  return redirected ? edit->to : replay_.dst(move);
}

Window ReplayedSums::meeting(std::size_t move) const {
  if (!moves()[move].reduce() || edited(move)) return {};
  const Content& carried = run_.carried(move);
  const Content& before = run_.before(move);
  return carried.once & before.once & ~carried.twice & ~before.twice;
}

Window ReplayedSums::replaced(std::size_t move) const {
  if (moves()[move].reduce() || edited(move) || !run_.carried(move).held) return {};
  return before(move) & ~carried(move);
}

std::optional<std::size_t> ReplayedSums::earlier(std::size_t move, const Window& window) const {
  const auto when = [&](std::size_t m) { return std::pair(moves()[m].arrives, m); };
  std::optional<std::size_t> result;
  for (std::size_t i = 0; i < moves().size(); ++i) {
    if (replay_.dst(i) != replay_.dst(move) || when(i) >= when(move) || edited(i)) continue;
    if ((carried(i) & window & ~before(i)).any()) result = i;
  }
  return result;
}

std::size_t ReplayedSums::source_of(std::size_t place, const Window& missing) const {
  for (std::size_t i = moves().size(); i-- > 0;) {
    if (replay_.dst(i) != place || edited(i) || !run_.carried(i).held) continue;
    if (moves()[i].reduce() || (missing & ~carried(i)).none()) break;
    place = replay_.src(i);  // earlier moves brought it there
  }
  return place;
}

bool ReplayedSums::serves(std::size_t place, std::size_t contributor) const {
  return expected_[place][contributor] && ends_with(place, contributor) &&
         faults_.missing[place].none();
}

Intervals ReplayedSums::ranks(const Window& contributors) const {
  Intervals result;
  for (std::size_t i = 0; i < window_size; ++i) {
    if (!contributors[i]) continue;
    const Rank rank = replay_.node(place_of(i));
    append(result, {rank, rank});
  }
  return result;
}

}  // namespace schedcc::provenance
