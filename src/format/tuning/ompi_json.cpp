// The rules of Open MPI's component tuned as JSON, since Open MPI 6:
//
//     {"rule_file_version": 3, "module": "tuned", "collectives": {"allreduce": [
//         {"comm_size_min": 2, "comm_size_max": 64, "comm_rank_distribution": "any", "rules": [
//             {"msg_size_min": 0, "msg_size_max": "inf", "alg": "ring"}]}]}}
//
// A call takes the first communicator rule that matches, and in it the first rule; without one the
// fixed rules.
//
// Source: open-mpi/ompi main, ompi/mca/coll/tuned/coll_tuned_dynamic_file.c;
// docs/tuning-apps/tuned_dynamic_file_schema.json.

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <span>

#include <fmt/core.h>

#include "core/names.hpp"
#include "core/printable.hpp"
#include "format/json_schema.hpp"
#include "format/tuning/ompi_names.hpp"
#include "format/tuning/table.hpp"

namespace schedcc {

namespace {

constexpr std::uint64_t max_comm_size = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t max_integer = std::numeric_limits<std::int64_t>::max();
constexpr std::array<std::string_view, 3> distributions{"any", "one-per-node", "single-node"};

class JsonRulesReader {
 public:
  JsonRulesReader(std::string_view text, const std::string& file) : in_(text, file) {
    table_.format = TuningFormat::ompi_json;
    table_.file = file;
  }

  TuningTable read() {
    in_.read(root_);
    for (TuningRule& r : table_.rules) r.applies = r.applies && !table_.dropped;
    return std::move(table_);
  }

 private:
  using Kind = JsonSchema::Kind;
  using enum JsonSchema::Presence;

  JsonSchema number(std::string_view what, std::function<void(std::uint64_t)> use,
                    std::uint64_t max = max_integer) {
    return {.kind = Kind::number,
            .what = what,
            .max = max,
            .number = std::move(use),
            .fraction = [this, what] { drop(fmt::format("{} must be a whole number", what)); }};
  }
  /// A number, or "inf".
  JsonSchema size(std::string_view what, const std::function<void(std::uint64_t)>& use) {
    JsonSchema result = number(what, use);
    result.text = [this, what, use](std::string& text) {
      if (is_infinite(text)) return use(UINT64_MAX);
      drop(fmt::format("{} must be a number or \"inf\"", what));
    };
    return result;
  }
  JsonSchema largest_ranks() {
    JsonSchema result = number(
        "'comm_size_max'", [this](std::uint64_t n) { ranks_.last = n; }, max_comm_size);
    result.text = [this](std::string& text) { infinite_ranks(text); };
    return result;
  }
  static bool is_infinite(std::string_view text) {
    return text.starts_with("inf") || text.starts_with("Inf") || text.starts_with("INF");
  }

  void collective(const std::string& name) {
    const auto all = ompi_collectives();
    const auto found = std::ranges::find(all, std::string_view(name), &OmpiCollective::name);
    collective_ = name;
    named_at_ = in_.location();
    known_ = {};
    served_ = {};
    any_rules_ = false;
    first_rule_ = table_.rules.size();
    if (found == all.end()) {
      std::vector<std::string_view> names;
      for (const OmpiCollective& c : all) names.push_back(c.name);
      return drop(unknown("collective", name, names));
    }
    known_ = found->algorithms;
    forget_earlier();
    if (!known_.empty()) return;
    add(Severity::error, "ineffective",
        fmt::format("the component tuned has no algorithms for {}, and fails to read "
                    "them",
                    name));
  }

  /// A collective that was there before: its rules are replaced.
  void forget_earlier() {
    const auto earlier = read_.find(collective_);
    if (earlier == read_.end()) return;
    const auto [first, end] = earlier->second;
    for (std::size_t i = first; i < end; ++i) table_.rules[i].applies = false;
    add(Severity::warning, "shadowed",
        fmt::format("{} occurs twice: this replaces the earlier rules", collective_));
  }

  /// Numbers of ranks between those of the rules that none serves.
  void end_collective() {
    read_[collective_] = {first_rule_, table_.rules.size()};
    if (known_.empty()) return;
    const auto report = [this](const std::string& message) {
      table_.add(Severity::warning, "uncovered", named_at_.line, named_at_.column,
                 message + ": Open MPI takes its fixed rules");
    };
    if (!any_rules_) report(fmt::format("{} has no rules", collective_));
    IntervalSet all;
    for (const IntervalSet& some : served_) {
      for (const Interval& ranks : some.all()) all.add(ranks);
    }
    const auto span = all.span();
    if (!span) return;
    for (const Interval& gap : all.gaps(*span)) {
      report("no rule serves " + calls_text(collective_, gap, {}));
    }
  }

  void begin_comm() {
    count_rule();
    any_rules_ = true;
    location_ = in_.location();
    ranks_ = {};
    distribution_ = -1;
    never_ = false;
    messages_ = {};
  }

  void infinite_ranks(const std::string& text) {
    if (!is_infinite(text)) return drop("'comm_size_max' must be a number");
    never_ = true;
    add(Severity::error, "shadowed",
        "\"inf\" becomes -1 here, and no communicator matches the rule; leave the key out");
  }

