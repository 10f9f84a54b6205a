#include "check/sample/sample.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "check/sample/rank_parts.hpp"

namespace schedcc {

namespace {

using local::RankTransfer;
using Message = std::span<const RankTransfer>;

constexpr std::uint64_t most_steps = 1 << 10;  ///< in which the arrival of a chunk is looked for
constexpr std::uint64_t most_idle = 64;        ///< steps in which a rank is not found at work
constexpr std::size_t most_messages = 8;       ///< of a rank and a step that are compared

bool equal(const Message& a, const Message& b) {
  return std::ranges::equal(a, b, [](const RankTransfer& x, const RankTransfer& y) {
    return x.first == y.first && x.count == y.count && x.reduce == y.reduce;
  });
}

class Sampler {
 public:
  Sampler(const WideProblem& problem, const LocalSchedule& schedule, const Machine& machine,
          const SampleOptions& options)
      : problem_(problem),
        schedule_(schedule),
        machine_(machine),
        options_(options),
        chunks_(problem.total_chunks()),
        random_(options.seed) {
    const auto add = [this](std::string_view check) { sample_.checks.emplace_back(check, false); };
    add("shape");
    add("matching");
    if (machine.ports() != nullptr) add("ports");
    add("causality");
    if (!problem.reduction()) add("delivery");
  }

  Sample run() {
    for (std::uint64_t i = 0; i < options_.places && schedule_.steps() > 0; ++i) {
      look();
      if (options_.progress) options_.progress(i + 1);
    }
    return std::move(sample_);
  }

 private:
  /// A rank in a step.
  struct Place {
    std::uint64_t rank, step;
    const LocalRankSchedule& own;
  };

  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  void look() {
    const std::uint64_t rank = below(problem_.ranks);
    const auto own = schedule_.at(rank);
    std::uint64_t step = own->next(below(schedule_.steps()));
    // Kernels name some steps that are idle.
    for (std::uint64_t i = 0; i < most_idle; ++i) {
      if (step == local::never) step = own->next(0);
      if (step == local::never || look_at({rank, step, *own})) break;
      step = own->next(step + 1);
    }
    look_for_goal(rank, *own);
  }

  /// False if the rank is idle.
  bool look_at(const Place& place) {
    try {
      const RankParts sends(place.own, place.step, Direction::sends);
      const RankParts receives(place.own, place.step, Direction::receives);
      if (sends.all().empty() && receives.all().empty()) return false;
      if (in_shape(place, sends) && in_shape(place, receives)) look_at(place, sends, receives);
    } catch (const TooManyParts&) {
      ++sample_.unread;
    }
    ++sample_.places;
    return true;
  }

  void look_at(const Place& place, const RankParts& sends, const RankParts& receives) {
    check_ports(place, sends, receives);
    for (const Message& message : some(sends)) {
      compare(place, message, Direction::sends);
      check_held(place, message);
    }
    for (const Message& message : some(receives)) compare(place, message, Direction::receives);
  }

  /// A few messages, at random if there are more.
  std::vector<Message> some(const RankParts& parts) {
    std::vector<Message> result = parts.messages();
    for (std::size_t i = 0; i < most_messages && i + 1 < result.size(); ++i)
      std::swap(result[i], result[i + below(result.size() - i)]);
    result.resize(std::min(result.size(), most_messages));
    return result;
  }

  bool in_shape(const Place& place, const RankParts& parts) {
    const auto wrong = [&](const RankTransfer& part) {
      return part.peer >= problem_.ranks || part.peer == place.rank || part.count == 0 ||
             part.first >= chunks_ || part.count > chunks_ - part.first;
    };
    const auto found = std::ranges::find_if(parts.all(), wrong);
    if (found == parts.all().end()) return true;
    report("shape", place, [&] {
      return fmt::format(
          "{} in step {} has a message of {} with rank {}: there are {} ranks and {} chunks",
          name(place), place.step, describe(Message(&*found, 1)), found->peer, problem_.ranks,
          chunks_);
    });
    return false;
  }

  void check_ports(const Place& place, const RankParts& sends, const RankParts& receives) {
    const auto sent = sends.messages(), received = receives.messages();
    if (const PortLimits* limits = machine_.ports()) {
      const bool within = sent.size() <= limits->send && received.size() <= limits->receive &&
                          sent.size() + received.size() <= limits->both;
      if (!within) report_ports(place, sent.size(), received.size());
    }
    if (machine_.ports() == nullptr || machine_.width() == 0) return;
    for (const Message& message : sent) {
      if (chunks_of(message) <= machine_.width()) continue;
      report("ports", place, [&] {
        return fmt::format(
            "the message of {} to rank {} in step {} has {} chunks; on {} it has at most {}",
            name(place), message.front().peer, place.step, chunks_of(message), machine_.spec(),
            machine_.width());
      });
    }
  }

