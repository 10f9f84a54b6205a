// The verdict of `schedcc verify` for a schedule, up to its first error.

#include "cost/validity.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "algorithm/local.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

constexpr std::array<std::string_view, 4> rules{"shape", "ports", "links", "switches"};

/// Without options these only warn or inform.
constexpr std::array<std::string_view, 4> never_violated{"buffers", "redundancy", "agreement",
                                                         "bound"};

bool contains(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// The steps in which the root's messages are counted before all others: most schedules that break
/// a rule do so early.
constexpr int first_steps = 16;

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

/// The messages that a rank sends, or receives, in a step: those with one peer are one.
std::uint64_t count_messages(const LocalRankSchedule& rank, std::uint64_t step,
                             decltype(&LocalRankSchedule::sends) direction) {
  std::vector<std::uint64_t> peers;
  (rank.*direction)(step, [&](const local::RankTransfer& part) { peers.push_back(part.peer); });
  std::ranges::sort(peers);
  return static_cast<std::uint64_t>(std::unique(peers.begin(), peers.end()) - peers.begin());
}

/// The kernel of a schedule that the algorithm serves; nullptr if it has none.
std::shared_ptr<const LocalSchedule> kernel_of(const Algorithm& algorithm, const Request& request) {
  if (request.problem.declared()) return nullptr;
  try {
    return local_schedule(algorithm, LocalRequest(request));
  } catch (const InputError&) {  // none at all, or not for this request
    return nullptr;
  }
}

}  // namespace

bool root_breaks_ports(const Algorithm& algorithm, const Request& request) {
  const Machine& machine = request.machine;
  const PortLimits* const limits = machine.ports();
  // Else messages within a group may need no port, or several may be one.
  if (limits == nullptr || machine.channels() != nullptr || machine.in_network().any())
    return false;
  const auto schedule = kernel_of(algorithm, request);
  if (schedule == nullptr) return false;
  const auto root = schedule->at(request.problem.root);
  std::uint64_t step = root->next(0);
  for (int i = 0; i < first_steps && step != local::never; ++i, step = root->next(step + 1)) {
    const std::uint64_t sent = count_messages(*root, step, &LocalRankSchedule::sends);
    const std::uint64_t received = count_messages(*root, step, &LocalRankSchedule::receives);
    if (sent > limits->send || received > limits->receive || sent + received > limits->both)
      return true;
  }
  return false;
}

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
