#pragma once

// Executes a program with symbolic data: the contributions in every chunk of every buffer.
//
// A value is a chunk of the collective, with the contributions to it if it is reduced, counted; or
// it is invalid, if different chunks, or values and nothing, were combined. At the start the input
// buffers hold the collective's start, and all others nothing.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/contributions.hpp"
#include "analysis/expression_text.hpp"
#include "analysis/expressions.hpp"
#include "analysis/problem_contributions.hpp"
#include "program/contents.hpp"
#include "program/memory.hpp"
#include "program/wiring.hpp"

namespace schedcc::program {

struct Value {
  Contributions::Id id = Contributions::unset;  ///< unset: nothing
  Chunk chunk = 0;
  bool invalid = false;
  Expressions::Id sum = Expressions::empty;  ///< how the contributions were added
  bool empty() const { return id == Contributions::unset; }
  /// Do both have the same contributions? (In any order of additions.)
  friend bool operator==(const Value& a, const Value& b) {
    return a.id == b.id && a.chunk == b.chunk && a.invalid == b.invalid;
  }
};

/// An invalid use of data by an instruction, at its first such chunk.
struct InvalidUse {
  enum class What : std::uint8_t { reads_nothing, combines_chunks, writes_input } what;
  Event event;
  Slot slot;
};

/// A message as it is received: its values are those of the chunks from the receive's first on.
struct Arrival {
  Event send, receive;
  const std::vector<Value>& values;
};

/// The first wrong chunk of a rank's output at the end, and how many there are.
struct WrongEnd {
  Chunk chunk;
  Slot slot;
  std::string why;  ///< "the contribution of rank 3 is missing"
  std::uint64_t count;
};

/// Two ranks that end with different expressions of a chunk.
struct Disagreement {
  Chunk chunk;
  Rank first, other;
  ExpressionDifference difference;
};

class Values {
 public:
  Values(const Wiring& wiring, Call call);

  /// Executes all events of a complete execution, in its order. Calls `invalid_use` and `arrival`.
  void run(const std::vector<Event>& order,
           const std::function<void(const InvalidUse&)>& invalid_use,
           const std::function<void(const Arrival&)>& arrival = nullptr);

  /// The value at a place of a GPU; the place is in one of its buffers.
  Value at(Rank gpu, Slot slot, std::uint32_t i = 0) const;
  const Contents& contents() const { return contents_; }
  /// The output that the rank does not have as the collective requires; none if all of it is right.
  std::optional<WrongEnd> wrong_end(Rank rank);
  /// The first chunk of which ranks that have it right end with different expressions: the first
  /// rank, and the first that differs from it.
  std::optional<Disagreement> disagreement();
  Contributions& contributions() { return contributions_; }

 private:
  /// The error of a value that is not `wanted`.
  std::string explain(const Value& value, const Value& wanted);
  Value initial(Rank gpu, std::uint64_t cell) const;
  void carry_out(Event e, const std::function<void(const InvalidUse&)>& invalid_use,
                 const std::function<void(const Arrival&)>& arrival);
  std::vector<Value> read(Event e, Slot slot,
                          const std::function<void(const InvalidUse&)>& invalid_use);
  void write(Event e, const std::vector<Value>& values,
             const std::function<void(const InvalidUse&)>& invalid_use);
  bool combine(Value& into, const Value& with);

  const Wiring& wiring_;
  const Problem& problem_;
  Call call_;
  Contents contents_;
  std::vector<Memory> memories_;
  std::vector<std::unordered_map<std::uint64_t, Value>> cells_;  ///< that have been written
  std::vector<std::deque<std::vector<Value>>> under_way_;        ///< by connection
  Contributions contributions_;
  mutable Expressions expressions_;
  mutable ProblemContributions ends_{problem_, contributions_};  ///< numbers are given on demand
};

}  // namespace schedcc::program
