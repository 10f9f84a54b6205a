#include "prove/sat/question/channels.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "prove/sat/question/question_limits.hpp"

namespace schedcc::prover {

namespace {

/// The channels of each arc's route, in order.
std::vector<std::vector<std::uint64_t>> routes(const Instance& instance, const Question& question) {
  std::vector<std::vector<std::uint64_t>> result;
  std::vector<Channels::Run> runs;
  Saturating uses = 0;
  for (const Arc& arc : instance.arcs) {
    runs.clear();
    question.machine.channels()->route(arc.from, arc.to, runs);
    std::vector<std::uint64_t>& route = result.emplace_back();
    for (const auto& [first, count, falling] : runs) {
      uses += count;
      if (uses > max_channel_uses) throw InstanceTooLarge(too_many_channel_uses(question));
      for (std::uint64_t i = 0; i < count; ++i) {
        route.push_back(first + (falling ? count - 1 - i : i));
      }
    }
  }
  return result;
}

/// The number of different ranks at one end of some arcs.
std::uint64_t ranks_at(const Instance& instance, std::span<const std::size_t> arcs,
                       Rank Arc::*end) {
  std::set<Rank> ranks;
  for (const std::size_t a : arcs) ranks.insert(instance.arcs[a].*end);
  return ranks.size();
}

}  // namespace

void add_channels(Instance& instance, const Question& question) {
  const Channels& channels = *question.machine.channels();
  if (channels.shared()) return;  // messages beyond the capacity only take longer
  const std::vector<std::vector<std::uint64_t>> taken = routes(instance, question);
  std::map<std::uint64_t, std::vector<std::size_t>> arcs;  // by channel
  for (std::size_t a = 0; a < taken.size(); ++a) {
    for (const std::uint64_t channel : taken[a]) arcs[channel].push_back(a);
  }
  std::map<std::uint64_t, std::size_t> number;
  for (const auto& [channel, users] : arcs) {
    const Saturating most =
        std::min({Saturating(users.size()),
                  Saturating(ranks_at(instance, users, &Arc::from)) * instance.ports->send,
                  Saturating(ranks_at(instance, users, &Arc::to)) * instance.ports->receive});
    if (most <= channels.capacity(channel)) continue;
    number[channel] = instance.channels.size();
    instance.channels.push_back(channels.capacity(channel));
  }
  for (std::size_t a = 0; a < taken.size(); ++a) {
    for (const std::uint64_t channel : taken[a]) {
      const auto found = number.find(channel);
      if (found != number.end()) instance.arcs[a].channels.push_back(found->second);
    }
  }
}

namespace {

/// The cuts of an instance, one candidate after the other.
class CutSearch {
 public:
  explicit CutSearch(const Instance& instance) : instance_(instance) {}

  /// The sets of ranks to be tried: for each channel, those from which it is taken, and those to
  /// which it is not.
  std::set<std::vector<bool>> candidates() const {
    std::vector<std::vector<bool>> from(instance_.channels.size(),
                                        std::vector<bool>(instance_.ranks));
    std::vector<std::vector<bool>> not_to(instance_.channels.size(),
                                          std::vector<bool>(instance_.ranks, true));
    for (const Arc& arc : instance_.arcs) {
      for (const std::size_t channel : arc.channels) {
        from[channel][arc.from] = true;
        not_to[channel][arc.to] = false;
      }
    }
    std::set<std::vector<bool>> result(from.begin(), from.end());
    result.insert(not_to.begin(), not_to.end());
    return result;
  }

  /// The messages that leave `inside` in a step; none if channels do not limit them.
  std::optional<std::uint64_t> messages(const std::vector<bool>& inside) const {
    const auto leaves = [&](const Arc& arc) { return inside[arc.from] && !inside[arc.to]; };
    std::vector<bool> cut(instance_.channels.size(), true);
    for (const Arc& arc : instance_.arcs) {
      if (leaves(arc)) continue;
      for (const std::size_t channel : arc.channels) cut[channel] = false;
    }
    std::uint64_t each = UINT64_MAX;  // channels of the cut that every message takes
    for (const Arc& arc : instance_.arcs) {
      if (!leaves(arc)) continue;
      const auto taken =
          std::ranges::count_if(arc.channels, [&](std::size_t channel) { return cut[channel]; });
      each = std::min(each, static_cast<std::uint64_t>(taken));
    }
    if (each == 0 || each == UINT64_MAX) return std::nullopt;
    Saturating all = 0;
    for (std::size_t channel = 0; channel < cut.size(); ++channel) {
      if (cut[channel]) all += instance_.channels[channel];
    }
    const Saturating result = all.value() / each;
    const auto within = static_cast<std::uint64_t>(std::ranges::count(inside, true));
    const Saturating ports =
        std::min(Saturating(within) * instance_.ports->send,
                 Saturating(instance_.ranks - within) * instance_.ports->receive);
    if (result >= ports) return std::nullopt;
    return result.value();
  }

 private:
  const Instance& instance_;
};

}  // namespace

std::vector<ChannelCut> channel_cuts(const Instance& instance, const PollLimits& poll_limits) {
  const CutSearch search(instance);
  std::vector<ChannelCut> result;
  for (const std::vector<bool>& inside : search.candidates()) {
    if (poll_limits) poll_limits();
    if (const auto messages = search.messages(inside)) result.push_back({inside, *messages});
  }
  return result;
}

}  // namespace schedcc::prover
