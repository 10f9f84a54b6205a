// The checks of programs, which decide for all runs what testing can only sample.
//
//     limits    the limits of the runtimes
//     matching  every send has its receive, in the order of its channel, with the same fields
//     deadlock  no threadblock waits for ever, in any call that the program serves
//     races     two instructions that use the same chunk of memory, one to write it, are ordered
//     delivery  no uninitialized data are read, and the collective's end state holds, with every
//               contribution counted once
//     agreement all ranks that end with a sum end with the same expression (a warning)
//
// Each check depends on the previous ones: without partners no message has an order, and a program
// that stops has no end state. A check that cannot be made is unknown, and unknown is never a pass.
// If a program serves calls in place and out of place, it is checked in both ways.

#include "program/check.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "analysis/describe_source.hpp"
#include "analysis/reporter.hpp"
#include "analysis/shared_sums.hpp"
#include "core/counted.hpp"
#include "program/contents.hpp"
#include "program/execution.hpp"
#include "program/explain.hpp"
#include "program/length.hpp"
#include "program/limits.hpp"
#include "program/races.hpp"
#include "program/values.hpp"
#include "program/wiring.hpp"
#include "schedcc/check.hpp"

namespace schedcc {

namespace {

using program::Call;
using program::Event;
using program::none;

/// The limit on chunks of a buffer, by the format.
constexpr std::uint32_t most_followed = program::limits::offset + 1;
/// The limit on all GPUs' outputs, by the runtimes.
constexpr std::uint64_t most_ends = std::uint64_t{program::limits::gpus} * most_followed;

constexpr std::array<CheckInfo, 6> list{{
    {"limits", "programs: the limits of the runtimes of MSCCL"},
    {"matching", "programs: every send has its receive, in order and with the same fields"},
    {"deadlock",
     "programs: no threadblock waits for ever, in calls of every size that the program serves"},
    {"races", "programs: accesses to the same memory are ordered by dependencies or messages"},
    {"delivery", "programs: the collective's end state holds, every contribution counted once"},
    {"agreement",
     "programs: all ranks that end with a sum added it up in the same way (a warning)"},
}};

class ProgramChecker {
 public:
  ProgramChecker(const Source& source, const CheckOptions& options)
      : source_(source),
        program_(*source.program),
        options_(options),
        wiring_(program_),
        fifo_(options.fifo ? program::Fifo{*options.fifo, program::unbounded.chunks}
                           : program::fifo_in_calls(program_, program_.max_bytes)),
        reporter_(options.max_findings, options.strict) {}

  Report run() {
    describe();
    reporter_.notes(source_.notes);
    check_limits();
    check_matching();
    check_deadlock();
    if (order_.empty() && wiring_.events() > 0) {
      undecided("races", "the program does not complete (see the check deadlock)");
      undecided("delivery", "the program does not complete (see the check deadlock)");
      undecided("agreement", "the program does not complete (see the check deadlock)");
    } else {
      report_.steps = program::length(wiring_, order_);
      for (const Call call : calls()) {
        check_races(call);
        check_values(call);
      }
    }
    finish();
    return std::move(report_);
  }

 private:
  void describe() {
    describe_source(source_, program_.problem, report_);
    report_.machine = fmt::format("{}:fifo={}", program_.runtime, fifo_.depth);
    if (!options_.fifo && program_.max_bytes > 0) {
      report_.machine += fmt::format(",maxBytes={}", program_.max_bytes);
    }
    report_.threadblocks = wiring_.blocks().size();
    std::vector<std::uint64_t> sent(program_.gpus.size());
    for (const program::Block& block : wiring_.blocks()) {
      for (const Instruction& step : block.block->steps) {
        if (!effects(step.op).sends) continue;
        ++report_.messages;
        report_.width = std::max<std::uint64_t>(report_.width, step.count);
        sent[block.gpu] += step.count;
      }
    }
    report_.transfers = report_.messages;
    for (const std::uint64_t chunks : sent) report_.volume = std::max(report_.volume, chunks);
    for (const CheckInfo& check : list) {
      if (wanted(check.name)) report_.checks.push_back({check.name, Verdict::holds});
    }
  }

  bool wanted(std::string_view check) const {
    if (check == "agreement" && !(program_.has_problem() && shares_sums(program_.problem)))
      return false;
    return !options_.checks || std::ranges::find(*options_.checks, check) != options_.checks->end();
  }

