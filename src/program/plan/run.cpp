#include "program/plan/run.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include <fmt/core.h>

namespace schedcc::program {

namespace {

constexpr std::uint32_t no_counter = UINT32_MAX;

/// By action: the counter that it adds to, or waits for.
struct CountersOfActions {
  explicit CountersOfActions(const PlanTrace& trace)
      : posts(trace.actions().size(), no_counter), waits(posts) {
    for (std::uint32_t c = 0; c < trace.counters().size(); ++c) {
      for (const auto& use : trace.counters()[c].posts) posts[use.action] = c;
      for (const auto& use : trace.counters()[c].waits) waits[use.action] = c;
    }
  }
  std::vector<std::uint32_t> posts, waits;
};

}  // namespace

PlanGraph::PlanGraph(const PlanTrace& trace) {
  const std::size_t nodes = trace.actions().size();
  const auto index = [&](std::vector<Link>& links, std::vector<std::uint32_t>& first, auto from,
                         auto to) {
    first.assign(nodes + 1, 0);
    for (const PlanEdge& e : trace.edges()) ++first[from(e) + 1];
    for (std::size_t i = 0; i < nodes; ++i) first[i + 1] += first[i];
    links.resize(trace.edges().size());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (const PlanEdge& e : trace.edges()) links[next[from(e)]++] = {to(e), e.kind};
  };
  const auto from = [](const PlanEdge& e) { return e.from; };
  const auto to = [](const PlanEdge& e) { return e.to; };
  index(after_, first_after_, from, to);
  index(before_, first_before_, to, from);
}

namespace {

/// Does all actions that can be done, each as soon as what it waits for is.
class PlanExecution {
 public:
  PlanExecution(const PlanTrace& trace, const PlanGraph& graph)
      : graph_(graph),
        uses_(trace),
        nodes_(trace.actions().size()),
        open_(nodes_),
        count_(trace.counters().size()),
        taken_(count_.size()),
        waiting_(count_.size()) {
    run_.done.resize(nodes_);
    for (const Node node : trace.never_written()) ++open_[node];
    for (std::uint32_t c = 0; c < count_.size(); ++c) count_[c] = trace.counters()[c].start;
    for (Node node = 0; node < nodes_; ++node) {
      open_[node] += static_cast<std::uint32_t>(graph.before(node).size());
    }
  }

  PlanRun run() {
    for (Node node = 0; node < nodes_; ++node) {
      if (open_[node] == 0) reach(node);
    }
    std::size_t followed = 0;
    while (followed < run_.order.size()) follow(run_.order[followed++]);
    run_.complete = run_.order.size() == nodes_;
    return std::move(run_);
  }

 private:
  /// All actions before it are done: only a counter may hold it up.
  void reach(Node node) {
    const std::uint32_t counter = uses_.waits[node];
    if (counter == no_counter) return complete(node);
    waiting_[counter].push_back(node);
    pass(counter);
  }

  /// Those that wait for a counter go on, as far as it has come.
  void pass(std::uint32_t counter) {
    while (!waiting_[counter].empty() && taken_[counter] < count_[counter]) {
      ++taken_[counter];
      const Node node = waiting_[counter].front();
      waiting_[counter].pop_front();
      complete(node);
    }
  }

  void complete(Node node) {
    run_.done[node] = true;
    run_.order.push_back(node);
  }

  void follow(Node node) {
    if (const std::uint32_t counter = uses_.posts[node]; counter != no_counter) {
      ++count_[counter];
      pass(counter);
    }
    for (const PlanGraph::Link& link : graph_.after(node)) {
      if (--open_[link.to] == 0) reach(link.to);
    }
  }

  const PlanGraph& graph_;
  CountersOfActions uses_;
  std::size_t nodes_;
  std::vector<std::uint32_t> open_;           ///< by action: what it still waits for
  std::vector<std::uint64_t> count_, taken_;  ///< by counter
  std::vector<std::deque<Node>> waiting_;     ///< by counter
  PlanRun run_;
};

}  // namespace

PlanRun execute(const PlanTrace& trace, const PlanGraph& graph) {
  return PlanExecution(trace, graph).run();
}

namespace {

/// Follows what actions wait for.
class StopExplainer {
 public:
  StopExplainer(const PlanTrace& trace, const PlanGraph& graph, const PlanRun& run)
      : trace_(trace), graph_(graph), run_(run), uses_(trace), never_(trace.actions().size()) {
    for (const Node node : trace.never_written()) never_[node] = true;
  }

