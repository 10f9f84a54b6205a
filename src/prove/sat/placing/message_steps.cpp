// Where every chunk goes to one rank a schedule is a colouring: each message gets a step, so that
// in no step a port, or a channel, has more messages than it carries; and of the two messages of a
// packet that goes by way of another rank (message_ways.cpp) the first has the earlier step.
//
// It is found by local search with partial solutions (Bloechliger and Zufferey, "A graph coloring
// heuristic using partial solutions and a reactive tabu scheme", Computers & Operations Research
// 35, 2008): some messages are placed, and never too many in a step. A message that is not placed
// gets the step in which the fewest others are in its way; these are taken out, and must not return
// to that step for some moves. The search ends when all are placed. If it does not, nothing
// follows.
//
// On symmetric machines a schedule is first looked for that pairings of ranks preserve
// (symmetry.hpp), as many as there are, then fewer: all images of a message are placed together, so
// that there are fewer messages to place.

#include "prove/sat/placing/message_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "prove/sat/placing/message_ways.hpp"
#include "prove/sat/question/packets.hpp"
#include "prove/sat/question/symmetry.hpp"
#include "prove/sat/solve/dice.hpp"

namespace schedcc::prover {

namespace {

/// The most packets of a problem that is tried: more take long.
constexpr std::size_t max_packets = 20'000;

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// A message, with its images, to be placed.
struct Placed {
  std::size_t arc, packet;
  std::size_t other = none;  ///< the other message of the same packet
  bool first = true;         ///< is that one later?
};

/// The local search for the steps of messages.
class Placement {
 public:
  Placement(const Shares& shares, std::vector<Placed> messages, std::uint64_t steps, Dice& dice)
      : shares_(shares),
        messages_(std::move(messages)),
        steps_(steps),
        dice_(dice),
        step_(messages_.size(), none),
        returns_(messages_.size() * steps),
        placed_(steps * shares.resources()) {
    for (std::size_t m = 0; m < messages_.size(); ++m) open_.push_back(m);
    dice_.shuffle(open_);
  }

  /// Places one message; those that were in its way have no step then.
  void move() {
    ++now_;
    double least = std::numeric_limits<double>::max();
    std::size_t place = 0, step = none;
    const std::size_t samples = std::min<std::size_t>(open_.size(), 4);
    for (std::size_t i = 0; i < samples; ++i) {
      std::swap(open_[i], open_[i + below(open_.size() - i)]);
      for (std::uint64_t t = 0; t < steps_; ++t) {
        if (returns_[open_[i] * steps_ + t] > now_ || !blockers(open_[i], t, least)) continue;
        const double cost = static_cast<double>(some_.size()) + dice_.fraction() / 2;
        if (cost >= least) continue;
        least = cost;
        place = i;
        step = t;
        best_ = some_;
      }
    }
    if (step == none) return;
    const std::size_t message = open_[place];
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(place));
    for (const std::size_t m : best_) take_out(m);
    put(message, step);
  }

  bool complete() const { return open_.empty(); }
  const std::vector<Placed>& messages() const { return messages_; }
  std::uint64_t step(std::size_t message) const { return step_[message]; }

 private:
  std::vector<std::size_t>& placed(std::uint64_t step, std::size_t resource) {
    return placed_[step * shares_.resources() + resource];
  }
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(dice_.fraction() * static_cast<double>(count));
  }

  /// Sets some_ to placed messages without which this one fits into the step; false if they are
  /// more than `most`, or if it does not.
  bool blockers(std::size_t message, std::uint64_t step, double most) {
    some_.clear();
    const Placed& m = messages_[message];
    if (m.other != none) {
      if (m.first ? step + 1 == steps_ : step == 0) return false;
      const std::size_t then = step_[m.other];
      if (then != none && (m.first ? then <= step : then >= step)) some_.push_back(m.other);
    }
    for (const auto& [resource, times] : shares_.uses(m.arc)) {
      const std::vector<std::size_t>& here = placed(step, resource);
      const std::size_t all = here.size() + times;
      if (all <= shares_.capacity(resource)) continue;
      if (!clear(here, all - shares_.capacity(resource))) return false;
      if (static_cast<double>(some_.size()) >= most) return false;
    }
    return true;
  }
  /// Adds to some_ so many messages that they take one resource `times` times; false if there are
  /// too few.
  bool clear(const std::vector<std::size_t>& here, std::size_t times) {
    for (const std::size_t m : some_) {
      times -= std::min<std::size_t>(times, static_cast<std::size_t>(std::ranges::count(here, m)));
    }
    for (std::size_t i = 0, first = below(here.size()); i < here.size() && times > 0; ++i) {
      const std::size_t m = here[(first + i) % here.size()];
      if (std::ranges::find(some_, m) != some_.end()) continue;
      some_.push_back(m);
      times -= std::min<std::size_t>(times, static_cast<std::size_t>(std::ranges::count(here, m)));
    }
    return times == 0;
  }

