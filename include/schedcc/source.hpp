#pragma once

// The source of a schedule: an algorithm or a file, which can be streamed any number of times.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

struct Plan;
struct Program;
struct ScclTopology;

/// For a file with explicit dependencies: the location at which it deadlocks if messages are not
/// buffered.
struct RendezvousDeadlock {
  std::uint32_t line;
  std::uint64_t rank;
  bool long_messages;  ///< if only those above the format's usual limit are not
  std::string message;
};

/// A part of a file that has no effect: the tools of its format ignore it.
struct Note {
  std::string message;
  std::uint32_t line = 0, column = 0;  ///< the first location
  std::uint64_t more = 0;              ///< how many more there are
};

/// What is checked: a schedule, as a stream of steps that can be opened repeatedly, or a program
/// for GPUs; with its problem, and where they come from.
struct Source {
  std::string name;   ///< for reports: "fractional-tree:r=3", or the file's `name` line or path
  std::string file;   ///< the file as the user named it; empty for an algorithm
  std::string title;  ///< the file's `name` line; empty if none
  Problem problem;
  std::string machine;  ///< the machine that the source names, as a specification; may be empty
  SourceLocation machine_location;  ///< where the file names it
  /// A hop-level schedule: the nodes of its network, the ranks first. 0: at endpoint level.
  std::uint64_t nodes = 0;
  /// Algorithms: the parameters that were left open, and the values that were chosen for them.
  std::vector<std::pair<std::string, std::string>> chosen = {};
  /// Fat trees: the claimed longest queues at the links of the routers, by level (1, 2, ...); shown
  /// next to the measured ones.
  std::vector<std::uint64_t> claimed_queues = {};
  std::vector<Note> notes = {};  ///< one for each kind, in the order of the file
  /// A file that holds a program: threadblocks rather than steps. `open` then returns the program's
  /// steps, or throws InputError with the reason if there are none.
  std::shared_ptr<const Program> program = nullptr;
  /// A file that holds an execution plan. `open` then throws InputError: it has no steps.
  std::shared_ptr<const Plan> plan = nullptr;
  /// A file in SCCL's format: its links, which the writer of that format keeps.
  std::shared_ptr<const ScclTopology> sccl_topology = nullptr;
  /// GOAL; none: it does not deadlock.
  std::optional<RendezvousDeadlock> rendezvous_deadlock = std::nullopt;
  /// Starts the steps from the beginning. Reading may throw InputError with the location.
  std::function<std::unique_ptr<StepStream>()> open;

  /// Does it hold threadblocks, of a program or a plan, rather than steps?
  bool is_program() const { return program != nullptr || plan != nullptr; }
  /// Is every transfer one hop over one link? This is so also on a network without routers.
  bool hop_level() const { return nodes != 0; }
  /// Are there nodes that are not ranks, and so run no program?
  bool has_routers() const { return nodes > problem.ranks; }
  /// The nodes that transfers may name.
  std::uint64_t node_count() const { return has_routers() ? nodes : problem.ranks; }
};

/// A schedule in memory as a source. `nodes`: those of its network if it is at hop level, else 0.
Source from_schedule(Problem problem, std::shared_ptr<const Schedule> schedule,
                     std::uint64_t nodes = 0);

}  // namespace schedcc

#pragma GCC visibility pop
