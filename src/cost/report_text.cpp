// A cost report as text, JSON and CSV.

#include <fmt/core.h>

#include "analysis/report_text.hpp"
#include "core/counted.hpp"
#include "core/join.hpp"
#include "core/json.hpp"
#include "core/text_table.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/units.hpp"

namespace schedcc {

namespace {

/// The best bound on the asynchronous clock.
const TimeBound* bound_without_steps(const CostReport& report) {
  const TimeBound* best = nullptr;
  for (const TimeBound& b : report.bounds) {
    if (b.holds_for == BoundedSchedules::any && (best == nullptr || b.seconds > best->seconds))
      best = &b;
  }
  return best;
}

std::string ratio(double seconds, const TimeBound* bound) {
  if (bound == nullptr || bound->seconds <= 0) return "";
  return fmt::format("{:.4g}", seconds / bound->seconds);
}

std::string list(const std::vector<std::string>& words) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    result += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? " and " : ", ", words[i]);
  }
  return result;
}

std::string figures_text(const CostReport& r) {
  std::vector<std::vector<std::string>> rows{{"", "time", "ratio", ""}};
  if (r.synchronous) {
    rows.push_back(
        {"synchronous", format_time(*r.synchronous), ratio(*r.synchronous, r.bound()),
         fmt::format("{}, volume {}", counted(r.steps, "step"), format_bytes(r.volume_bytes))});
  }
  if (r.asynchronous) {
    rows.push_back({"asynchronous", format_time(*r.asynchronous),
                    ratio(*r.asynchronous, bound_without_steps(r)),
                    fmt::format("{}, {} in all", counted(r.messages, "message"),
                                format_bytes(r.bytes_moved))});
  }
  for (const TimeFormula& f : r.formulas) {
    rows.push_back(
        {"formula", format_time(f.seconds), "", fmt::format("{} [{}]", f.text, f.source)});
  }
  for (const TimeBound& b : r.bounds) {
    rows.push_back({"lower bound", format_time(b.seconds), "",
                    fmt::format("{}, for {} [{}]", b.text, name(b.holds_for), b.source)});
  }
  return aligned(rows, "->>-");
}

std::string path_text(const std::vector<TimedMessage>& path) {
  std::vector<std::vector<std::string>> rows{{"critical path", "from", "to", "step", "bytes"}};
  for (const TimedMessage& m : path) {
    rows.push_back({fmt::format("{} -> {}", m.src, m.dst), format_time(m.start), format_time(m.end),
                    fmt::format("{}", m.step), fmt::format("{}", m.bytes)});
  }
  return aligned(rows, "->>>>");
}

Json json(const std::vector<TimeFormula>& formulas) {
  Json result = Json::array();
  for (const TimeFormula& f : formulas) {
    result.push_back({{"seconds", f.seconds}, {"formula", f.text}, {"source", f.source}});
  }
  return result;
}

Json json(const std::vector<TimeBound>& bounds) {
  Json result = Json::array();
  for (const TimeBound& b : bounds) {
    result.push_back({{"seconds", b.seconds},
                      {"formula", b.text},
                      {"holds_for", name(b.holds_for)},
                      {"source", b.source}});
  }
  return result;
}

Json json(const std::vector<TimedMessage>& path) {
  Json result = Json::array();
  for (const TimedMessage& m : path) {
    result.push_back({{"step", m.step},
                      {"src", m.src},
                      {"dst", m.dst},
                      {"bytes", m.bytes},
                      {"start", m.start},
                      {"end", m.end}});
  }
  return result;
}

Json json(const CostReport& r) {
  Json result{{"schedule", r.schedule}, {"collective", r.collective}};
  if (!r.title.empty()) result["title"] = r.title;
  result["machine"] = r.machine;
  result["model"] = r.model;
  if (r.receive) {
    result["receive"] = *r.receive == Receive::arrival ? "arrival" : "call";
  }
  result["ranks"] = r.ranks;
  if (r.root) result["root"] = *r.root;
  if (!r.file.empty()) result["file"] = r.file;
  result["chunks"] = r.chunks;
  result["bytes"] = r.bytes;
  result["chosen"] = r.chosen;
  result["chunks_tried"] = r.tried.empty() ? Json(nullptr) : Json(r.tried);
  result["steps"] = r.steps;
  result["messages"] = r.messages;
  result["width"] = r.width;
  result["volume_bytes"] = r.volume_bytes;
  result["bytes_moved"] = r.bytes_moved;
  result["seconds"] = r.seconds;
  result["synchronous"] = r.synchronous;
  result["asynchronous"] = r.asynchronous;
  result["formulas"] = json(r.formulas);
  result["lower_bounds"] = json(r.bounds);
  const TimeBound* const bound = r.bound();
  result["ratio"] =
      bound != nullptr && bound->seconds > 0 ? Json(r.seconds / bound->seconds) : Json(nullptr);
  if (r.critical_path) result["critical_path"] = json(*r.critical_path);
  return result;
}

}  // namespace

std::string to_text(const CostReport& r, bool colored) {
  const Style style(colored);
  const std::string chosen = r.chosen.empty() ? "" : fmt::format(" ({} chosen)", list(r.chosen));
  const bool arrival = r.receive == Receive::arrival;
  std::string result = fmt::format(
      "{}: {}, {}{}, {} in {}{} on {}, {}{}\n", style.bold(r.file.empty() ? r.schedule : r.file),
      r.title.empty() ? r.collective : r.title, counted(r.ranks, "rank"),
      r.root ? fmt::format(", root {}", *r.root) : "", format_bytes(r.bytes),
      counted(r.chunks, "chunk"), chosen, r.machine, r.model,
      arrival ? ", receive on arrival" : "");
  if (r.tried.size() > 1) {
    result += fmt::format("  chunks: the best of {}\n", join(r.tried, ", "));
  }
  result += figures_text(r);
  if (r.critical_path) result += path_text(*r.critical_path);
  return result;
}

std::string to_json(const CostReport& r) { return dump(json(r)); }

std::string to_csv(const CostReport& r) {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.9g}", *value) : std::string();
  };
  const TimeBound* const bound = r.bound();
  std::string result =
      "schedule,collective,machine,model,ranks,root,chunks,bytes,steps,messages,volume_bytes,"
      "synchronous,asynchronous,formula,lower_bound\n";
  return result +
         fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(r.schedule),
                     r.collective, csv_field(r.machine), csv_field(r.model), r.ranks,
                     r.root ? fmt::format("{}", *r.root) : "", r.chunks, r.bytes, r.steps,
                     r.messages, r.volume_bytes, number(r.synchronous), number(r.asynchronous),
                     r.formulas.empty() ? "" : fmt::format("{:.9g}", r.formulas.front().seconds),
                     bound == nullptr ? "" : fmt::format("{:.9g}", bound->seconds));
}

}  // namespace schedcc
