#pragma once

// Executes a plan with symbolic data: the contributions in every cell of every buffer, in the first
// invocations. Without races every order of its actions gives the same.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/contributions.hpp"
#include "analysis/expression_text.hpp"
#include "analysis/expressions.hpp"
#include "analysis/problem_contributions.hpp"
#include "program/contents.hpp"
#include "program/plan/trace.hpp"

namespace schedcc::program {

/// What a cell holds.
struct PlanValue {
  Contributions::Id id = Contributions::unset;  ///< unset: nothing of this invocation
  Chunk chunk = 0;
  std::uint32_t cell = 0;  ///< of the chunk
  bool invalid = false;    ///< different data were combined
  Expressions::Id sum = Expressions::empty;

  bool empty() const { return id == Contributions::unset; }
  /// Do both have the same contributions? (In any order of additions.)
  friend bool operator==(const PlanValue& a, const PlanValue& b) {
    return a.id == b.id && a.chunk == b.chunk && a.cell == b.cell && a.invalid == b.invalid;
  }
};

/// An invalid use of data.
struct PlanMisuse {
  enum class What : std::uint8_t { reads_nothing, combines, writes_input } what;
  Node action;
  Cell cell;
};

/// A wrong output at the end of an invocation, and how many a GPU has.
struct PlanWrongEnd {
  Rank gpu;
  std::uint32_t invocation;
  Chunk chunk;
  Slot slot;
  std::string why;
  std::uint64_t count;
};

/// Two GPUs that end with different expressions of a chunk.
struct PlanDisagreement {
  Chunk chunk;
  Rank first, other;
  ExpressionDifference difference;
};

class PlanValues {
 public:
  explicit PlanValues(const PlanTrace& trace);

  /// Executes a complete run.
  void run(const std::vector<Node>& order);
  /// One for each operation.
  const std::vector<PlanMisuse>& misuses() const { return misuses_; }
  const std::vector<PlanWrongEnd>& wrong_ends() const { return wrong_; }
  std::optional<PlanDisagreement> disagreement() const;

 private:
  struct Held {
    PlanValue value;
    std::uint32_t invocation = UINT32_MAX;  ///< scratch: in which it was written
  };

  void user(const PlanAction& action);
  void begin(Rank gpu, std::uint32_t invocation);
  void end(Rank gpu, std::uint32_t invocation);
  void data(Node node, std::uint32_t first, std::uint32_t count);
  PlanValue read(Node node, const PlanAccess& access);
  void write(Node node, const PlanAccess& access, const PlanValue& value);
  void misuse(PlanMisuse::What what, Node node, Cell cell);
  std::string explain(const PlanValue& value, const PlanValue& wanted);

  const PlanTrace& trace_;
  const Problem& problem_;
  Program shell_;  ///< the sizes of the buffers, for their contents
  Contents contents_;
  std::vector<Held> cells_;
  std::unordered_map<Cell, Held> packets_;
  Contributions contributions_;
  Expressions expressions_;
  ProblemContributions ends_{problem_, contributions_};
  std::vector<PlanMisuse> misuses_;
  std::vector<PlanWrongEnd> wrong_;
  struct Sum {
    Rank gpu;
    Expressions::Id sum, other;
    Rank other_gpu;
  };
  std::unordered_map<std::uint64_t, Sum> sums_;  ///< by chunk and cell
};

}  // namespace schedcc::program