  void undecided(std::string_view check, std::string_view reason) {
    for (CheckResult& result : report_.checks) {
      if (result.check == check) result = {result.check, Verdict::unknown, std::string(reason)};
    }
  }

  Finding place(std::uint32_t block, Event e, std::string message) const {
    const program::Block& owner = wiring_.blocks()[block];
    Finding finding;
    finding.rank = owner.gpu;
    finding.threadblock = owner.index;
    finding.line = owner.block->line;
    finding.column = owner.block->column;
    if (e != none) {
      finding.step = wiring_.step_of(e);
      finding.line = wiring_[e].line;
      finding.column = wiring_[e].column;
    }
    finding.message = std::move(message);
    return finding;
  }
  Finding place(Event e, std::string message) const {
    return place(wiring_.block_of(e), e, std::move(message));
  }

  Finding place(const program::Mismatch& m) const {
    if (m.block != program::none) return place(m.block, m.event, m.message);
    Finding finding;
    finding.line = m.line;
    finding.column = m.column;
    finding.message = m.message;
    return finding;
  }

  void report_findings(std::string_view check, const std::vector<program::Mismatch>& mismatches) {
    if (!wanted(check)) return;
    for (const program::Mismatch& m : mismatches) {
      const auto make = [&] { return place(m); };
      if (m.ignored.empty() || options_.strict_format) {
        reporter_.error(check, make);
      } else {
        reporter_.note(check, m.ignored, make);
      }
    }
  }

  void check_limits() {
    report_findings("limits", program::beyond_limits(wiring_));
    if (!wanted("limits")) return;
    std::vector<bool> used(
        std::min(program_.channels, program::find_runtime(program_.runtime).channels));
    for (const program::Block& block : wiring_.blocks()) {
      if (block.block->channel < used.size()) used[block.block->channel] = true;
    }
    const auto unused = std::ranges::find(used, false);
    if (unused == used.end() || program_.channels == 1) return;
    reporter_.warning("limits", [&] {
      Finding finding;
      finding.line = program_.line;
      finding.column = program_.column;
      finding.message = fmt::format("the program has {}, and no threadblock is on channel {}",
                                    counted(program_.channels, "channel"), unused - used.begin());
      return finding;
    });
  }
  void check_matching() { report_findings("matching", wiring_.mismatches()); }

  void check_deadlock() {
    const program::Execution run = program::execute(wiring_, fifo_);
    if (run.complete()) {
      order_ = run.order;
      return;
    }
    if (wanted("deadlock")) {
      const std::string calls = stopped_calls();
      for (const program::WaitCycle& wait_cycle : program::wait_cycles(wiring_, run, fifo_)) {
        reporter_.error("deadlock", [&] {
          return place(wait_cycle.events.front(),
                       program::explain(wiring_, wait_cycle, fifo_) + calls);
        });
      }
    }
    // Full FIFOs order nothing: the other checks do not depend on them.
    program::Execution endless = program::execute(wiring_, program::unbounded);
    if (endless.complete()) order_ = std::move(endless.order);
  }

  /// Suffix of messages on a program that stops, if it stops only in large calls.
  std::string stopped_calls() const {
    if (options_.fifo) return "";
    const auto chunks = program::least_chunks(wiring_, fifo_.depth);
    if (!chunks) return "";
    return fmt::format("; calls of up to {0} bytes complete (with maxBytes=\"{0}\" it holds)",
                       program::largest_call(program_, *chunks));
  }

  std::vector<Call> calls() const {
    std::vector<Call> result;
    if (program_.out_of_place) result.push_back(Call::out_of_place);
    if (program_.in_place) result.push_back(Call::in_place);
    return result;
  }

  /// Suffix of messages that concern one of two ways of calling.
  std::string suffix(Call call) const {
    if (!program_.out_of_place || !program_.in_place) return "";
    return call == Call::in_place ? " (in place)" : " (out of place)";
  }

  void check_races(Call call) {
    if (!wanted("races")) return;
    const program::Races races = program::find_races(wiring_, order_, call);
    if (!races.decided) {
      undecided("races", fmt::format("a GPU has more than {} threadblocks, which are not compared",
                                     program::most_blocks));
    }
    for (const program::Race& race : races.found) {
      reporter_.error("races", [&] {
        return place(race.second, program::explain(wiring_, race) + suffix(call));
      });
    }
  }

