// The plots of `tune`: times, or improvements, over the size.

#include <algorithm>

#include <fmt/core.h>

#include "cli/tune_report.hpp"
#include "format/plot/plot.hpp"
#include "schedcc/units.hpp"

namespace schedcc::cli {

namespace {

std::string plot_description(const Tune& tune, const TuneOptions& options) {
  std::string result;
  for (const Study& study : tune.studies()) {
    result +=
        fmt::format("{}{}", result.empty() ? "" : "; ", study.title() + ", " + tune.model().spec);
    const Row* const best = study.peak();
    if (options.improvement && best != nullptr) {
      result +=
          fmt::format(": at most {:.3f}, at {}", *best->improvement, format_bytes(best->bytes));
    }
  }
  return result;
}

/// A curve for each number of ranks: the improvement over k/t.
Plot improvement_plot(const Tune& tune, const TuneOptions& options) {
  Plot plot;
  plot.title = fmt::format("Improvement of {} over the best other algorithm", *options.improvement);
  plot.y = {"improvement", false};
  for (const Study& study : tune.studies()) {
    Curve curve{fmt::format("P = {}", study.problem.ranks), {}};
    for (const Row& row : study.rows) {
      const double x = tune.start_ups(row.bytes).value_or(static_cast<double>(row.bytes));
      if (row.improvement) curve.points.emplace_back(x, *row.improvement);
    }
    plot.curves.push_back(std::move(curve));
  }
  plot.x = {tune.start_ups(1) ? "message size over start-up, k/t" : "bytes", true};
  return plot;
}

/// A curve for each algorithm, and number of ranks: the time over the size.
Plot time_plot(const Tune& tune) {
  Plot plot;
  plot.title = fmt::format("Time of a {}", info(tune.studies().front().problem.collective).name);
  plot.x = {"bytes", true};
  plot.y = {"seconds", true};
  for (const Study& study : tune.studies()) {
    const std::size_t first = plot.curves.size();
    for (const Row& row : study.rows) {
      for (const Choice& c : row.choices) {
        const std::string name =
            tune.studies().size() == 1
                ? std::string(c.algorithm->name)
                : fmt::format("{}, P = {}", c.algorithm->name, study.problem.ranks);
        auto curve =
            std::find_if(plot.curves.begin() + static_cast<std::ptrdiff_t>(first),
                         plot.curves.end(), [&](const Curve& known) { return known.name == name; });
        if (curve == plot.curves.end()) curve = plot.curves.insert(curve, Curve{name, {}});
        curve->points.emplace_back(static_cast<double>(row.bytes), c.seconds);
      }
    }
  }
  return plot;
}

}  // namespace

void tune_plot(const Tune& tune, const TuneOptions& options, Output& out) {
  Plot plot = options.improvement ? improvement_plot(tune, options) : time_plot(tune);
  plot.description = plot_description(tune, options);
  write_svg(plot, out);
}

}  // namespace schedcc::cli
