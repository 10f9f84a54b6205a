#include "record/recording.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "record/messages.hpp"
#include "record/replay.hpp"
#include "record/steps.hpp"

namespace schedcc::record {

namespace {

Finding finding(std::string_view check, Severity severity, std::string message) {
  Finding result;
  result.check = check;
  result.severity = severity;
  result.message = std::move(message);
  return result;
}

/// The first rank that began another collective than rank 0; none if all began the same.
std::optional<std::string> disagreement(const Execution& execution) {
  const Begin& first = execution.segments.front().begin;
  for (std::size_t rank = 1; rank < execution.segments.size(); ++rank) {
    const Begin& other = execution.segments[rank].begin;
    const bool same = std::strcmp(first.collective, other.collective) == 0 &&
                      first.root == other.root && first.words == other.words &&
                      first.length == other.length;
    if (!same) {
      return fmt::format("rank {} began the collective with other arguments than rank 0", rank);
    }
  }
  return std::nullopt;
}

Finding wrong_result(const Begin& begin, const WrongResult& wrong) {
  const std::string more =
      wrong.words > 1 ? fmt::format(" (and {} more words are wrong)", wrong.words - 1) : "";
  Finding result =
      finding(result_check, Severity::error,
              fmt::format("rank {} ends with a wrong {}: what is there {}{}", wrong.rank,
                          word_name(begin, wrong.word), wrong.found, more));
  result.rank = wrong.rank;
  return result;
}

/// Notes on what messages carried in vain.
class Leftovers {
 public:
  void add(const Message& message, const std::vector<Item>& items, std::uint64_t unknown) {
    const auto unused =
        static_cast<std::uint64_t>(std::ranges::count(items, Use::unused, &Item::use));
    if (unused > 0) unused_[{message.src, message.dst}] += unused;
    if (unknown > 0) unknown_[{message.src, message.dst}] += unknown;
  }

  void note(std::vector<Finding>& findings) const {
    for (const auto& [ends, words] : unknown_) {
      findings.push_back(finding(
          recording_check, Severity::note,
          fmt::format(
              "{} words that rank {} sends to rank {} are none of the collective's data, or "
              "sums of them that no rank should have; they are left out",
              words, ends.first, ends.second)));
    }
    for (const auto& [ends, words] : unused_) {
      findings.push_back(finding(
          recording_check, Severity::note,
          fmt::format("{} words that rank {} receives from rank {} are not used; they are left out",
                      words, ends.second, ends.first)));
    }
  }

 private:
  std::map<std::pair<Rank, Rank>, std::uint64_t> unknown_, unused_;
};

void add_notes(const Messages& messages, const Replay& replay, std::vector<Finding>& findings) {
  Leftovers left;
  for (std::size_t m = 0; m < messages.all.size(); ++m)
    left.add(messages.all[m], replay.items[m], replay.unknown[m]);
  left.note(findings);
  for (const Message& message : messages.unreceived) {
    findings.push_back(
        finding(recording_check, Severity::note,
                fmt::format("rank {} does not receive a message of rank {} ({} bytes)", message.dst,
                            message.src, message.data.size())));
  }
}

}  // namespace

Problem begun_problem(const Execution& execution) {
  const Begin& begin = execution.begin();
  Problem problem;
  problem.collective = find_collective(begin.collective);
  problem.ranks = static_cast<Rank>(begin.ranks);
  if (problem.rooted()) problem.root = static_cast<Rank>(begin.root);
  return problem;
}

Recording recording(const Execution& execution, const PortLimits& ports) {
  Recording result;
  result.problem = begun_problem(execution);
  if (const auto other = disagreement(execution)) {
    result.unknown = *other;
    return result;
  }
  if (execution.full) {
    result.unknown = "there was no space left for the log of a rank";
    return result;
  }
  const Messages messages = match(execution);
  const Replay replayed = replay(execution, messages.all);
  const Begin& begin = execution.begin();
  for (const WrongResult& wrong : replayed.wrong)
    result.findings.push_back(wrong_result(begin, wrong));
  add_notes(messages, replayed, result.findings);
  const auto made = steps(begin, messages.all, replayed, ports);
  if (!replayed.problems.empty()) {
    result.unknown = replayed.problems.front();
    for (const std::string& cause : messages.problems) result.unknown += "; " + cause;
  } else if (!made) {
    result.unknown =
        "values that ranks keep apart contradict every order of the messages: a schedule "
        "has one place for each chunk";
  }
  if (!made) return result;
  result.problem = made->problem;
  result.schedule = made->schedule;
  return result;
}

}  // namespace schedcc::record
