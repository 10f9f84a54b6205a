#include "cli/record_report.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "analysis/describe_source.hpp"
#include "cli/checking.hpp"
#include "record/completion.hpp"
#include "record/recording.hpp"

namespace schedcc::cli {

namespace {

/// The machine of --machine. Throws UsageError for one whose steps are not those of messages.
Machine recording_machine(const RecordOptions& options, Rank ranks) {
  Machine machine = make_machine(options.machine.value_or("duplex"), ranks);
  if (machine.timing() != nullptr) {
    throw UsageError(
        fmt::format("a recording has synchronous steps; a step of machine '{}' is a cycle of LogP",
                    machine.spec()));
  }
  return machine;
}

Report unchecked(const Problem& problem, const Machine& machine, const std::string& name) {
  Source source;
  source.name = name;
  Report report;
  describe_source(source, problem, report);
  report.machine = machine.spec();
  return report;
}

/// Puts checks of the recording, and their findings, before those of the schedule.
void put_first(Report& report, std::vector<CheckResult> checks, std::vector<Finding> findings,
               std::size_t most) {
  report.checks.insert(report.checks.begin(), std::make_move_iterator(checks.begin()),
                       std::make_move_iterator(checks.end()));
  report.findings_total += findings.size();
  report.findings.insert(report.findings.begin(), std::make_move_iterator(findings.begin()),
                         std::make_move_iterator(findings.end()));
  if (report.findings.size() > most) report.findings.resize(most);
}

/// The check of the completion of an execution that has not ended. Where its verdict is unknown,
/// what the ranks do is a note; not where logs are incomplete.
void put_incomplete(Report& report, const record::Execution& execution,
                    const std::vector<record::Log>& logs, std::size_t most) {
  std::string unknown = record::unknown_completion(execution, logs);
  const bool full = std::ranges::any_of(logs, [](const auto& log) { return log.state.full != 0; });
  std::vector<Finding> findings;
  if (unknown.empty() || !full) findings = record::incomplete_ranks(execution, logs);
  const Verdict verdict = unknown.empty() ? Verdict::violated : Verdict::unknown;
  for (Finding& finding : findings) {
    if (verdict == Verdict::unknown) finding.severity = Severity::note;
  }
  put_first(report, {{record::completion_check, verdict, std::move(unknown)}}, std::move(findings),
            most);
}

Verdict result_verdict(const record::Recording& recording) {
  if (!recording.doubt.empty()) return Verdict::unknown;
  const bool wrong = std::ranges::any_of(
      recording.findings, [](const Finding& f) { return f.severity == Severity::error; });
  return wrong ? Verdict::violated : Verdict::holds;
}

/// The most messages that a rank sends, or receives, in a step.
std::size_t most_messages(const Schedule& schedule) {
  std::size_t most = 0;
  for (std::uint64_t row = 0; row < schedule.size(); ++row) {
    std::set<std::pair<Rank, Rank>> messages;
    for (const Transfer& t : schedule[row].transfers) messages.emplace(t.src, t.dst);
    std::map<Rank, std::size_t> sent, received;
    for (const auto& [src, dst] : messages) most = std::max({most, ++sent[src], ++received[dst]});
  }
  return most;
}

/// Findings about the ports of the default machine say which machine has enough.
void name_remedy(Report& report, const Schedule& schedule) {
  for (Finding& finding : report.findings) {
    if (finding.check != "ports") continue;
    finding.message +=
        fmt::format("; --machine kport:k={} has enough ports", most_messages(schedule));
  }
}

Input input_of(const record::Recording& recording, const Machine& machine, const std::string& name,
               const RecordOptions& options) {
  Problem problem = recording.problem;
  problem.ordered = options.ordered;
  problem.validate();
  Input input{from_schedule(problem, recording.schedule), machine, false, "schedcc record", {}};
  input.source.name = input.source.title = name;
  input.source.machine = machine.spec();
  return input;
}

}  // namespace

RecordedSchedule recorded_schedule(const record::Execution& execution,
                                   const std::vector<record::Log>& logs, const std::string& name,
                                   const RecordOptions& options) {
  const auto ranks = static_cast<Rank>(execution.begin().ranks);
  const Machine machine = recording_machine(options, ranks);
  const std::size_t most = options.check.max_findings;
  RecordedSchedule result;
  if (!execution.ended()) {
    result.report = unchecked(record::begun_problem(execution), machine, name);
    put_incomplete(result.report, execution, logs, most);
    return result;
  }
  const PortLimits ports = machine.ports() != nullptr ? *machine.ports() : PortLimits{};
  record::Recording recording = record::recording(execution, ports);
  if (recording.unknown.empty()) {
    result.input = input_of(recording, machine, name, options);
    result.report = check_input(*result.input, options.check, {}, options.quiet);
    if (!options.machine) name_remedy(result.report, *recording.schedule);
  } else {
    result.report = unchecked(recording.problem, machine, name);
  }
  const Verdict verdict = result_verdict(recording);
  put_first(result.report,
            {{record::completion_check, Verdict::holds},
             {record::recording_check,
              recording.unknown.empty() ? Verdict::holds : Verdict::unknown, recording.unknown},
             {record::result_check, verdict, recording.doubt}},
            std::move(recording.findings), most);
  return result;
}

}  // namespace schedcc::cli
