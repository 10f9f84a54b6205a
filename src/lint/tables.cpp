#include "lint/tables.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/join.hpp"
#include "format/tuning/ompi_names.hpp"

namespace schedcc {

namespace {

bool covers_value(std::int64_t wide, std::int64_t narrow) { return wide == -1 || wide == narrow; }

/// NCCL: the conditions of a rule, except its sizes and buffers. A number of ranks or all of them.
using Conditions =
    std::tuple<std::string_view, std::uint64_t, std::uint64_t, std::int64_t, std::int64_t>;

Conditions conditions(const TuningRule& rule) {
  return {rule.collective, rule.ranks.first, rule.ranks.last, rule.nodes, rule.pipe_ops};
}

/// Rules by their least size.
struct SortedRules {
  std::vector<const TuningRule*> rules;
  std::vector<std::uint64_t> reach;  ///< the largest size of the rules up to each

  /// The rules, beginning with the first that serves `bytes` or more.
  std::span<const TuningRule* const> from(std::uint64_t bytes) const {
    const auto first = std::ranges::lower_bound(reach, bytes) - reach.begin();
    return std::span(rules).subspan(static_cast<std::size_t>(first));
  }
};

/// The rules of a table of NCCL by their conditions.
class RulesByConditions {
 public:
  explicit RulesByConditions(const TuningTable& table) {
    for (const TuningRule& rule : table.rules) rules_[conditions(rule)].rules.push_back(&rule);
    for (auto& [key, sorted] : rules_) {
      std::ranges::stable_sort(sorted.rules, {}, least_size);
      std::uint64_t reach = 0;
      for (const TuningRule* rule : sorted.rules)
        sorted.reach.push_back(reach = std::max(reach, rule->bytes.last));
    }
  }

  /// Calls `f` with the lists of rules whose conditions are those of `rule`, or wider.
  template <typename F>
  void for_wider(const TuningRule& rule, F f) const {
    std::set<Conditions> wider;
    for (const Interval& ranks : {rule.ranks, Interval{}}) {
      for (const std::int64_t nodes : {rule.nodes, std::int64_t{-1}}) {
        for (const std::int64_t ops : {rule.pipe_ops, std::int64_t{-1}})
          wider.insert({rule.collective, ranks.first, ranks.last, nodes, ops});
      }
    }
    for (const Conditions& key : wider) {
      const auto found = rules_.find(key);
      if (found != rules_.end()) f(found->second);
    }
  }

 private:
  static std::uint64_t least_size(const TuningRule* rule) { return rule->bytes.first; }