  /// The checks that need the values in the buffers, delivery and agreement.
  void check_values(Call call) {
    if (!wanted("delivery") && !wanted("agreement")) return;
    if (!program_.has_problem()) {
      return undecided("delivery",
                       "the file calls its collective 'custom' and does not state its end state; "
                       "use --collective NAME or --problem FILE");
    }
    if (const std::string limit = beyond_what_is_followed(); !limit.empty()) {
      undecided("delivery", limit);
      return undecided("agreement", limit);
    }
    program::Values values(wiring_, call);
    const bool delivery = wanted("delivery");
    values.run(order_, [&](const program::InvalidUse& invalid_use) {
      if (delivery) report(invalid_use, call);
    });
    if (delivery) check_delivery(values, call);
    if (wanted("agreement")) check_agreement(values, call);
  }

  void check_delivery(program::Values& values, Call call) {
    if (source_.problem.ordered) {  // a requirement of the user, not of the program
      undecided("delivery",
                "a program does not say which operand of a reduction is the first, so the order is "
                "not known; with --machine M the order of its steps is checked");
    }
    for (Rank rank = 0; rank < program_.problem.ranks; ++rank) check_end(rank, values, call);
  }

  /// Without races, an instruction adds the same two values in every run.
  void check_agreement(program::Values& values, Call call) {
    if (reporter_.violated("races"))
      return undecided("agreement", "accesses are not ordered (see the check races)");
    const auto found = values.disagreement();
    if (!found) return;
    reporter_.warning("agreement", [&] {
      Finding finding;
      finding.rank = found->other;
      finding.chunk = found->chunk;
      finding.line = program_.gpus[found->other].line;
      finding.column = program_.gpus[found->other].column;
      finding.message =
          fmt::format("GPUs {} and {} end with different sums of chunk {}: {}{}", found->first,
                      found->other, found->chunk, found->difference.text(), suffix(call));
      return finding;
    });
  }

  /// The limit on what is followed that the buffers of the program exceed; empty if they do not.
  std::string beyond_what_is_followed() const {
    if (too_long_to_follow()) {
      return fmt::format("a buffer has more than {}, which are not followed",
                         counted(most_followed, "chunk"));
    }
    if (ends() > most_ends) {
      return fmt::format("the GPUs end with {} in all; more than {} are not followed",
                         counted(ends(), "chunk"), most_ends);
    }
    return {};
  }

  bool too_long_to_follow() const {
    for (Rank rank = 0; rank < program_.problem.ranks; ++rank) {
      if (program::buffer_length(program_, rank) > most_followed) return true;
    }
    return false;
  }

  /// The chunks of all outputs.
  std::uint64_t ends() const {
    std::uint64_t chunks = 0;
    for (Rank rank = 0; rank < program_.problem.ranks; ++rank) {
      chunks += program::buffer_length(program_, rank);
    }
    return chunks;
  }

  void report(const program::InvalidUse& invalid_use, Call call) {
    const auto make = [&] {
      return place(invalid_use.event, program::explain(wiring_, invalid_use) + suffix(call));
    };
    if (invalid_use.what == program::InvalidUse::What::writes_input) {
      reporter_.warning("delivery", make);
    } else {
      reporter_.error("delivery", make);
    }
  }

  void check_end(Rank rank, program::Values& values, Call call) {
    const auto end = values.wrong_end(rank);
    if (!end) return;
    Finding first;
    first.rank = rank;
    first.chunk = end->chunk;
    first.line = program_.gpus[rank].line;
    first.column = program_.gpus[rank].column;
    first.message = fmt::format("GPU {} ends with a wrong chunk {} in {}: {}{}", rank, end->chunk,
                                text(end->slot), end->why, suffix(call));
    if (end->count > 1) first.message += fmt::format(" (and {} more like it)", end->count - 1);
    reporter_.error("delivery", [&] { return first; });
  }

  void finish() {
    for (CheckResult& result : report_.checks) {
      if (reporter_.violated(result.check)) result = {result.check, Verdict::violated};
    }
    report_.findings = reporter_.take();
    report_.findings_total = reporter_.total();
  }

  const Source& source_;
  const Program& program_;
  const CheckOptions& options_;
  program::Wiring wiring_;
  program::Fifo fifo_;
  Reporter reporter_;
  Report report_;
  std::vector<Event> order_;  ///< of all events, each after its dependencies; empty: there is none
};

}  // namespace

std::span<const CheckInfo> program_checks() { return list; }

Report check_program(const Source& source, const CheckOptions& options) {
  return ProgramChecker(source, options).run();
}

}  // namespace schedcc
