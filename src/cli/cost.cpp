// schedcc cost: the time of a schedule, with the papers' formulas and lower bounds.

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "algorithm/own_algorithm.hpp"
#include "cli/checking.hpp"
#include "cli/commands.hpp"
#include "cli/cost_model.hpp"
#include "cli/destination.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/requests.hpp"
#include "cli/sources.hpp"
#include "core/only_for.hpp"
#include "core/shell_word.hpp"
#include "cost/clock.hpp"
#include "format/html/page.hpp"
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
  request.choose_flags = false;
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

/// The format of the page; none: no page. Throws UsageError for a file that is none.
Emission page_format(const CostOptions& options) {
  if (!options.output) {
    if (options.shown_ranks) throw UsageError(only_for("--ranks A..B", "-o"));
    if (options.shown_steps) throw UsageError(only_for("--steps", "-o"));
    return {};
  }
  if (*options.output == "-")
    throw UsageError("-o is the file of the page; the report is on standard output");
  Emission result = emission({{}, options.output}, false, options);
  if (result.format == &find_format("html")) return result;
  throw UsageError(
      fmt::format("cost writes pages (.html), and '{}' is not one: 'compile' writes the schedule",
                  *options.output));
}

/// The options of the part that is shown.
std::string part_text(const PartOptions& part) {
  std::string result;
  const auto add = [&](std::string_view option, const std::optional<NumberInterval>& range) {
    if (range) result += fmt::format(" {} {}..{}", option, range->first, range->last);
  };
  add("--ranks", part.shown_ranks);
  add("--steps", part.shown_steps);
  return result;
}

/// A page of the schedule's steps. Of a program for GPUs these are timed, not its threadblocks.
class Page {
 public:
  /// Throws UsageError, before anything is timed, if the page cannot be written.
  Page(const Emission& emission, const Input& input, const CostOptions& options)
      : options_(options),
        file_{{}, options.output},
        source_(input.source),
        emit_(emit_options(emission, input.machine, {}, file_, options.quiet)),
        destination_(file_) {
    source_.program = nullptr;
    refuse(emission, source_, emit_);
  }

  void write(const Input& input, const CostReport& cost, std::shared_ptr<const Report> checked) {
    emit_.command = command(input, cost);
    emit_.report = std::move(checked);
    html::write_page(source_, emit_, &cost, destination_.output());
    destination_.commit();
  }

 private:
  /// The command that makes the page.
  std::string command(const Input& input, const CostReport& cost) const {
    return fmt::format("{}{}{}{} --model {}{} -o {}", as_command("cost", input),
                       options_.no_verify ? " --no-verify" : "", part_text(options_),
                       source_.problem.tokens() ? "" : fmt::format(" --bytes {}", cost.bytes),
                       shell_word(cost.model),
                       cost.receive == Receive::arrival ? " --receive arrival" : "",
                       shell_word(std::filesystem::path(*options_.output).filename().string()));
  }

  const CostOptions& options_;
  OutputOptions file_;
  Source source_;
  EmitOptions emit_;
  Destination destination_;
};

/// The asynchronous clock's critical path was asked for, and there is none.
[[noreturn]] void refuse_path(const CostModel& model, const Machine& machine) {
  throw UsageError(
      fmt::format("there is no critical path: model '{}' on machine '{}' has no asynchronous clock",
                  model.name, machine.spec()));
}

}  // namespace

Status cost(const CostOptions& options) {
  only_source(options, "cost");
  if (options.csv && options.json) throw UsageError("--csv and --json exclude each other");
  if (options.csv && options.critical_path) {
    throw UsageError("--csv has no critical path; use --critical-path with text or --json");
  }
  const Emission page_as = page_format(options);
  const CostModel model = model_of(options, stated_machine(options));
  const std::uint64_t bytes = options.bytes ? parse_bytes(*options.bytes, "--bytes") : 0;
  const ChosenRequest chosen = choose(options, model, bytes);
  const Input input = open_input(chosen.source, chosen.options);
  require_bytes(options.bytes, input.source.problem.collective, size_of_message);
  std::optional<Page> page;
  if (page_as.format != nullptr) page.emplace(page_as, input, options);
  std::shared_ptr<const Report> checked;
  if (!options.no_verify) {  // a schedule that fails its checks has no time
    checked =
        std::make_shared<const Report>(check_input(input, {.jobs = 0}, options, options.quiet));
    const Status status = status_of(*checked);
    if (status != ok) {
      print_report(*checked, options);
      return status;
    }
  }
  const bool path = options.critical_path || (page && has_critical_path(model, input.machine));
  Progress progress("timing", !options.quiet);
  CostReport report =
      schedcc::cost(input.source, input.machine, model,
                    {bytes, path, [&](std::uint64_t n) { progress.show(n, "messages"); }});
  report.chosen = chosen.chosen;
  report.tried = chosen.tried;
  report.receive = options.receive;
  if (!is_file(chosen.source, options)) {
    report.formulas = time_formulas(algorithm_spec(chosen.source), input.source.problem,
                                    input.machine, model, bytes);
  }
  if (options.critical_path && !report.asynchronous) refuse_path(model, input.machine);
  if (page) page->write(input, report, checked);
  if (!options.critical_path) report.critical_path.reset();
  const bool colored = Printer(STDOUT_FILENO, options.color).colored();
  StandardOutput().write(options.json  ? to_json(report)
                         : options.csv ? to_csv(report)
                                       : to_text(report, colored));
  return ok;
}

}  // namespace schedcc::cli
