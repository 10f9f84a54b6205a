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
#include "check/sample/search.hpp"

namespace schedcc {

namespace {

using local::RankTransfer;
using Message = std::span<const RankTransfer>;

constexpr std::uint64_t most_idle = 64;  ///< steps in which a rank is not found at work
/// A place is fewer active steps of its rank away from the step that is drawn.
constexpr std::uint64_t most_skipped = 16;
constexpr std::size_t most_messages = 8;  ///< of a rank and a step that are compared

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
        taken_(machine.latency() - machine.receive_delay()),
        random_(options.seed) {
    const auto add = [this](std::string_view check) { sample_.checks.emplace_back(check, false); };
    add("shape");
    add("matching");
    if (machine.ports() != nullptr) add("ports");
    add("causality");
    add("delivery");
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

  /// The last one in which a rank may do anything: what it receives then it has at the end.
  std::uint64_t last_step() const { return schedule_.steps() - taken_; }

  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  void look() {
    const std::uint64_t rank = below(problem_.ranks);
    const auto own = schedule_.at(rank);
    const bool forward = below(2) == 0;
    std::uint64_t step = below(last_step() + 1);
    step = forward ? own->next(step) : own->previous(step);
    for (std::uint64_t left = below(most_skipped); left > 0; --left)
      step = after(*own, step, forward);
    bool found = false;
    // Kernels name some steps that are idle.
    for (std::uint64_t i = 0; i < most_idle && !found; ++i) {
      if (step == local::never) step = after(*own, step, forward);
      if (step == local::never) break;
      found = look_at({rank, step, *own});
      if (!found) step = after(*own, step, forward);
    }
    if (!found) ++sample_.idle;
    look_for_goal(rank, *own);
  }

  /// The next step that the rank names in this direction; after the last one, the first.
  std::uint64_t after(const LocalRankSchedule& own, std::uint64_t step, bool forward) const {
    if (forward) return own.next(step == local::never ? 0 : step + 1);
    if (step == local::never) return own.previous(last_step());
    return step == 0 ? local::never : own.previous(step - 1);
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
    for (const Message& message : some(sends)) compare(place, message, Direction::sends);
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

  /// Has the peer the same message? Then it is looked at from both ends.
  void compare(const Place& place, const Message& message, Direction direction) {
    const bool sends = direction == Direction::sends;
    const std::uint64_t peer = message.front().peer;
    const std::uint64_t delay = machine_.receive_delay();
    const auto other = schedule_.at(peer);
    ++sample_.messages;
    const bool begins = sends || place.step >= delay;
    const std::uint64_t step = sends ? place.step + delay : begins ? place.step - delay : 0;
    RankParts there;
    if (begins) there = RankParts(*other, step, sends ? Direction::receives : Direction::sends);
    const Message expected = there.with(place.rank);
    if (equal(message, expected)) {
      const Place end{peer, step, *other};
      return look_at_ends(sends ? place : end, sends ? end : place, message);
    }
    report("matching", place, [&] {
      return fmt::format("{} {} {} in step {}, and rank {} {} {}", name(place),
                         sends ? "sends" : "expects", describe(message), place.step, peer,
                         sends ? "expects" : "sends", describe(expected));
    });
  }

  /// A random chunk of a message: did the sender hold it, and is what the receiver combines used?
  void look_at_ends(const Place& sender, const Place& receiver, const Message& message) {
    std::uint64_t number = below(chunks_of(message));
    const auto part = std::ranges::find_if(message, [&](const RankTransfer& candidate) {
      if (number < candidate.count) return true;
      number -= candidate.count;
      return false;
    });
    check_held(sender, receiver.rank, part->first + number, part->reduce);
    if (part->reduce) check_used(sender.rank, receiver, part->first + number);
  }

  void check_held(const Place& place, std::uint64_t receiver, std::uint64_t chunk, bool combined) {
    if (!must_arrive(place.rank, chunk, combined)) {
      ++sample_.held;
      return;
    }
    const auto search = problem_.reduction() && !prefixes() ? completion : arrival;
    const Search found = place.step < taken_
                             ? Search::absent
                             : counted(search(place.own, chunk, place.step - taken_));
    if (found == Search::found) ++sample_.held;
    if (found != Search::absent) return;
    report(
        "causality", place,
        [&] {
          return fmt::format("{} sends chunk {} to rank {} in step {}, but does not hold it",
                             name(place), chunk, receiver, place.step);
        },
        chunk);
  }

  void check_used(std::uint64_t sender, const Place& place, std::uint64_t chunk) {
    const bool kept = problem_.goal(place.rank).contains(chunk);
    if (counted(use(place.own, chunk, place.step, taken_, kept)) != Search::absent) return;
    report(
        "delivery", place,
        [&] {
          return fmt::format(
              "{} combines chunk {} from rank {} in step {}, but neither sends it on nor keeps it",
              name(place), chunk, sender, place.step);
        },
        chunk);
  }

  /// Must the rank receive the chunk before it sends it? Of a sum it has a contribution to begin
  /// with, which it may combine; in prefixes it may also copy it.
  bool must_arrive(std::uint64_t rank, std::uint64_t chunk, bool combined) const {
    if (!problem_.start(rank).contains(chunk)) return true;
    return problem_.reduction() && !prefixes() && !combined;
  }
  bool prefixes() const {
    return problem_.collective == Collective::scan || problem_.collective == Collective::exscan;
  }

  /// Does the rank get a random chunk of those that it must end with?
  void look_for_goal(std::uint64_t rank, const LocalRankSchedule& own) {
    const WideRuns goal = problem_.goal(rank);
    if (goal.size() == 0 || problem_.reduction()) return;
    const std::uint64_t chunk = goal[below(goal.size())];
    if (problem_.start(rank).contains(chunk)) return;
    if (counted(arrival(own, chunk, last_step())) != Search::absent) return;
    const Place end{rank, last_step(), own};
    report(
        "delivery", end, [&] { return fmt::format("{} ends without chunk {}", name(end), chunk); },
        chunk);
  }

  Search counted(Search result) {
    ++sample_.chunks;
    if (result == Search::undecided) ++sample_.undecided;
    return result;
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
  /// How long a rank takes to receive a chunk: on LogP its call, o; else the step.
  const std::uint64_t taken_;
  std::mt19937_64 random_;
  Sample sample_;
};

}  // namespace

Sample check_sample(const WideProblem& problem, const LocalSchedule& schedule,
                    const Machine& machine, const SampleOptions& options) {
  return Sampler(problem, schedule, machine, options).run();
}

}  // namespace schedcc