  std::map<Conditions, SortedRules> rules_;
};

/// NCCL takes the first rule that matches.
void find_shadowed(TuningTable& table) {
  const RulesByConditions all(table);
  for (TuningRule& rule : table.rules) {
    if (!rule.applies) continue;
    IntervalSet taken;
    const TuningRule* last = nullptr;
    all.for_wider(rule, [&](const SortedRules& others) {
      for (const TuningRule* other : others.from(rule.bytes.first)) {
        if (other->bytes.first > rule.bytes.last) break;
        if (other >= &rule || !other->applies || other->bytes.last < rule.bytes.first ||
            !covers_value(other->registered, rule.registered)) {
          continue;
        }
        taken.add(other->bytes);
        last = last == nullptr ? other : std::max(last, other);
      }
    });
    if (last == nullptr) continue;
    const auto left = taken.first_gap(rule.bytes);
    if (!left) {
      rule.applies = false;
      table.add(Severity::warning, "shadowed", rule.line, rule.column,
                fmt::format("unreachable: rules before it, the last in line {}, match all calls of "
                            "{} for {}",
                            last->line, rule.collective, sizes_text(rule.bytes)));
    } else if (conditions(*last) != conditions(rule) || last->registered != rule.registered ||
               *left != rule.bytes) {
      table.add(Severity::note, "overlap", rule.line, rule.column,
                fmt::format("partly unreachable: rules before it, the last in line {}, match some "
                            "of its calls",
                            last->line));
    }
  }
}

/// Sizes that no rule serves.
struct UnservedSizes {
  std::int64_t registered = -1;  ///< of calls with such buffers
  Interval bytes;
};

/// The unserved sizes among the calls of `rule`. Buffers are registered or not (1 or 0), and so a
/// rule for each may serve what is left by one for any.
std::optional<UnservedSizes> unserved(const RulesByConditions& all, const TuningRule& rule) {
  const bool any = rule.registered == -1;
  const std::size_t kinds = any ? 2 : 1;  // one: that of the rule
  std::array<IntervalSet, 2> served;
  all.for_wider(rule, [&](const SortedRules& others) {
    for (const TuningRule* other : others.rules) {
      if (!other->applies) continue;
      for (std::size_t i = 0; i < kinds; ++i) {
        const std::int64_t registered = any ? static_cast<std::int64_t>(i) : rule.registered;
        if (covers_value(other->registered, registered)) served[i].add(other->bytes);
      }
    }
  });
  const auto first = served[0].first_gap({});
  if (!any) return first ? std::optional(UnservedSizes{rule.registered, *first}) : std::nullopt;
  const auto second = served[1].first_gap({});
  if (first == second) return first ? std::optional(UnservedSizes{-1, *first}) : std::nullopt;
  return first ? UnservedSizes{0, *first} : UnservedSizes{1, *second};
}

/// The calls for which a rule is made, if they have such buffers, whatever their size, in words.
std::string calls_text(const TuningRule& rule, std::int64_t registered) {
  const auto count = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  std::vector<std::string> conditions;
  if (rule.ranks != Interval{}) conditions.push_back(ranks_text(rule.ranks));
  if (rule.nodes != -1) conditions.push_back(counted(count(rule.nodes), "node"));
  std::string result = rule.collective;
  if (!conditions.empty()) result += " on " + join(conditions, " and ");
  conditions.clear();
  if (rule.pipe_ops != -1) conditions.push_back(fmt::format("numPipeOps {}", rule.pipe_ops));
  if (registered != -1) conditions.push_back(fmt::format("regBuff {}", registered));
  if (!conditions.empty()) result += " with " + join(conditions, " and ");
  return result;
}

/// NCCL: sizes of the calls of a rule that neither it nor another rule serves.
void find_uncovered(TuningTable& table) {
  const RulesByConditions all(table);
  std::set<std::pair<Conditions, std::int64_t>> seen;
  std::vector<LintFinding> found;
  for (const TuningRule& rule : table.rules) {
    if (!rule.applies || !seen.emplace(conditions(rule), rule.registered).second) continue;
    const auto gap = unserved(all, rule);
    if (!gap) continue;
    found.push_back({Severity::warning,
                     "uncovered",
                     {table.file, rule.line, rule.column},
                     fmt::format("no rule serves {} of {}: NCCL falls back to its own choice, but "
                                 "with one channel, which the plugin has set",
                                 calls_text(rule, gap->registered), sizes_text(gap->bytes))});
  }
  for (LintFinding& finding : found) table.findings.push_back(std::move(finding));
}

/// Why calls that take the rule may not get what it names; empty: they do. The severity is that of
/// the finding.
std::pair<Severity, std::string> mismatch(const TuningRule& rule, const OmpiAlgorithm& algorithm) {
  const std::uint64_t ranks = rule.stated_ranks;
  switch (algorithm.need) {
    case OmpiRequirement::none:
      break;
    case OmpiRequirement::two_ranks:
      if (rule.ranks.last <= 2) break;  // with one rank nothing is communicated
      return {
          Severity::error,
          fmt::format("it supports only 2 ranks, but this entry is for {}: calls on others fail",
                      ranks_text(rule.ranks))};
    case OmpiRequirement::power_of_two:
      if (ranks == 0 || std::has_single_bit(ranks)) break;
      return {Severity::warning,
              fmt::format("it supports only powers of two; for {} Open MPI uses {}",
                          counted(ranks, "rank"), algorithm.otherwise)};
    case OmpiRequirement::even:
      if (ranks % 2 == 0) break;
      return {Severity::warning,
              fmt::format("it supports only even numbers of ranks; for {} Open MPI uses {}", ranks,
                          algorithm.otherwise)};
    case OmpiRequirement::commutative:
      return {Severity::warning,
              "it supports only commutative operators; calls with others follow this rule, too, "
              "and combine their operands in another order"};
    case OmpiRequirement::commutative_or_fallback:
      return {Severity::note,
              fmt::format("it supports only commutative operators; for others Open MPI uses {}",
                          algorithm.otherwise)};
  }
  return {Severity::note, ""};
}

/// Open MPI: rules for sizes that it never states.
void find_size_zero(TuningTable& table) {
  for (TuningRule& rule : table.rules) {
    if (!rule.applies || !passes_size_zero(rule.collective)) continue;
    if (rule.bytes.first == 0) {
      rule.bytes.last = 0;
      continue;
    }
    rule.applies = false;
    table.add(Severity::warning, "shadowed", rule.line, rule.column,
              fmt::format("unreachable: Open MPI chooses for {} by the size 0, whatever "
                          "the message",
                          rule.collective));
  }
}

/// One finding for each algorithm and reason, with the number of other rules.
class MismatchFindings {
 public:
  void add(const TuningRule& rule, Severity severity, std::string_view kind,
           const std::string& message) {
    const auto [at, first] = index_.try_emplace(
        fmt::format("{} {} {}", rule.collective, rule.number, message), all_.size());
    if (first) {
      all_.push_back({&rule, severity, kind, message});
    } else {
      ++all_[at->second].more;
    }
  }