  void report_ports(const Place& place, std::size_t sent, std::size_t received) {
    report("ports", place, [&] {
      return fmt::format(
          "{} sends {} and receives {} messages in step {}, which is more than {} allows",
          name(place), sent, received, place.step, machine_.spec());
    });
  }

  /// Has the peer the same message in this step?
  void compare(const Place& place, const Message& message, Direction direction) {
    const bool sends = direction == Direction::sends;
    const std::uint64_t peer = message.front().peer;
    const std::uint64_t delay = machine_.receive_delay();
    ++sample_.messages;
    RankParts there;
    if (sends || place.step >= delay) {
      const std::uint64_t step = sends ? place.step + delay : place.step - delay;
      there = RankParts(*schedule_.at(peer), step, sends ? Direction::receives : Direction::sends);
    }
    const Message other = there.with(place.rank);
    if (equal(message, other)) return;
    report("matching", place, [&] {
      return fmt::format("{} {} {} in step {}, and rank {} {} {}", name(place),
                         sends ? "sends" : "expects", describe(message), place.step, peer,
                         sends ? "expects" : "sends", describe(other));
    });
  }

  /// Did the rank hold a random chunk of its message?
  void check_held(const Place& place, const Message& message) {
    std::uint64_t number = below(chunks_of(message));
    const auto part = std::ranges::find_if(message, [&](const RankTransfer& candidate) {
      if (number < candidate.count) return true;
      number -= candidate.count;
      return false;
    });
    const std::uint64_t chunk = part->first + number;
    if (!must_arrive(place.rank, chunk, part->reduce)) return;
    // From the step in which it is received: on LogP that is when the receiver's call begins.
    const std::uint64_t taken = machine_.latency() - machine_.receive_delay();
    const bool held =
        place.step >= taken && arrives(place.own, chunk, place.step - taken) != Arrival::never;
    if (held) return;
    report(
        "causality", place,
        [&] {
          return fmt::format("{} sends chunk {} to rank {} in step {}, but does not hold it",
                             name(place), chunk, message.front().peer, place.step);
        },
        chunk);
  }

  /// Must the rank receive the chunk before it sends it? Of a sum it has a contribution to begin
  /// with, which it may combine; in prefixes it may also copy it.
  bool must_arrive(std::uint64_t rank, std::uint64_t chunk, bool combined) const {
    if (!problem_.start(rank).contains(chunk)) return true;
    const bool prefixes =
        problem_.collective == Collective::scan || problem_.collective == Collective::exscan;
    return problem_.reduction() && !prefixes && !combined;
  }

  /// Does the rank get a random chunk of those that it must end with?
  void look_for_goal(std::uint64_t rank, const LocalRankSchedule& own) {
    const WideRuns goal = problem_.goal(rank);
    if (goal.size() == 0 || problem_.reduction()) return;
    const std::uint64_t chunk = goal[below(goal.size())];
    if (problem_.start(rank).contains(chunk)) return;
    if (arrives(own, chunk, schedule_.steps() - 1) != Arrival::never) return;
    const Place end{rank, schedule_.steps() - 1, own};
    report(
        "delivery", end, [&] { return fmt::format("{} ends without chunk {}", name(end), chunk); },
        chunk);
  }

  enum class Arrival : std::uint8_t { found, never, undecided };

  /// Does the chunk arrive in the step `last` or before it? The steps are read backwards.
  Arrival arrives(const LocalRankSchedule& own, std::uint64_t chunk, std::uint64_t last) {
    ++sample_.chunks;
    try {
      std::uint64_t step = own.previous(last);
      for (std::uint64_t i = 0; step != local::never; step = own.previous(step - 1)) {
        if (receives_chunk(own, step, chunk)) return Arrival::found;
        if (step == 0) break;
        if (++i == most_steps) return undecided();
      }
    } catch (const TooManyParts&) {
      return undecided();
    }
    return Arrival::never;
  }
  Arrival undecided() {
    ++sample_.undecided;
    return Arrival::undecided;
  }

  static std::string name(const Place& place) { return fmt::format("rank {}", place.rank); }

  template <typename F>
  void report(std::string_view check, const Place& place, F message,
              std::optional<std::uint64_t> chunk = {}) {
    std::ranges::find(sample_.checks, check, [](const auto& c) { return c.first; })->second = true;
    ++sample_.findings_total;
    if (sample_.findings.size() >= options_.max_findings) return;
    Finding finding;
    finding.check = check;
    finding.step = place.step;
    finding.rank = place.rank;
    finding.chunk = chunk;
    finding.message = message();
    sample_.findings.push_back(std::move(finding));
  }

  const WideProblem& problem_;
  const LocalSchedule& schedule_;
  const Machine& machine_;
  const SampleOptions& options_;
  const std::uint64_t chunks_;
  std::mt19937_64 random_;
  Sample sample_;
};

}  // namespace

Sample check_sample(const WideProblem& problem, const LocalSchedule& schedule,
                    const Machine& machine, const SampleOptions& options) {
  return Sampler(problem, schedule, machine, options).run();
}

}  // namespace schedcc