  void distribute(const std::string& text) {
    const auto found = std::ranges::find(distributions, std::string_view(text));
    if (found == distributions.end()) {
      add(Severity::warning, "syntax",
          fmt::format("Open MPI reads this as any: {}",
                      unknown("distribution of ranks", text, distributions)));
    } else if (found != distributions.begin()) {
      distribution_ = found - distributions.begin();
    }
  }

  void begin_rule() {
    rule_ = {};
    const SourceLocation location = in_.location();
    rule_.line = location.line;
    rule_.column = location.column;
    named_ = false;
  }

  void algorithm(std::uint64_t number) {
    named_ = true;
    rule_.number = number;
    const OmpiAlgorithm* found = ompi_algorithm(collective_, number);
    if (found != nullptr) {
      rule_.algorithm = found->name;
    } else if (number != 0 && !known_.empty()) {
      disable(
          fmt::format("{} has the algorithms 1..{}, not {}", collective_, known_.size(), number));
    }
  }

  void algorithm(const std::string& name) {
    named_ = true;
    if (known_.empty() || name == "ignore") return;
    const auto found = std::ranges::find(known_, std::string_view(name), &OmpiAlgorithm::name);
    if (found == known_.end()) {
      std::vector<std::string_view> names;
      for (const OmpiAlgorithm& a : known_) names.push_back(a.name);
      disable(unknown("algorithm", name, names));
      return;
    }
    rule_.algorithm = name;
    rule_.number = static_cast<std::uint64_t>(found - known_.begin()) + 1;
  }

  /// The loader takes no algorithm of another type, and goes on.
  void algorithm_of_other_type() {
    named_ = true;
    add(Severity::error, "syntax",
        "'alg' is a whole number or a name; Open MPI ignores this value, and so the fixed rules "
        "are taken");
  }

  void drop(const std::string& reason) {
    table_.dropped = true;
    add(Severity::error, "dropped",
        "Open MPI drops the whole file, which it reports only with coll_tuned_verbose 1: " +
            reason);
  }

  void disable(const std::string& reason) {
    rule_.applies = false;
    add(Severity::error, "algorithm", "Open MPI silently skips the rule: " + reason);
  }

  /// Communicator rules count as well.
  void count_rule() {
    if (++rules_ > max_rules) in_.fail(fmt::format("there are more than {} rules", max_rules));
  }

  void end_rule() {
    count_rule();
    rule_.collective = collective_;
    const auto asked = overlap(rule_.bytes, asked_sizes());
    if (!named_) {
      at_rule(Severity::warning, "syntax",
              "the rule has no 'alg', and so the fixed rules are taken");
    }
    if (rule_.bytes.first > rule_.bytes.last) {
      rule_.applies = false;
      at_rule(Severity::error, "shadowed",
              fmt::format("no size is from {} to {}", rule_.bytes.first, rule_.bytes.last));
    } else if (rule_.applies && asked && messages_.covers(*asked)) {
      rule_.applies = false;
      at_rule(Severity::warning, "shadowed",
              fmt::format("unreachable: rules before it match all calls for {}",
                          sizes_text(rule_.bytes)));
    }
    if (rule_.applies) messages_.add(rule_.bytes);
    pending_.push_back(std::move(rule_));
  }

  void end_comm() {
    // Rules for any distribution take the calls of those for one.
    const auto own = static_cast<std::size_t>(std::max<std::int64_t>(distribution_, 0));
    std::string reason;
    if (ranks_.first > ranks_.last) {
      reason = fmt::format("no number of ranks is from {} to {}", ranks_.first, ranks_.last);
    } else if (served_[own].covers(ranks_)) {
      reason = fmt::format("communicator rules before it match {}", ranks_text(ranks_));
    }
    if (!reason.empty() && !never_) {
      table_.add(Severity::warning, "shadowed", location_.line, location_.column,
                 "unreachable: " + reason);
    }
    const bool taken = reason.empty() && !never_;
    if (taken) {
      for (std::size_t i = 0; i < served_.size(); ++i) {
        if (own == 0 || i == own) served_[i].add(ranks_);
      }
    }
    if (taken && !known_.empty()) find_size_gaps();
    for (TuningRule& rule : pending_) {
      rule.ranks = ranks_;
      rule.stated_ranks = ranks_.first;
      rule.nodes = distribution_;
      rule.applies = rule.applies && taken && !known_.empty();
      table_.rules.push_back(std::move(rule));
    }
    pending_.clear();
  }

  /// The sizes by which Open MPI looks up rules for the collective.
  Interval asked_sizes() const {
    return passes_size_zero(collective_) ? Interval{0, 0} : Interval{};
  }

  /// Finds the sizes that no rule of the communicator rule serves.
  void find_size_gaps() {
    for (const Interval& gap : messages_.gaps(asked_sizes())) {
      table_.add(Severity::warning, "uncovered", location_.line, location_.column,
                 fmt::format("no rule serves {}: Open MPI takes its fixed rules",
                             calls_text(collective_, ranks_, gap)));
    }
  }

