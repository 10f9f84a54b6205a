// schedcc tune: the best algorithm, parameters and chunks for a size, or for a range of sizes.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "backend/plot.hpp"
#include "cli/commands.hpp"
#include "cli/costs.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/sources.hpp"
#include "schedcc/error.hpp"
#include "schedcc/registry.hpp"
#include "schedcc/tune.hpp"
#include "schedcc/units.hpp"

namespace schedcc::cli {

namespace {

using Json = nlohmann::ordered_json;

/// "64,1024".
std::vector<Rank> rank_list(const Options& options) {
  if (!options.rank_list) throw UsageError("--ranks is missing: the number of ranks");
  const std::string& text = *options.rank_list;
  std::vector<Rank> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    result.push_back(static_cast<Rank>(
        parse_number(text.substr(begin, end - begin), "--ranks", 1, UINT32_MAX - 1)));
    begin = end + 1;
  }
  return result;
}

/// "4MiB", or "1KiB..16MiB": each twice the one before, or `points` at equal ratios; both ends.
std::vector<std::uint64_t> sizes(const Options& options) {
  if (!options.bytes) {
    throw UsageError("--bytes is missing: a size, as 4MiB, or a range, as 1KiB..16MiB");
  }
  const std::string& text = *options.bytes;
  const std::size_t dots = text.find("..");
  const std::uint64_t first = parse_bytes(text.substr(0, dots), "--bytes");
  if (dots == std::string::npos) {
    if (options.points != 0) throw UsageError("--points is for a range of sizes");
    return {first};
  }
  const std::uint64_t last = parse_bytes(text.substr(dots + 2), "--bytes");
  if (first == 0 || last < first) {
    throw UsageError(fmt::format("--bytes: '{}' is no range of sizes from 1 on that rises", text));
  }
  std::vector<std::uint64_t> result;
  if (options.points == 0) {
    for (std::uint64_t size = first; size < last; size *= 2) result.push_back(size);
  } else {
    const double ratio = static_cast<double>(last) / static_cast<double>(first);
    for (std::uint64_t i = 0; i + 1 < options.points; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(options.points - 1);
      const auto size = static_cast<std::uint64_t>(
          std::llround(static_cast<double>(first) * std::pow(ratio, part)));
      if (result.empty() || size > result.back()) result.push_back(size);
    }
  }
  if (result.empty() || result.back() != last) result.push_back(last);
  return result;
}

/// All choices for one size.
struct Row {
  std::uint64_t bytes;
  std::vector<Choice> choices;
  std::optional<TimeBound> bound;
  /// --improvement: the best of the others over it.
  std::optional<double> improvement;
};

/// What was found out for one number of ranks.
struct Study {
  Problem problem;
  std::string machine;
  std::vector<Row> rows;
  std::vector<Crossover> crossovers;
  std::vector<Skipped> skipped;
};

class Tune {
 public:
  explicit Tune(const Options& options)
      : options_(options),
        model_(cost_model(options)),
        specs_(algorithm_specs(options.algorithms)),
        sizes_(sizes(options)),
        progress_("tuning", !options.quiet) {
    for (const Spec& spec : specs_) find_algorithm(spec.name);
    if (options.improvement) {
      find_algorithm(*options.improvement);
      if (std::ranges::find(specs_, *options.improvement, &Spec::name) == specs_.end()) {
        throw UsageError(
            fmt::format("--improvement: '{}' is not among --algorithms", *options.improvement));
      }
    }
    for (const Rank ranks : rank_list(options)) studies_.push_back(study(ranks));
  }

  const std::vector<Study>& studies() const { return studies_; }
  const CostModel& model() const { return model_; }
  bool range() const { return sizes_.size() > 1; }

 private:
  Problem problem(Rank ranks) const {
    Problem problem;
    problem.ranks = ranks;
    problem.collective = options_.collective
                             ? find_collective(*options_.collective)
                             : find_algorithm(specs_.front().name).collectives.front();
    if (problem.collective == Collective::custom) {
      throw UsageError("a custom collective is its algorithm's own: there is nothing to compare");
    }
    if (options_.root && !problem.rooted()) {
      throw UsageError(fmt::format("{} has no root", info(problem.collective).name));
    }
    problem.root = static_cast<Rank>(options_.root.value_or(0));
    problem.ordered = options_.ordered;
    problem.validate();
    return problem;
  }

