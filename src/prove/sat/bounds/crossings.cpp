#include "prove/sat/bounds/crossings.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace schedcc::prover {

namespace {

/// The nodes that can be reached from `start` without arc `closed`.
std::vector<bool> reached(const Instance& instance, Rank start, std::size_t closed) {
  std::vector<bool> result(instance.nodes);
  std::vector<Rank> open{start};
  result[start] = true;
  while (!open.empty()) {
    const Rank v = open.back();
    open.pop_back();
    for (const std::size_t a : instance.out[v]) {
      const Rank to = instance.arcs[a].to;
      if (a == closed || result[to]) continue;
      result[to] = true;
      open.push_back(to);
    }
  }
  return result;
}

}  // namespace

std::vector<Crossing> crossings(const Instance& instance, const std::vector<Delivery>& chunks,
                                std::size_t a) {
  const Arc& arc = instance.arcs[a];
  if (reached(instance, arc.from, a)[arc.to]) return {};
  const std::uint64_t T = instance.steps;
  std::map<Rank, std::vector<bool>> near;  // by source
  std::vector<Crossing> result;
  for (Chunk c = 0; c < chunks.size(); ++c) {
    for (const Rank source : chunks[c].sources) {
      if (!near.contains(source)) near[source] = reached(instance, source, a);
    }
    std::optional<std::uint64_t> last;  // none if it need not cross
    for (const Rank goal : chunks[c].goals) {
      const bool avoids_arc = std::ranges::any_of(
          chunks[c].sources, [&](Rank source) { return near.at(source)[goal]; });
      if (avoids_arc) continue;
      // Too far, or no path at all: it is too late from the beginning.
      const std::uint64_t rest = std::min(instance.distance[arc.to][goal].value_or(T), T);
      last = std::min(last.value_or(T), T - rest);
    }
    const auto first = instance.nearest(chunks[c].sources, arc.from);
    if (last) result.push_back({c, first.value_or(T), *last});
  }
  return result;
}

}  // namespace schedcc::prover
