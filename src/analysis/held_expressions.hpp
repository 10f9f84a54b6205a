#pragma once

// Which expression each node holds of each reduction chunk, while the steps of a schedule pass.
//
// As Holdings keeps the contributions, by runs of chunks where transfers are long, and with the
// same rules: a transfer that its sender cannot serve delivers nothing, all sends of a step read
// the state before it, and what arrives somewhere at the same time is added together.

#include <cstdint>
#include <vector>

#include "analysis/chunk_table.hpp"
#include "analysis/expressions.hpp"
#include "analysis/flights.hpp"
#include "analysis/layout.hpp"
#include "analysis/run_budget.hpp"
#include "analysis/run_map.hpp"
#include "model/runs.hpp"
#include "model/starts.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

class HeldExpressions {
 public:
  using Id = Expressions::Id;

  /// Follows the chunks of `chunks`, ascending runs. `latency`: that of transfers without an
  /// origin. The problem and the expressions outlive it.
  HeldExpressions(const Problem& problem, std::uint64_t nodes, std::uint64_t latency,
                  const std::vector<Run>& chunks, Expressions& expressions);

  /// Follows all steps, of hops if they were lowered. Throws LimitError if they cut their chunks
  /// too finely (RunBudget).
  void follow(StepStream& steps);

  /// Calls f(run, expression) for runs that make up `run`, in ascending order.
  template <typename F>
  void each(Rank node, Run run, F f) const {
    states_.each(node, run, [&](Run piece, Id id) {
      id != Expressions::unset ? f(piece, id) : each_start(node, piece, f);
    });
  }

 private:
  static constexpr std::uint32_t block_size = 16;

  /// The value of some chunks that follow one another.
  struct Value {
    Run run;
    Id id;
  };
  /// What a transfer brings: `values` of its load, up to `end`.
  struct Arrival {
    Rank dst;
    bool reduce;
    std::size_t begin, end;
  };
  /// Transfers that arrive at the same time.
  struct Load {
    std::vector<Arrival> arrivals;
    std::vector<Value> values;
    void clear() {
      arrivals.clear();
      values.clear();
    }
  };
  /// One of several values that come to a node at the same time.
  struct IncomingValue {
    Value value;
    bool reduce;
  };

  Id at_start(Rank node, Chunk chunk) const {
    if (node >= problem_.ranks || !starts_.has(node, chunk)) return Expressions::empty;
    return starts_.has_value(node, chunk) ? Expressions::value : expressions_.only(node);
  }
  template <typename F>
  void each_start(Rank node, Run run, F f) const;
  template <typename F>
  void each_followed(const Transfer& t, F f) const;

  void advance(const Step& step);
  void load(const Transfer& t, Load& load);
  void arrive(std::uint64_t time);
  void deliver(const Load& load);
  void deliver(Rank dst, const Value& value, bool reduce);
  void add_to_cells(Rank dst, const Value& value);
  void deliver_together(Rank dst);
  void deliver_piece(Rank dst, Run run, const std::vector<IncomingValue>& incoming);
  bool several(const Load& load);

  const Problem& problem_;
  std::uint64_t latency_;
  Starts starts_;
  Expressions& expressions_;
  RunMap<std::uint8_t> followed_;
  bool all_followed_;
  mutable ChunkTable<Id, block_size> states_;
  Flights<Load> flights_;
  NodeArray<std::uint64_t> received_;  ///< the number of the load in which a node did last
  std::uint64_t loads_ = 0;
  std::uint64_t step_ = 0;  ///< the current one, for errors
  RunBudget budget_;
  std::vector<Value> pieces_;            ///< of what a node holds
  std::vector<IncomingValue> incoming_;  ///< at one node
  std::vector<Id> operands_;
};

template <typename F>
void HeldExpressions::each_start(Rank node, Run run, F f) const {
  if (node >= problem_.ranks) return f(run, Expressions::empty);
  for (std::uint64_t chunk = run.first; chunk < end(run);) {
    const auto first = static_cast<Chunk>(chunk);
    chunk = std::min(end(run), starts_.same_until(node, first));
    f(Run{first, static_cast<std::uint32_t>(chunk - first)}, at_start(node, first));
  }
}

}  // namespace schedcc
