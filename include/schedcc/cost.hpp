#pragma once

// The time of a schedule under a cost model. All times are seconds.
//
// Two clocks: in the synchronous one a step begins when the previous step has ended at all ranks;
// in the asynchronous one every rank continues as soon as it can. docs/cost.md defines both for
// each model.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/source.hpp"
#include "schedcc/spec.hpp"
#include "schedcc/units.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// LogP, LogGP: when the overhead of a receive occupies its processor. At the `call`, which waits
/// for the message; or on `arrival`, during any call of the rank, as in LogGOPSim.
enum class Receive : std::uint8_t { call, arrival };

/// The message, or rank, whose bytes are the time of a step.
enum class StepTime : std::uint8_t {
  message,  ///< alpha, and beta for each byte of the largest message (alpha-beta)
  rank,     ///< alpha, and beta for each byte of the rank that sends or receives most (bsp)
  levels,   ///< the largest time of a level's messages (levels)
  links,    ///< the largest time of a message over the machine's links (machine)
  none      ///< steps have no time of their own: ranks continue call by call (logp, loggp)
};

/// A cost model with its parameters: plain data that clocks, formulas and bounds read. Parameters
/// that a model does not have are 0.
struct CostModel {
  std::string name;  ///< as in the registry
  std::string spec;  ///< with its parameters, as the user wrote them
  /// Start-up of a message (alpha-beta; levels: the least), synchronization of a superstep (bsp).
  double alpha = 0;
  double beta = 0;                    ///< time per byte (alpha-beta, bsp; levels: the least)
  double L = 0, o = 0, g = 0, G = 0;  ///< LogP, LogGP: latency, overhead, gap, gap per byte
  std::uint64_t packet = 0;           ///< LogP: bytes of a packet; 0: each message is one
  std::uint64_t h = 0;                ///< BSP: messages of a rank in a superstep; 0: any number
  Receive receive = Receive::call;    ///< LogP, LogGP
  /// Levels: of a message, by its level; the last is that of all higher ones, too.
  std::vector<LinkTime> levels = {};
  StepTime step_time = StepTime::none;
  bool of_machine = false;  ///< are its figures those of the machine's links (machine, simgrid)?

  /// Is a step's time alpha + beta times bytes, for bytes that grow with the message?
  bool linear() const { return step_time == StepTime::message || step_time == StepTime::rank; }
  /// Is its own clock, by which schedules are compared, the synchronous one?
  bool synchronous() const { return step_time != StepTime::none; }
};

/// A kind of cost model as it is listed.
struct CostModelInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  std::vector<Parameter> parameters;
};

/// The model that `spec` names, NAME:key=value,... Throws InputError.
CostModel make_cost_model(std::string_view spec);

/// Why the model cannot time schedules on this machine; none if it can.
std::optional<std::string> reason_against(const CostModel& model, const Machine& machine);
/// Throws InputError if there is such a reason.
void require_fit(const CostModel& model, const Machine& machine);

/// A message of a critical path, under way from `start` to `end`; in LogP and LogGP from the
/// beginning of the send until the receiver holds it.
struct TimedMessage {
  std::uint64_t step;
  Rank src, dst;
  std::uint64_t bytes;
  double start, end;
};

/// A formula of a paper, evaluated.
struct TimeFormula {
  std::string text, source;
  double seconds;
};

/// The schedules that a bound holds for: any; those whose steps are synchronous; those whose
/// packets have one size.
enum class BoundedSchedules : std::uint8_t { any, synchronous, one_packet_size };
/// "any schedule", "synchronous steps", "packets of one size".
std::string_view name(BoundedSchedules schedules);

/// A lower bound on time.
struct TimeBound {
  std::string text, source;
  BoundedSchedules holds_for;
  double seconds;
};

/// The time of a schedule under a cost model, lower bounds on it, and what the schedule moves.
/// Seconds and bytes.
struct CostReport {
  std::string schedule, file, collective, machine, model;
  std::string title;  ///< the title of a custom collective; may be empty
  std::uint64_t ranks = 0, chunks = 0, bytes = 0;
  std::optional<std::uint64_t> root;
  std::uint64_t steps = 0;         ///< the number of the last step plus one (LogP machines: cycles)
  std::uint64_t messages = 0;      ///< on routed machines those of the hop level
  std::uint64_t bytes_moved = 0;   ///< by all messages
  std::uint64_t volume_bytes = 0;  ///< the sum over the steps of each one's largest message
  std::uint64_t width = 0;         ///< the largest message, in chunks
  std::optional<double> synchronous, asynchronous;
  double seconds = 0;  ///< the model's own clock: in LogP and LogGP asynchronous, else synchronous
  /// Asynchronous; if requested.
  std::optional<std::vector<TimedMessage>> critical_path;
  std::vector<TimeBound> bounds;
  /// What `cost` leaves to its caller, to be printed with the rest: formulas for the time, the
  /// parameters of the algorithm that were chosen ("chunks" among them), the numbers of chunks
  /// that were tried (empty: all, or none to choose), and `receive` if it was requested.
  std::vector<TimeFormula> formulas;
  std::vector<std::string> chosen;
  std::vector<std::uint64_t> tried;
  std::optional<Receive> receive;

  /// The best lower bound on `seconds` for all sizes of packets; nullptr if no bound is known.
  const TimeBound* bound() const;
};

/// The size of the message, and what is reported beside its time.
struct CostOptions {
  std::uint64_t bytes =
      0;  ///< of the message; of a block if the collective has blocks. A barrier has none
  bool critical_path = false;
  /// Called from time to time with the number of messages processed so far; may throw to stop.
  std::function<void(std::uint64_t)> progress = {};
};

/// The time of a source's schedule, which is read once and not checked. Memory: one number per
/// rank, and with `critical_path` the messages on paths that may still become critical; with
/// Receive::arrival all messages. Throws InputError if the model does not fit the machine.
CostReport cost(const Source& source, const Machine& machine, const CostModel& model,
                const CostOptions& options);

/// The figures, a line each, after a line that says what was timed. `colored`: with the colours of
/// a terminal.
std::string to_text(const CostReport& report, bool colored = false);
/// A JSON object and a newline.
std::string to_json(const CostReport& report);
/// A line of names and one of values, without the critical path.
std::string to_csv(const CostReport& report);

/// The papers' formulas for the algorithm that `spec` names, and the one from its claimed steps and
/// volume, unless it is among them. `problem` is that of its schedule. None for P = 1 and for
/// irregular blocks.
std::vector<TimeFormula> time_formulas(const Spec& spec, const Problem& problem,
                                       const Machine& machine, const CostModel& model,
                                       std::uint64_t bytes);

/// Lower bounds for a problem whose messages carry at most `width` chunks.
std::vector<TimeBound> time_bounds(const Problem& problem, const Machine& machine,
                                   const CostModel& model, std::uint64_t bytes,
                                   std::uint64_t width);

/// All cost models, in the order in which they are listed.
std::vector<CostModelInfo> cost_models();

}  // namespace schedcc

#pragma GCC visibility pop
