// Packets that follow one another through the same tree, a period apart.
//
// In step t the sends with time = t mod period are under way, the one of time t - p * period with
// packet p. So the sends are laid out by their phase (time mod period), and within it by their lap
// (time div period); those of a step are a run of one phase, the laps that K packets are on.

#include "algorithm/pipelined.hpp"

#include <algorithm>
#include <memory>

namespace schedcc {

namespace {

struct PeriodicSend {
  std::uint64_t lap;
  Rank from, to;
};

struct Phase {
  std::uint64_t number;             ///< time mod period
  std::vector<PeriodicSend> sends;  ///< by lap
};

/// The sends by phase: all phases of the period, or if there are more of them than sends, those
/// that have any.
std::vector<Phase> phases(std::vector<Send> sends, std::uint64_t period) {
  const bool all = period <= sends.size() + 1;
  std::vector<Phase> phases(all ? period : 0);
  for (std::uint64_t i = 0; i < phases.size(); ++i) phases[i].number = i;
  std::ranges::stable_sort(sends, {},
                           [=](const Send& s) { return std::pair(s.time % period, s.time); });
  for (const Send& s : sends) {
    const std::uint64_t number = s.time % period;
    if (!all && (phases.empty() || phases.back().number != number)) phases.push_back({number, {}});
    Phase& phase = all ? phases[number] : phases.back();
    phase.sends.push_back({s.time / period, s.from, s.to});
  }
  return phases;
}

}  // namespace

Steps pipelined(const std::vector<Send>& sends, std::uint64_t period, std::uint64_t K) {
  if (sends.empty() || K == 0) return {};
  const std::uint64_t last = std::ranges::max(sends, {}, &Send::time).time + (K - 1) * period;
  const auto table = std::make_shared<const std::vector<Phase>>(phases(sends, period));
  const auto last_phase = std::ranges::find(*table, last % period, &Phase::number);
  const std::uint64_t rows =
      last / period * table->size() + static_cast<std::uint64_t>(last_phase - table->begin()) + 1;
  return Steps(rows, [=](std::uint64_t row, Transfers& out) {
    const std::uint64_t lap = row / table->size();  // of packet 0
    const Phase& phase = (*table)[row % table->size()];
    auto send =
        std::ranges::lower_bound(phase.sends, lap < K ? 0 : lap - K + 1, {}, &PeriodicSend::lap);
    for (; send != phase.sends.end() && send->lap <= lap; ++send) {
      out.push_back(copy(send->from, send->to, static_cast<Chunk>(lap - send->lap)));
    }
    return lap * period + phase.number;
  });
}

}  // namespace schedcc
