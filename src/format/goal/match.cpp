#include "format/goal/match.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc {

namespace {

using GoalKind = GoalProgram::Kind;
using GoalOperation = GoalProgram::Operation;

Rank goal_sender(const GoalOperation& o) { return o.kind == GoalKind::send ? o.rank : o.peer; }
Rank goal_receiver(const GoalOperation& o) { return o.kind == GoalKind::send ? o.peer : o.rank; }

/// Goes through sends and receives, both in the order of goal_ends.
class GoalMatcher {
 public:
  GoalMatcher(const GoalProgram& program, const std::string& file)
      : program_(program), all_(program.operations), file_(file), partner_(all_.size()) {}

  std::vector<std::uint32_t> match() {
    const GoalEnds sends = goal_ends(program_, GoalKind::send),
                   receives = goal_ends(program_, GoalKind::receive);
    for (Rank rank = 0; rank < program_.ranks; ++rank) {
      match(of_sender(sends, rank), of_sender(receives, rank));
    }
    return std::move(partner_);
  }

 private:
  static std::span<const GoalEnd> of_sender(const GoalEnds& all, Rank rank) {
    const std::size_t first = all.first_of_sender[rank];
    return std::span(all.ends).subspan(first, all.first_of_sender[rank + std::size_t{1}] - first);
  }

  void match(std::span<const GoalEnd> sends, std::span<const GoalEnd> receives) {
    const auto key = [](std::span<const GoalEnd> ends, std::size_t i) {
      return ends[i].receiver_and_tag;
    };
    for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
      if (i == receives.size() || (i < sends.size() && key(sends, i) < key(receives, i)))
        fail_alone(sends[i].operation, "receives");
      if (i == sends.size() || key(receives, i) < key(sends, i))
        fail_alone(receives[i].operation, "sends");
      check_sizes(all_[sends[i].operation], all_[receives[i].operation]);
      partner_[sends[i].operation] = receives[i].operation;
      partner_[receives[i].operation] = sends[i].operation;
    }
  }

  [[noreturn]] void fail(const GoalOperation& o, const std::string& message) const {
    throw InputError({file_, o.line, 1}, message);
  }
  [[noreturn]] void fail_alone(std::uint32_t i, const char* does) const {
    const GoalOperation& o = all_[i];
    fail(o, fmt::format("rank {} never {} this message (tag {})", o.peer, does, o.tag));
  }

  /// Sizes may differ in other programs: in LogGOPSim a message has that of its send. But the size
  /// of each end decides whether that end is eager, so that both must agree.
  void check_sizes(const GoalOperation& send, const GoalOperation& receive) const {
    if (send.bytes == receive.bytes) return;
    std::string message =
        fmt::format("the message has {} bytes here, and {} where it is sent, line {}",
                    receive.bytes, send.bytes, send.line);
    const bool across = (send.bytes > goal_eager_limit) != (receive.bytes > goal_eager_limit);
    if (across) {
      message += fmt::format(
          "; LogGOPSim would treat one end as eager and the other as rendezvous (-S "
          "{})",
          goal_eager_limit);
    }
    if (across || program_.header) fail(receive, message);
  }

  const GoalProgram& program_;
  const std::vector<GoalOperation>& all_;
  const std::string& file_;
  std::vector<std::uint32_t> partner_;
};

}  // namespace

GoalEnds goal_ends(const GoalProgram& program, GoalProgram::Kind kind) {
  GoalEnds result;
  std::vector<std::size_t>& first = result.first_of_sender;
  first.assign(program.ranks + std::size_t{1}, 0);
  const auto& all = program.operations;
  for (const GoalOperation& o : all) {
    if (o.kind == kind) ++first[goal_sender(o) + std::size_t{1}];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  result.ends.resize(first.back());
  std::vector<std::size_t> next = first;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const GoalOperation& o = all[i];
    if (o.kind != kind) continue;
    result.ends[next[goal_sender(o)]++] = {(std::uint64_t{goal_receiver(o)} << 32) + o.tag, i};
  }
  const auto key = [](const GoalEnd& end) {
    return std::pair(end.receiver_and_tag, end.operation);
  };
  for (Rank rank = 0; rank < program.ranks; ++rank) {
    const auto ends =
        std::span(result.ends).subspan(first[rank], first[rank + std::size_t{1}] - first[rank]);
    if (!std::ranges::is_sorted(ends, {}, key)) std::ranges::sort(ends, {}, key);
  }
  return result;
}

std::vector<std::uint32_t> match_goal(const GoalProgram& program, const std::string& file) {
  return GoalMatcher(program, file).match();
}

}  // namespace schedcc
