// The figures of `tune` for programs: JSON and CSV.

#include <fmt/core.h>

#include "cli/print.hpp"
#include "cli/tune_report.hpp"
#include "core/text_table.hpp"

namespace schedcc::cli {

namespace {

Json json(const Study& study, const Tune& tune) {
  Json result{{"collective", info(study.problem.collective).name},
              {"machine", study.machine.empty() ? Json(nullptr) : Json(study.machine)},
              {"model", tune.model().spec},
              {"ranks", study.problem.ranks}};
  if (study.problem.rooted()) result["root"] = study.problem.root;
  if (tune.reproducible()) result["reproducible"] = true;
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
      const auto paper = tune.formula(study, row, c);
      size["choices"].push_back({{"algorithm", c.spec.text()},
                                 {"machine", c.machine.spec()},
                                 {"chunks", c.chunks},
                                 {"chunks_tried", c.tried.empty() ? Json(nullptr) : Json(c.tried)},
                                 {"steps", c.steps},
                                 {"seconds", c.seconds},
                                 {"formula", paper},
                                 {"command", tune.command(study, c)}});
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

}  // namespace

std::string tune_json(const Tune& tune) {
  Json all = Json::array();
  for (const Study& study : tune.studies()) all.push_back(json(study, tune));
  return dump(all.elements().size() == 1 ? all.elements().front() : all);
}

std::string tune_csv(const Tune& tune) {
  std::string result =
      "collective,ranks,bytes,k_over_t,algorithm,chunks,steps,seconds,formula,lower_bound,"
      "improvement,machine\n";
  for (const Study& study : tune.studies()) {
    for (const Row& row : study.rows) {
      const auto k = tune.start_ups(row.bytes);
      for (const Choice& c : row.choices) {
        const auto paper = tune.formula(study, row, c);
        const auto number = [](const std::optional<double>& value) {
          return value ? fmt::format("{:.9g}", *value) : std::string();
        };
        result += fmt::format(
            "{},{},{},{},{},{},{},{:.9g},{},{},{},{}\n", info(study.problem.collective).name,
            study.problem.ranks, row.bytes, number(k), csv_field(c.spec.text()), c.chunks, c.steps,
            c.seconds, number(paper), row.bound ? fmt::format("{:.9g}", row.bound->seconds) : "",
            number(row.improvement), csv_field(c.machine.spec()));
      }
    }
  }
  return result;
}

}  // namespace schedcc::cli
