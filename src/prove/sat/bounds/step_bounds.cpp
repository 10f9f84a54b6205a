#include "prove/sat/bounds/step_bounds.hpp"

#include <algorithm>

#include "prove/sat/bounds/source_sends.hpp"
#include "prove/sat/question/channels.hpp"

namespace schedcc::prover {

namespace {

/// Is a node too far away, or does it want more than it can receive?
bool lacks_steps(const Instance& instance, const std::vector<Delivery>& chunks) {
  std::vector<std::uint64_t> wanted(instance.nodes);
  for (const Delivery& chunk : chunks) {
    for (const Rank goal : chunk.goals) {
      ++wanted[goal];
      const auto steps = instance.nearest(chunk.sources, goal);
      if (!steps || *steps > instance.steps) return true;
    }
  }
  for (Rank v = 0; v < instance.nodes; ++v) {
    if (wanted[v] > instance.receivable(v, instance.steps)) return true;
  }
  return false;
}

/// Do more chunks have to leave some ranks than the channels out of these carry?
bool cut_off(const Instance& instance, const std::vector<Delivery>& chunks,
             const PollLimits& poll_limits) {
  if (instance.channels.empty()) return false;
  const Saturating width = instance.arcs.front().capacity;
  const auto cuts = channel_cuts(instance, poll_limits);
  return std::ranges::any_of(cuts, [&](const ChannelCut& cut) {
    const auto within = [&](Rank v) -> bool { return cut.inside[v]; };
    const auto leaves = [&](const Delivery& chunk) {
      return !chunk.sources.empty() && std::ranges::all_of(chunk.sources, within) &&
             !std::ranges::all_of(chunk.goals, within);
    };
    return static_cast<std::uint64_t>(std::ranges::count_if(chunks, leaves)) >
           width * cut.messages * instance.steps;
  });
}

}  // namespace

std::vector<Saturating> most_received(const Instance& instance, const std::vector<Delivery>& chunks,
                                      std::uint64_t steps) {
  const std::uint64_t k = instance.ports->send;
  std::vector<std::size_t> starts(instance.ranks);  // of each rank: the chunks that start there
  for (const Delivery& chunk : chunks) {
    for (const Rank source : chunk.sources) ++starts[source];
  }
  const auto lacks_a_chunk = [&](std::size_t count) { return count < chunks.size(); };
  const auto receivers = static_cast<std::uint64_t>(std::ranges::count_if(starts, lacks_a_chunk));
  auto holders = instance.ranks - static_cast<std::uint64_t>(std::ranges::count(starts, 0));
  std::vector<Saturating> result{0};
  for (std::uint64_t t = 0; t < steps; ++t) {
    const Saturating sent = instance.arcs.front().capacity * holders * k;
    result.push_back(result.back() + std::min(instance.step_capacity(receivers), sent));
    holders = std::min(instance.ranks, holders * (k + 1));
  }
  return result;
}

bool too_many(const Instance& instance, const std::vector<Delivery>& chunks) {
  Saturating wanted = 0;
  for (const Delivery& chunk : chunks) wanted += chunk.goals.size();
  constexpr std::uint64_t first = 65;  // after which all ranks are holders, or none
  const std::uint64_t growing = std::min(instance.steps, first);
  const std::vector<Saturating> received = most_received(instance, chunks, growing);
  Saturating all = received.back();
  if (instance.steps > growing) {
    all += remaining(all, received[growing - 1]) * (instance.steps - growing);
  }
  return wanted > all || !overtaxed_sources(instance, chunks).empty();
}

bool too_few_steps(const CopyQuestion& question, const PollLimits& poll_limits) {
  return lacks_steps(question.instance, question.chunks) ||
         cut_off(question.instance, question.chunks, poll_limits) ||
         (question.instance.ports && too_many(question.instance, question.chunks)) ||
         question.prices(poll_limits).has_value();
}

}  // namespace schedcc::prover