  void take(TuningTable& table) const {
    for (const Mismatch& m : all_) {
      table.add(
          m.severity, m.kind, m.rule->line, m.rule->column,
          fmt::format("{} {} ({}): {}{}", m.rule->collective, m.rule->algorithm, m.rule->number,
                      m.message,
                      m.more > 0 ? fmt::format(" (and {})", counted(m.more, "other rule")) : ""));
    }
  }

 private:
  struct Mismatch {
    const TuningRule* rule;
    Severity severity;
    std::string_view kind;
    std::string message;
    std::uint64_t more = 0;
  };
  std::vector<Mismatch> all_;
  std::map<std::string, std::size_t> index_;
};

/// Open MPI: rules that name an algorithm for calls that it does not serve.
void find_mismatches(TuningTable& table) {
  MismatchFindings found;
  for (const TuningRule& rule : table.rules) {
    const OmpiAlgorithm* algorithm =
        rule.applies ? ompi_algorithm(rule.collective, rule.number) : nullptr;
    if (algorithm == nullptr) continue;
    const auto [severity, message] = mismatch(rule, *algorithm);
    if (!message.empty()) found.add(rule, severity, "serve", message);
    if (algorithm->radix && rule.fanout < 2) {
      found.add(rule, Severity::warning, "version",
                fmt::format("Open MPI 6 takes FANINOUT as its radix, and {} is not one: such a "
                            "call never returns",
                            rule.fanout));
    }
  }
  found.take(table);
}

/// Open MPI: notes on collectives whose calls in place do not take what the rules name.
void note_in_place(TuningTable& table) {
  std::set<std::string_view> seen;
  for (const TuningRule& rule : table.rules) {
    if (!rule.applies || rule.algorithm.empty() || !has_own_in_place(rule.collective)) continue;
    if (!seen.insert(rule.collective).second) continue;
    table.add(Severity::note, "serve", rule.line, rule.column,
              fmt::format("for calls of {} in place, Open MPI uses basic_inplace, whichever "
                          "algorithm the rules name",
                          rule.collective));
  }
}

}  // namespace

void lint_rules(TuningTable& table) {
  if (table.dropped) return;
  if (table.format != TuningFormat::nccl_tuner) {
    find_size_zero(table);
    find_mismatches(table);
    note_in_place(table);
  } else {
    find_shadowed(table);
    find_uncovered(table);
  }
}

}  // namespace schedcc
