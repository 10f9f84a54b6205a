// Explanations as text and as JSON.

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "analysis/rank_sets.hpp"
#include "analysis/report_text.hpp"
#include "core/counted.hpp"
#include "core/text_table.hpp"
#include "schedcc/explain.hpp"

namespace schedcc {

namespace {

constexpr std::size_t max_listed = 16;  ///< transfers of a path, and failed transfers
constexpr std::size_t max_in_cell = 6;  ///< intervals of a set in the table

/// "0-3, 5"; of long sets the first intervals.
std::string list(const RankList& ranks, std::size_t most = max_listed) {
  std::string result;
  const std::size_t shown = std::min(most, ranks.first.size());
  for (std::size_t i = 0; i < shown; ++i)
    result += (i == 0 ? "" : ", ") + in_digits(ranks.first[i]);
  return shown < ranks.first.size() || ranks.more > 0 ? result + ", ..." : result;
}

/// "rank 3", "ranks 0-3, 5".
std::string in_words(const RankList& ranks) {
  const bool one = ranks.first.size() == 1 && ranks.first[0].first == ranks.first[0].last;
  return fmt::format("rank{} {}", one ? "" : "s", list(ranks));
}

class ExplanationText {
 public:
  ExplanationText(const Explanation& explanation, bool colored)
      : e_(explanation), style_(colored) {}

  std::string text() const {
    return headline() + table() + twice() + unwanted() + lost() + failed() + causes();
  }

 private:
  std::string owner() const {
    return style_.bold(e_.file.empty() ? e_.schedule : where(e_.file, 0, 0));
  }

  std::string headline() const {
    const auto& [rank, chunk, step] = e_.request;
    const std::string when =
        step ? fmt::format("at the beginning of step {}", *step) : std::string("at the end");
    return fmt::format("{}: chunk {} at rank {} on {}, {}: {}\n", owner(), chunk, rank, e_.machine,
                       when, value() + verdict());
  }

  std::string value() const {
    if (!e_.held) return "not held";
    if (!e_.reduction) return e_.transfers.empty() ? "held from the start" : "held";
    std::string result = "the contribution of " + in_words(e_.holds.ranks);
    if (!e_.holds.twice.empty())
      result += fmt::format(", that of {} more than once", in_words(e_.holds.twice));
    return result;
  }

  std::string verdict() const {
    if (!e_.wanted) return " (not required at the end)";
    if (e_.right() && !e_.causes.empty()) return " (complete, but not in order)";
    if (e_.right()) return e_.request.step ? " (the final value)" : " (as required)";
    if (e_.request.step) return "";
    return e_.held ? " (wrong)" : " (missing)";
  }

  static std::string row_name(const std::optional<std::size_t>& row) {
    return row ? fmt::format("#{}", *row + 1) : "start";
  }

  /// What a transfer leaves at its destination, in the names of rows.
  static std::string made_of(const ExplainedTransfer& transfer) {
    std::string sent = row_name(transfer.sent);
    if (!transfer.added_to && !transfer.added_to_start) return sent;
    return fmt::format("{} + {}", row_name(transfer.added_to), sent);
  }

  static std::string in_cell(const ContributionList& contributions) {
    const std::string twice =
        contributions.twice.empty()
            ? ""
            : fmt::format(" (twice: {})", list(contributions.twice, max_in_cell));
    return list(contributions.ranks, max_in_cell) + twice;
  }

  using Row = std::vector<std::string>;

  Row titles() const {
    Row row{"#", "step"};
    if (has_lines()) row.emplace_back("line");
    row.emplace_back("transfer");
    if (e_.reduction) row.insert(row.end(), {"carries", "operands", "result"});
    return row;
  }

  Row row(std::size_t i) const {
    const ExplainedTransfer& transfer = e_.transfers[i];
    Row row{std::to_string(i + 1), std::to_string(transfer.location.step)};
    if (has_lines()) row.push_back(std::to_string(transfer.location.line));
    row.push_back(fmt::format("{} -> {}{}", transfer.location.src, transfer.location.dst,
                              transfer.location.reduce ? " reduce" : ""));
    if (e_.reduction)
      row.insert(row.end(),
                 {in_cell(transfer.carries), made_of(transfer), in_cell(transfer.result)});
    return row;
  }

  bool has_lines() const { return !e_.transfers.empty() && e_.transfers[0].location.line != 0; }

  std::string table() const {
    if (e_.transfers.empty()) return {};
    std::vector<Row> rows{titles()};
    for (std::size_t i = 0; i < e_.transfers.size(); ++i) rows.push_back(row(i));
    return aligned(rows, has_lines() ? ">>>" : ">>");  // the columns of numbers
  }

  static std::string path_text(const std::vector<std::size_t>& rows) {
    std::string result;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.size() > max_listed && i == max_listed / 2) {
        result += ", ...";
        i = rows.size() - max_listed / 2;
      }
      result += fmt::format("{}#{}", i == 0 ? "" : ", ", rows[i] + 1);
    }
    return result;
  }

  std::string twice() const {
    if (!e_.counted_twice) return {};
    const CountedTwice& paths = *e_.counted_twice;
    const TransferLocation& meets = e_.transfers[paths.meets].location;
    const std::string first =
        paths.first.empty() ? "is held from the start and arrives again by"
                            : fmt::format("arrives by {} and again by", path_text(paths.first));
    return fmt::format(
        "The contribution of rank {} is counted twice at rank {}, since {}: it {} {}.\n",
        paths.contributor, meets.dst, cite(meets), first, path_text(paths.second));
  }

