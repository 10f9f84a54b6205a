// schedcc cost: the time of a schedule, with the papers' formulas and lower bounds.

#include <unistd.h>

#include <fmt/core.h>

#include "cli/checking.hpp"
#include "cli/commands.hpp"
#include "cli/costs.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/requests.hpp"
#include "cli/sources.hpp"
#include "core/counted.hpp"
#include "core/join.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/tune.hpp"
#include "schedcc/units.hpp"

namespace schedcc::cli {

namespace {

/// A report, and the papers' formulas for the algorithm.
struct Timed : CostReport {
  std::vector<TimeFormula> formulas;
};

/// The request, with all open parameters chosen.
struct Plan {
  CostOptions options;
  std::string source;
  std::vector<std::string> chosen;  ///< parameters, and "chunks"
  /// The numbers of chunks that were tried; empty: all, or none to choose.
  std::vector<std::uint64_t> tried;
};

/// An algorithm's open parameters and chunks: those that take the least time.
Plan plan(const CostOptions& options, const CostModel& model, std::uint64_t bytes) {
  Plan result{options, options.arguments.front(), {}, {}};
  if (is_file(result.source, options) || options.block_sizes) return result;
  const NamedAlgorithm named(result.source);
  TuneRequest request;
  request.problem = scheduled_problem(named.problem(options, options));
  request.verify = !options.no_verify;
  if (options.chunks) request.chunks = request.problem.chunks;
  request.machine = options.machine;
  if (!request.machine && model.synchronous() && model.name != "bsp")
    request.machine = named.machine({});
  request.model = model;
  request.algorithms = {named.spec};
  Progress progress("choosing", !options.quiet);
  request.progress = [&](std::uint64_t n) { progress.show(n, "messages"); };
  const auto best = Tuner(std::move(request)).best(bytes);
  if (!best) return result;  // opening the input gives the reason
  result.source = best->spec.text();
  result.options.machine = best->machine.spec();
  for (std::size_t i = named.spec.items.size(); i < best->spec.items.size(); ++i) {
    result.chosen.push_back(best->spec.items[i].first);
  }
  if (!options.chunks) {
    result.options.chunks = best->chunks;
    result.chosen.emplace_back("chunks");
    result.tried = best->tried;
  }
  return result;
}

/// The model that the options name, with --receive.
CostModel model_of(const CostOptions& options) {
  CostModel model = cost_model(options);
  if (!options.receive) return model;
  model.receive = *options.receive;
  if (model.name != "logp" && model.name != "loggp") {
    throw UsageError(fmt::format(
        "--receive is for the models logp and loggp; model '{}' has no overhead of a receive",
        model.name));
  }
  return model;
}

/// A schedule that fails its checks has no time.
Status verify_input(const Input& input, const CostOptions& options) {
  const Report report = check_input(input, {}, options, options.quiet);
  const Status status = status_of(report);
  if (status != ok) print_report(report, options);
  return status;
}

/// The best bound on the asynchronous clock.
const TimeBound* bound_without_steps(const CostReport& report) {
  const TimeBound* best = nullptr;
  for (const TimeBound& b : report.bounds) {
    if (b.holds_for == "any schedule" && (best == nullptr || b.seconds > best->seconds)) best = &b;
  }
  return best;
}

std::string ratio(double seconds, const TimeBound* bound) {
  if (bound == nullptr || bound->seconds <= 0) return "";
  return fmt::format("{:.4g}", seconds / bound->seconds);
}

std::string list(const std::vector<std::string>& words) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    result += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? " and " : ", ", words[i]);
  }
  return result;
}

std::string figures_text(const Timed& r) {
  std::vector<std::vector<std::string>> rows{{"", "time", "ratio", ""}};
  if (r.synchronous) {
    rows.push_back(
        {"synchronous", format_time(*r.synchronous), ratio(*r.synchronous, r.bound()),
         fmt::format("{}, volume {}", counted(r.steps, "step"), format_bytes(r.volume_bytes))});
  }
  if (r.asynchronous) {
    rows.push_back({"asynchronous", format_time(*r.asynchronous),
                    ratio(*r.asynchronous, bound_without_steps(r)),
                    fmt::format("{}, {} in all", counted(r.messages, "message"),
                                format_bytes(r.bytes_moved))});
  }
  for (const TimeFormula& f : r.formulas) {
    rows.push_back(
        {"formula", format_time(f.seconds), "", fmt::format("{} [{}]", f.text, f.source)});
  }
  for (const TimeBound& b : r.bounds) {
    rows.push_back({"lower bound", format_time(b.seconds), "",
                    fmt::format("{}, for {} [{}]", b.text, b.holds_for, b.source)});
  }
  return aligned(rows, "->>-");
}

std::string path_text(const Timed& r) {
  std::vector<std::vector<std::string>> rows{{"critical path", "from", "to", "step", "bytes"}};
  for (const TimedMessage& m : r.critical_path) {
    rows.push_back({fmt::format("{} -> {}", m.src, m.dst), format_time(m.start), format_time(m.end),
                    fmt::format("{}", m.step), fmt::format("{}", m.bytes)});
  }
  return aligned(rows, "->>>>");
}

