// verify --format sarif: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".

#include <algorithm>

#include <fmt/core.h>

#include "cli/verify_outcome.hpp"
#include "schedcc/check.hpp"
#include "schedcc/version.hpp"

namespace schedcc::cli {

namespace {

/// All that a result can be about.
std::vector<CheckInfo> all_rules() {
  std::vector<CheckInfo> result = all_checks();
  result.push_back({"unreadable", "the file is a schedule in a format that schedcc reads"});
  result.push_back(
      {"undecided", "the schedule can be checked within the limits of time and memory"});
  return result;
}

/// A path as a relative or absolute reference to a URI (RFC 3986).
std::string uri(const std::string& path) {
  std::string result = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

Json location_of(const SourceLocation& location) {
  Json physical{{"artifactLocation", {{"uri", uri(location.file)}}}};
  if (location.line != 0) {
    physical["region"] = Json{{"startLine", location.line}};
    if (location.column != 0) physical["region"]["startColumn"] = location.column;
  }
  return {{"physicalLocation", std::move(physical)}};
}

Json result(const Remark& remark, const std::vector<CheckInfo>& rules) {
  const auto rule = std::ranges::find(rules, std::string_view(remark.rule), &CheckInfo::name);
  Json entry{{"ruleId", remark.rule}};
  if (rule != rules.end()) entry["ruleIndex"] = static_cast<std::size_t>(rule - rules.begin());
  entry["level"] = name(remark.severity);
  entry["message"] = Json{{"text", remark.message}};
  entry["locations"] = Json::array();
  entry["locations"].push_back(location_of(remark.location));
  return entry;
}

Json driver(const std::vector<CheckInfo>& rules) {
  Json result{{"name", "schedcc"}, {"version", SCHEDCC_VERSION}, {"rules", Json::array()}};
  for (const CheckInfo& rule : rules) {
    result["rules"].push_back({{"id", rule.name}, {"shortDescription", {{"text", rule.summary}}}});
  }
  return result;
}

}  // namespace

std::string sarif_text(const std::vector<Outcome>& outcomes, Status status) {
  const std::vector<CheckInfo> rules = all_rules();
  Json run{{"tool", {{"driver", driver(rules)}}}};
  const bool finished = status == ok || status == violated;
  run["invocations"] = Json::array();
  run["invocations"].push_back(
      {{"executionSuccessful", finished}, {"exitCode", static_cast<unsigned>(status)}});
  run["results"] = Json::array();
  for (const Outcome& outcome : outcomes) {
    for (const Remark& remark : remarks(outcome)) run["results"].push_back(result(remark, rules));
  }
  Json log{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}};
  log["runs"] = Json::array();
  log["runs"].push_back(std::move(run));
  return dump(log);
}

}  // namespace schedcc::cli
