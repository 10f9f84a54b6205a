// The time of a choice is compared with that of the best that the library has for the collective.

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "lint/tables.hpp"
#include "schedcc/units.hpp"

namespace schedcc {

namespace {

/// A loss of at least this factor is a finding.
constexpr double large_loss = 1.2;
/// Sizes of rules without an end are timed up to this one, those with an end up to the other.
constexpr std::uint64_t max_open = std::uint64_t{64} << 20, max_timed = std::uint64_t{1} << 30;

/// The loss of `counterpart` at one size; none if it does not serve, or cannot be timed.
std::optional<Loss> loss_at(LibraryTimes& times, const std::string& counterpart,
                            std::uint64_t segment, std::uint64_t bytes) {
  const auto best = times.fastest(bytes);
  if (!best || best->seconds <= 0) return std::nullopt;
  const auto seconds = times.seconds(counterpart, segment, bytes);
  if (!seconds) return std::nullopt;
  return Loss{std::max(1.0, *seconds / best->seconds), bytes, best->algorithm->name};
}

/// The sizes at which a rule is timed: its ends, and powers of two between them.
std::vector<std::uint64_t> timed_sizes(const Interval& bytes) {
  const std::uint64_t first = std::max<std::uint64_t>(bytes.first, 1);
  const std::uint64_t last = bytes.last == UINT64_MAX ? std::max(first, max_open) : bytes.last;
  std::vector<std::uint64_t> result;
  if (first > max_timed) return result;
  result.push_back(first);
  for (std::uint64_t size = 1; size < std::min(last, max_timed); size *= 2) {
    if (size > first) result.push_back(size);
  }
  if (last > first) result.push_back(std::min(last, max_timed));
  return result;
}

void add_loss(TuningTable& table, const LintedRule& linted, const LossRequest& request) {
  const Loss& loss = *linted.loss;
  if (loss.factor < large_loss) return;
  const TuningRule& rule = *linted.rule;
  table.add(
      Severity::warning, "loss", rule.line, rule.column,
      fmt::format("this rule loses {:.1f}x at {} on {} ranks: {} {} takes so much longer than "
                  "{}, by the model {}",
                  loss.factor, format_bytes(loss.bytes), request.ranks, rule.collective,
                  rule.algorithm, loss.best, request.model.name));
}

/// Notes on what is not among the choices, at the first rule of the collective.
void note_untimed(TuningTable& table, const std::string& collective, const LibraryTimes& times) {
  const auto rule = std::ranges::find(table.rules, collective, &TuningRule::collective);
  for (const auto& [name, reason] : times.untimed()) {
    table.add(Severity::note, "loss", rule->line, rule->column,
              fmt::format("{} {} is not timed: {}", collective, name, reason));
  }
}

/// A note if there are rules, and none was timed.
void note_none_timed(TuningTable& table, const std::vector<LintedRule>& rules,
                     std::uint32_t ranks) {
  if (rules.empty() || table.dropped) return;
  const auto timed = [](const LintedRule& linted) { return linted.loss.has_value(); };
  if (std::ranges::any_of(rules, timed)) return;
  const bool applies = std::ranges::any_of(table.rules, [&](const TuningRule& rule) {
    return rule.applies && rule.ranks.contains(ranks);
  });
  table.add(Severity::note, "loss", 0, 0,
            fmt::format("nothing is timed: {} on {}",
                        applies ? "schedcc cannot time what the rules choose for calls"
                                : "no rule applies to calls",
                        counted(ranks, "rank")));
}

}  // namespace

std::vector<LintedRule> lint_losses(TuningTable& table, const LossRequest* request) {
  std::vector<LintedRule> result;
  std::map<std::string, LibraryTimes> times;
  for (const TuningRule& rule : table.rules) {
    LintedRule& linted = result.emplace_back();
    linted.rule = &rule;
    const std::optional<Collective> collective = library_collective(rule.collective);
    if (!collective || rule.algorithm.empty()) continue;
    linted.algorithm =
        counterpart_of(table.format, rule.collective, rule.algorithm, rule.number, *collective);
    if (request == nullptr || table.dropped || !rule.applies || linted.algorithm.empty() ||
        request->ranks < 2 || !rule.ranks.contains(request->ranks)) {
      continue;
    }
    auto at = times.find(rule.collective);
    if (at == times.end()) {
      at = times.try_emplace(rule.collective, table.format, rule.collective, *collective, *request)
               .first;
    }
    for (const std::uint64_t size : timed_sizes(rule.bytes)) {
      const auto loss = loss_at(at->second, linted.algorithm, rule.segment, size);
      if (loss && (!linted.loss || loss->factor > 1.001 * linted.loss->factor)) linted.loss = loss;
    }
    if (linted.loss) add_loss(table, linted, *request);
  }
  for (const auto& [collective, timed] : times) note_untimed(table, collective, timed);
  if (request != nullptr) note_none_timed(table, result, request->ranks);
  return result;
}

}  // namespace schedcc
