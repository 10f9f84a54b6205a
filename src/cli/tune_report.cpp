// What the options of `tune` request, and its comparison.

#include "cli/tune_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "cli/cost_model.hpp"
#include "cli/generator.hpp"
#include "cli/number_list.hpp"
#include "cli/progress.hpp"
#include "cli/requests.hpp"
#include "core/only_for.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/units.hpp"

namespace schedcc::cli {

namespace {

Problem problem_of(const TuneOptions& options, const std::vector<Spec>& specs, Rank ranks) {
  const Collective first = named_algorithm(specs.front())->collectives.front();
  const WideProblem problem = stated_problem(options, ranks, options.chunks, first);
  if (problem.declared()) {
    throw UsageError("a custom collective has one algorithm: there is nothing to compare");
  }
  return scheduled_problem(problem);
}

/// Without the model.
TuneRequest tune_request(const TuneOptions& options, const std::vector<Spec>& specs, Rank ranks) {
  TuneRequest request;
  request.problem = problem_of(options, specs, ranks);
  if (options.chunks) request.chunks = request.problem.chunks;
  request.machine = options.machine;
  request.reproducible = options.reproducible;
  request.algorithms = specs;
  request.compositions = options.algorithms == "all";
  return request;
}

/// The sizes of a range: each twice the previous one, or that many points at equal ratios; and the
/// last one.
void add_range(std::vector<std::uint64_t>& sizes, std::uint64_t first, std::uint64_t last,
               const std::optional<std::uint64_t>& points) {
  if (!points) {
    for (std::uint64_t size = first; size < last; size *= 2) sizes.push_back(size);
  } else {
    const double ratio = static_cast<double>(last) / static_cast<double>(first);
    for (std::uint64_t i = 0; i + 1 < *points; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(*points - 1);
      sizes.push_back(static_cast<std::uint64_t>(
          std::llround(static_cast<double>(first) * std::pow(ratio, part))));
    }
  }
  sizes.push_back(last);
}

/// The algorithms of --algorithms, and the generator unless it is one of them.
std::vector<Spec> candidates(const TuneOptions& options) {
  std::vector<Spec> result = algorithm_specs(options.algorithms);
  if (auto generator = unlisted_generator(result, options.collective))
    result.insert(result.begin(), std::move(*generator));
  return result;
}

}  // namespace

std::vector<std::uint32_t> tuned_ranks(const TuneOptions& options) {
  constexpr std::uint32_t most = UINT32_MAX - 1;
  if (options.ranks) return number_list(*options.ranks, "--ranks", most);
  const auto ranks = stated_ranks({}, options.machine);
  if (!ranks) throw UsageError("missing --ranks, the number of ranks");
  if (*ranks > most) {
    throw UsageError(fmt::format("machine '{}' has {} ranks, and 'tune' takes {} at most",
                                 *options.machine, *ranks, most));
  }
  return {static_cast<std::uint32_t>(*ranks)};
}

std::vector<std::uint64_t> tuned_sizes(const TuneOptions& options, Collective collective) {
  require_bytes(options.bytes, collective,
                "a size (4MiB), a list (1MiB,4MiB) or a range (1KiB..16MiB)");
  if (!options.bytes) return {0};
  std::vector<std::uint64_t> result;
  bool ranges = false;
  for (const std::string& part : split(*options.bytes, ',')) {
    const std::size_t dots = part.find("..");
    const std::uint64_t first = parse_bytes(part.substr(0, dots), "--bytes");
    if (dots == std::string::npos) {
      result.push_back(first);
    } else {
      ranges = true;
      const std::uint64_t last = parse_bytes(part.substr(dots + 2), "--bytes");
      if (first == 0 || last < first) {
        throw UsageError(fmt::format(
            "--bytes: '{}' is not a range of sizes, from a smaller one (at least 1) to a larger "
            "one",
            part));
      }
      add_range(result, first, last, options.points);
    }
  }
  if (options.points && !ranges) throw UsageError(only_for("--points", "a range of sizes"));
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

TuneReport tune_report(const TuneOptions& options, bool best_only) {
  TuneReport report;
  report.model = cost_model(options, options.machine);
  const std::vector<Spec> specs = candidates(options);
  report.reproducible = options.reproducible;
  if (options.improvement) report.improved = algorithm_spec(*options.improvement).name;
  const Collective collective =
      options.collective ? collective_of_user(*options.collective) : Collective::broadcast;
  const std::vector<std::uint64_t> all_sizes = tuned_sizes(options, collective);
  for (const Spec& spec : specs) named_algorithm(spec);
  if (options.improvement) {
    named_algorithm({report.improved, {}});
    if (std::ranges::find(specs, report.improved, &Spec::name) == specs.end()) {
      throw UsageError(
          fmt::format("--improvement: '{}' is not among --algorithms", *options.improvement));
    }
  }
  Progress progress("tuning", !options.quiet);
  std::uint64_t done = 0;
  const auto tick = [&] { progress.show(done, "sizes", all_sizes.size()); };
  for (const Rank ranks : tuned_ranks(options)) {
    TuneRequest request = tune_request(options, specs, ranks);
    request.model = report.model;
    request.best_only = best_only;
    request.progress = [&](std::uint64_t) { tick(); };
    report.studies.push_back(schedcc::tune(request, all_sizes, report.improved, [&] {
      ++done;
      tick();
    }));
  }
  return report;
}

}  // namespace schedcc::cli
