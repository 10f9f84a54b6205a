// The cycles are the strongly connected components of the rules; times are the longest paths
// between components.

#include "program/timetable.hpp"

#include <algorithm>
#include <span>

#include "core/components.hpp"

namespace schedcc::program {

void Timetable::index() {
  first_.assign(nodes_ + std::size_t{1}, 0);
  for (const Edge& e : edges_) ++first_[e.from + std::size_t{1}];
  for (Node v = 0; v < nodes_; ++v) first_[v + std::size_t{1}] += first_[v];
  order_.resize(edges_.size());
  later_.resize(edges_.size());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    const std::uint32_t place = next[edges_[i].from]++;
    order_[place] = i;
    later_[place] = edges_[i].to;
  }
}

std::vector<std::uint32_t> Timetable::cycles() const {
  return components(nodes_, [this](Node v) {
    return std::span(later_).subspan(first_[v], first_[v + std::size_t{1}] - first_[v]);
  });
}

std::vector<std::uint64_t> Timetable::solve() {
  index();
  std::vector<std::uint32_t> cycle = cycles();
  const auto within = [&](const Edge& e) { return cycle[e.from] == cycle[e.to]; };
  std::vector<bool> impossible(nodes_);  // cycles that contain a delay
  for (const Edge& e : edges_) {
    if (within(e) && e.delay > 0) impossible[cycle[e.from]] = true;
  }
  if (std::erase_if(edges_, [&](const Edge& e) {
        return e.rule == Rule::loose && within(e) && impossible[cycle[e.from]];
      }) > 0) {
    index();
    cycle = cycles();
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