std::string full_text(const Printer& printer, const Timed& r, const Plan& plan) {
  const std::string chosen =
      plan.chosen.empty() ? "" : fmt::format(" ({} chosen)", list(plan.chosen));
  const bool arrival = plan.options.receive == Receive::arrival;
  std::string result = fmt::format(
      "{}: {}, {}{}, {} in {}{} on {}, {}{}\n", printer.bold(r.file.empty() ? r.schedule : r.file),
      r.title.empty() ? r.collective : r.title, counted(r.ranks, "rank"),
      r.root ? fmt::format(", root {}", *r.root) : "", format_bytes(r.bytes),
      counted(r.chunks, "chunk"), chosen, r.machine, r.model,
      arrival ? ", receive on arrival" : "");
  if (plan.tried.size() > 1) {
    result += fmt::format("  chunks: the best of {}\n", join(plan.tried, ", "));
  }
  result += figures_text(r);
  if (plan.options.critical_path) result += path_text(r);
  return result;
}

Json nullable(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json(const Timed& r, const Plan& plan) {
  Json result{{"schedule", r.schedule}, {"collective", r.collective}};
  if (!r.title.empty()) result["title"] = r.title;
  result["machine"] = r.machine;
  result["model"] = r.model;
  if (plan.options.receive) {
    result["receive"] = *plan.options.receive == Receive::arrival ? "arrival" : "call";
  }
  result["ranks"] = r.ranks;
  if (r.root) result["root"] = *r.root;
  if (!r.file.empty()) result["file"] = r.file;
  result["chunks"] = r.chunks;
  result["bytes"] = r.bytes;
  result["chosen"] = plan.chosen;
  result["chunks_tried"] = plan.tried.empty() ? Json(nullptr) : Json(plan.tried);
  result["steps"] = r.steps;
  result["messages"] = r.messages;
  result["width"] = r.width;
  result["volume_bytes"] = r.volume_bytes;
  result["bytes_moved"] = r.bytes_moved;
  result["seconds"] = r.seconds;
  result["synchronous"] = nullable(r.synchronous);
  result["asynchronous"] = nullable(r.asynchronous);
  result["formulas"] = Json::array();
  for (const TimeFormula& f : r.formulas) {
    result["formulas"].push_back(
        {{"seconds", f.seconds}, {"formula", f.text}, {"source", f.source}});
  }
  result["lower_bounds"] = Json::array();
  for (const TimeBound& b : r.bounds) {
    result["lower_bounds"].push_back({{"seconds", b.seconds},
                                      {"formula", b.text},
                                      {"holds_for", b.holds_for},
                                      {"source", b.source}});
  }
  const TimeBound* const bound = r.bound();
  result["ratio"] =
      bound != nullptr && bound->seconds > 0 ? Json(r.seconds / bound->seconds) : Json(nullptr);
  if (plan.options.critical_path && r.asynchronous) {
    Json path = Json::array();
    for (const TimedMessage& m : r.critical_path) {
      path.push_back({{"step", m.step},
                      {"src", m.src},
                      {"dst", m.dst},
                      {"bytes", m.bytes},
                      {"start", m.start},
                      {"end", m.end}});
    }
    result["critical_path"] = path;
  }
  return result;
}

std::string csv(const Timed& r) {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.9g}", *value) : std::string();
  };
  const TimeBound* const bound = r.bound();
  std::string result =
      "schedule,collective,machine,model,ranks,root,chunks,bytes,steps,messages,volume_bytes,"
      "synchronous,asynchronous,formula,lower_bound\n";
  return result +
         fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(r.schedule),
                     r.collective, csv_field(r.machine), csv_field(r.model), r.ranks,
                     r.root ? fmt::format("{}", *r.root) : "", r.chunks, r.bytes, r.steps,
                     r.messages, r.volume_bytes, number(r.synchronous), number(r.asynchronous),
                     r.formulas.empty() ? "" : fmt::format("{:.9g}", r.formulas.front().seconds),
                     bound == nullptr ? "" : fmt::format("{:.9g}", bound->seconds));
}

}  // namespace

Status cost(const CostOptions& options) {
  only_source(options, "cost");
  if (options.csv && options.json) throw UsageError("--csv and --json exclude each other");
  if (options.csv && options.critical_path) {
    throw UsageError("--csv has no critical path; use --critical-path with text or --json");
  }
  if (!options.bytes)
    throw UsageError("missing --bytes, the size of the message (for example 4MiB)");
  const CostModel model = model_of(options);
  const std::uint64_t bytes = parse_bytes(*options.bytes, "--bytes");
  const Plan plan = cli::plan(options, model, bytes);
  const Input input = open_input(plan.source, plan.options);
  if (!options.no_verify) {
    const Status status = verify_input(input, options);
    if (status != ok) return status;
  }
  Progress progress("timing", !options.quiet);
  Timed report{schedcc::cost(input.source, input.machine, model,
                             {bytes, options.critical_path,
                              [&](std::uint64_t n) { progress.show(n, "messages"); }}),
               {}};
  if (!is_file(plan.source, options)) {
    report.formulas = time_formulas(algorithm_spec(plan.source), input.source.problem,
                                    input.machine, model, bytes);
  }
  if (options.critical_path && !report.asynchronous) {
    throw UsageError(
        fmt::format("there is no critical path: model '{}' on machine '{}' has no "
                    "asynchronous clock",
                    model.name, input.machine.spec()));
  }
  const Printer printer(STDOUT_FILENO, options.color);
  StandardOutput().write(options.json  ? dump(json(report, plan))
                         : options.csv ? csv(report)
                                       : full_text(printer, report, plan));
  return ok;
}

}  // namespace schedcc::cli
