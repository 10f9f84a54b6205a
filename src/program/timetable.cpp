// The cycles are the strongly connected components of the rules, found by Tarjan's algorithm (1972,
// doi 10.1137/0201010) with an explicit stack; times are the longest paths between components.

#include "program/timetable.hpp"

#include <algorithm>

namespace schedcc::program {

void Timetable::index() {
  first_.assign(nodes_ + std::size_t{1}, 0);
  for (const Edge& e : edges_) ++first_[e.from + std::size_t{1}];
  for (Node v = 0; v < nodes_; ++v) first_[v + std::size_t{1}] += first_[v];
  order_.resize(edges_.size());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t i = 0; i < edges_.size(); ++i) order_[next[edges_[i].from]++] = i;
}

std::vector<std::uint32_t> Timetable::wait_cycles() const {
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> cycle(nodes_, none), found(nodes_, none), low(nodes_), next(first_);
  std::vector<Node> open, path;  // found and in no cycle yet; from the root to the current node
  std::uint32_t time = 0, count = 0;
  for (Node root = 0; root < nodes_; ++root) {
    if (found[root] != none) continue;
    path.push_back(root);
    while (!path.empty()) {
      const Node v = path.back();
      if (found[v] == none) {
        found[v] = low[v] = time++;
        open.push_back(v);
      }
      if (next[v] < first_[v + std::size_t{1}]) {
        const Node w = edges_[order_[next[v]++]].to;
        if (found[w] == none) {
          path.push_back(w);
        } else if (cycle[w] == none) {
          low[v] = std::min(low[v], low[w]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[v]);
      if (low[v] != found[v]) continue;
      Node w = none;
      do {
        w = open.back();
        open.pop_back();
        cycle[w] = count;
      } while (w != v);
      ++count;
    }
  }
  return cycle;
}

std::vector<std::uint64_t> Timetable::solve() {
  index();
  std::vector<std::uint32_t> cycle = wait_cycles();
  const auto within = [&](const Edge& e) { return cycle[e.from] == cycle[e.to]; };
  std::vector<bool> impossible(nodes_);  // cycles that contain a delay
  for (const Edge& e : edges_) {
    if (within(e) && e.delay > 0) impossible[cycle[e.from]] = true;
  }
  if (std::erase_if(edges_, [&](const Edge& e) {
        return e.rule == Rule::loose && within(e) && impossible[cycle[e.from]];
      }) > 0) {
    index();
    cycle = wait_cycles();
  }
  std::vector<Node> by_cycle(nodes_);
  for (Node v = 0; v < nodes_; ++v) by_cycle[v] = v;
  std::ranges::sort(by_cycle, std::ranges::greater(), [&](Node v) { return cycle[v]; });
  std::vector<std::uint64_t> time(nodes_);  // by cycle
  for (const Node v : by_cycle) {
    for (std::uint32_t i = first_[v]; i < first_[v + std::size_t{1}]; ++i) {
      const Edge& e = edges_[order_[i]];
      std::uint64_t& then = time[cycle[e.to]];
      if (!within(e)) then = std::max(then, time[cycle[v]] + e.delay);
    }
  }
  std::vector<std::uint64_t> result(nodes_);
  for (Node v = 0; v < nodes_; ++v) result[v] = time[cycle[v]];
  return result;
}

}  // namespace schedcc::program
