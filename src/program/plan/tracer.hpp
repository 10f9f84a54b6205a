#pragma once

// Makes a trace; see trace.hpp.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "program/plan/operands.hpp"
#include "program/plan/trace.hpp"

namespace schedcc::program {

class PlanTracer {
 public:
  explicit PlanTracer(PlanTrace& trace) : trace_(trace), plan_(*trace.plan_) {}

  void run();

 private:
  using Kind = PlanAction::Kind;
  using Order = PlanEdge::Kind;

  /// Operations of which the same thread handles the same cell of their ranges.
  enum class Threads : std::uint8_t { elements, packets, other };

  /// A threadblock while its operations are traced.
  struct State {
    std::uint32_t block = 0;
    std::uint32_t segment = 0;
    Node met = no_node;            ///< the last point at which all threads met
    std::vector<Node> since;       ///< actions since then
    std::vector<Node> of_thread;   ///< the last action of single threads since then
    std::vector<Node> of_cell[2];  ///< the last action by cell, of elements and of packets
    std::vector<Node> blocking;    ///< waits of threads since then
    Node read = no_node;           ///< all packets that have been read since then
  };
  /// Operations on the same port channel are executed one after another.
  struct ChannelOperation {
    Node post, done;
  };

  // tracer.cpp: the structure of an invocation.
  void list_blocks();
  void trace_invocation();
  void threadblock(State& state);
  void step(State& state, std::uint32_t index, const PlanStep* pipeline, std::uint32_t slice);
  std::uint32_t slices(const PlanStep& pipeline) const;
  void barrier(State& state, const PlanStep& step);
  void match_barriers();
  void signal(State& state, std::uint32_t index, const PlanStep& step, bool relaxed);
  void wait(State& state, std::uint32_t index, const PlanStep& step, bool relaxed);
  void semaphores(State& state, std::uint32_t index, const PlanStep& step, bool acquires);
  void match_packets();

  // tracer_data.cpp: operations on data.
  void data(State& state, std::uint32_t index, const PlanSite& site);
  void transfers(State& state, std::uint32_t index, const PlanSite& site);
  void combination(State& state, std::uint32_t index, const PlanSite& site);
  PlanOperand operand(const State& state, std::uint32_t index, const PlanSite& site,
                      const PlanRange& range, AccessKind kind, bool packet);
  void cells(State& state, std::uint32_t index, const std::vector<PlanOperand>& sources,
             const std::vector<PlanOperand>& destinations, std::uint64_t length, Threads threads);
  void port_entry(State& state, std::uint32_t index, const PlanSite& site, std::size_t entry,
                  const PlanOperand& source, const PlanOperand& destination);
  /// What a network interface moves; returns when all is done.
  Node move(State& state, std::uint32_t index, Node begun, const PlanOperand& source,
            const PlanOperand& destination);
  void move_cells(const State& state, Node node, const PlanOperand& source,
                  const PlanOperand& destination, std::uint64_t first, std::uint64_t end);
  void read_packets_and_post(State& state, std::uint32_t index, const PlanSite& site);
  bool access(const PlanOperand& operand, std::uint64_t i, std::uint32_t index, const State& state);

  // Actions.
  /// Appends an action of this invocation and slice.
  Node append(PlanAction action);
  Node add(State& state, Kind kind, std::uint32_t index);
  Node add_thread(State& state, std::uint32_t index, std::uint32_t thread);
  Node add_interface(std::uint32_t index, const State& state);
  void meet(State& state);
  void edge(Node from, Node to, Order order) { trace_.edges_.push_back({from, to, order}); }
  PlanAction& action(Node node) { return trace_.actions_[node]; }
  bool full() const {
    return trace_.actions_.size() + trace_.accesses_.size() / 2 > PlanTrace::max_actions;
  }
  /// Reports an error of an operation, once for each check.
  void report(std::string_view check, const State& state, std::uint32_t index,
              const std::string& message);

  // Channels.
  /// The number that a post on a channel adds to; SIZE_MAX if nothing is at its other end.
  std::size_t other_end(Rank gpu, PlanCounter::Kind kind, std::uint32_t channel) const;
  std::size_t number(PlanCounter::Kind kind, Rank gpu, std::uint32_t index) const;
  void list_counters();
  /// What is posted on a port channel, from `begun` to `done`, waits for earlier operations on it.
  void follow(Rank gpu, std::uint32_t channel, Node post, Node begun, Node done);
  std::uint32_t half() const { return plan_.two_halves ? invocation_ % 2 : 0; }

  PlanTrace& trace_;
  const Plan& plan_;
  std::uint32_t invocation_ = 0, slice_ = 0;
  std::vector<State> states_;
  std::vector<std::size_t> first_counter_;  ///< by GPU: memory channels, port channels, semaphores
  std::size_t counters_ = 0;                ///< of an invocation
  std::map<std::tuple<Rank, std::uint32_t, std::uint32_t>, std::vector<std::pair<Node, Node>>>
      barriers_;  ///< by GPU, number and how often: actions before and after it
  std::map<std::tuple<Rank, std::uint32_t, std::uint32_t>, std::uint32_t> met_;     ///< by block
  std::map<std::pair<Rank, std::uint32_t>, std::vector<ChannelOperation>> posted_;  ///< by channel
  std::unordered_map<Cell, std::vector<Node>> written_;  ///< packets, in this invocation
  std::vector<std::pair<Cell, Node>> read_;
  std::uint32_t order_ = 0;
};

}  // namespace schedcc::program