  void put(std::size_t message, std::uint64_t step) {
    step_[message] = step;
    for (const auto& [resource, times] : shares_.uses(messages_[message].arc)) {
      placed(step, resource).insert(placed(step, resource).end(), times, message);
    }
  }
  void take_out(std::size_t message) {
    const std::uint64_t step = step_[message];
    for (const auto& use : shares_.uses(messages_[message].arc)) {
      std::erase(placed(step, use.resource), message);
    }
    step_[message] = none;
    open_.push_back(message);
    const double pause = 10 * dice_.fraction() + 0.6 * static_cast<double>(open_.size());
    returns_[message * steps_ + step] = now_ + 1 + static_cast<std::uint64_t>(pause);
  }

  const Shares& shares_;
  std::vector<Placed> messages_;
  std::uint64_t steps_;
  Dice& dice_;
  std::vector<std::size_t> open_;                 ///< messages without a step
  std::vector<std::size_t> step_;                 ///< of each message, or none
  std::vector<std::uint64_t> returns_;            ///< by message and step: not before this move
  std::vector<std::vector<std::size_t>> placed_;  ///< by step and resource, once for each use
  std::vector<std::size_t> some_, best_;          ///< in the way of a move, and of the best one
  std::uint64_t now_ = 0;                         ///< moves so far
};

/// The search among the schedules that some pairings preserve.
class MessageSteps {
 public:
  MessageSteps(const Instance& instance, const Packets& packets,
               const std::vector<Symmetry>& pairings)
      : instance_(instance),
        packets_(packets),
        renamings_(instance, packets, pairings),
        shares_(instance, renamings_) {}

  /// A schedule, if it is found in this number of moves. In `idle` steps channels have nothing to
  /// carry, so that more packets go other ways.
  std::shared_ptr<const Schedule> search(std::uint64_t moves, std::uint64_t idle,
                                         const PollLimits& poll_limits) {
    constexpr std::uint64_t patience = 500'000;  // then with other ways
    while (moves > 0) {
      const std::vector<Way> ways =
          choose_ways(instance_, packets_, renamings_, shares_, idle, dice_);
      if (ways.empty()) return nullptr;
      Placement placement(shares_, messages(ways), instance_.steps, dice_);
      for (std::uint64_t i = 0; i < patience && moves > 0; ++i, --moves) {
        if (placement.complete()) return schedule(placement);
        placement.move();
        if (poll_limits && i % 256 == 0) poll_limits();
      }
    }
    return nullptr;
  }

 private:
  std::vector<Placed> messages(const std::vector<Way>& ways) const {
    std::vector<Placed> result;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::size_t packet = renamings_.packets()[i], first = result.size();
      result.push_back({ways[i].front(), packet});
      if (ways[i].size() == 1) continue;
      result.back().other = first + 1;
      result.push_back({ways[i].back(), packet, first, false});
    }
    return result;
  }

  std::shared_ptr<const Schedule> schedule(const Placement& placement) const {
    std::vector<Transfers> steps(instance_.steps);
    for (std::size_t m = 0; m < placement.messages().size(); ++m) {
      const Placed& message = placement.messages()[m];
      for (std::size_t i = 0; i < renamings_.size(); ++i) {
        const Arc& arc = instance_.arcs[renamings_.arc(i, message.arc)];
        for (const Chunk c : packets_.chunks[renamings_.packet(i, message.packet)]) {
          steps[placement.step(m)].push_back(copy(arc.from, arc.to, c));
        }
      }
    }
    return schedule_of(steps);
  }

  const Instance& instance_;
  const Packets& packets_;
  Renamings renamings_;
  Shares shares_;
  Dice dice_;
};

}  // namespace

std::shared_ptr<const Schedule> place_messages(const Instance& instance,
                                               const std::vector<Delivery>& chunks,
                                               std::uint64_t moves, const PollLimits& poll_limits) {
  if (instance.ranks < 2 || instance.steps == 0 || !takes_packets(instance)) return nullptr;
  if (!has_single_goals(chunks)) return nullptr;
  const Packets all = packets(chunks, width(instance));
  if (all.deliveries.size() > max_packets) return nullptr;
  const std::vector<Symmetry> found = pairings(instance, chunks, poll_limits);
  const std::uint64_t share = moves / (found.size() + 1);
  for (const std::uint64_t idle : {0, 1}) {
    for (std::size_t some = found.size() + 1; some-- > 0;) {
      MessageSteps search(instance, all, {found.begin(), found.begin() + some});
      if (auto result = search.search(share, idle, poll_limits)) return result;
    }
    if (instance.channels.empty()) break;
  }
  return nullptr;
}

}  // namespace schedcc::prover
