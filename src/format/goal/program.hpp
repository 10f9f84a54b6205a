#pragma once

// A parsed GOAL file: the operations and dependencies of each rank, and the information in comments
// by schedcc.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/source.hpp"

namespace schedcc {

/// LogGOPSim sends messages of up to this size in bytes eagerly, and longer ones by rendezvous,
/// unless its option -S sets another limit.
constexpr std::uint64_t goal_eager_limit = 65535;

struct GoalProgram {
  enum class Kind : std::uint8_t { send, receive, calculate };
  struct Operation {
    Kind kind;
    Rank rank, peer;
    std::uint32_t tag;
    std::uint64_t bytes;
    std::uint32_t line;
    /// From the comments on a send: its step, and its range in GoalProgram::carried.
    std::uint32_t step = 0;
    std::size_t carries_begin = 0, carries_end = 0;
  };
  /// `after` may start when `before` has ended, or, with `on_start` (irequires), when it has
  /// started.
  struct Dependency {
    std::uint64_t after, before;  ///< in `operations`
    bool on_start;
  };

  Rank ranks = 1;
  std::vector<Operation> operations;  ///< rank by rank, as written
  std::vector<Dependency> dependencies;
  std::optional<Source> header;  ///< if comments state its problem
  Transfers carried;
};

/// Throws InputError with the location.
GoalProgram parse_goal(std::string_view text, const std::string& file);

}  // namespace schedcc
