#include "cli/tune_study.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "cli/costs.hpp"
#include "cli/lists.hpp"
#include "cli/requests.hpp"
#include "cli/sources.hpp"
#include "core/counted.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/units.hpp"

namespace schedcc::cli {

namespace {

std::vector<Rank> rank_list(const TuneOptions& options) {
  if (!options.ranks) throw UsageError("missing --ranks, the number of ranks");
  return number_list(*options.ranks, "--ranks", UINT32_MAX - 1);
}

/// "4MiB", or "1KiB..16MiB": each twice the previous one, or `points` at equal ratios, including
/// both ends.
std::vector<std::uint64_t> sizes(const TuneOptions& options) {
  if (!options.bytes) {
    throw UsageError("missing --bytes, a size (4MiB) or a range (1KiB..16MiB)");
  }
  const std::string& text = *options.bytes;
  const std::size_t dots = text.find("..");
  const std::uint64_t first = parse_bytes(text.substr(0, dots), "--bytes");
  if (dots == std::string::npos) {
    if (options.points) throw UsageError("--points is for a range of sizes");
    return {first};
  }
  const std::uint64_t last = parse_bytes(text.substr(dots + 2), "--bytes");
  if (first == 0 || last < first) {
    throw UsageError(fmt::format(
        "--bytes: '{}' is not a range of sizes, from a smaller one (at least 1) to a larger one",
        text));
  }
  std::vector<std::uint64_t> result;
  if (!options.points) {
    for (std::uint64_t size = first; size < last; size *= 2) result.push_back(size);
  } else {
    const double ratio = static_cast<double>(last) / static_cast<double>(first);
    for (std::uint64_t i = 0; i + 1 < *options.points; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(*options.points - 1);
      const auto size = static_cast<std::uint64_t>(
          std::llround(static_cast<double>(first) * std::pow(ratio, part)));
      if (result.empty() || size > result.back()) result.push_back(size);
    }
  }
  if (result.empty() || result.back() != last) result.push_back(last);
  return result;
}

[[noreturn]] void refuse(const Study& study) {
  std::string why;
  for (const auto& [names, reason] : study.skipped_by_reason()) {
    why += fmt::format("{} {}: {}", why.empty() ? ":" : ";", names, reason);
  }
  throw InputError(fmt::format("no algorithm serves {}{}", describe(study.problem), why));
}

/// The machine that all choices are for; empty if there are several.
std::string common_machine(const std::vector<Choice>& choices) {
  const std::string& first = choices.front().machine.spec();
  const bool all =
      std::ranges::all_of(choices, [&](const Choice& c) { return c.machine.spec() == first; });
  return all ? first : "";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Study::skipped_by_reason() const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const Skipped& s : skipped) {
    const auto known =
        std::ranges::find(result, s.reason, &std::pair<std::string, std::string>::second);
    if (known == result.end()) {
      result.emplace_back(s.algorithm, s.reason);
    } else {
      known->first += ", " + s.algorithm;
    }
  }
  return result;
}

std::string Study::title() const {
  return fmt::format("{}, {}{}{}{}", info(problem.collective).name, counted(problem.ranks, "rank"),
                     problem.rooted() ? fmt::format(", root {}", problem.root) : "",
                     problem.ordered ? ", ordered" : "",
                     machine.empty() ? "" : fmt::format(" on {}", machine));
}

const Row* Study::peak() const {
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (row.improvement && (best == nullptr || *row.improvement > *best->improvement)) best = &row;
  }
  return best;
}

Tune::Tune(const TuneOptions& options)
    : options_(options),
      model_(cost_model(options)),
      specs_(algorithm_specs(options.algorithms)),
      improved_(options.improvement ? algorithm_spec(*options.improvement).name : ""),
      sizes_(sizes(options)),
      progress_("tuning", !options.quiet) {
  for (const Spec& spec : specs_) named_algorithm(spec);
  if (options.improvement) {
    named_algorithm({improved_, {}});
    if (std::ranges::find(specs_, improved_, &Spec::name) == specs_.end()) {
      throw UsageError(
          fmt::format("--improvement: '{}' is not among --algorithms", *options.improvement));
    }
  }
  for (const Rank ranks : rank_list(options)) studies_.push_back(study(ranks));
}

Problem Tune::problem(Rank ranks) const {
  const Collective first = named_algorithm(specs_.front())->collectives.front();
  const WideProblem problem = stated_problem(options_, ranks, options_.chunks, first);
  if (problem.collective == Collective::custom) {
    throw UsageError("a custom collective has one algorithm: there is nothing to compare");
  }
  return scheduled_problem(problem);
}

Study Tune::study(Rank ranks) {
  TuneRequest request;
  request.problem = problem(ranks);
  if (options_.chunks) request.chunks = request.problem.chunks;
  request.machine = options_.machine;
  request.reproducible = options_.reproducible;
  request.model = model_;
  request.algorithms = specs_;
  request.compositions = options_.algorithms == "all";
  request.progress = [this](std::uint64_t) { tick(); };
  Study result{request.problem, options_.machine.value_or(""), {}, {}, {}};
  Tuner tuner(std::move(request));
  for (const std::uint64_t bytes : sizes_) {
    result.rows.push_back(row(tuner, result.problem, bytes));
    ++done_;
    tick();
  }
  if (range() && !options_.improvement) result.crossovers = tuner.crossovers(sizes_);
  result.skipped = tuner.skipped();
  const auto& choices = result.rows.front().choices;
  if (choices.empty()) refuse(result);
  result.machine = common_machine(choices);
  return result;
}

Row Tune::row(Tuner& tuner, const Problem& problem, std::uint64_t bytes) const {
  Row row{bytes, tuner.choices(bytes), std::nullopt, std::nullopt};
  if (row.choices.empty()) return row;
  // On networks bounds depend on the number of chunks, in which choices differ.
  if (row.choices.front().machine.routed()) return row;
  for (const TimeBound& b :
       time_bounds(problem, row.choices.front().machine, model_, bytes, UINT32_MAX)) {
    if (!row.bound || b.seconds > row.bound->seconds) row.bound = b;
  }
  if (options_.improvement) row.improvement = improvement(row);
  return row;
}

std::optional<double> Tune::improvement(const Row& row) const {
  const Choice* own = nullptr;
  const Choice* other = nullptr;
  for (const Choice& choice : row.choices) {
    const Choice*& best = choice.spec.name == improved_ ? own : other;
    if (best == nullptr) best = &choice;
  }
  if (own == nullptr || other == nullptr || own->seconds <= 0) return std::nullopt;
  return other->seconds / own->seconds;
}

std::optional<double> Tune::formula(const Study& study, const Row& row,
                                    const Choice& choice) const {
  Problem problem = study.problem;
  problem.chunks = choice.chunks;
  const auto formulas = time_formulas(choice.spec, problem, choice.machine, model_, row.bytes);
  if (formulas.empty()) return std::nullopt;
  return formulas.front().seconds;
}

std::string Tune::command(const Study& study, const Choice& choice) const {
  Problem problem = study.problem;
  problem.chunks = choice.chunks;
  return cli::command(choice.spec.text(), WideProblem(problem), choice.machine, {});
}

std::optional<double> Tune::start_ups(std::uint64_t bytes) const {
  if (!model_.linear() || model_.alpha <= 0) return std::nullopt;
  return static_cast<double>(bytes) * model_.beta / model_.alpha;
}

}  // namespace schedcc::cli
