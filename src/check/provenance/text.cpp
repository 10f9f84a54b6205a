#include "check/provenance/text.hpp"

#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "analysis/report_text.hpp"
#include "core/counted.hpp"

namespace schedcc::provenance {

namespace {

using Kind = Cause::Kind;

std::string cite(const ChunkTransfer& transfer) { return schedcc::cite(transfer.location()); }

bool same(const ChunkTransfer& a, const ChunkTransfer& b) { return a.name() == b.name(); }

/// " (and 29 more chunks at 7 ranks)"; empty if there are no more.
std::string more_goals(const Group& group, const MessageContext& wording) {
  if (group.extent.goals < 2) return {};
  const std::string where =
      group.extent.ranks.size() > 1 ? fmt::format(" at {} ranks", group.extent.ranks.size()) : "";
  return fmt::format(" (and {}{}{})", wording.complete ? "" : "at least ",
                     counted(group.extent.goals - 1, "more chunk"), where);
}

std::string more_sends(std::uint64_t all, const MessageContext& wording) {
  if (all < 2) return {};
  return fmt::format(" (and {}{} for the same reason)", wording.complete ? "" : "at least ",
                     counted(all - 1, "more transfer"));
}

std::string redirected(const Group& group) {
  return group.transfer
             ? fmt::format("; {} would, if its destination were that rank", cite(*group.transfer))
             : "";
}

std::string is_malformed(const ChunkTransfer& transfer) {
  return fmt::format("; {} is malformed", cite(transfer));
}

/// "no transfer brings it there", or what is true of those that count.
std::string unbrought(const Group& group, const std::string& where) {
  if (!group.malformed_arrival) return fmt::format("no transfer brings it {}", where);
  return fmt::format("no well-formed transfer brings it {}{}", where,
                     is_malformed(*group.malformed_arrival));
}

/// "never sends it", or what is true of transfers that count. `never`, `sends`: the verbs.
std::string unsent(const Group& group, std::string_view never, std::string_view sends) {
  if (!group.malformed_send) return fmt::format("{} it", never);
  return fmt::format("{} it by no well-formed transfer{}", sends,
                     is_malformed(*group.malformed_send));
}

/// How far a chunk comes that no transfer brings to where it is missing.
std::string how_far(const Group& group, const MessageContext& wording) {
  if (group.transfer) return redirected(group);
  if (group.last) {
    return fmt::format("; the last to receive it is {}, by {}", wording.node(group.last->dst()),
                       cite(*group.last));
  }
  const Intervals& holders = group.cause.contributors;
  if (holders.empty()) return "; no rank starts with it";
  if (group.malformed_arrival) return {};  // it is named already
  const bool one = holders.size() == 1 && holders.front().first == holders.front().last;
  return fmt::format(
      "; {} with it, and {}", in_words(holders) + (one ? " starts" : " start"),
      one ? unsent(group, "never sends", "sends") : unsent(group, "none of them sends", "send"));
}

/// How a rank receives the chunk that it sends too early, and when, unless it is in the next step.
std::string how_late(const ChunkTransfer& transfer) {
  std::string text = "it receives it only by " + cite(transfer);
  if (transfer.arrives > transfer.where.step + 1)
    text += fmt::format(", and holds it from step {} on", transfer.arrives);
  return text;
}

/// Why a sender does not hold the chunk.
std::string why_absent(const Group& group, const MessageContext& wording) {
  if (group.cause.kind == Kind::early) return how_late(*group.transfer);
  const std::string text = unbrought(group, "there");
  if (group.malformed_arrival || !group.unused) return text + how_far(group, wording);
  return fmt::format("{}, while {} brings chunk {}, which is not needed there", text,
                     cite(group.unused->transfer), group.unused->chunk);
}

/// Is the faulty transfer one of the two that bring the same contribution?
bool arrives_twice(const Group& group) {
  return group.other && (same(*group.transfer, *group.other) ||
                         (group.earlier && same(*group.transfer, *group.earlier)));
}

std::string twice(const Group& group, const std::string& whose, const MessageContext& wording) {
  if (!group.other) {
    return fmt::format("{} is counted twice{}", whose,
                       group.transfer ? "; it comes by " + cite(*group.transfer) : "");
  }
  const ChunkTransfer& meeting = *group.other;
  const std::string place = wording.node(meeting.dst());
  std::string text = fmt::format("{} is counted twice: ", whose);
  if (group.earlier) {
    text += fmt::format("it comes to {} by {} and again by {}", place, cite(*group.earlier),
                        cite(meeting));
  } else {
    text += fmt::format("{} has it from the start and receives it by {}", place, cite(meeting));
  }
  if (!arrives_twice(group))
    text += fmt::format("; without {} it would be counted once", cite(*group.transfer));
  return text;
}

/// The transfer that completes the value without what is missing, or how far that comes.
std::string last_into(const Group& group) {
  if (group.made_by) return "; the last transfer into the value is " + cite(*group.made_by);
  return group.last ? "; the last transfer of the chunk is " + cite(*group.last) : "";
}

std::string stuck(const Group& group, const std::string& whose, const MessageContext& wording) {
  const std::string node = wording.node(group.cause.node);
  if (!group.transfer) {
    return fmt::format("{} is missing: {} {}{}", whose, node, unsent(group, "never sends", "sends"),
                       last_into(group));
  }
  std::string text = fmt::format("{} is missing: it reaches {}, by {}, and no further", whose, node,
                                 cite(*group.transfer));
  if (group.last_sent) text += fmt::format(", after {}", cite(*group.last_sent));
  if (group.malformed_send) text += is_malformed(*group.malformed_send);
  return text;
}

std::string why_wrong(const Group& group, const MessageContext& wording) {
  const Cause& cause = group.cause;
  const std::string whose = "the contribution of " + in_words(cause.contributors);
  switch (cause.kind) {
    case Kind::overwritten:
      return group.transfer->reduce() ? fmt::format("{} is missing: without {} it would arrive",
                                                    whose, cite(*group.transfer))
                                      : fmt::format("{} is missing: the copy {} overwrites it",
                                                    whose, cite(*group.transfer));
    case Kind::twice:
      return twice(group, whose, wording);
    case Kind::unwanted: {
      if (cause.adds) {
        return fmt::format("{} does not belong to it: {} adds to it, and should replace it", whose,
                           cite(*group.transfer));
      }
      const std::string by = group.transfer ? "; it comes by " + cite(*group.transfer) : "";
      return fmt::format("{} does not belong to it{}", whose, by);
    }
    case Kind::undelivered:
      return fmt::format("{} is missing: {}{}", whose,
                         unbrought(group, "to " + wording.node(cause.node)),
                         group.transfer ? redirected(group) : last_into(group));
    default:
      return stuck(group, whose, wording);
  }
}

constexpr const char* not_traced = "untraced";

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::overwritten:
      return "overwritten";
    case Kind::twice:
      return "twice";
    case Kind::unwanted:
      return "unwanted";
    case Kind::stuck:
      return "stuck";
    case Kind::undelivered:
      return "undelivered";
    case Kind::absent:
      return "absent";
    case Kind::early:
      return "early";
    case Kind::disorder:
      break;
  }
  return "disorder";
}

