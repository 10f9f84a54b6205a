// The verdict of `schedcc verify` for a schedule, up to its first error.

#include "cost/validity.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "schedcc/check.hpp"

namespace schedcc {

namespace {

constexpr std::array<std::string_view, 4> rules{"shape", "ports", "links", "switches"};

/// Without options these only warn or inform.
constexpr std::array<std::string_view, 4> never_violated{"buffers", "redundancy", "agreement",
                                                         "bound"};

bool contains(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

struct ScheduleTooLarge {};

std::optional<Failure> failure(const Source& source, const Machine& machine,
                               std::vector<std::string> checks, const ProgressCallback& progress) {
  CheckOptions options;
  options.checks = std::move(checks);
  options.max_findings = 1;
  options.fail_fast = true;
  options.progress = [&](std::uint64_t transfers) {
    if (progress) progress(transfers);
    if (transfers > max_checked) throw ScheduleTooLarge{};
  };
  try {
    const Report report = check(source, machine, options);
    if (!report.findings.empty()) {
      const Finding& first = report.findings.front();
      return Failure{fmt::format("{}: {}", first.check, first.message), std::string(first.check)};
    }
    for (const CheckResult& result : report.checks) {
      if (result.verdict != Verdict::holds)
        return Failure{fmt::format("{}: {}", result.check, result.reason),
                       std::string(result.check)};
    }
  } catch (const ScheduleTooLarge&) {
    return Failure{
        fmt::format("its schedule for {} chunks has more than {} transfers, too many to be checked",
                    source.problem.chunks, max_checked)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> broken_rule(const Source& source, const Machine& machine,
                                   const ProgressCallback& progress) {
  std::vector<std::string> names(rules.begin(), rules.end());
  // Where messages share channels none is too full, and counting them takes longer than all else.
  if (machine.channels() != nullptr && machine.channels()->shared()) std::erase(names, "links");
  return failure(source, machine, std::move(names), progress);
}

std::optional<Failure> other_failure(const Source& source, const Machine& machine, bool agreement,
                                     const ProgressCallback& progress) {
  std::vector<std::string> names;
  if (agreement) names.emplace_back("agreement");
  for (const CheckInfo& check : checks()) {
    if (!contains(rules, check.name) && !contains(never_violated, check.name))
      names.emplace_back(check.name);
  }
  return failure(source, machine, std::move(names), progress);
}

}  // namespace schedcc