  Study study(Rank ranks) {
    TuneRequest request;
    request.problem = problem(ranks);
    if (options_.chunks) request.chunks = static_cast<std::uint32_t>(*options_.chunks);
    request.machine = options_.machine;
    request.model = model_;
    request.algorithms = specs_;
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
    result.machine = choices.front().machine.spec;
    return result;
  }

  void tick() { progress_.show(done_, "sizes", sizes_.size()); }

  Row row(Tuner& tuner, const Problem& problem, std::uint64_t bytes) const {
    Row row{bytes, tuner.choices(bytes), std::nullopt, std::nullopt};
    if (row.choices.empty()) return row;
    // On networks bounds are about a given number of chunks, in which choices differ.
    if (row.choices.front().machine.routed()) return row;
    for (const TimeBound& b :
         time_bounds(problem, row.choices.front().machine, model_, bytes, UINT32_MAX)) {
      if (!row.bound || b.seconds > row.bound->seconds) row.bound = b;
    }
    if (options_.improvement) row.improvement = improvement(row);
    return row;
  }

  std::optional<double> improvement(const Row& row) const {
    const Choice* own = nullptr;
    const Choice* other = nullptr;
    for (const Choice& choice : row.choices) {
      const Choice*& best = choice.algorithm->name == *options_.improvement ? own : other;
      if (best == nullptr) best = &choice;
    }
    if (own == nullptr || other == nullptr || own->seconds <= 0) return std::nullopt;
    return other->seconds / own->seconds;
  }

  [[noreturn]] static void refuse(const Study& study) {
    std::string why;
    for (const Skipped& s : study.skipped) {
      why += fmt::format("{} {}: {}", why.empty() ? ":" : ";", s.algorithm, s.reason);
    }
    throw InputError(fmt::format("no algorithm serves {}{}", describe(study.problem), why));
  }

