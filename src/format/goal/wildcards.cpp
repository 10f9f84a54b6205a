// Receives from any rank or of any tag, which are written as -1. Where the messages to a rank that
// such a receive can take all come from one rank and have one tag, it takes these in their order;
// so programs recorded from MPI can be read that say MPI_ANY_SOURCE without need.

#include <algorithm>

#include <fmt/core.h>

#include "format/goal/match.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// The ends of a message, with the one that may be left open last.
struct GoalChoice {
  std::uint32_t receiver, given, open;
  auto operator<=>(const GoalChoice&) const = default;
};

class GoalWildcards {
 public:
  GoalWildcards(GoalProgram& program, const std::string& file) : program_(program), file_(file) {}

  void resolve() {
    find_messages();
    for (const GoalProgram::Wildcard& any : program_.wildcards) resolve(any);
    program_.wildcards.clear();
  }

 private:
  /// The different messages to ranks with wildcards.
  void find_messages() {
    std::vector<Rank> ranks;
    for (const auto& any : program_.wildcards) {
      const Rank rank = program_.operations[any.operation].rank;
      if (ranks.empty() || ranks.back() != rank) ranks.push_back(rank);
    }
    for (const GoalProgram::Operation& o : program_.operations) {
      if (o.kind != GoalProgram::Kind::send || !std::ranges::binary_search(ranks, o.peer)) continue;
      by_tag_.push_back({o.peer, o.tag, o.rank});
      by_sender_.push_back({o.peer, o.rank, o.tag});
    }
    for (auto* list : {&by_tag_, &by_sender_}) {
      std::ranges::sort(*list);
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
  }

  void resolve(const GoalProgram::Wildcard& any) {
    GoalProgram::Operation& o = program_.operations[any.operation];
    const bool tagged = any.tag_column == 0;
    const auto& list = tagged ? by_tag_ : by_sender_;
    const std::uint32_t given = tagged ? o.tag : o.peer;
    const bool both = !tagged && any.rank_column != 0;
    const auto first = std::ranges::lower_bound(list, GoalChoice{o.rank, both ? 0 : given, 0});
    const auto fits = [&](auto choice) {
      return choice != list.end() && choice->receiver == o.rank && (both || choice->given == given);
    };
    const std::uint32_t column = any.rank_column != 0 ? any.rank_column : any.tag_column;
    if (!fits(first)) {
      throw InputError(
          {file_, o.line, column},
          fmt::format("no rank sends a message that rank {} can receive here", o.rank));
    }
    if (fits(std::next(first))) throw InputError({file_, o.line, column}, goal_any_refused);
    o.peer = tagged ? first->open : first->given;
    o.tag = tagged ? first->given : first->open;
  }

  GoalProgram& program_;
  const std::string& file_;
  std::vector<GoalChoice> by_tag_, by_sender_;
};

}  // namespace

void resolve_wildcards(GoalProgram& program, const std::string& file) {
  if (!program.wildcards.empty()) GoalWildcards(program, file).resolve();
}

}  // namespace schedcc