  std::vector<PlanStop> explain() {
    std::vector<PlanStop> result;
    std::uint32_t invocation = UINT32_MAX;
    for (Node node = 0; node < trace_.actions().size(); ++node) {
      if (!run_.done[node]) invocation = std::min(invocation, trace_.actions()[node].invocation);
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> reported;
    for (Node node = 0; node < trace_.actions().size(); ++node) {
      if (run_.done[node] || trace_.actions()[node].invocation != invocation) continue;
      if (seen_.contains(node)) continue;
      PlanStop stop = follow(node);
      if (stop.step != no_step && reported.emplace(stop.block, stop.step).second)
        result.push_back(std::move(stop));
      if (result.size() == 20) break;
    }
    return result;
  }

 private:
  /// An action that this one waits for and that is not done; no_node: nothing will come.
  Node awaited(Node node) const {
    for (const PlanGraph::Link& link : graph_.before(node)) {
      if (!run_.done[link.to]) return link.to;
    }
    const std::uint32_t counter = uses_.waits[node];
    if (counter == no_counter) return no_node;
    for (const auto& use : trace_.counters()[counter].posts) {
      if (!run_.done[use.action]) return use.action;
    }
    return no_node;
  }

  PlanStop follow(Node node) {
    std::vector<Node> path;
    while (node != no_node && seen_.insert(node).second) {
      path.push_back(node);
      node = awaited(node);
    }
    if (node == no_node) return never(path.back());
    const auto begin = std::ranges::find(path, node);
    if (begin == path.end()) return {no_block, no_step, ""};  // it has been reported
    path.erase(path.begin(), begin);
    return circle(path);
  }

  PlanStop never(Node node) const {
    const PlanAction& a = trace_.actions()[node];
    if (a.step == no_step) return {no_block, no_step, ""};
    const std::string who = trace_.describe(node);
    if (never_[node]) {
      return {a.owner, a.step,
              fmt::format("{} waits for packets that nobody writes in this invocation", who)};
    }
    const std::uint32_t counter = uses_.waits[node];
    const bool semaphore =
        counter != no_counter && trace_.counters()[counter].kind == PlanCounter::Kind::semaphore;
    return {a.owner, a.step,
            fmt::format("{} waits for a {} that never comes", who,
                        semaphore ? "release of its semaphore" : "signal")};
  }

  PlanStop circle(const std::vector<Node>& path) const {
    std::string message;
    std::pair<std::uint32_t, std::uint32_t> last{no_block, no_step};
    PlanStop stop{no_block, no_step, ""};
    for (const Node node : path) {
      const PlanAction& a = trace_.actions()[node];
      if (a.step == no_step || std::pair(a.owner, a.step) == last) continue;
      const bool waits =
          uses_.waits[node] != no_counter || a.count > 0 || trace_.step(node).op == PlanOp::barrier;
      if (!waits) continue;
      last = {a.owner, a.step};
      if (stop.step == no_step) {
        stop.block = a.owner;
        stop.step = a.step;
      }
      stop.others.push_back(node);
      message += fmt::format("{}{}", message.empty() ? "" : ", ", trace_.describe(node));
    }
    if (stop.step == no_step) {
      for (const Node node : path) {
        if (trace_.actions()[node].step == no_step) continue;
        stop = {trace_.actions()[node].owner, trace_.actions()[node].step, ""};
        message = trace_.describe(node);
      }
    }
    stop.message = fmt::format("these operations wait for one another: {}", message);
    return stop;
  }

  const PlanTrace& trace_;
  const PlanGraph& graph_;
  const PlanRun& run_;
  CountersOfActions uses_;
  std::vector<bool> never_;
  std::set<Node> seen_;
};

}  // namespace

std::vector<PlanStop> explain_stop(const PlanTrace& trace, const PlanGraph& graph,
                                   const PlanRun& run) {
  return StopExplainer(trace, graph, run).explain();
}

}  // namespace schedcc::program
