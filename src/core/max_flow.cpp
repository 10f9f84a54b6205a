#include "core/max_flow.hpp"

#include <algorithm>

namespace schedcc {

std::size_t MaxFlow::add_node() {
  first_.push_back(none);
  return first_.size() - 1;
}

std::size_t MaxFlow::add(std::size_t from, std::size_t to, std::uint64_t capacity) {
  const auto half = static_cast<std::uint32_t>(halves_.size());
  halves_.push_back({static_cast<std::uint32_t>(to), first_[from], 0});
  halves_.push_back({static_cast<std::uint32_t>(from), first_[to], 0});
  first_[from] = half;
  first_[to] = half + 1;
  capacity_.push_back(capacity);
  return capacity_.size() - 1;
}

void MaxFlow::remove_last() {
  const std::size_t back = halves_.size() - 1;
  first_[halves_[back - 1].to] = halves_[back].next;
  first_[halves_[back].to] = halves_[back - 1].next;
  halves_.resize(back - 1);
  capacity_.pop_back();
}

std::uint64_t MaxFlow::run(std::size_t source, std::size_t sink, std::uint64_t limit) {
  for (std::size_t a = 0; a < capacity_.size(); ++a) {
    halves_[2 * a].residual = capacity_[a];
    halves_[2 * a + 1].residual = 0;
  }
  return more(source, sink, limit);
}

std::uint64_t MaxFlow::more(std::size_t source, std::size_t sink, std::uint64_t limit) {
  std::uint64_t flow = 0;
  while (flow < limit && reach(source, sink)) {
    at_ = first_;
    while (flow < limit) {
      const std::uint64_t more = augment(source, sink, limit - flow);
      if (more == 0) break;
      flow += more;
    }
  }
  return flow;
}

/// The distances from the source over what is left; is the sink among the nodes reached?
bool MaxFlow::reach(std::size_t source, std::size_t sink) {
  distance_.assign(first_.size(), none);
  queue_.assign(1, static_cast<std::uint32_t>(source));
  distance_[source] = 0;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const std::uint32_t v = queue_[i];
    for (std::uint32_t h = first_[v]; h != none; h = halves_[h].next) {
      const std::uint32_t next = halves_[h].to;
      if (halves_[h].residual == 0 || distance_[next] != none) continue;
      distance_[next] = distance_[v] + 1;
      if (next == sink) return true;
      queue_.push_back(next);
    }
  }
  return false;
}

/// Adds a flow along one shortest path, and returns how much; 0 if there is no such path left.
/// `at_` has for each node the first half that may still lead to the sink.
std::uint64_t MaxFlow::augment(std::size_t source, std::size_t sink, std::uint64_t limit) {
  path_.clear();
  for (std::size_t v = source; v != sink;) {
    std::uint32_t& h = at_[v];
    while (h != none && (halves_[h].residual == 0 || distance_[halves_[h].to] != distance_[v] + 1))
      h = halves_[h].next;
    if (h != none) {
      path_.push_back(h);
      v = halves_[h].to;
      continue;
    }
    if (path_.empty()) return 0;
    v = halves_[path_.back() ^ 1].to;  // a dead end
    path_.pop_back();
    at_[v] = halves_[at_[v]].next;
  }
  std::uint64_t flow = limit;
  for (const std::uint32_t h : path_) flow = std::min(flow, halves_[h].residual);
  for (const std::uint32_t h : path_) {
    halves_[h].residual -= flow;
    halves_[h ^ 1].residual += flow;
  }
  return flow;
}

}  // namespace schedcc
