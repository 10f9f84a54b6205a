#pragma once

// A clock takes the steps of a schedule and computes the time at which the last of them ends. Cost
// models create clocks.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cost/messages.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// What is known of a schedule before its steps come, from which clocks may tell how long it takes
/// at least.
struct Prospect {
  const Problem* problem;
  std::uint64_t bytes;  ///< of the smaller chunks
  std::uint64_t width;  ///< the most chunks of a message; 0: unknown
};

class Clock {
 public:
  virtual ~Clock() = default;
  /// Before the first step: what is known of all of them.
  virtual void expect(const Prospect&) {}
  /// The messages of step `number`, which takes `rounds`. Numbers rise; idle steps are left out.
  virtual void step(std::uint64_t number, std::uint32_t rounds,
                    std::span<const SizedMessage> messages) = 0;
  /// The same for a step in which each rank sends one message of this size, and receives one; all
  /// steps before must have been given in this way, and expect() have been called. False: the clock
  /// needs the messages themselves.
  virtual bool permutation(std::uint64_t /*number*/, const MessageSize&) { return false; }
  /// A lower bound on the end, for any further steps.
  virtual double so_far() const = 0;
  /// The same for any other sizes of the chunks, none of which has fewer than x bytes: at least
  /// alpha + beta x; none if such a bound is not known.
  virtual std::optional<LinkTime> least_so_far() const { return std::nullopt; }
  /// No more steps come: the time at which everything has ended.
  virtual double finish() = 0;
  /// The critical path, in order; after finish(), if it was recorded.
  virtual std::vector<TimedMessage> critical_path() const { return {}; }
  /// What each message of a step takes if all have s times their bytes, alpha + beta s, by
  /// synchronous clocks of models with `profiles`. Time does not pass. Valid until the next call.
  virtual std::span<const LinkTime> lines(std::span<const SizedMessage>) { return {}; }
};

/// The synchronous clock of a linear model.
class LinearClock : public Clock {
 public:
  /// so_far() if all messages had s times their bytes: alpha + beta s.
  virtual LinkTime line_so_far() const = 0;
  /// Gives back the memory that only single steps need; more of them may follow.
  virtual void pause() {}

  double so_far() const final {
    const LinkTime line = line_so_far();
    return line.alpha + line.beta;
  }
  double finish() final { return so_far(); }
};

/// A number for every rank, in memory for those that are used, and the path that led to it.
struct ReadyTime {
  double time = 0;
  std::uint32_t path = UINT32_MAX;  ///< PathLog::none
};

/// A kind of cost model, defined at the end of its file.
struct CostModelEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  std::vector<Parameter> parameters;
  CostModel (*make)(const Parameters& parameters);
  /// Why it cannot time schedules on this machine; none if it can.
  std::optional<std::string> (*reason)(const Machine& machine);
  /// The two clocks; nullptr if the model has none. `record`: keep the critical path.
  std::unique_ptr<Clock> (*synchronous)(const CostModel& model, const Machine& machine);
  std::unique_ptr<Clock> (*asynchronous)(const CostModel& model, const Machine& machine,
                                         bool record);
  bool keeps_path = true;  ///< can the asynchronous clock record the critical path?
  /// Does each message of a step, by the synchronous clock, take a + b x seconds with chunks of x
  /// bytes? nullptr: not known.
  bool (*profiles)(const Machine& machine) = nullptr;
};

/// Why a model with the times of the machine's links cannot time schedules there: it states none.
std::optional<std::string> without_link_times(const Machine& machine);

/// Why a model that counts the messages of each rank cannot time schedules where switches copy or
/// combine them; none if they do not.
std::optional<std::string> against_switches(const Machine& machine);

/// Can the model say which messages the time of a schedule on this machine waits for?
bool has_critical_path(const CostModel& model, const Machine& machine);

/// The model's own clock on a machine that it can time.
std::unique_ptr<Clock> own_clock(const CostModel& model, const Machine& machine);
/// That of a linear model.
std::unique_ptr<LinearClock> linear_clock(const CostModel& model, const Machine& machine);

/// All cost models, in the order in which they are listed.
std::span<const CostModelEntry* const> cost_model_entries();
/// The cost model of this name. Throws InputError with the nearest names if there is none.
const CostModelEntry& find_cost_model(std::string_view name);

}  // namespace schedcc