/// The cause as data. If a chunk is sent too early, its transfer is the cause.
FindingCause cause_of(const Group& group) {
  FindingCause result{.kind = name(group.cause.kind), .rank = group.cause.node};
  const auto& responsible =
      group.cause.kind == Kind::early && group.lacking ? group.lacking : group.transfer;
  if (responsible) {
    result.step = responsible->where.step;
    result.src = responsible->src();
    result.dst = responsible->dst();
    result.line = responsible->where.line;
  }
  if (group.cause.kind == Kind::twice && group.other) result.meets = group.other->location();
  result.chunks = group.extent.goals;
  result.ranks = group.extent.ranks.size();
  result.transfers = group.extent.failing + group.extent.gaps;
  return result;
}

/// A finding about a chunk; its location is that of a transfer, if there is one to name.
Finding finding_at(const std::optional<ChunkTransfer>& transfer, Chunk chunk, std::string message) {
  Finding finding;
  if (transfer) finding = about(transfer->where, chunk, "");
  finding.chunk = chunk;
  finding.message = std::move(message);
  return finding;
}

std::string why_without(const Group& group, const MessageContext& wording) {
  if (!group.due) return why_absent(group, wording);
  return fmt::format("{} should bring it, but {} does not hold it by then: {}", cite(*group.due),
                     wording.node(group.due->src()), why_absent(group, wording));
}

