// schedcc verify: check schedules from files.

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <new>
#include <stdexcept>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/parallel.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/sources.hpp"

namespace schedcc::cli {

namespace {

/// What became of one file.
struct Outcome {
  Status status = ok;
  std::optional<Report> report;
  Place place;  ///< of an error
  std::string message;
};

Outcome verify_file(const std::string& path, const Options& options,
                    const std::function<void(std::uint64_t)>& progress) {
  Outcome outcome;
  try {
    const Input input = open_file(path, options);
    CheckOptions check_options = options.check;
    check_options.progress = progress;
    outcome.report = check(input.source, input.machine, check_options);
    outcome.status = status_of(*outcome.report);
  } catch (const InputError& error) {
    outcome = {bad_input, std::nullopt, error.place, error.what()};
    if (outcome.place.file.empty()) outcome.place.file = path;
  } catch (const LimitError& error) {
    outcome = {undecided, std::nullopt, error.place, error.what()};
    if (outcome.place.file.empty()) outcome.place.file = path;
  } catch (const std::bad_alloc&) {
    outcome = {undecided, std::nullopt, {path, 0, 0}, "out of memory"};
  } catch (const std::length_error&) {
    outcome = {undecided, std::nullopt, {path, 0, 0}, "out of memory"};
  }
  return outcome;
}

void print(const Outcome& outcome, const Options& options) {
  if (!outcome.report) {
    complain(text(Printer(STDERR_FILENO, options.color), outcome.place, outcome.message));
    return;
  }
  if (options.quiet && outcome.status == ok) return;
  const Printer printer(STDOUT_FILENO, options.color);
  StandardOutput().write(text(printer, *outcome.report));
  if (outcome.report->below_bound) {
    complain(text(Printer(STDERR_FILENO, options.color), Place{outcome.report->file, 0, 0},
                  "a fault of schedcc: it holds in fewer steps than the bound says"));
  }
}

void print_json(const std::vector<Outcome>& outcomes) {
  Json all = Json::array();
  for (const Outcome& o : outcomes) {
    all.push_back(o.report ? json(*o.report) : json(o.place, o.message));
    if (o.status == undecided && !o.report) all.back()["verdict"] = "unknown";
  }
  StandardOutput().write(dump(outcomes.size() == 1 ? all.back() : all));
}

}  // namespace

Status verify(const Options& options) {
  if (options.arguments.empty()) throw UsageError("verify needs a FILE; '-' is standard input");
  const std::vector<std::string>& files = options.arguments;
  if (std::ranges::count(files, "-") > 1) throw UsageError("standard input ('-') is named twice");
  std::vector<Outcome> outcomes(files.size());
  Progress progress("checking", !options.quiet);
  const auto tick = [&](std::uint64_t n) { progress.show(n, "transfers"); };
  parallel(files.size(), options.jobs, [&](std::size_t i) {
    // Several at once would show their progress in a muddle.
    outcomes[i] = verify_file(
        files[i], options, options.jobs == 1 ? std::function<void(std::uint64_t)>(tick) : nullptr);
  });
  Status status = ok;
  for (const Outcome& outcome : outcomes) {
    status = worse(status, outcome.status);
    if (!options.json) print(outcome, options);
  }
  if (options.json) print_json(outcomes);
  return status;
}

}  // namespace schedcc::cli
