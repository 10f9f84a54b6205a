#include "check/provenance/unused_transfers.hpp"

#include <algorithm>
#include <vector>

#include "check/provenance/replay.hpp"
#include "model/runs.hpp"

namespace schedcc::provenance {

namespace {

constexpr std::size_t max_received = 64, max_sent = 4096;

/// The chunks that a rank receives and need not end with, and those that it sends.
struct Traffic {
  std::vector<UnusedTransfer> received = {};
  std::vector<Run> sent = {};

  bool sends(Chunk chunk) const {
    return std::ranges::any_of(
        sent, [&](const Run& run) { return chunk >= run.first && chunk < end(run); });
  }
};

}  // namespace

std::map<Rank, UnusedTransfer> find_unused(StepStream& steps, const Problem& problem,
                                           std::span<const Rank> ranks,
                                           const ArrivalTime& arrives) {
  std::map<Rank, Traffic> traffic;
  for (Step step; steps.next(step);) {
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      if (std::ranges::binary_search(ranks, t.src)) {
        auto& sent = traffic[t.src].sent;
        if (sent.size() <= max_sent) sent.push_back({t.first, t.count});
      }
      if (!std::ranges::binary_search(ranks, t.dst)) continue;
      auto& received = traffic[t.dst].received;
      if (received.size() < max_received && !problem.ends_with(t.dst, t.first)) {
        received.push_back({{locate(step, i), arrives(step.number, t)}, t.first});
      }
    }
  }
  std::map<Rank, UnusedTransfer> result;
  for (const auto& [rank, of_rank] : traffic) {
    if (of_rank.sent.size() > max_sent) continue;
    for (const UnusedTransfer& unused : of_rank.received) {
      if (!of_rank.sends(unused.chunk)) result.try_emplace(rank, unused);
    }
  }
  return result;
}

}  // namespace schedcc::provenance
