#include "record/recording.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/counted.hpp"
#include "record/messages.hpp"
#include "record/replay.hpp"
#include "record/steps.hpp"
#include "schedcc/error.hpp"

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
  const BeginArguments& first = execution.segments.front().begin;
  for (std::size_t rank = 1; rank < execution.segments.size(); ++rank) {
    const BeginArguments& other = execution.segments[rank].begin;
    const bool same = std::strcmp(first.collective, other.collective) == 0 &&
                      first.root == other.root && first.words == other.words &&
                      first.length == other.length;
    if (!same) {
      return fmt::format("rank {} began the collective with other arguments than rank 0", rank);
    }
  }
  return std::nullopt;
}

/// Throws InputError unless each rank has logged its whole result.
void require_results(const Execution& execution) {
  for (const Segment& segment : execution.segments) {
    const BeginArguments& begin = segment.begin;
    const BufferLayout own = buffer_layout(begin.collective, execution.segments.size(),
                                           static_cast<std::uint64_t>(begin.rank),
                                           static_cast<std::uint64_t>(begin.root), begin.length);
    if (segment.result.size() != own.goal.size() * word_bytes(begin.words))
      throw InputError("a log of a process is damaged");
  }
}

Finding wrong_result(const BeginArguments& begin, const WrongResult& wrong, Severity severity) {
  const std::string more = wrong.words > 1 ? fmt::format(" (of {} wrong words)", wrong.words) : "";
  Finding result = finding(result_check, severity,
                           fmt::format("rank {} ends with a wrong {}: {}{}", wrong.rank,
                                       word_name(begin, wrong.word), wrong.found, more));
  result.rank = wrong.rank;
  return result;
}

Finding conflicting(const Conflict& conflict) {
  const auto [first, second, target] = conflict;
  const std::string who = first == second ? fmt::format("rank {} puts data twice", first)
                                          : fmt::format("ranks {} and {} put data", first, second);
  Finding result = finding(
      result_check, Severity::error,
      fmt::format("{} to the same place of rank {} in one epoch: MPI does not define what it keeps",
                  who, target));
  result.rank = target;
  return result;
}

std::string joined(const std::vector<std::string>& causes) {
  return fmt::format("{}", fmt::join(causes, "; "));
}

/// Notes on what messages carried in vain.
class Leftovers {
 public:
  void add(const Message& message, const std::vector<Item>& items, std::uint64_t unknown) {
    const auto unused =
        static_cast<std::uint64_t>(std::ranges::count(items, ItemUse::unused, &Item::use));
    if (unused > 0) unused_[{message.src, message.dst}] += unused;
    if (unknown > 0) unknown_[{message.src, message.dst}] += unknown;
  }

  std::vector<Finding> notes() {
    for (const auto& [ends, words] : unknown_)
      add_note(ends, words, "not data of the collective, or sums that no rank should have");
    for (const auto& [ends, words] : unused_)
      add_note(ends, words, fmt::format("which rank {} does not use", ends.second));
    return std::move(notes_);
  }

 private:
  void add_note(const std::pair<Rank, Rank>& ends, std::uint64_t words, const std::string& why) {
    notes_.push_back(finding(recording_check, Severity::note,
                             fmt::format("left out: {} from rank {} to rank {}, {}",
                                         counted(words, "word"), ends.first, ends.second, why)));
  }

  std::map<std::pair<Rank, Rank>, std::uint64_t> unknown_, unused_;
  std::vector<Finding> notes_;
};

void add_notes(const Messages& messages, const Replay& replay, std::vector<Finding>& findings) {
  Leftovers left;
  for (std::size_t m = 0; m < messages.all.size(); ++m)
    left.add(messages.all[m], replay.items[m], replay.unknown[m]);
  for (Finding& note : left.notes()) findings.push_back(std::move(note));
  for (const Message& message : messages.unreceived) {
    findings.push_back(
        finding(recording_check, Severity::note,
                fmt::format("rank {} does not receive a message from rank {} ({})", message.dst,
                            message.src, counted(message.data.size(), "byte"))));
  }
}

}  // namespace

Problem begun_problem(const Execution& execution) {
  const BeginArguments& begin = execution.begin();
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
  require_results(execution);
  const Messages messages = match(execution);
  const Replay replayed = replay(execution, messages.all);
  const BeginArguments& begin = execution.begin();
  // Data that are not followed may have come before the recorder filled the buffers.
  if (!replayed.wrong.empty()) result.doubt = joined(messages.unsupported);
  const Severity severity = result.doubt.empty() ? Severity::error : Severity::note;
  for (const WrongResult& wrong : replayed.wrong)
    result.findings.push_back(wrong_result(begin, wrong, severity));
  for (const Conflict& conflict : messages.conflicts)
    result.findings.push_back(conflicting(conflict));
  add_notes(messages, replayed, result.findings);
  const auto made = steps(begin, messages.all, replayed, ports);
  if (!replayed.inexpressible.empty()) {
    std::vector<std::string> causes = messages.unsupported;
    causes.insert(causes.begin(), replayed.inexpressible.front());
    result.unknown = joined(causes);
  } else if (!result.doubt.empty()) {
    result.unknown = result.doubt;
  } else if (!made) {
    result.unknown =
        "no order of the messages fits: ranks keep several values apart, and a schedule has one "
        "place for each chunk";
  }
  if (!made) return result;
  result.problem.chunks = made->chunks;
  result.schedule = made->schedule;
  return result;
}

}  // namespace schedcc::record
