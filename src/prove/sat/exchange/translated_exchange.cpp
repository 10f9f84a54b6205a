// On a torus all ranks are alike, and so are all steps of an exchange that are translations of one:
// on P ranks P steps, or, if some translations preserve it, a divisor of P. Together they have each
// of its messages once from every rank. So a few steps are chosen, with as many messages of each
// length as a rank has packets for such a goal, and with their images they are the schedule.
//
// What is chosen at random is tried for a short time each: how many images the steps have, of which
// the sum is the number of steps of the schedule, which translations preserve them, and the ways of
// packets that go by another rank. A solver chooses the messages.

#include "prove/sat/exchange/translated_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "prove/sat/exchange/torus_ways.hpp"
#include "prove/sat/exchange/translated_steps.hpp"
#include "prove/sat/exchange/translations.hpp"
#include "prove/sat/question/packets.hpp"
#include "prove/sat/solve/dice.hpp"
#include "prove/sat/solve/memory_limit.hpp"
#include "prove/sat/solve/time_limit.hpp"

namespace schedcc::prover {

namespace {

/// The schedule of the steps that a solver chose.
class Expansion {
 public:
  Expansion(const TotalExchange& exchange, const Translations& translations, const TorusWays& ways)
      : exchange_(exchange),
        translations_(translations),
        ways_(ways),
        sent_(ways.messages.size(), std::vector<std::uint64_t>(translations.size())) {}

  void add(const StepOrbit& orbit, const OrbitMessages& messages) {
    for (const Rank step : orbit.moving) {
      Transfers& transfers = steps_.emplace_back();
      for (const auto& [number, from] : messages) {
        for (const Rank h : orbit.preserving) {
          send(number, translations_.sum(step, translations_.sum(from, h)), transfers);
        }
      }
    }
  }
  std::shared_ptr<const Schedule> schedule() const { return schedule_of(steps_); }

 private:
  void send(std::size_t number, Rank from, Transfers& step) {
    const TranslatedMessages& messages = ways_.messages[number];
    const Rank origin = translations_.difference(from, messages.origin_to_sender);
    const std::uint64_t packet = messages.first + sent_[number][origin]++;
    const Rank to = translations_.sum(from, messages.length),
               goal = translations_.sum(origin, messages.goal);
    for (const Chunk c : exchange_.chunks(origin, goal, packet)) step.push_back(copy(from, to, c));
  }

  const TotalExchange& exchange_;
  const Translations& translations_;
  const TorusWays& ways_;
  std::vector<std::vector<std::uint64_t>> sent_;  ///< so far, by messages and origin
  std::vector<Transfers> steps_;
};

class TranslatedSearch {
 public:
  TranslatedSearch(const Instance& instance, const TotalExchange& exchange, const RankRows& rows,
                   const SolverEntry& solver, const SolverLimits& limits)
      : exchange_(exchange),
        steps_(instance.steps),
        solver_(solver),
        limits_(limits),
        translations_(rows.rows, rows.columns),
        ports_(instance, translations_) {
    for (std::uint64_t size = 1; size <= translations_.size(); ++size) {
      if (translations_.size() % size != 0) continue;
      subgroups_[size] = translations_.subgroups(translations_.size() / size);
    }
  }

  std::shared_ptr<const Schedule> run() {
    constexpr std::uint64_t most_detours = 2, most_tries = 500;
    if (!ports_.regular()) return nullptr;
    const PollLimits poll = limit_checker(limits_);
    for (std::uint64_t i = 0; i < most_tries; ++i) {
      poll();
      const auto ways = choose_torus_ways(translations_, ports_, exchange_.each, steps_,
                                          i % (most_detours + 1), dice_);
      if (!ways) continue;
      const auto patience = std::chrono::milliseconds(200 + 10 * i);  // most take less, if at all
      if (auto found = solve(*ways, orbits(), patience)) return found;
    }
    return nullptr;
  }

 private:
  std::uint64_t below(std::uint64_t count) {
    return static_cast<std::uint64_t>(dice_.fraction() * static_cast<double>(count));
  }

  /// How many images each of the chosen steps has: P, where no translation preserves the step, as
  /// often as there is room for, or up to two times less; and for the rest the best of some sums of
  /// divisors, that with the fewest ones, as such a step has messages of a single length, and then
  /// with the fewest terms.
  std::vector<std::uint64_t> numbers_of_images() {
    constexpr std::uint64_t samples = 8, less = 2;
    const std::uint64_t all = translations_.size(), times = steps_ / all;
    const std::uint64_t free = times - below(std::min(times, less) + 1);
    std::vector<std::uint64_t> best;
    for (std::uint64_t i = 0; i < samples; ++i) {
      auto some = random_sum(steps_ - free * all);
      if (i == 0 || cost(some) < cost(best)) best = std::move(some);
    }
    best.insert(best.end(), free, all);
    return best;
  }
  static std::pair<std::ptrdiff_t, std::size_t> cost(const std::vector<std::uint64_t>& numbers) {
    return {std::ranges::count(numbers, 1U), numbers.size()};
  }
  /// Divisors of P below it with this sum.
  std::vector<std::uint64_t> random_sum(std::uint64_t left) {
    std::vector<std::uint64_t> result;
    for (const auto& [images, groups] : subgroups_) {
      if (images == translations_.size()) continue;
      const std::uint64_t times = images == 1 ? left : below(left / images + 1);
      result.insert(result.end(), times, images);
      left -= times * images;
    }
    return result;
  }

  std::vector<StepOrbit> orbits() {
    std::vector<std::uint64_t> numbers = numbers_of_images();
    dice_.shuffle(numbers);
    std::vector<StepOrbit> result;
    for (const std::uint64_t number : numbers) {
      const auto& groups = subgroups_.at(number);
      result.emplace_back(translations_, groups[below(groups.size())]);
    }
    return result;
  }

  std::shared_ptr<const Schedule> solve(const TorusWays& ways, const std::vector<StepOrbit>& orbits,
                                        std::chrono::milliseconds patience) {
    const SolverLimits limits = within_time(limits_, patience);
    const TranslatedSteps steps(ports_, ways, orbits, limit_checker(limits_));
    require_room(limits_, steps.formula());
    Model model;
    if (solver_.solve(steps.formula(), limits, model, "") != Answer::sat) return nullptr;
    Expansion expansion(exchange_, translations_, ways);
    const auto messages = steps.messages(model);
    for (std::size_t i = 0; i < orbits.size(); ++i) expansion.add(orbits[i], messages[i]);
    return expansion.schedule();
  }

  const TotalExchange& exchange_;
  const std::uint64_t steps_;
  const SolverEntry& solver_;
  const SolverLimits& limits_;
  const Translations translations_;
  const TranslatedPorts ports_;
  /// Those that preserve a step, by how many images it has, the most first.
  std::map<std::uint64_t, std::vector<std::vector<Rank>>, std::greater<>> subgroups_;
  Dice dice_;
};

}  // namespace

std::shared_ptr<const Schedule> translated_exchange(const Instance& instance,
                                                    const std::vector<Delivery>& chunks,
                                                    const RankRows& rows, const SolverEntry& solver,
                                                    const SolverLimits& limits) {
  if (!rows.torus || instance.steps == 0) return nullptr;
  const auto exchange = total_exchange(instance, chunks);
  if (!exchange) return nullptr;
  return TranslatedSearch(instance, *exchange, rows, solver, limits).run();
}

}  // namespace schedcc::prover
