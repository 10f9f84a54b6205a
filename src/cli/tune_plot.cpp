// The plots of `tune`: times, or improvements, over the size.

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "cli/tune_report.hpp"
#include "format/plot/plot.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/units.hpp"

namespace schedcc::cli {

namespace {

/// The problem, the machine and the model; of several numbers of ranks all of these.
std::string plot_subtitle(const TuneReport& report) {
  const TuneStudy& first = report.studies.front();
  if (report.studies.size() == 1) return fmt::format("{}, {}", first.title(), report.model.spec);
  std::string ranks;
  for (const TuneStudy& study : report.studies)
    ranks += fmt::format("{}{}", ranks.empty() ? "" : ", ", study.problem.ranks);
  return fmt::format("{}, {} ranks on {}, {}", info(first.problem.collective).name, ranks,
                     first.machine.empty() ? "several machines" : first.machine, report.model.spec);
}

/// The style of an algorithm in every plot: its place in the registry; that of a composition, or of
/// a generator, follows from its name.
std::size_t style_of(const Choice& choice) {
  const auto all = algorithms();
  const auto found = std::ranges::find(all, choice.algorithm->name, &Algorithm::name);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  const std::string_view name = choice.algorithm->name;
  return std::accumulate(name.begin(), name.end(), std::size_t{0}, [](std::size_t sum, char c) {
    return 31 * sum + static_cast<unsigned char>(c);
  });
}

/// The algorithms that take at most twice the best time at some size; the others would hide them.
std::set<std::string_view> near_the_best(const TuneStudy& study) {
  std::set<std::string_view> result;
  for (const TunedSize& size : study.sizes) {
    for (const Choice& c : size.choices) {
      if (c.seconds <= 2 * size.choices.front().seconds) result.insert(c.algorithm->name);
    }
  }
  return result;
}

/// The lower bounds, where they are known.
Curve bound_curve(const TuneStudy& study, const std::string& suffix) {
  Curve curve{"lower bound" + suffix, {}};
  curve.bound = true;
  for (const TunedSize& size : study.sizes) {
    if (size.bound) curve.points.emplace_back(static_cast<double>(size.bytes), size.bound->seconds);
  }
  return curve;
}

std::string plot_description(const TuneReport& report, const TuneOptions& options) {
  std::string result;
  for (const TuneStudy& study : report.studies) {
    result +=
        fmt::format("{}{}", result.empty() ? "" : "; ", study.title() + ", " + report.model.spec);
    const TunedSize* const best = study.peak();
    if (options.improvement && best != nullptr) {
      result +=
          fmt::format(": at most {:.3f}, at {}", *best->improvement, format_bytes(best->bytes));
    }
  }
  return result;
}

/// A curve for each number of ranks: the improvement over k/t.
Plot improvement_plot(const TuneReport& report, const TuneOptions& options) {
  Plot plot;
  plot.title = fmt::format("Improvement of {} over the best other algorithm", *options.improvement);
  plot.y = {"improvement", false};
  for (const TuneStudy& study : report.studies) {
    Curve curve{fmt::format("P = {}", study.problem.ranks), {}, plot.curves.size()};
    for (const TunedSize& size : study.sizes) {
      const double x = report.start_ups(size.bytes).value_or(static_cast<double>(size.bytes));
      if (size.improvement) curve.points.emplace_back(x, *size.improvement);
    }
    plot.curves.push_back(std::move(curve));
  }
  plot.x = {"message size over start-up, k/t", true};
  if (!report.start_ups(1)) plot.x = {"message size", true, Axis::Unit::bytes};
  return plot;
}

/// A curve for each algorithm, and number of ranks: the time over the size. Of those that nobody
/// asked for by name only the ones `near_the_best`.
Plot time_plot(const TuneReport& report, bool named) {
  Plot plot;
  const Problem& problem = report.studies.front().problem;
  plot.title = fmt::format("Time of {}", info(problem.collective).name);
  plot.x = {block_count(problem.collective, 2) > 0 ? "block size" : "message size", true,
            Axis::Unit::bytes};
  plot.y = {"time", true, Axis::Unit::seconds};
  std::set<std::string> left_out;
  for (const TuneStudy& study : report.studies) {
    const std::set<std::string_view> near = near_the_best(study);
    const std::string suffix =
        report.studies.size() == 1 ? "" : fmt::format(", P = {}", study.problem.ranks);
    const std::size_t first = plot.curves.size();
    for (const TunedSize& size : study.sizes) {
      for (const Choice& c : size.choices) {
        const std::string name = std::string(c.algorithm->name) + suffix;
        if (!named && !near.contains(c.algorithm->name)) {
          left_out.insert(name);
          continue;
        }
        auto curve =
            std::find_if(plot.curves.begin() + static_cast<std::ptrdiff_t>(first),
                         plot.curves.end(), [&](const Curve& known) { return known.name == name; });
        if (curve == plot.curves.end())
          curve = plot.curves.insert(curve, Curve{name, {}, style_of(c)});
        curve->points.emplace_back(static_cast<double>(size.bytes), c.seconds);
      }
    }
    if (Curve bound = bound_curve(study, suffix); !bound.points.empty())
      plot.curves.push_back(std::move(bound));
  }
  if (!left_out.empty())
    plot.note = fmt::format("{} more: never within twice the best", left_out.size());
  return plot;
}

}  // namespace

void tune_plot(const TuneReport& report, const TuneOptions& options, Output& out) {
  Plot plot = options.improvement ? improvement_plot(report, options)
                                  : time_plot(report, options.algorithms != "all");
  plot.subtitle = plot_subtitle(report);
  plot.description = plot_description(report, options);
  write_svg(plot, out);
}

}  // namespace schedcc::cli
