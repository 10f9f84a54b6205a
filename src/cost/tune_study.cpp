// The comparison of `tune` for one problem.

#include "cost/tune_study.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "analysis/compile_command.hpp"
#include "core/counted.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

[[noreturn]] void refuse_unserved(const TuneStudy& study) {
  std::string why;
  for (const auto& [names, reason] : skipped_by_reason(study)) {
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

/// The time of the best other choice over that of the best by `improved`.
std::optional<double> improvement(const std::vector<Choice>& choices, const std::string& improved) {
  const auto [best, other] = improved_choice(choices, improved);
  if (best == nullptr || other == nullptr || best->seconds <= 0) return std::nullopt;
  return other->seconds / best->seconds;
}

TunedSize tuned_size(Tuner& tuner, const TuneRequest& request, std::uint64_t bytes,
                     const std::string& improved, bool best_only) {
  TunedSize size{bytes, {}};
  if (!best_only) {
    size.choices = tuner.choices(bytes);
  } else if (auto best = tuner.best(bytes)) {
    size.choices.push_back(std::move(*best));
  }
  if (size.choices.empty()) return size;
  const Machine& machine = size.choices.front().machine;
  if (machine.routed()) return size;
  for (const TimeBound& b :
       time_bounds(request.problem, machine, request.model, bytes, UINT32_MAX)) {
    if (!size.bound || b.seconds > size.bound->seconds) size.bound = b;
  }
  if (!improved.empty()) size.improvement = improvement(size.choices, improved);
  return size;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> skipped_by_reason(const TuneStudy& study) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const Skipped& s : study.skipped) {
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

ImprovedChoice improved_choice(const std::vector<Choice>& choices, const std::string& improved) {
  ImprovedChoice result;
  for (const Choice& choice : choices) {
    const Choice*& best = choice.spec.name == improved ? result.improved : result.other;
    if (best == nullptr) best = &choice;
  }
  return result;
}

std::string TuneStudy::title() const {
  return fmt::format("{}, {}{}{}{}", info(problem.collective).name, counted(problem.ranks, "rank"),
                     problem.rooted() ? fmt::format(", root {}", problem.root) : "",
                     problem.ordered ? ", ordered" : "",
                     machine.empty() ? "" : fmt::format(" on {}", machine));
}

const TunedSize* TuneStudy::peak() const {
  const TunedSize* best = nullptr;
  for (const TunedSize& size : sizes) {
    if (size.improvement && (best == nullptr || *size.improvement > *best->improvement))
      best = &size;
  }
  return best;
}

std::optional<double> formula_time(const CostModel& model, const TuneStudy& study,
                                   const TunedSize& size, const Choice& choice) {
  Problem problem = study.problem;
  problem.chunks = choice.chunks;
  const auto formulas = time_formulas(choice.spec, problem, choice.machine, model, size.bytes);
  if (formulas.empty()) return std::nullopt;
  return formulas.front().seconds;
}

std::string command_of(const TuneStudy& study, const Choice& choice) {
  Problem problem = study.problem;
  problem.chunks = choice.chunks;
  return compile_command(choice.spec.text(), WideProblem(problem), choice.machine);
}

std::optional<double> TuneReport::start_ups(std::uint64_t bytes) const {
  if (!model.linear() || model.alpha <= 0) return std::nullopt;
  return static_cast<double>(bytes) * model.beta / model.alpha;
}

TuneStudy tune(const TuneRequest& request, const std::vector<std::uint64_t>& sizes,
               const std::string& improved, const std::function<void()>& after_size) {
  TuneStudy study{request.problem, request.machine.value_or(""), {}, {}, {}, {}};
  Tuner tuner(request);
  for (const std::uint64_t bytes : sizes) {
    // The first size tells which algorithms serve the problem.
    const bool best_only = request.best_only && !study.sizes.empty();
    study.sizes.push_back(tuned_size(tuner, request, bytes, improved, best_only));
    if (after_size) after_size();
  }
  if (sizes.size() > 1 && improved.empty()) study.crossovers = tuner.crossovers(sizes);
  study.skipped = tuner.skipped();
  study.judged = tuner.judged();
  const std::vector<Choice>& choices = study.sizes.front().choices;
  if (choices.empty()) refuse_unserved(study);
  study.machine = common_machine(choices);
  return study;
}

}  // namespace schedcc
