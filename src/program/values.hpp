#pragma once

// Executes a program with symbolic data, a value in every chunk of every buffer. At the start the
// input buffers hold the collective's start, and all others nothing.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "program/cell_table.hpp"
#include "program/contents.hpp"
#include "program/memory.hpp"
#include "program/symbolic_value.hpp"
#include "program/wiring.hpp"

namespace schedcc::program {

/// A message as it is received: its values are those of the chunks starting with the receive's
/// first.
struct Arrival {
  Event send, receive;
  const std::vector<SymbolicValue>& values;
};

class Values {
 public:
  using OnInvalidUse = std::function<void(const InvalidUse&)>;

  Values(const Wiring& wiring, Call call);

  /// Executes all events of a complete execution, in its order. Calls `invalid_use` and `arrival`.
  void run(const std::vector<Event>& order, const OnInvalidUse& invalid_use,
           const std::function<void(const Arrival&)>& arrival = nullptr);

  /// The value at a place of a GPU; the place is in one of its buffers.
  SymbolicValue at(Rank gpu, Slot slot, std::uint32_t i = 0) const;
  const Contents& contents() const { return contents_; }
  /// The output that the rank does not have as the collective requires; none if all of it is right.
  std::optional<WrongEnd> wrong_end(Rank rank);
  /// The first chunk of which ranks that have it right end with different expressions: the first
  /// rank, and the first that differs from it.
  std::optional<Disagreement> disagreement();
  /// Calls f(chunk, expression) for each sum with which the rank must end, ascending.
  template <typename F>
  void each_sum(Rank rank, F f) const {
    contents_.for_each_goal(rank, [&](std::uint32_t offset, Chunk chunk) {
      if (!problem_.reduced(chunk)) return;
      f(chunk, at(rank, {BufferKind::output, static_cast<std::int32_t>(offset)}).sum);
    });
  }
  const Expressions& expressions() const { return data_.expressions(); }
  Contributions& contributions() { return data_.contributions(); }

 private:
  SymbolicValue initial(Rank gpu, std::uint64_t cell) const;
  void carry_out(Event e, const OnInvalidUse& invalid_use,
                 const std::function<void(const Arrival&)>& arrival);
  std::vector<SymbolicValue> read(Event e, Slot slot, const OnInvalidUse& invalid_use);
  void write(Event e, const std::vector<SymbolicValue>& values, const OnInvalidUse& invalid_use);
  /// Reduces the values of a GPU into others.
  void combine(Event e, std::vector<SymbolicValue>& values, const std::vector<SymbolicValue>& local,
               const OnInvalidUse& invalid_use);
  /// At the i-th chunk after a slot.
  void report(InvalidUse::Kind kind, Event e, Slot slot, std::uint32_t i,
              const OnInvalidUse& invalid_use) const;

  const Wiring& wiring_;
  const Problem& problem_;
  Call call_;
  Contents contents_;
  std::vector<Memory> memories_;
  std::vector<CellTable<SymbolicValue>> cells_;                    ///< that have been written
  std::vector<std::deque<std::vector<SymbolicValue>>> under_way_;  ///< by connection
  mutable SymbolicData data_{problem_};                            ///< numbers are given on demand
};

}  // namespace schedcc::program
