// Orders are of three strengths (PlanEdge::Kind). A relaxed signal orders actions in time; what has
// been stored before it is known to be visible only if a kernel has ended in between. So pairs that
// are ordered by weaker edges alone are doubtful, except those with such an end. So are pairs of
// which one uses the address of a switch and the other does not: it is not documented that a signal
// orders them.
//
// An action stands for all threads that handle a cell, each with elements of its own. Two actions
// between which no threads meet are ordered element by element. That orders two accesses to plain
// data, and two to packets: the same bytes are of the same element. It does not order plain data
// and packets, which are spread over two cells; and an action that accesses both races with itself.

#include "program/plan/order.hpp"

#include <set>
#include <tuple>
#include <utility>

#include "program/plan/clocks.hpp"

namespace schedcc::program {

namespace {

using Strength = PlanEdge::Kind;

constexpr std::size_t enough = 64;

class RaceFinder {
 public:
  RaceFinder(const PlanTrace& trace, const PlanGraph& graph, const std::vector<Node>& order)
      : trace_(trace),
        order_(order),
        place_(trace.actions().size()),
        cells_(trace.memory().size()),
        begins_(trace.plan().gpus.size()),
        in_time_(trace, graph, Strength::relaxed),
        of_reads_(trace, graph, Strength::stores),
        of_writes_(trace, graph, Strength::order) {
    for (std::uint32_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
    for (const PlanEdge& edge : trace.edges()) {
      relaxed_ |= edge.kind == Strength::relaxed;
      stores_ |= edge.kind == Strength::stores;
    }
  }

  PlanRaces run() {
    for (const Node node : order_) {
      in_time_.pass(node);
      if (relaxed_ && stores_) of_reads_.pass(node);
      if (relaxed_ || stores_) of_writes_.pass(node);
      access(node);
      note_begin(node);
      in_time_.drop(node);
      if (relaxed_ && stores_) of_reads_.drop(node);
      if (relaxed_ || stores_) of_writes_.drop(node);
      if (races_.found.size() >= enough) break;
    }
    return std::move(races_);
  }

 private:
  /// Who accessed a cell, and as which of two kinds of data.
  struct Access {
    Node node = no_node;
    bool packet = false;
    bool operator==(const Access&) const = default;
  };
  struct State {
    Access write;
    std::vector<Access> reads;  ///< since the write
  };

  void access(Node node) {
    const PlanAction& a = trace_.actions()[node];
    // What it reads comes first, so that it does not meet its own writes.
    for (const AccessKind kind : {AccessKind::read, AccessKind::write}) {
      for (std::uint32_t i = a.first; i < a.first + a.count; ++i) {
        const PlanAccess& done = trace_.accesses()[i];
        if (done.kind != kind) continue;
        for (Cell cell = done.cell; cell <= done.cell + done.packet; ++cell) {
          State& state = cells_[cell];
          if (kind == AccessKind::write) {
            write({node, done.packet}, cell, state);
          } else {
            read({node, done.packet}, cell, state);
          }
        }
      }
    }
  }

  void read(const Access& access, Cell cell, State& state) {
    if (state.write.node != no_node)
      compare(state.write, AccessKind::write, access, AccessKind::read, cell);
    if (state.reads.empty() || state.reads.back() != access) state.reads.push_back(access);
  }
  void write(const Access& access, Cell cell, State& state) {
    if (state.write.node != no_node)
      compare(state.write, AccessKind::write, access, AccessKind::write, cell);
    for (const Access& other : state.reads)
      compare(other, AccessKind::read, access, AccessKind::write, cell);
    state.write = access;
    state.reads.clear();
  }

  void compare(const Access& first, AccessKind first_kind, const Access& second,
               AccessKind second_kind, Cell cell) {
    // The same threads access the same elements, one after another.
    if (first == second) return;
    // As for another cell.
    if (const auto pair = std::tuple(first, second, first_kind, second_kind);
        std::exchange(compared_, pair) == pair)
      return;
    const Node a = first.node, b = second.node;
    const auto ordered = [&](const PlanClocks& clocks) {
      return first.packet == second.packet ? clocks.ordered(a, b, place_)
                                           : clocks.ordered_by_meeting(a, b, place_);
    };
    const PlanRace pair{a, b, cell, first_kind, second_kind};
    if (!ordered(in_time_)) return add(races_.found, found_, pair);
    if (by_switch(a) != by_switch(b)) {
      if (!by_own_end(a, b)) add(races_.by_switch, by_switch_, pair);
      return;
    }
    if (!relaxed_ && !stores_) return;
    const bool first_writes = first_kind == AccessKind::write;
    if (!first_writes && !relaxed_) return;
    const PlanClocks& clocks = first_writes || !stores_ ? of_writes_ : of_reads_;
    if (ordered(clocks)) return;
    if (by_end_of_kernel(a, b, clocks)) return;
    add(races_.doubtful, doubtful_, pair);
  }

  /// Does it use the address of a switch for plain data?
  bool by_switch(Node node) const {
    if (trace_.actions()[node].step == no_step) return false;
    const PlanOp op = trace_.step(node).op;
    return op == PlanOp::multi_reduce_store || op == PlanOp::multi_store;
  }

  /// Is `a` complete when a kernel begins that happens before `b`?
  bool by_end_of_kernel(Node a, Node b, const PlanClocks& clocks) {
    for (Rank gpu = 0; gpu < trace_.plan().gpus.size(); ++gpu) {
      const std::uint32_t points = in_time_.points(b, trace_.caller(gpu));
      if (points == 0) continue;
      const Node begin = begins_[gpu][points - 1];
      if (begin == a || clocks.ordered(a, begin, place_)) return true;
    }
    return false;
  }
  /// The same for the kernel that `a` belongs to.
  bool by_own_end(Node a, Node b) {
    const Rank gpu = trace_.blocks()[trace_.actions()[a].owner].gpu;
    const std::uint32_t points = in_time_.points(b, trace_.caller(gpu));
    if (points == 0) return false;
    const Node begin = begins_[gpu][points - 1];
    return begin == a || in_time_.ordered(a, begin, place_);
  }

  void note_begin(Node node) {
    const PlanAction& a = trace_.actions()[node];
    if (a.kind != PlanAction::Kind::sync) return;
    const PlanBlockRef& at = trace_.blocks()[a.block];
    if (at.block == nullptr) begins_[at.gpu].push_back(node);
  }

  using KnownRaces =
      std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>>;

  void add(std::vector<PlanRace>& races, KnownRaces& known, const PlanRace& race) const {
    const PlanAction& a = trace_.actions()[race.first];
    const PlanAction& b = trace_.actions()[race.second];
    if (races.size() < enough && known.emplace(a.owner, a.step, b.owner, b.step).second)
      races.push_back(race);
  }

  const PlanTrace& trace_;
  const std::vector<Node>& order_;
  std::vector<std::uint32_t> place_;
  std::vector<State> cells_;
  std::vector<std::vector<Node>> begins_;  ///< by GPU: the points of its caller
  PlanClocks in_time_, of_reads_, of_writes_;
  bool relaxed_ = false, stores_ = false;
  std::tuple<Access, Access, AccessKind, AccessKind> compared_;
  PlanRaces races_;
  KnownRaces found_, doubtful_, by_switch_;
};

/// Matches signals and waits of several threadblocks, with the order that is known from the others.
/// `order`: of a complete run. Has the trace got more edges?
bool match_ordered_counters(PlanTrace& trace, const PlanGraph& graph,
                            const std::vector<Node>& order) {
  PlanClocks clocks(trace, graph, Strength::relaxed);
  for (const PlanCounter& counter : trace.counters()) {
    for (const auto* uses : {&counter.posts, &counter.waits}) {
      for (const auto& use : *uses) clocks.keep(use.place);
    }
  }
  for (const Node node : order) {
    clocks.pass(node);
    clocks.drop(node);
  }
  return trace.match_counters([&](Node first, Node second) {
    const PlanAction& a = trace.actions()[first];
    return in_program_order(a, trace.actions()[second]) || clocks.is_behind(second, a);
  });
}

}  // namespace

PlanRun run_matched(PlanTrace& trace, PlanGraph& graph) {
  PlanRun run = execute(trace, graph);
  // Edges that are new may order what was not ordered before.
  while (run.complete && (trace.shared_posts() || trace.shared_waits()) &&
         match_ordered_counters(trace, graph, run.order)) {
    graph = PlanGraph(trace);
    run = execute(trace, graph);
  }
  return run;
}

PlanRaces find_races(const PlanTrace& trace, const PlanGraph& graph,
                     const std::vector<Node>& order) {
  return RaceFinder(trace, graph, order).run();
}

}  // namespace schedcc::program