  const Options& options_;
  CostModel model_;
  std::vector<Spec> specs_;
  std::vector<std::uint64_t> sizes_;
  Progress progress_;
  std::uint64_t done_ = 0;
  std::vector<Study> studies_;
};

std::string head(const Study& study, const CostModel& model) {
  const Problem& p = study.problem;
  return fmt::format("{}, {} ranks{}{} on {}, {}", info(p.collective).name, p.ranks,
                     p.rooted() ? fmt::format(", root {}", p.root) : "",
                     p.ordered ? ", ordered" : "", study.machine, model.spec);
}

std::optional<double> formula(const Choice& choice, const Problem& problem, const CostModel& model,
                              std::uint64_t bytes) {
  Problem with_chunks = problem;
  with_chunks.chunks = choice.chunks;
  const auto formulas = time_formulas(choice.spec, with_chunks, choice.machine, model, bytes);
  if (formulas.empty()) return std::nullopt;
  return formulas.front().seconds;
}

std::string ratio(const Row& row, const Choice& choice) {
  if (!row.bound || row.bound->seconds <= 0) return "";
  return fmt::format("{:.4g}", choice.seconds / row.bound->seconds);
}

std::string skipped_text(const Study& study) {
  std::vector<std::pair<std::string, std::string>> by_reason;  // reason, algorithms
  for (const Skipped& s : study.skipped) {
    const auto known =
        std::ranges::find(by_reason, s.reason, &decltype(by_reason)::value_type::first);
    if (known == by_reason.end()) {
      by_reason.emplace_back(s.reason, s.algorithm);
    } else {
      known->second += ", " + s.algorithm;
    }
  }
  std::string result;
  for (const auto& [reason, names] : by_reason) {
    result += fmt::format("  without {}: {}\n", names, reason);
  }
  return result;
}

/// One size: all algorithms.
std::string table(const Printer& printer, const Study& study, const CostModel& model) {
  const Row& row = study.rows.front();
  std::vector<std::vector<std::string>> rows{
      {"algorithm", "chunks", "steps", "time", "ratio", "formula"}};
  for (const Choice& c : row.choices) {
    const auto paper = formula(c, study.problem, model, row.bytes);
    rows.push_back({c.spec.text(), fmt::format("{}", c.chunks), fmt::format("{}", c.steps),
                    format_time(c.seconds), ratio(row, c), paper ? format_time(*paper) : ""});
  }
  std::string result = fmt::format("{}, {}\n", head(study, model), format_bytes(row.bytes));
  result += aligned(rows, "->>>>>");
  if (row.bound) {
    result += fmt::format("  lower bound {}: {} [{}]\n", format_time(row.bound->seconds),
                          row.bound->text, row.bound->source);
  }
  result += skipped_text(study);
  const Choice& best = row.choices.front();
  return result +
         fmt::format("best: {}, --chunks {}\n", printer.bold(best.spec.text()), best.chunks);
}

/// A range: the best of each size, and where it changes.
std::string range_table(const Printer& printer, const Study& study, const CostModel& model) {
  std::vector<std::vector<std::string>> rows{{"bytes", "best", "chunks", "steps", "time", "ratio"}};
  for (const Row& row : study.rows) {
    if (row.choices.empty()) continue;
    const Choice& c = row.choices.front();
    rows.push_back({format_bytes(row.bytes), c.spec.text(), fmt::format("{}", c.chunks),
                    fmt::format("{}", c.steps), format_time(c.seconds), ratio(row, c)});
  }
  std::string result = fmt::format("{}\n{}", head(study, model), aligned(rows, ">->>>>"));
  result += skipped_text(study);
  for (const Crossover& c : study.crossovers) {
    result +=
        fmt::format("from {} bytes on: {} instead of {}\n", c.bytes, printer.bold(c.to), c.from);
  }
  return result;
}

/// The size at which an improvement is largest; nullptr if there is none.
const Row* peak(const Study& study) {
  const Row* best = nullptr;
  for (const Row& row : study.rows) {
    if (row.improvement && (best == nullptr || *row.improvement > *best->improvement)) best = &row;
  }
  return best;
}

/// The size in start-ups, FT's k/t; none where the model has no start-up.
std::optional<double> start_ups(const CostModel& model, std::uint64_t bytes) {
  if (!model.linear || model.alpha <= 0) return std::nullopt;
  return static_cast<double>(bytes) * model.beta / model.alpha;
}

std::string improvement_table(const Study& study, const Tune& tune, const std::string& name) {
  std::vector<std::vector<std::string>> rows{{"bytes", "k/t", "improvement", name, "best other"}};
  for (const Row& row : study.rows) {
    if (!row.improvement) continue;
    std::string own, other;
    for (const Choice& c : row.choices) {
      std::string& text = c.algorithm->name == name ? own : other;
      if (text.empty()) text = fmt::format("{}, {} chunks", c.spec.text(), c.chunks);
    }
    const auto k = start_ups(tune.model(), row.bytes);
    rows.push_back({format_bytes(row.bytes), k ? fmt::format("{:.5g}", *k) : "",
                    fmt::format("{:.4f}", *row.improvement), own, other});
  }
  std::string result = fmt::format("{}\n{}", head(study, tune.model()), aligned(rows, ">>>--"));
  if (const Row* const best = peak(study)) {
    result += fmt::format("at most {:.4f}, at {}\n", *best->improvement, format_bytes(best->bytes));
  }
  return result + skipped_text(study);
}

std::string text(const Tune& tune, const Options& options) {
  const Printer printer(STDOUT_FILENO, options.color);
  std::string result;
  for (const Study& study : tune.studies()) {
    if (!result.empty()) result += "\n";
    result += options.improvement ? improvement_table(study, tune, *options.improvement)
              : tune.range()      ? range_table(printer, study, tune.model())
                                  : table(printer, study, tune.model());
  }
  return result;
}

Json json(const Study& study, const CostModel& model) {
  Json result{{"collective", info(study.problem.collective).name},
              {"machine", study.machine},
              {"model", model.spec},
              {"ranks", study.problem.ranks}};
  if (study.problem.rooted()) result["root"] = study.problem.root;
  result["sizes"] = Json::array();
  for (const Row& row : study.rows) {
    Json size{{"bytes", row.bytes}};
    size["lower_bound"] = row.bound ? Json{{"seconds", row.bound->seconds},
                                           {"formula", row.bound->text},
                                           {"source", row.bound->source}}
                                    : Json(nullptr);
    if (row.improvement) size["improvement"] = *row.improvement;
    size["choices"] = Json::array();
    for (const Choice& c : row.choices) {
      const auto paper = formula(c, study.problem, model, row.bytes);
      size["choices"].push_back({{"algorithm", c.spec.text()},
                                 {"chunks", c.chunks},
                                 {"steps", c.steps},
                                 {"seconds", c.seconds},
                                 {"formula", paper ? Json(*paper) : Json(nullptr)}});
    }
    result["sizes"].push_back(std::move(size));
  }
  result["crossovers"] = Json::array();
  for (const Crossover& c : study.crossovers) {
    result["crossovers"].push_back({{"bytes", c.bytes}, {"from", c.from}, {"to", c.to}});
  }
  result["skipped"] = Json::array();
  for (const Skipped& s : study.skipped) {
    result["skipped"].push_back({{"algorithm", s.algorithm}, {"reason", s.reason}});
  }
  return result;
}

Json json(const Tune& tune) {
  Json all = Json::array();
  for (const Study& study : tune.studies()) all.push_back(json(study, tune.model()));
  return all.size() == 1 ? all[0] : all;
}

std::string csv(const Tune& tune) {
  std::string result =
      "collective,ranks,bytes,k_over_t,algorithm,chunks,steps,seconds,formula,lower_bound,"
      "improvement\n";
  for (const Study& study : tune.studies()) {
    for (const Row& row : study.rows) {
      const auto k = start_ups(tune.model(), row.bytes);
      for (const Choice& c : row.choices) {
        const auto paper = formula(c, study.problem, tune.model(), row.bytes);
        const auto number = [](const std::optional<double>& value) {
          return value ? fmt::format("{:.9g}", *value) : std::string();
        };
        result += fmt::format(
            "{},{},{},{},{},{},{},{:.9g},{},{},{}\n", info(study.problem.collective).name,
            study.problem.ranks, row.bytes, number(k), csv_field(c.spec.text()), c.chunks, c.steps,
            c.seconds, number(paper), row.bound ? fmt::format("{:.9g}", row.bound->seconds) : "",
            number(row.improvement));
      }
    }
  }
  return result;
}

std::string plot_description(const Tune& tune, const Options& options) {
  std::string result;
  for (const Study& study : tune.studies()) {
    result += fmt::format("{}{}", result.empty() ? "" : "; ", head(study, tune.model()));
    const Row* const best = peak(study);
    if (options.improvement && best != nullptr) {
      result +=
          fmt::format(": at most {:.3f}, at {}", *best->improvement, format_bytes(best->bytes));
    }
  }
  return result;
}

/// A curve for each number of ranks: the improvement over k/t.
Plot improvement_plot(const Tune& tune, const Options& options) {
  Plot plot;
  plot.title = fmt::format("Improvement of {} over the best other algorithm", *options.improvement);
  plot.y = {"improvement", false};
  for (const Study& study : tune.studies()) {
    Curve curve{fmt::format("P = {}", study.problem.ranks), {}};
    for (const Row& row : study.rows) {
      const double x = start_ups(tune.model(), row.bytes).value_or(static_cast<double>(row.bytes));
      if (row.improvement) curve.points.emplace_back(x, *row.improvement);
    }
    plot.curves.push_back(std::move(curve));
  }
  plot.x = {start_ups(tune.model(), 1) ? "message size over start-up, k/t" : "bytes", true};
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

void draw(const Tune& tune, const Options& options, Output& out) {
  Plot plot = options.improvement ? improvement_plot(tune, options) : time_plot(tune);
  plot.description = plot_description(tune, options);
  write_svg(plot, out);
}

/// Is a plot asked for?
bool plots(const Options& options) {
  if (!options.emit && !options.output) return false;
  if (options.output && !options.emit && !options.output->ends_with(".svg")) {
    throw UsageError(
        fmt::format("'{}' is no .svg file: tune draws SVG only; figures go to standard "
                    "output, with --csv or --json for programs",
                    *options.output));
  }
  return true;
}

}  // namespace

Status tune(const Options& options) {
  if (!options.arguments.empty()) {
    throw UsageError(
        fmt::format("tune takes options only; what is '{}'? --algorithms names algorithms",
                    options.arguments.front()));
  }
  if (options.csv && options.json) throw UsageError("--csv and --json: which one?");
  const bool plot = plots(options);
  std::unique_ptr<FileOutput> file;
  if (plot && options.output && *options.output != "-") {
    file = std::make_unique<FileOutput>(*options.output);
  } else if (plot && (options.csv || options.json)) {
    throw UsageError("the plot would share standard output with --csv or --json; give -o FILE.svg");
  }
  const Tune tune(options);
  StandardOutput standard;
  if (plot) draw(tune, options, file ? static_cast<Output&>(*file) : standard);
  if (file) file->commit();
  if (plot && !file) return ok;
  if (options.quiet && plot) return ok;
  standard.write(options.json ? dump(json(tune)) : options.csv ? csv(tune) : text(tune, options));
  return ok;
}

}  // namespace schedcc::cli
