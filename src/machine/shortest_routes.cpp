// Among the shortest routes the first in lexicographic order is the one that continues at every
// node to the lowest neighbour. The search from the source keeps each level in the order of the
// routes to its nodes: it takes the nodes of the previous level in their order, and the neighbours
// of each in ascending order. So of the nodes in the middle that both searches have reached, at
// distances with the least sum, the first in the queue is on the route.

#include "machine/shortest_routes.hpp"

#include <algorithm>

namespace schedcc {

namespace {

constexpr std::uint32_t unreached = UINT32_MAX;

}  // namespace

void ShortestRoutes::Search::start(Rank from, const Neighbours& neighbours) {
  if (distance.empty()) {
    distance.assign(neighbours.begin.size() - 1, unreached);
    previous.assign(distance.size(), none);
  }
  distance[from] = 0;
  previous[from] = none;
  queue.push_back(from);
  links = neighbours.count(from);
}

void ShortestRoutes::Search::step(const Neighbours& neighbours, bool lowest) {
  const std::size_t end = queue.size();
  links = 0;
  for (std::size_t i = frontier; i < end; ++i) {
    const Rank v = queue[i];
    for (std::uint32_t j = neighbours.begin[v]; j < neighbours.begin[v + std::size_t{1}]; ++j) {
      const Rank u = neighbours.nodes[j];
      if (distance[u] == unreached) {
        distance[u] = depth + 1;
        previous[u] = v;
        queue.push_back(u);
        links += neighbours.count(u);
      } else if (lowest && distance[u] == depth + 1) {
        previous[u] = std::min(previous[u], v);
      }
    }
  }
  frontier = end;
  ++depth;
}

Rank ShortestRoutes::Search::first_met(const Search& other) const {
  for (std::size_t i = frontier; i < queue.size(); ++i) {
    if (other.distance[queue[i]] != unreached) return queue[i];
  }
  return none;
}

void ShortestRoutes::Search::clear() {
  for (const Rank v : queue) distance[v] = unreached;
  queue.clear();
  frontier = 0;
  depth = 0;
}

ShortestRoutes::ShortestRoutes(const Topology& topology, std::uint64_t entries)
    : nodes_(topology.nodes()),
      budget_(entries),
      once_(std::make_unique<std::once_flag[]>(nodes_)),
      next_(nodes_) {
  const auto neighbours = [&](Rank Topology::Link::*of, Rank Topology::Link::*to) {
    Neighbours result{std::vector<std::uint32_t>(nodes_ + 1),
                      std::vector<Rank>(topology.links.size())};
    for (const Topology::Link& link : topology.links) ++result.begin[link.*of + std::size_t{1}];
    for (std::size_t v = 0; v < nodes_; ++v) result.begin[v + 1] += result.begin[v];
    std::vector<std::uint32_t> at(result.begin.begin(), result.begin.end() - 1);
    for (const Topology::Link& link : topology.links) result.nodes[at[link.*of]++] = link.*to;
    return result;
  };
  out_ = neighbours(&Topology::Link::from, &Topology::Link::to);
  in_ = neighbours(&Topology::Link::to, &Topology::Link::from);
}

void ShortestRoutes::append(Rank src, Rank dst, std::vector<Rank>& path) const {
  std::call_once(once_[dst], [&] {
    if (budget_.claim(nodes_)) next_[dst] = table(dst);
  });
  const std::vector<Rank>& next = next_[dst];
  if (next.empty()) return search(src, dst, path);
  path.push_back(src);
  while (src != dst) {
    src = next[src] == none ? dst : next[src];
    path.push_back(src);
  }
}

/// For each node the next one on its route to `dst`; `none` if there is no route.
std::vector<Rank> ShortestRoutes::table(Rank dst) const {
  Search back;
  back.start(dst, in_);
  while (!back.ended()) back.step(in_, true);
  return std::move(back.previous);
}

void ShortestRoutes::search(Rank src, Rank dst, std::vector<Rank>& path) const {
  const std::lock_guard lock(searching_);
  ahead_.start(src, out_);
  back_.start(dst, in_);
  const Rank middle = meet();
  if (middle == none) {
    path.insert(path.end(), {src, dst});
  } else {
    const std::size_t begin = path.size();
    for (Rank v = middle; v != none; v = ahead_.previous[v]) path.push_back(v);
    std::reverse(path.begin() + static_cast<std::ptrdiff_t>(begin), path.end());
    for (Rank v = back_.previous[middle]; v != none; v = back_.previous[v]) path.push_back(v);
  }
  ahead_.clear();
  back_.clear();
}

/// The node at which the searches from both ends meet; each time the one with less work continues.
/// `none` if there is no route.
Rank ShortestRoutes::meet() const {
  Rank middle = ahead_.first_met(back_);
  while (middle == none && !ahead_.ended() && !back_.ended()) {
    if (ahead_.links <= back_.links) {
      ahead_.step(out_, false);
      middle = ahead_.first_met(back_);
    } else {
      back_.step(in_, true);
      if (back_.first_met(ahead_) != none) middle = ahead_.first_met(back_);
    }
  }
  return middle;
}

}  // namespace schedcc
