// The rules of Open MPI's component tuned, as text:
//
//     rule-file-version-N
//     NCOLL {COLLID NCOMM {COMMSIZE NMSG {MSGSIZE ALG FANINOUT SEGSIZE [MAXREQ]}}}
//
// (the first line may be left out; braces are for repetition, brackets for what may be missing).
//
// Open MPI reads numbers wherever they stand, in the notation of C, and skips every other
// character, and the rest of a line after #. An error drops the whole file; it is reported with
// coll_tuned_verbose 1 only. A call takes the last entry whose number of ranks, and in it the last
// rule whose size, is not above its own, up to the first that is; with fewer ranks than any entry
// the first entry.
//
// Source: open-mpi/ompi, ompi/mca/coll/tuned/coll_tuned_dynamic_file.c and
// coll_tuned_dynamic_rules.c (5.0.x, main); coll/base/coll_base_util.c.

#include <algorithm>
#include <cstddef>
#include <limits>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "format/tuning/ompi_names.hpp"
#include "format/tuning/ompi_numbers.hpp"
#include "format/tuning/table.hpp"

namespace schedcc {

namespace {

constexpr std::uint64_t max_ranks = std::numeric_limits<std::int32_t>::max();

/// An entry of a collective: a number of ranks with its rules.
struct RankEntry {
  std::uint32_t line = 0, column = 0;
  std::uint64_t ranks = 0;
  std::size_t first = 0, end = 0;  ///< in the rules of the table
};

/// The values for which the i-th of `starts` is taken: up to the first larger start.
std::vector<std::optional<Interval>> reached(const std::vector<std::uint64_t>& starts) {
  std::vector<std::optional<Interval>> result;
  std::uint64_t least = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    least = std::max(least, starts[i]);
    const bool last = i + 1 == starts.size();
    if (!last && starts[i + 1] <= least) {
      result.emplace_back();
    } else {
      result.emplace_back(Interval{least, last ? UINT64_MAX : starts[i + 1] - 1});
    }
  }
  return result;
}

class RulesReader {
 public:
  RulesReader(std::string_view text, const std::string& file) : text_(text), in_(text, table_) {
    table_.format = TuningFormat::ompi_rules;
    table_.file = file;
  }

  TuningTable read() {
    begin();
    table_.dropped = !collectives();
    if (!table_.dropped) trailing();
    for (TuningRule& rule : table_.rules) rule.applies = rule.applies && !table_.dropped;
    return std::move(table_);
  }

 private:
  void begin() {
    version_ = in_.version();
    if (version_ > 1) {
      table_.add(Severity::note, "version", 1, 1,
                 "Open MPI before 4.1.8 and 5.0.7 reads this header as -2 collectives, and drops "
                 "the file");
    }
    const std::size_t at = late_header();
    if (at == std::string_view::npos || at == 0) return;
    if (at == 1 && text_.front() == '[') {
      table_.add(Severity::error, "syntax", 1, 1,
                 "the header is written without brackets, rule-file-version-2; here the version is "
                 "read as a negative number in place of the number of collectives");
      return;
    }
    const auto line = 1 + std::ranges::count(text_.substr(0, at), '\n');
    table_.add(Severity::error, "syntax", static_cast<std::uint32_t>(line), 0,
               "the header is recognized only at the first byte of the file; here the version is "
               "read as a negative number in place of the next field");
  }

  /// Where the name of the header is outside comments.
  std::size_t late_header() const {
    std::size_t at = text_.find(ompi_version_prefix);
    while (at != std::string_view::npos) {
      const std::size_t begin = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;  // 0 if there is none
      if (text_.substr(begin, at - begin).find('#') == std::string_view::npos) break;
      at = text_.find(ompi_version_prefix, std::min(text_.find('\n', at), text_.size()));
    }
    return at;
  }

  bool collectives() {
    std::uint64_t count = 0;
    if (!number("the number of collectives", count, ompi_collectives().size())) return false;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t id = 0;
      if (!number("the number of a collective", id, ompi_collectives().size() - 1)) return false;
      collective_ = ompi_collectives()[id];
      if (!collective()) return false;
    }
    return true;
  }