  void unknown_key(const std::string& key) {
    add(Severity::warning, "syntax",
        fmt::format("Open MPI ignores the key '{}'{}", printable(key),
                    key == "segsize" ? "; the loader reads 'seg_size'" : ""));
  }

  void add(Severity severity, std::string_view rule, std::string message) {
    const SourceLocation location = in_.location();
    table_.add(severity, rule, location.line, location.column, std::move(message));
  }
  void at_rule(Severity severity, std::string_view kind, std::string message) {
    table_.add(severity, kind, rule_.line, rule_.column, std::move(message));
  }

  JsonReader in_;
  TuningTable table_;
  std::string collective_;  ///< its name
  std::span<const OmpiAlgorithm> known_;
  SourceLocation named_at_;                                          ///< of its name
  std::map<std::string, std::pair<std::size_t, std::size_t>> read_;  ///< first and end of its rules
  std::size_t first_rule_ = 0, rules_ = 0;
  bool any_rules_ = false;
  /// Ranks that communicator rules so far take, of each distribution; first of any.
  std::array<IntervalSet, distributions.size()> served_;
  IntervalSet messages_;  ///< sizes that the rules of the communicator rule take
  Interval ranks_;
  std::int64_t distribution_ = -1;
  bool never_ = false, named_ = false;
  SourceLocation location_;  ///< of the communicator rule
  TuningRule rule_;
  std::vector<TuningRule> pending_;

  // The form of the text, from the inside out.
  const JsonSchema from_ =
      size("'msg_size_min'", [this](std::uint64_t n) { rule_.bytes.first = n; });
  const JsonSchema to_ = size("'msg_size_max'", [this](std::uint64_t n) { rule_.bytes.last = n; });
  const JsonSchema alg_{.kind = Kind::number,
                        .what = "'alg'",
                        .max = max_integer,
                        .number = [this](std::uint64_t n) { algorithm(n); },
                        .fraction = [this] { algorithm_of_other_type(); },
                        .text = [this](std::string& name) { algorithm(name); }};
  const JsonSchema fanout_ = number("'faninout'", [this](std::uint64_t n) { rule_.fanout = n; });
  const JsonSchema segment_ = number("'seg_size'", [this](std::uint64_t n) { rule_.segment = n; });
  const JsonSchema requests_ = number("'reqs'", nullptr);
  const JsonSchema rule_schema_{.kind = Kind::object,
                                .what = "a rule",
                                .fields = {{"msg_size_min", &from_, optional},
                                           {"msg_size_max", &to_, optional},
                                           {"alg", &alg_, optional},
                                           {"faninout", &fanout_, optional},
                                           {"seg_size", &segment_, optional},
                                           {"reqs", &requests_, optional}},
                                .other = [this](const std::string& key) { unknown_key(key); },
                                .begin = [this] { begin_rule(); },
                                .end = [this] { end_rule(); }};
  const JsonSchema rules_schema_{.kind = Kind::array, .what = "'rules'", .items = &rule_schema_};
  const JsonSchema least_ = number(
      "'comm_size_min'", [this](std::uint64_t n) { ranks_.first = n; }, max_comm_size);
  const JsonSchema largest_ = largest_ranks();
  const JsonSchema distribution_schema_{.kind = Kind::text,
                                        .what = "'comm_rank_distribution'",
                                        .text = [this](std::string& text) { distribute(text); }};
  const JsonSchema comm_{.kind = Kind::object,
                         .what = "a communicator rule",
                         .fields = {{"comm_size_min", &least_, optional},
                                    {"comm_size_max", &largest_, optional},
                                    {"comm_rank_distribution", &distribution_schema_, optional},
                                    {"rules", &rules_schema_}},
                         .other = [this](const std::string& key) { unknown_key(key); },
                         .begin = [this] { begin_comm(); },
                         .end = [this] { end_comm(); }};
  const JsonSchema comms_{
      .kind = Kind::array, .what = "the rules of a collective", .items = &comm_, .end = [this] {
        end_collective();
      }};
  const JsonSchema collectives_{.kind = Kind::map,
                                .what = "'collectives'",
                                .items = &comms_,
                                .text = [this](std::string& name) { collective(name); }};
  const JsonSchema root_{.kind = Kind::object,
                         .what = "a file of rules",
                         .fields = {{"collectives", &collectives_}},
                         .other = [](const std::string&) {}};
};

/// The text with a blank for each comma after the last item of an object or array, which Open MPI's
/// parser takes, and JSON does not allow.
std::string without_last_commas(std::string_view text) {
  std::string result(text);
  std::size_t comma = std::string::npos;  ///< of the token before, if that is one after a value
  char before = '[';                      ///< the last character of that token
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    if ((c == '}' || c == ']') && comma != std::string::npos) result[comma] = ' ';
    const bool after_value = std::string_view("[{,:").find(before) == std::string_view::npos;
    comma = c == ',' && after_value ? i : std::string::npos;
    quoted = c == '"';
    before = c;
  }
  return result;
}

}  // namespace

TuningTable read_ompi_json(std::string_view text, const std::string& file) {
  return JsonRulesReader(without_last_commas(text), file).read();
}

}  // namespace schedcc
