#pragma once

// The actions of a plan in a few successive invocations, and the order in which they happen in
// every run.
//
// The threads of a threadblock are not synchronized by themselves: between two points at which all
// of them meet (nop, barrier, begin and end) an action is ordered after another one only if the
// same thread does both. So an action is what one thread does, or all threads that handle one cell
// of an operation's ranges. docs/semantics.md, "Execution plans", has the rules.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "program/access.hpp"
#include "program/findings.hpp"
#include "program/plan/memory.hpp"
#include "schedcc/plan.hpp"

namespace schedcc::program {

using Node = std::uint32_t;
inline constexpr Node no_node = UINT32_MAX;
inline constexpr std::uint32_t no_block = UINT32_MAX, no_step = UINT32_MAX;

/// A read or write of one cell. Packets are known by the first of their two cells, and both are
/// accessed.
struct PlanAccess {
  Cell cell;
  AccessKind kind = AccessKind::read;
  bool packet = false;
};

/// What one thread, or those of one cell, do at a time.
struct PlanAction {
  enum class Kind : std::uint8_t {
    sync,   ///< all threads of the block meet
    data,   ///< the sum of what is read goes to all that is written
    move,   ///< the same for pairs of accesses one by one
    user,   ///< the caller of a GPU takes the outputs and has new inputs
    other,  ///< no accesses
  } kind = Kind::other;
  std::uint32_t owner = no_block;  ///< the block whose operation it belongs to
  std::uint32_t block = no_block;  ///< the same; no_block: its threads do not do it
  std::uint32_t segment = 0;       ///< the points before it at which all threads met
  std::uint32_t step = no_step;
  std::uint32_t thread = 0;  ///< actions of single threads: which
  std::uint32_t order = 0;   ///< within the block
  std::uint32_t invocation = 0, slice = 0;
  std::uint32_t first = 0, count = 0;  ///< accesses
};

struct PlanEdge {
  enum class Kind : std::uint8_t {
    order,    ///< it happens before, with all that it has written
    stores,   ///< the same, but perhaps not with what it has stored itself
    relaxed,  ///< it happens before, perhaps without what it has written
    wait,     ///< it is not completed before, and orders nothing else
  };
  Node from, to;
  Kind kind;
};

/// A number that threads add to and wait for: the signals of a channel, or a semaphore. One for
/// each invocation.
struct PlanCounter {
  enum class Kind : std::uint8_t { memory, port, semaphore } kind;
  Rank gpu;  ///< at which it is waited for
  std::uint32_t number;
  std::uint32_t start = 0;
  /// An action, and the place of its operation in the program of the threadblock.
  struct Use {
    Node place, action;
  };
  std::vector<Use> posts, waits;
};

/// A threadblock; after those of all GPUs, one for each GPU's caller.
struct PlanBlockRef {
  Rank gpu;
  std::uint32_t index;
  const PlanThreadblock* block;  ///< nullptr: the caller
};

class PlanTrace {
 public:
  /// Traces with more actions or accesses are not made.
  static constexpr std::uint64_t max_actions = std::uint64_t{1} << 20;

  PlanTrace(const Plan& plan, const PlanGrid& grid, std::uint32_t invocations);

  const Plan& plan() const { return *plan_; }
  const PlanMemory& memory() const { return memory_; }
  const PlanGrid& grid() const { return grid_; }
  std::uint32_t invocations() const { return invocations_; }
  /// Is it too large to be made? Then all else is empty.
  bool too_large() const { return too_large_; }

  const std::vector<PlanBlockRef>& blocks() const { return blocks_; }
  std::uint32_t caller(Rank gpu) const {
    return static_cast<std::uint32_t>(blocks_.size() - plan_->gpus.size() + gpu);
  }
  const std::vector<PlanAction>& actions() const { return actions_; }
  const std::vector<PlanAccess>& accesses() const { return accesses_; }
  const std::vector<PlanEdge>& edges() const { return edges_; }
  /// The counters; those of an invocation follow one another.
  const std::vector<PlanCounter>& counters() const { return counters_; }
  /// Errors that show without an execution.
  const std::vector<ProgramFinding>& findings() const { return findings_; }
  /// Does some slice of a pipeline wait for a later one?
  bool waits_for_later_slice() const { return later_slice_; }
  /// Do several threads add to one number in an order that is not known? And wait for one?
  bool shared_posts() const { return shared_.posts; }
  bool shared_waits() const { return shared_.waits; }
  /// Which of two actions of threads, of one number, is known to be first.
  using Ordered = std::function<bool(Node first, Node second)>;
  /// Adds edges from what adds to a number to what waits for it, for an order that is known by now.
  /// Are there more than before?
  bool match_counters(const Ordered& ordered);

  /// A packet that is read and never written: the action that reads it.
  const std::vector<Node>& never_written() const { return never_written_; }

  const PlanStep& step(Node node) const {
    const PlanAction& a = actions_[node];
    return blocks_[a.owner].block->steps[a.step];
  }
  /// "operation 3 (put) of threadblock 0 of GPU 1 (line 12)".
  std::string describe(std::uint32_t block, std::uint32_t step) const;
  std::string describe(Node node) const;
  /// The location of an operation, or of a threadblock as a whole; for a caller that of its GPU.
  ProgramLocation location(std::uint32_t block, std::uint32_t step) const;
  /// The locations of the operations of actions.
  std::vector<ProgramLocation> locations(const std::vector<Node>& nodes) const;

 private:
  friend class PlanTracer;
  /// Compares the numbers of posts and waits.
  void check_balance();
  /// Adds an error of an operation; the message follows its description.
  void add_finding(std::string_view check, std::uint32_t block, std::uint32_t step,
                   std::string_view message);

  const Plan* plan_;
  PlanGrid grid_;
  PlanMemory memory_;
  std::uint32_t invocations_;
  struct SharedCounters {
    bool posts = false, waits = false;
  };
  bool too_large_ = false, later_slice_ = false;
  SharedCounters shared_;
  std::vector<PlanBlockRef> blocks_;
  std::vector<PlanAction> actions_;
  std::vector<PlanAccess> accesses_;
  std::vector<PlanEdge> edges_;
  std::vector<PlanCounter> counters_;
  std::size_t matches_ = 0;  ///< edges between their uses
  std::vector<ProgramFinding> findings_;
  std::vector<Node> never_written_;
};

/// Does the same threadblock do both, the second always after the first?
bool in_program_order(const PlanAction& first, const PlanAction& second);

}  // namespace schedcc::program
