// schedcc cost: the time of a schedule, with the papers' formulas and lower bounds.

#include <unistd.h>

#include <fmt/core.h>

#include "algorithm/own_algorithm.hpp"
#include "cli/checking.hpp"
#include "cli/commands.hpp"
#include "cli/cost_model.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/requests.hpp"
#include "cli/sources.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/tune.hpp"
#include "schedcc/units.hpp"

namespace schedcc::cli {

namespace {

/// The request, with all open parameters chosen.
struct ChosenRequest {
  CostOptions options;
  std::string source;
  std::vector<std::string> chosen;  ///< parameters, and "chunks"
  /// The numbers of chunks that were tried; empty: all, or none to choose.
  std::vector<std::uint64_t> tried;
};

constexpr std::string_view size_of_message = "the size of the message (for example 4MiB)";

/// An algorithm's open parameters and chunks: those that take the least time.
ChosenRequest choose(const CostOptions& options, const CostModel& model, std::uint64_t bytes) {
  ChosenRequest result{options, options.arguments.front(), {}, {}};
  if (is_file(result.source, options) || options.block_sizes) return result;
  const NamedAlgorithm named(result.source);
  TuneRequest request;
  request.problem = scheduled_problem(named.problem(options, options));
  require_bytes(options.bytes, request.problem.collective, size_of_message);
  request.verify = !options.no_verify;
  if (options.chunks) request.chunks = request.problem.chunks;
  request.machine = options.machine;
  if (!request.machine && model.synchronous() && model.step_time != StepTime::rank)
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

/// The machine whose links may state the model: that of the options, or of the file.
std::optional<std::string> stated_machine(const CostOptions& options) {
  const std::string& source = options.arguments.front();
  const bool stated = is_file(source, options) || names_own_algorithm(source);
  if (options.machine || states_model(options) || !stated) return options.machine;
  return open_input(source, options).machine.spec();
}

/// The model that the options name, or the machine states, with --receive.
CostModel model_of(const CostOptions& options, const std::optional<std::string>& machine) {
  CostModel model = cost_model(options, machine);
  if (!options.receive) return model;
  model.receive = *options.receive;
  if (model.step_time != StepTime::none || model.of_machine) {
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

}  // namespace

Status cost(const CostOptions& options) {
  only_source(options, "cost");
  if (options.csv && options.json) throw UsageError("--csv and --json exclude each other");
  if (options.csv && options.critical_path) {
    throw UsageError("--csv has no critical path; use --critical-path with text or --json");
  }
  const CostModel model = model_of(options, stated_machine(options));
  const std::uint64_t bytes = options.bytes ? parse_bytes(*options.bytes, "--bytes") : 0;
  const ChosenRequest chosen = choose(options, model, bytes);
  const Input input = open_input(chosen.source, chosen.options);
  require_bytes(options.bytes, input.source.problem.collective, size_of_message);
  if (!options.no_verify) {
    const Status status = verify_input(input, options);
    if (status != ok) return status;
  }
  Progress progress("timing", !options.quiet);
  CostReport report = schedcc::cost(
      input.source, input.machine, model,
      {bytes, options.critical_path, [&](std::uint64_t n) { progress.show(n, "messages"); }});
  report.chosen = chosen.chosen;
  report.tried = chosen.tried;
  report.receive = options.receive;
  if (!is_file(chosen.source, options)) {
    report.formulas = time_formulas(algorithm_spec(chosen.source), input.source.problem,
                                    input.machine, model, bytes);
  }
  if (options.critical_path && !report.asynchronous) {
    throw UsageError(
        fmt::format("there is no critical path: model '{}' on machine '{}' has no "
                    "asynchronous clock",
                    model.name, input.machine.spec()));
  }
  const bool colored = Printer(STDOUT_FILENO, options.color).colored();
  StandardOutput().write(options.json  ? to_json(report)
                         : options.csv ? to_csv(report)
                                       : to_text(report, colored));
  return ok;
}

}  // namespace schedcc::cli
