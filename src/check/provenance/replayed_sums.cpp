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
  result.failing.assign(transfers().size(), false);
  for (std::size_t i = 0; i < transfers().size(); ++i) result.failing[i] = !run.carried(i).held;
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

bool ReplayedSums::edited(std::size_t transfer) const {
  return std::ranges::find(edits_, transfer, &Edit::transfer) != edits_.end();
}

std::size_t ReplayedSums::destination(std::size_t transfer) const {
  const auto edit = std::ranges::find(edits_, transfer, &Edit::transfer);
  const bool redirected = edit != edits_.end() && edit->kind == Edit::Kind::redirect;
  return redirected ? edit->to : replay_.dst(transfer);
}

Window ReplayedSums::meeting(std::size_t transfer) const {
  if (!transfers()[transfer].reduce() || edited(transfer)) return {};
  const Content& carried = run_.carried(transfer);
  const Content& before = run_.before(transfer);
  return carried.once & before.once & ~carried.twice & ~before.twice;
}

Window ReplayedSums::replaced(std::size_t transfer) const {
  if (transfers()[transfer].reduce() || edited(transfer) || !run_.carried(transfer).held) return {};
  return before(transfer) & ~carried(transfer);
}

std::optional<std::size_t> ReplayedSums::earlier(std::size_t transfer, const Window& window) const {
  const auto when = [&](std::size_t m) { return std::pair(transfers()[m].arrives, m); };
  std::optional<std::size_t> result;
  for (std::size_t i = 0; i < transfers().size(); ++i) {
    if (replay_.dst(i) != replay_.dst(transfer) || when(i) >= when(transfer) || edited(i)) continue;
    if ((carried(i) & window & ~before(i)).any()) result = i;
  }
  return result;
}

std::size_t ReplayedSums::source_of(std::size_t place, const Window& missing) const {
  for (std::size_t i = transfers().size(); i-- > 0;) {
    if (replay_.dst(i) != place || edited(i) || !run_.carried(i).held) continue;
    if (transfers()[i].reduce() || (missing & ~carried(i)).none()) break;
    place = replay_.src(i);  // earlier transfers brought it there
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
