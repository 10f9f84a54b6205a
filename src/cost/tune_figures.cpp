// The figures of `tune` for programs: JSON and CSV.

#include <fmt/core.h>

#include "core/json.hpp"
#include "core/text_table.hpp"
#include "cost/tune_study.hpp"
#include "schedcc/tune.hpp"

namespace schedcc {

namespace {

Json json(const TuneStudy& study, const TuneReport& report) {
  Json result{{"collective", info(study.problem.collective).name},
              {"machine", study.machine.empty() ? Json(nullptr) : Json(study.machine)},
              {"model", report.model.spec},
              {"ranks", study.problem.ranks}};
  if (study.problem.rooted()) result["root"] = study.problem.root;
  if (report.reproducible) result["reproducible"] = true;
  result["sizes"] = Json::array();
  for (const TunedSize& size : study.sizes) {
    Json entry{{"bytes", size.bytes}};
    entry["lower_bound"] = size.bound ? Json{{"seconds", size.bound->seconds},
                                             {"formula", size.bound->text},
                                             {"source", size.bound->source}}
                                      : Json(nullptr);
    if (size.improvement) entry["improvement"] = *size.improvement;
    entry["choices"] = Json::array();
    for (const Choice& c : size.choices) {
      const auto paper = formula_time(report.model, study, size, c);
      entry["choices"].push_back({{"algorithm", c.spec.text()},
                                  {"machine", c.machine.spec()},
                                  {"chunks", c.chunks},
                                  {"chunks_tried", c.tried.empty() ? Json(nullptr) : Json(c.tried)},
                                  {"steps", c.steps},
                                  {"seconds", c.seconds},
                                  {"formula", paper},
                                  {"command", command_of(study, c)}});
    }
    result["sizes"].push_back(std::move(entry));
  }
  result["crossovers"] = Json::array();
  for (const Crossover& c : study.crossovers) {
    result["crossovers"].push_back({{"bytes", c.bytes}, {"from", c.from}, {"to", c.to}});
  }
  result["skipped"] = Json::array();
  for (const Skipped& s : study.skipped) {
    Json skipped{{"algorithm", s.algorithm}, {"reason", s.reason}};
    if (!s.check.empty()) skipped["check"] = s.check;
    result["skipped"].push_back(std::move(skipped));
  }
  result["judged"] = Json{{"settings", study.judged.settings},
                          {"compositions", study.judged.compositions},
                          {"schedules", study.judged.schedules}};
  return result;
}

}  // namespace

std::string to_json(const TuneReport& report) {
  Json all = Json::array();
  for (const TuneStudy& study : report.studies) all.push_back(json(study, report));
  return dump(all.elements().size() == 1 ? all.elements().front() : all);
}

std::string to_csv(const TuneReport& report) {
  std::string result =
      "collective,ranks,bytes,k_over_t,algorithm,chunks,steps,seconds,formula,lower_bound,"
      "improvement,machine\n";
  for (const TuneStudy& study : report.studies) {
    for (const TunedSize& size : study.sizes) {
      const auto k = report.start_ups(size.bytes);
      for (const Choice& c : size.choices) {
        const auto paper = formula_time(report.model, study, size, c);
        const auto number = [](const std::optional<double>& value) {
          return value ? fmt::format("{:.9g}", *value) : std::string();
        };
        result += fmt::format(
            "{},{},{},{},{},{},{},{:.9g},{},{},{},{}\n", info(study.problem.collective).name,
            study.problem.ranks, size.bytes, number(k), csv_field(c.spec.text()), c.chunks, c.steps,
            c.seconds, number(paper), size.bound ? fmt::format("{:.9g}", size.bound->seconds) : "",
            number(size.improvement), csv_field(c.machine.spec()));
      }
    }
  }
  return result;
}

}  // namespace schedcc
