#include "cli/sweep_report.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fmt/core.h>

#include "cli/print.hpp"
#include "core/counted.hpp"
#include "core/json.hpp"

namespace schedcc::cli {

namespace {

/// A number in a column, and what it counts, as wide as in the plural.
std::string column(std::uint64_t n, int width, std::string_view noun) {
  const std::string text = counted(n, noun);
  return fmt::format("{:>{}} {:<{}}", n, width, text.substr(text.find(' ') + 1), noun.size() + 1);
}

std::string line(const Printer& printer, const std::string& name, const Tally& tally) {
  std::string result =
      fmt::format("{:<22} {}  {}  at most {} over bound  {}\n", name,
                  column(tally.cases, 8, "case"), column(tally.transfers, 12, "transfer"),
                  column(tally.above, 6, "step"), counted(tally.failures, "failure"));
  for (const std::string& failure : tally.failed) {
    result += fmt::format("  {}: {}\n", printer.severity(Severity::error), failure);
  }
  if (const std::uint64_t more = tally.failures - tally.failed.size(); more > 0) {
    result += fmt::format("  and {}\n", counted(more, "more failure"));
  }
  if (tally.skipped > 0) {
    const std::size_t more = tally.reasons.size() - 1;
    result +=
        fmt::format("  skipped {}: {}{}\n", counted(tally.skipped, "case"), *tally.reasons.begin(),
                    more > 0 ? fmt::format(" (and {})", counted(more, "more reason")) : "");
  }
  return result;
}

std::string report_text(const SweepTallies& tallies, const SweepOptions& options) {
  const Printer printer(STDOUT_FILENO, options.color);
  std::string result;
  std::uint64_t cases = 0;
  for (const auto& [name, tally] : tallies) {
    if (!options.quiet || tally.failures > 0) result += line(printer, name, tally);
    cases += tally.cases;
  }
  return cases == 0 ? result + "no cases: nothing was checked\n" : result;
}

Json report_json(const SweepTallies& tallies) {
  Json result = Json::array();
  for (const auto& [name, tally] : tallies) {
    result.push_back({{"algorithm", name},
                      {"cases", tally.cases},
                      {"transfers", tally.transfers},
                      {"steps_over_bound", tally.above},
                      {"failures", tally.failures},
                      {"skipped", tally.skipped},
                      {"reasons", std::vector(tally.reasons.begin(), tally.reasons.end())},
                      {"failed", tally.failed}});
  }
  return result;
}

}  // namespace

std::string sweep_report(const SweepTallies& tallies, const SweepOptions& options) {
  if (!options.json) return report_text(tallies, options);
  const Json document = report_json(tallies);
  if (!options.json_lines) return dump(document);
  std::string lines;
  for (const Json& entry : document.elements()) lines += dump_line(entry);
  return lines;
}

}  // namespace schedcc::cli