  bool collective() {
    const OmpiNumbers::Number head = last_;
    std::uint64_t count = 0;
    if (!number("the number of communicator sizes", count, max_ranks)) return false;
    forget_earlier(head);
    entries_.clear();
    if (collective_.algorithms.empty()) {
      table_.add(Severity::warning, "ineffective", head.line, head.column,
                 fmt::format("the component tuned has no algorithms for {}: its rules have no "
                             "effect",
                             collective_.name));
    }
    if (count == 0) {
      table_.add(Severity::warning, "uncovered", head.line, head.column,
                 fmt::format("{} has no communicator sizes: Open MPI takes its fixed rules",
                             collective_.name));
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!entry()) return false;
    }
    set_ranges();
    return true;
  }

  /// A collective that was there before: its rules are replaced.
  void forget_earlier(const OmpiNumbers::Number& head) {
    bool any = false;
    for (TuningRule& rule : table_.rules) {
      if (rule.collective != collective_.name) continue;
      any = true;
      rule.applies = false;
    }
    if (!any) return;
    table_.add(Severity::warning, "shadowed", head.line, head.column,
               fmt::format("{} occurs twice: this replaces the earlier rules", collective_.name));
  }

  bool entry() {
    RankEntry entry;
    if (!number("a communicator size", entry.ranks, UINT64_MAX)) return false;
    entry.line = last_.line;
    entry.column = last_.column;
    entry.first = table_.rules.size();
    std::uint64_t count = 0;
    if (!number("the number of message sizes", count, UINT64_MAX)) return false;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!rule(entry.ranks, i == 0)) return false;
    }
    entry.end = table_.rules.size();
    if (entry.first == entry.end) {
      table_.add(Severity::warning, "uncovered", entry.line, entry.column,
                 fmt::format("{} has no rules for {}: Open MPI takes its fixed rules",
                             collective_.name, counted(entry.ranks, "rank")));
    }
    entries_.push_back(entry);
    return true;
  }

  bool rule(std::uint64_t ranks, bool first) {
    if (table_.rules.size() == max_rules) {
      throw InputError({table_.file, in_.line(), in_.column()},
                       fmt::format("there are more than {} rules", max_rules));
    }
    TuningRule rule;
    rule.collective = collective_.name;
    rule.stated_ranks = ranks;
    if (!number("a message size", rule.bytes.first, UINT64_MAX)) return false;
    const OmpiNumbers::Number begin = last_;
    rule.line = begin.line;
    rule.column = begin.column;
    if (!number("an algorithm", rule.number, UINT64_MAX)) return false;
    const OmpiNumbers::Number algorithm = last_;
    if (!number("FANINOUT", rule.fanout, UINT64_MAX)) return false;
    if (!number("SEGSIZE", rule.segment, UINT64_MAX)) return false;
    fifth_number(begin);
    if (first && rule.bytes.first != 0) {
      drop(begin, fmt::format("the first message size is {}, and must be 0", rule.bytes.first));
      return false;
    }
    find_algorithm(rule, algorithm);
    table_.rules.push_back(std::move(rule));
    return true;
  }

  void fifth_number(const OmpiNumbers::Number& begin) {
    if (!in_.digit_follows()) return;
    if (version_ > 1) {
      std::uint64_t requests = 0;
      number("MAXREQ", requests, UINT64_MAX);
    } else if (in_.line() == begin.line && begin.first_of_line && in_.numbers_left() == 1) {
      in_.skip_blanks();
      table_.add(Severity::error, "syntax", begin.line, in_.column(),
                 fmt::format("unexpected fifth number {}: Open MPI reads it as the next message "
                             "size; it is MAXREQ only in files with the header rule-file-version-2",
                             in_.following()));
    }
  }

  void find_algorithm(TuningRule& rule, const OmpiNumbers::Number& location) {
    if (rule.number == 0 || collective_.algorithms.empty()) return;
    const OmpiAlgorithm* algorithm = ompi_algorithm(rule.collective, rule.number);
    if (algorithm != nullptr) {
      rule.algorithm = algorithm->name;
      if (algorithm->since < 6) return;
      table_.add(Severity::note, "version", location.line, location.column,
                 fmt::format("{} {} ({}) exists since Open MPI 6", rule.collective, rule.algorithm,
                             rule.number));
      return;
    }
    table_.add(Severity::error, "algorithm", location.line, location.column,
               fmt::format("{} has the algorithms 1..{}, and 0 for the fixed rules, not {}: calls "
                           "that take this rule fail",
                           rule.collective, collective_.algorithms.size(), rule.number));
  }

  /// The calls that take each rule of the collective.
  void set_ranges() {
    std::vector<std::uint64_t> ranks;
    for (const RankEntry& entry : entries_) ranks.push_back(entry.ranks);
    auto by_ranks = reached(ranks);
    if (!ranks.empty()) {  // the first serves fewer ranks, too
      const std::uint64_t end = ranks.size() == 1 ? UINT64_MAX : std::max(ranks[0], ranks[1]);
      if (by_ranks[0]) {
        by_ranks[0]->first = 0;
      } else if (end > 0) {
        by_ranks[0] = Interval{0, end - 1};
      }
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) set_entry(i, by_ranks[i]);
    find_descent(by_ranks);
    note_shift();
  }

  /// The first entry serves fewer ranks than it states, and no others, if the next one states no
  /// more.
  void find_descent(const std::vector<std::optional<Interval>>& by_ranks) {
    if (entries_.size() < 2 || !by_ranks[0]) return;
    const RankEntry& entry = entries_[0];
    const RankEntry& next = entries_[1];
    if (next.ranks > entry.ranks) return;
    table_.add(
        Severity::warning, "shadowed", entry.line, entry.column,
        fmt::format("the entry of {} for {} serves only {}; for {} or more it is shadowed by "
                    "the next one, in line {}, for {}: sizes must ascend",
                    collective_.name, counted(entry.ranks, "rank"), ranks_text(*by_ranks[0]),
                    entry.ranks, next.line, counted(next.ranks, "rank")));
  }

  void set_entry(std::size_t index, const std::optional<Interval>& ranks) {
    const RankEntry& entry = entries_[index];
    std::vector<std::uint64_t> sizes;
    for (std::size_t i = entry.first; i < entry.end; ++i)
      sizes.push_back(table_.rules[i].bytes.first);
    const auto by_size = reached(sizes);
    if (!ranks) {
      const RankEntry& next = entries_[index + 1];
      table_.add(Severity::warning, "shadowed", entry.line, entry.column,
                 fmt::format("unreachable: the entry of {} for {} is shadowed by the next one, in "
                             "line {}, for {}",
                             collective_.name, counted(entry.ranks, "rank"), next.line,
                             counted(next.ranks, "rank")));
    }
    for (std::size_t i = entry.first; i < entry.end; ++i) {
      TuningRule& rule = table_.rules[i];
      const std::optional<Interval>& bytes = by_size[i - entry.first];
      rule.applies = rule.applies && ranks && bytes && !collective_.algorithms.empty();
      if (ranks) rule.ranks = *ranks;
      if (bytes) {
        rule.bytes = *bytes;
      } else if (ranks) {
        const TuningRule& next = table_.rules[i + 1];
        table_.add(Severity::warning, "shadowed", rule.line, rule.column,
                   fmt::format("unreachable: the rule of {} for messages of {} or more is shadowed "
                               "by the next one, in line {}, for {} or more: sizes must ascend",
                               collective_.name, counted(rule.bytes.first, "byte"), next.line,
                               counted(next.bytes.first, "byte")));
      }
    }
  }

  /// 6.x ends the range of an entry where its own size begins.
  void note_shift() {
    if (shift_noted_ || entries_.size() < 2 || entries_[1].ranks <= entries_[0].ranks) return;
    shift_noted_ = true;
    table_.add(Severity::note, "version", entries_[1].line, entries_[1].column,
               fmt::format("for {}, Open MPI 6 uses this entry, and Open MPI up to 5 the one "
                           "before; all entries are shifted so",
                           ranks_text({entries_[0].ranks, entries_[1].ranks - 1})));
  }

  /// Reads a number; false if the file is dropped.
  bool number(std::string_view what, std::uint64_t& value, std::uint64_t most) {
    const auto next = in_.next();
    if (!next) {
      drop({0, in_.line(), in_.column()}, fmt::format("the file ends where {} should be", what));
      return false;
    }
    last_ = *next;
    if (next->value < 0 || static_cast<std::uint64_t>(next->value) > most) {
      drop(*next, most == UINT64_MAX
                      ? fmt::format("{} must not be negative: {}", what, next->value)
                      : fmt::format("{} must be in 0..{}, not {}", what, most, next->value));
      return false;
    }
    value = static_cast<std::uint64_t>(next->value);
    return true;
  }

  void drop(const OmpiNumbers::Number& location, const std::string& reason) {
    table_.add(Severity::error, "dropped", location.line, location.column,
               reason +
                   "; Open MPI drops the whole file, which it reports only with "
                   "coll_tuned_verbose 1");
  }

  void trailing() {
    if (const auto next = in_.next()) {
      table_.add(
          Severity::warning, "syntax", next->line, next->column,
          "Open MPI ignores the rest of the file: the stated number of collectives has been read");
    }
  }

  std::string_view text_;
  TuningTable table_;
  OmpiNumbers in_;
  std::uint64_t version_ = 1;
  OmpiCollective collective_;
  std::vector<RankEntry> entries_;
  OmpiNumbers::Number last_;
  bool shift_noted_ = false;
};

}  // namespace

TuningTable read_ompi_rules(std::string_view text, const std::string& file) {
  return RulesReader(text, file).read();
}

}  // namespace schedcc