  std::string unwanted() const {
    if (e_.unwanted.empty()) return {};
    return fmt::format("The contribution of {} must not be included{}.\n", in_words(e_.unwanted),
                       e_.request.step ? " at the end" : "");
  }

  std::string lost() const {
    if (!e_.reduction) {
      if (e_.held) return {};
      return e_.holders.empty() ? "No rank holds it.\n"
                                : fmt::format("It is held by {}.\n", in_words(e_.holders));
    }
    if (e_.missing.empty()) return {};
    const auto& [first, last] = e_.missing.first.front();
    const bool one = e_.missing.first.size() == 1 && first == last;
    const std::string lost = one ? "it" : fmt::format("the contribution of rank {}", *e_.lost);
    return fmt::format("The contribution of {} {}; {}.\n", in_words(e_.missing),
                       e_.request.step ? "has not arrived" : "is missing",
                       e_.holders.empty()
                           ? fmt::format("no rank has {}", one ? "it any longer" : lost)
                           : fmt::format("{} is at {}", lost, in_words(e_.holders)));
  }

  std::string failed() const {
    std::string result;
    for (const FailedTransfer& transfer : e_.failed) {
      if (static_cast<std::size_t>(&transfer - e_.failed.data()) == max_listed) {
        return result + counted(e_.failed.size() - max_listed, "more transfer") +
               " had no effect.\n";
      }
      const std::string first = transfer.first_held
                                    ? fmt::format("holds the chunk only from step {} on, by {}",
                                                  *transfer.first_held, cite(*transfer.held_by))
                                    : std::string("never holds the chunk");
      result += fmt::format("{} has no effect: rank {} {}.\n", cite(transfer.location),
                            transfer.location.src, first);
    }
    return result;
  }

  std::string causes() const {
    std::string result;
    for (const Finding& finding : e_.causes)
      result += schedcc::text(style_, finding, e_.file, e_.schedule);
    if (!e_.traced)
      result += fmt::format("{}: {}: the cause was not traced: the history is too long\n", owner(),
                            style_.severity(Severity::note));
    return result;
  }

  const Explanation& e_;
  Style style_;
};

Json json(const RankList& ranks) {
  Json result = Json::array();
  for (const auto& [first, last] : ranks.first) {
    Json interval = Json::array();
    interval.push_back(first);
    interval.push_back(last);
    result.push_back(std::move(interval));
  }
  return result;
}

void put(Json& object, std::string_view key, const RankList& ranks) {
  if (ranks.empty()) return;
  object[key] = json(ranks);
  if (ranks.more > 0) object[std::string(key) + "_more"] = ranks.more;
}

Json json(const TransferLocation& location) {
  Json result{{"step", location.step}, {"src", location.src}, {"dst", location.dst}};
  result["reduce"] = location.reduce;
  if (location.line != 0) result["line"] = location.line;
  return result;
}

Json json(const ExplainedTransfer& transfer, bool reduction) {
  Json result = json(transfer.location);
  result["arrives"] = transfer.arrives;
  result["sent"] = transfer.sent ? Json(*transfer.sent) : Json("start");
  if (transfer.added_to_start) result["added_to"] = "start";
  if (transfer.added_to) result["added_to"] = *transfer.added_to;
  if (!reduction) return result;
  put(result, "carries", transfer.carries.ranks);
  put(result, "carries_twice", transfer.carries.twice);
  put(result, "result", transfer.result.ranks);
  put(result, "result_twice", transfer.result.twice);
  return result;
}

Json json(const FailedTransfer& transfer) {
  Json result = json(transfer.location);
  result["first_held"] = transfer.first_held;
  if (transfer.held_by) result["held_by"] = json(*transfer.held_by);
  return result;
}

}  // namespace

std::string to_text(const Explanation& explanation, bool colored) {
  return ExplanationText(explanation, colored).text();
}

std::string to_json(const Explanation& e) {
  Json result{{"schedule", e.schedule}};
  if (!e.file.empty()) result["file"] = e.file;
  result["machine"] = e.machine;
  result["rank"] = e.request.rank;
  result["chunk"] = e.request.chunk;
  result["step"] = e.request.step;
  result["reduction"] = e.reduction;
  result["starts"] = e.starts;
  result["wanted"] = e.wanted;
  result["held"] = e.held;
  result["right"] = e.right();
  put(result, "holds", e.holds.ranks);
  put(result, "twice", e.holds.twice);
  put(result, "missing", e.missing);
  put(result, "unwanted", e.unwanted);
  result["made_by"] = e.made_by;
  result["transfers"] = Json::array();
  for (const ExplainedTransfer& transfer : e.transfers)
    result["transfers"].push_back(json(transfer, e.reduction));
  result["failed"] = Json::array();
  for (const FailedTransfer& transfer : e.failed) result["failed"].push_back(json(transfer));
  if (e.counted_twice) {
    result["counted_twice"] = Json{{"contributor", e.counted_twice->contributor},
                                   {"meets", e.counted_twice->meets},
                                   {"first", e.counted_twice->first},
                                   {"second", e.counted_twice->second}};
  }
  put(result, "holders", e.holders);
  if (e.lost) result["lost"] = *e.lost;
  result["causes"] = Json::array();
  for (const Finding& finding : e.causes) result["causes"].push_back(json(finding, e.file));
  result["traced"] = e.traced;
  return dump(result);
}

}  // namespace schedcc
