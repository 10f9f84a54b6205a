// The checks of programs, which decide for all runs what testing can only sample.
//
//     limits    the limits of the runtimes
//     matching  every send has its receive, in the order of its channel, with the same fields
//     deadlock  no threadblock waits forever, in any call that the program serves
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

#include "core/counted.hpp"
#include "program/contents.hpp"
#include "program/execution.hpp"
#include "program/explain.hpp"
#include "program/findings.hpp"
#include "program/length.hpp"
#include "program/limits.hpp"
#include "program/races.hpp"
#include "program/report.hpp"
#include "program/values.hpp"
#include "program/wiring.hpp"
#include "schedcc/check.hpp"

namespace schedcc {

namespace {

using program::Call;
using program::Event;

constexpr std::array<CheckInfo, 6> list{{
    {"limits", "programs: the limits of the runtimes of MSCCL"},
    {"matching", "programs: every send has its receive, in order and with the same fields"},
    {"deadlock",
     "programs: no threadblock waits forever, for any call size that the program serves"},
    {"races", "programs: accesses to the same memory are ordered by dependencies or messages"},
    {"delivery", "programs: the collective's end state holds, every contribution counted once"},
    {"agreement",
     "programs: all ranks that end with a reduction result evaluated the same expression (a "
     "warning)"},
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
        result_(source, program_.problem, program_.has_problem(), options) {}

  Report run() {
    describe();
    check_limits();
    check_matching();
    check_deadlock();
    if (order_.empty() && wiring_.events() > 0) {
      result_.undecided({"races", "delivery", "agreement"},
                        "the program does not complete (see the check deadlock)");
    } else {
      result_.report.steps = program::length(wiring_, order_);
      for (const Call call : calls()) {
        check_races(call);
        check_values(call);
      }
    }
    return result_.take();
  }

 private:
  void describe() {
    result_.report.machine = fmt::format("{}:fifo={}", program_.runtime, fifo_.depth);
    if (!options_.fifo && program_.max_bytes > 0) {
      result_.report.machine += fmt::format(",maxBytes={}", program_.max_bytes);
    }
    result_.report.threadblocks = wiring_.blocks().size();
    std::vector<std::uint64_t> sent(program_.gpus.size());
    for (const program::Block& block : wiring_.blocks()) {
      for (const Instruction& step : block.block->steps) {
        if (!effects(step.op).sends) continue;
        ++result_.report.messages;
        result_.report.width = std::max<std::uint64_t>(result_.report.width, step.count);
        sent[block.gpu] += step.count;
      }
    }
    result_.report.transfers = result_.report.messages;
    for (const std::uint64_t chunks : sent)
      result_.report.volume = std::max(result_.report.volume, chunks);
  }

  void report(const std::vector<program::ProgramFinding>& findings) {
    for (const program::ProgramFinding& f : findings) result_.add(f, options_.strict_format);
  }

  program::ProgramLocation location(Rank gpu) const {
    return {.gpu = gpu, .line = program_.gpus[gpu].line, .column = program_.gpus[gpu].column};
  }

  std::vector<program::ProgramLocation> locations(const std::vector<Event>& events) const {
    std::vector<program::ProgramLocation> result;
    result.reserve(events.size());
    for (const Event e : events) result.push_back(wiring_.location(e));
    return result;
  }

  void check_limits() {
    report(program::beyond_limits(wiring_));
    if (!result_.wanted("limits")) return;
    std::vector<bool> used(
        std::min(program_.channels, program::find_runtime(program_.runtime).channels));
    for (const program::Block& block : wiring_.blocks()) {
      const Threadblock& b = *block.block;
      if (!b.no_channel && b.channel < used.size()) used[b.channel] = true;
    }
    const auto unused = std::ranges::find(used, false);
    if (unused == used.end() || program_.channels == 1) return;
    result_.reporter.warning("limits", [&] {
      return program::finding_at(
          {.line = program_.line, .column = program_.column},
          fmt::format("the program has {}, and no threadblock is on channel {}",
                      counted(program_.channels, "channel"), unused - used.begin()));
    });
  }
  void check_matching() { report(wiring_.mismatches()); }

  void check_deadlock() {
    const program::Execution run = program::execute(wiring_, fifo_);
    // An instruction of many chunks sends several messages; where its receiver takes fewer, that
    // one may end first.
    if (run.complete() && program::first_error(wiring_.mismatches()) == nullptr) {
      order_ = run.order;
      return;
    }
    if (!run.complete() && result_.wanted("deadlock")) {
      const std::string calls = stopped_calls();
      for (const program::WaitCycle& wait_cycle : program::wait_cycles(wiring_, run, fifo_)) {
        result_.reporter.error("deadlock", [&] {
          return program::finding_at(wiring_.location(wait_cycle.events.front()),
                                     program::explain(wiring_, wait_cycle, fifo_) + calls,
                                     locations(wait_cycle.events));
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
    if (!result_.wanted("races")) return;
    const program::Races races = program::find_races(wiring_, order_, call);
    if (!races.decided) {
      result_.undecided({"races"},
                        fmt::format("a GPU has more than {} threadblocks, which are not compared",
                                    program::max_blocks));
    }
    for (const program::Race& race : races.found) {
      result_.reporter.error("races", [&] {
        return program::finding_at(wiring_.location(race.second),
                                   program::explain(wiring_, race) + suffix(call),
                                   {wiring_.location(race.first)});
      });
    }
  }

  /// The checks that need the values in the buffers, delivery and agreement.
  void check_values(Call call) {
    if (!result_.wanted("delivery") && !result_.wanted("agreement")) return;
    if (!program_.has_problem() && !program_.mismatch.empty()) return report_mismatch(call);
    if (!program_.has_problem()) {
      return result_.undecided(
          {"delivery"},
          "the file calls its collective 'custom' and does not state its end state; "
          "use --collective NAME or --problem FILE");
    }
    if (const std::string limit = program::exceeded_tracking_limit(program_); !limit.empty()) {
      return result_.undecided({"delivery", "agreement"}, limit);
    }
    program::Values values(wiring_, call);
    const bool delivery = result_.wanted("delivery");
    values.run(order_, [&](const program::InvalidUse& invalid_use) {
      if (delivery) report(invalid_use, call);
    });
    if (delivery) check_delivery(values, call);
    if (result_.wanted("agreement")) check_agreement(values, call);
  }

  /// Once, for all ways of calling.
  void report_mismatch(Call call) {
    if (call != calls().front() || !result_.wanted("delivery")) return;
    result_.reporter.error("delivery", [&] {
      Finding finding;
      finding.line = program_.line;
      finding.column = program_.column;
      finding.message = program_.mismatch;
      return finding;
    });
  }

  void check_delivery(program::Values& values, Call call) {
    if (source_.problem.ordered) {  // a requirement of the user, not of the program
      result_.undecided(
          {"delivery"},
          "a program does not say which operand of a reduction is the first, so the order is "
          "not known; with --machine M the order of its steps is checked");
    }
    for (Rank rank = 0; rank < program_.problem.ranks; ++rank) check_end(rank, values, call);
  }

  /// Without races, an instruction adds the same two values in every run.
  void check_agreement(program::Values& values, Call call) {
    if (result_.reporter.violated("races"))
      return result_.undecided({"agreement"}, "accesses are not ordered (see the check races)");
    const auto found = values.disagreement();
    if (!found) return;
    result_.reporter.warning("agreement", [&] {
      Finding finding =
          program::finding_at(location(found->other), program::explain(*found) + suffix(call));
      finding.chunk = found->chunk;
      return finding;
    });
  }

  void report(const program::InvalidUse& invalid_use, Call call) {
    const auto make = [&] {
      return program::finding_at(wiring_.location(invalid_use.action),
                                 program::explain(wiring_, invalid_use) + suffix(call));
    };
    if (invalid_use.kind == program::InvalidUse::Kind::writes_input) {
      result_.reporter.warning("delivery", make);
    } else {
      result_.reporter.error("delivery", make);
    }
  }

  void check_end(Rank rank, program::Values& values, Call call) {
    const auto end = values.wrong_end(rank);
    if (!end) return;
    result_.reporter.error("delivery", [&] {
      Finding finding = program::finding_at(location(rank), program::explain(*end, suffix(call)));
      finding.chunk = end->chunk;
      return finding;
    });
  }

  const Source& source_;
  const Program& program_;
  const CheckOptions& options_;
  program::Wiring wiring_;
  program::Fifo fifo_;
  program::ProgramReport result_;
  std::vector<Event> order_;  ///< of all events, each after its dependencies; empty: there is none
};

}  // namespace

std::span<const CheckInfo> program_checks() { return list; }

Report check_program(const Source& source, const CheckOptions& options) {
  return ProgramChecker(source, options).run();
}

}  // namespace schedcc