constexpr const char* untraced = "; the cause was not traced";

/// "rank 1 sends chunk 0 to rank 2 in step 3"
std::string sending(const LocatedTransfer& where, Chunk chunk, const MessageContext& wording) {
  const Transfer& t = where.transfer;
  return fmt::format("{} sends chunk {} to {} in step {}", wording.node(t.src), chunk,
                     wording.node(t.dst), where.step);
}

Finding untraced_fault(const Holdings::Fault& fault, std::string message) {
  Finding finding = about(fault.where, fault.chunk, std::move(message));
  finding.cause =
      FindingCause{.kind = not_traced, .rank = fault.where.transfer.src, .transfers = 1};
  return finding;
}

}  // namespace

Finding causality_finding(const Group& group, const MessageContext& wording) {
  Finding finding = finding_at(
      group.lacking, group.chunk,
      fmt::format("{}, but does not hold it by then: {}{}",
                  sending(group.lacking->where, group.chunk, wording), why_absent(group, wording),
                  more_sends(group.extent.failing, wording)));
  finding.cause = cause_of(group);
  return finding;
}

Finding delivery_finding(const Group& group, const MessageContext& wording) {
  const Kind kind = group.cause.kind;
  const bool without = kind == Kind::absent || kind == Kind::early;
  const std::string message = without
                                  ? fmt::format("rank {} ends without chunk {}: {}", group.goal,
                                                group.chunk, why_without(group, wording))
                                  : fmt::format("rank {} ends with a wrong chunk {}: {}",
                                                group.goal, group.chunk, why_wrong(group, wording));
  // Of two arrivals the second is the location, whichever of them is wrong.
  const bool second = kind == Kind::twice && arrives_twice(group);
  const bool not_made = without && group.due && (kind == Kind::early || !group.transfer);
  std::optional<ChunkTransfer> place = not_made ? group.due : second ? group.other : group.transfer;
  if (!place && group.unused) place = group.unused->transfer;
  for (const auto& other :
       {group.made_by, group.last, group.lacking, group.malformed_arrival, group.malformed_send}) {
    if (!place) place = other;
  }
  Finding finding = finding_at(place, group.chunk, message + more_goals(group, wording));
  finding.rank = group.goal;
  finding.cause = cause_of(group);
  return finding;
}

Finding order_finding(const Group& group, const MessageContext& wording) {
  Finding finding = finding_at(
      group.transfer, group.chunk,
      fmt::format("{} with the contributions of {}, which are not an interval of ranks since {}{}",
                  sending(group.gap->where, group.chunk, wording),
                  in_words(group.cause.contributors), cite(*group.transfer),
                  more_sends(group.extent.gaps, wording)));
  finding.cause = cause_of(group);
  return finding;
}

Finding untraced_finding(const Holdings::Shortfall& s) {
  Finding finding;
  finding.rank = s.rank;
  finding.chunk = s.chunk;
  const std::string more =
      s.chunks > 1 ? fmt::format(" (and {})", counted(s.chunks - 1, "more chunk")) : "";
  finding.message = s.detail.empty() ? fmt::format("rank {} ends without chunk {}{}{}", s.rank,
                                                   s.chunk, untraced, more)
                                     : fmt::format("rank {} ends with a wrong chunk {}: {}{}{}",
                                                   s.rank, s.chunk, s.detail, untraced, more);
  finding.cause = FindingCause{.kind = not_traced, .rank = s.rank, .chunks = s.chunks, .ranks = 1};
  return finding;
}

Finding untraced_causality(const Holdings::Fault& fault, const MessageContext& wording) {
  return untraced_fault(fault, fmt::format("{}, but does not hold it by then{}",
                                           sending(fault.where, fault.chunk, wording), untraced));
}

Finding untraced_order(const Holdings::Fault& fault, const MessageContext& wording) {
  return untraced_fault(
      fault, fmt::format("{} with the contributions of {}, which are not an interval of ranks{}",
                         sending(fault.where, fault.chunk, wording), fault.detail, untraced));
}

}  // namespace schedcc::provenance
