#pragma once

// Symbolic data: what the cells of buffers hold while a program or a plan is executed, and what is
// wrong with it.
//
// A value is a chunk of the collective, or a part of one, with the contributions to it if it is
// reduced, counted; or it is invalid, if different data, or data and nothing, were combined.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analysis/contributions.hpp"
#include "analysis/expression_text.hpp"
#include "analysis/expressions.hpp"
#include "analysis/problem_contributions.hpp"
#include "schedcc/program.hpp"

namespace schedcc::program {

struct SymbolicValue {
  Contributions::Id id = Contributions::unset;  ///< unset: nothing
  Chunk chunk = 0;
  std::uint32_t part = 0;  ///< of the chunk; 0 if chunks are whole
  bool invalid = false;
  Expressions::Id sum = Expressions::empty;  ///< how the contributions were added

  bool empty() const { return id == Contributions::unset; }
  /// Do both have the same contributions? (In any order of additions.)
  friend bool operator==(const SymbolicValue& a, const SymbolicValue& b) {
    return a.id == b.id && a.chunk == b.chunk && a.part == b.part && a.invalid == b.invalid;
  }
};

/// An invalid use of data by an instruction, at the first of the cells.
struct InvalidUse {
  enum class Kind : std::uint8_t { reads_nothing, combines, writes_input } kind;
  std::uint32_t action;  ///< the event of a program, the action of a plan
  Rank gpu;              ///< of the memory
  Slot slot;
};

/// The first wrong chunk of a GPU's output at the end, and how many there are.
struct WrongEnd {
  Rank gpu;
  std::uint32_t invocation;  ///< of a plan; 0 for programs
  Chunk chunk;
  Slot slot;
  std::string why;  ///< "the contribution of rank 3 is missing"
  std::uint64_t count;
};

/// Two GPUs that end with different expressions of a chunk.
struct Disagreement {
  Chunk chunk;
  Rank first, other;
  ExpressionDifference difference;
};

/// What `who` does, where: "who reads o[0], where nothing has been written".
std::string explain(const InvalidUse& use, std::string_view who, std::string_view where);
/// "GPU 1 ends with a wrong chunk 0 in o[0]: ...", with `suffix` after the reason.
std::string explain(const WrongEnd& end, std::string_view suffix = {});
std::string explain(const Disagreement& disagreement);

/// The values of a problem, and the sums that are made of them.
class SymbolicData {
 public:
  /// The problem outlives it.
  explicit SymbolicData(const Problem& problem) : problem_(problem) {}
  SymbolicData(const SymbolicData&) = delete;
  SymbolicData& operator=(const SymbolicData&) = delete;

  /// What a rank has of a chunk at the start.
  SymbolicValue start(Rank rank, Chunk chunk);
  /// What it must have of it at the end, without the expression of a sum.
  SymbolicValue goal(Rank rank, Chunk chunk);

  /// Reduces `with` into `into`, which is invalid afterwards if they cannot be combined. Returns
  /// false if that is the first error: neither was missing or invalid before.
  bool combine(SymbolicValue& into, const SymbolicValue& with);
  /// What is wrong with a value that is not `wanted`.
  std::string error(const SymbolicValue& value, const SymbolicValue& wanted);

  Contributions& contributions() { return contributions_; }
  const Expressions& expressions() const { return expressions_; }

 private:
  std::string sum_error(Contributions::Id has, Contributions::Id wanted);

  const Problem& problem_;
  Contributions contributions_;
  Expressions expressions_;
  ProblemContributions ends_{problem_, contributions_};
};

/// The expressions with which GPUs end, chunk by chunk.
class FinalSums {
 public:
  /// A GPU ends with a value that has the right contributions.
  void add(Rank gpu, const SymbolicValue& value);
  /// The first chunk, of it the first part, with which GPUs end with different expressions: the GPU
  /// that was added first, and the first one that differs from it. `data`: of the values.
  std::optional<Disagreement> disagreement(const SymbolicData& data) const;

 private:
  struct Ends {
    Rank gpu, other_gpu;
    Expressions::Id sum, other;  ///< the same: all agree
  };
  std::unordered_map<std::uint64_t, Ends> ends_;  ///< by chunk and part
};

}  // namespace schedcc::program
