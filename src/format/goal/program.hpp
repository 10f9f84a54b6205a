#pragma once

// A parsed GOAL file: the operations and dependencies of each rank, and the information in comments
// by schedcc.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/source.hpp"

namespace schedcc {

/// LogGOPSim sends messages of up to this size in bytes eagerly, and longer ones by rendezvous,
/// unless its option -S sets another limit.
constexpr std::uint64_t goal_eager_limit = 65535;

/// The peer of a receive from any rank, and the tag of one of any tag: -1 in the file.
constexpr std::uint32_t goal_any = UINT32_MAX;
/// Why it is an error where more than one message can arrive.
inline constexpr const char* goal_any_refused =
    "-1 takes the message that comes first, which depends on the times; a schedule must name the "
    "rank and the tag";

struct GoalProgram {
  enum class Kind : std::uint8_t { send, receive, calculate };
  struct Operation {
    std::uint64_t bytes = 0;
    Rank rank = 0, peer = 0;
    std::uint32_t tag = 0;
    std::uint32_t line = 0;
    std::uint32_t step = 0;  ///< from the comments on a send
    Kind kind = Kind::calculate;
  };
  static_assert(sizeof(Operation) == 32, "programs of 10^7 operations and more are held");
  /// `after` may start when `before` has ended, or, with `on_start` (irequires), when it has
  /// started.
  struct Dependency {
    std::uint32_t after, before;  ///< in `operations`
    bool on_start;
  };
  /// A receive that does not name its rank or its tag, with the columns of its -1 (0: named).
  struct Wildcard {
    std::uint32_t operation;
    std::uint32_t rank_column, tag_column;
  };

  Rank ranks = 1;
  std::vector<Operation> operations;  ///< rank by rank, as written; fewer than 2^32 - 1
  std::vector<Dependency> dependencies;
  std::vector<Wildcard> wildcards;         ///< in their order; none if there is a header
  std::optional<Source> header;            ///< if comments state its problem
  Transfers carried;                       ///< from the comments on sends, in their order
  std::vector<std::size_t> carried_until;  ///< per operation, if there is a header

  /// What comments say that a send carries.
  std::span<const Transfer> carried_by(std::uint32_t operation) const {
    const std::size_t begin = operation == 0 ? 0 : carried_until[operation - 1];
    return std::span(carried).subspan(begin, carried_until[operation] - begin);
  }
};

/// Throws InputError with the location.
GoalProgram parse_goal(std::string_view text, const std::string& file);

}  // namespace schedcc
