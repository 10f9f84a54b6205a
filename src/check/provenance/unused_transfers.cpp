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

std::map<Rank, UnusedTransfer> find_unused(const Origins& origins, std::span<const Rank> ranks) {
  std::map<Rank, Traffic> traffic;
  const auto steps = origins.open();
  for (Step step; steps->next(step);) {
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      const bool sends = std::ranges::binary_search(ranks, t.src);
      const bool receives = std::ranges::binary_search(ranks, t.dst);
      if ((!sends && !receives) || !origins.well_formed(t)) continue;
      if (sends) {
        auto& sent = traffic[t.src].sent;
        if (sent.size() <= max_sent) sent.push_back({t.first, t.count});
      }
      if (!receives) continue;
      auto& received = traffic[t.dst].received;
      if (received.size() < max_received && !origins.problem.ends_with(t.dst, t.first)) {
        received.push_back({{locate(step, i), origins.arrives(step.number, t), i}, t.first});
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
