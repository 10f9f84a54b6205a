#include "algorithm/forest/splitting.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "core/max_flow.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

class EdgeSplitter {
 public:
  EdgeSplitter(const LinkGraph& graph, std::span<const Rank> sources, std::uint64_t k)
      : graph_(graph), sources_(sources), k_(k), flow_(0) {
    for (const auto& [from, to, capacity] : graph.links) links_.push_back({from, to, capacity, {}});
  }

  void isolate(Rank w) {
    rebuild();
    std::vector<std::size_t> in, out;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].to == w) in.push_back(i);
      if (links_[i].from == w) out.push_back(i);
    }
    for (const bool loops : {false, true}) {
      for (const std::size_t i : in) {
        const Rank u = links_[i].from;
        std::ranges::stable_sort(out, {}, [&](std::size_t o) { return distance(u, links_[o].to); });
        for (const std::size_t o : out) {
          if ((links_[o].to == u) == loops) move(i, o);
        }
      }
    }
    for (const std::size_t i : in) {
      if (links_[i].capacity != 0)
        throw InternalError(fmt::format("switch {} cannot be isolated", w));
    }
  }

  std::vector<SwitchedLink> links() && {
    std::erase_if(links_, [](const SwitchedLink& link) { return link.capacity == 0; });
    return std::move(links_);
  }

 private:
  /// How far t is after u.
  std::uint64_t distance(Rank u, Rank t) const { return t >= u ? t - u : t + graph_.nodes - u; }

  /// Drops links without capacity; the arcs of the flow are the links, and those of the source.
  void rebuild() {
    std::erase_if(links_, [](const SwitchedLink& link) { return link.capacity == 0; });
    flow_ = MaxFlow(graph_.nodes + 1);
    for (const Rank r : sources_) flow_.add(graph_.nodes, r, k_);
    for (const SwitchedLink& link : links_) flow_.add(link.from, link.to, link.capacity);
  }

  void set(std::size_t link, std::uint64_t capacity) {
    links_[link].capacity = capacity;
    flow_.set_capacity(sources_.size() + link, capacity);
  }

  /// Moves as much as possible from the links i and o to one from the tail of i to the head of o.
  void move(std::size_t i, std::size_t o) {
    const std::uint64_t in = links_[i].capacity, out = links_[o].capacity;
    const std::uint64_t most = std::min(in, out);
    if (most == 0) return;
    const bool loop = links_[i].from == links_[o].to;
    const std::size_t direct = loop ? 0 : add_direct(i, o);
    const auto try_to_move = [&](std::uint64_t amount) {
      set(i, in - amount);
      set(o, out - amount);
      if (!loop) set(direct, amount);
    };
    try_to_move(most);
    const std::uint64_t missing = shortage(most);
    if (missing > 0) try_to_move(most - missing);
    if (loop || missing < most) return;
    links_.pop_back();
    flow_.remove_last();
  }

  std::size_t add_direct(std::size_t i, std::size_t o) {
    SwitchedLink link{links_[i].from, links_[o].to, 0, links_[i].switches};
    link.switches.push_back(links_[i].to);
    link.switches.insert(link.switches.end(), links_[o].switches.begin(), links_[o].switches.end());
    links_.push_back(std::move(link));
    flow_.add(links_.back().from, links_.back().to, 0);
    return links_.size() - 1;
  }

  /// What the flow to some rank is short of, at most `most`.
  std::uint64_t shortage(std::uint64_t most) {
    const std::uint64_t needed = k_ * sources_.size();
    std::uint64_t result = 0;
    std::size_t from = graph_.nodes;  // the source, or a rank that has got all
    Rank shortest = last_short_;
    for (Rank n = 0; n < graph_.ranks && result < most; ++n) {
      const Rank v = (last_short_ + n) % graph_.ranks;
      const std::uint64_t flow =
          from == graph_.nodes ? flow_.run(from, v, needed) : flow_.more(from, v, needed);
      from = flow == needed ? v : graph_.nodes;
      if (needed - flow <= result) continue;
      result = needed - flow;
      shortest = v;
    }
    last_short_ = shortest;
    return result;
  }

  const LinkGraph& graph_;
  std::span<const Rank> sources_;
  std::uint64_t k_;
  std::vector<SwitchedLink> links_;
  MaxFlow flow_;
  Rank last_short_ = 0;  ///< it is likely to be short again
};

}  // namespace

std::vector<SwitchedLink> without_switches(const LinkGraph& graph, std::span<const Rank> sources,
                                           std::uint64_t k) {
  EdgeSplitter splitter(graph, sources, k);
  for (std::uint64_t w = graph.ranks; w < graph.nodes; ++w) splitter.isolate(static_cast<Rank>(w));
  return std::move(splitter).links();
}

}  // namespace schedcc
