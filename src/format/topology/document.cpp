// What a topology's file states, made consistent: the kinds of its links, their ends and reverses,
// and groups of ranks.

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "core/names.hpp"
#include "core/printable.hpp"
#include "format/topology/document.hpp"
#include "schedcc/error.hpp"

namespace schedcc::topology_file {

namespace {

/// The nodes that `node` reaches over the links, which are by their first nodes.
std::vector<bool> reached_from(Rank node, const std::vector<std::pair<Rank, Rank>>& links,
                               std::uint64_t nodes) {
  std::vector<bool> result(nodes);
  std::vector<Rank> next{node};
  result[node] = true;
  while (!next.empty()) {
    const Rank from = next.back();
    next.pop_back();
    for (auto l = std::ranges::lower_bound(links, std::pair(from, Rank{0}));
         l != links.end() && l->first == from; ++l) {
      if (result[l->second]) continue;
      result[l->second] = true;
      next.push_back(l->second);
    }
  }
  return result;
}

class Completion {
 public:
  Completion(Document document, const std::string& file) : d_(std::move(document)), file_(file) {}

  Topology finish() {
    if (d_.version == 1 && !d_.later.empty())
      fail(d_.later_location, fmt::format("version 1 has no field '{}'; version 2 has", d_.later));
    if (d_.topology.nodes() > UINT32_MAX - 1)
      fail(d_.switches_location, "there are too many nodes");
    find_kinds();
    for (WrittenLink& link : d_.links) complete(link);
    // Before memory is allocated for each rank.
    std::uint64_t directed = d_.links.size();
    for (const WrittenLink& link : d_.links) directed += link.both ? 1 : 0;
    if (d_.topology.ranks > directed + directed + 1) {
      fail(d_.links_location,
           fmt::format("{} links are too few to reach {} ranks", directed, d_.topology.ranks));
    }
    sort();
    reject_dangling();
    if (d_.version == 2) reject_disconnected();
    reject_contradictions();
    take_groups();
    return std::move(d_.topology);
  }

 private:
  void find_kinds() {
    for (NamedKind& named : d_.named) {
      const auto found = d_.kinds.find(named.name);
      if (found == d_.kinds.end()) {
        std::vector<std::string_view> known;
        for (const auto& [name, parameters] : d_.kinds) known.push_back(name);
        fail(named.location, fmt::format("there is no kind of links '{}'{}", printable(named.name),
                                         suggestion(named.name, known)));
      }
      named.parameters = found->second;
    }
  }

  /// The ends of a link exist, and its figures are there.
  void complete(WrittenLink& link) const {
    for (const NodeReference& end : {link.from, link.to}) {
      if (end.node >= d_.topology.nodes()) {
        fail(end.location, fmt::format("node {} does not exist; nodes are 0..{}", end.node,
                                       d_.topology.nodes() - 1));
      }
    }
    if (link.from.node == link.to.node) {
      fail(link.location, fmt::format("node {} is linked to itself", link.from.node));
    }
    if (link.kind != UINT32_MAX) {
      const LinkParameters& kind = d_.named[link.kind].parameters;
      if (!link.own.capacity) link.own.capacity = kind.capacity;
      if (!link.own.latency) link.own.latency = kind.latency;
      if (!link.own.gap) link.own.gap = kind.gap;
    }
    if (d_.version == 1 && !link.own.capacity)
      fail(link.location, "a link needs the field 'capacity'");
    if (d_.version == 1) return;
    if (!link.own.latency)
      fail(link.location, "a link needs the field 'latency', or one of its kind");
    if (!link.own.gap)
      fail(link.location, "a link needs the field 'bandwidth', or one of its kind");
  }

  /// The links by (from, to), each with its reverse if it leads both ways.
  void sort() {
    const std::size_t written = d_.links.size();
    for (std::size_t i = 0; i < written; ++i) {
      if (!d_.links[i].both) continue;
      WrittenLink back = d_.links[i];
      std::swap(back.from, back.to);
      d_.links.push_back(back);
    }
    std::ranges::stable_sort(
        d_.links, {}, [](const WrittenLink& w) { return std::pair(w.from.node, w.to.node); });
    auto& links = d_.topology.links;
    for (std::size_t i = 0; i < d_.links.size(); ++i) {
      const WrittenLink& w = d_.links[i];
      const Topology::Link link{static_cast<Rank>(w.from.node), static_cast<Rank>(w.to.node),
                                w.own.capacity.value_or(1)};
      if (!links.empty() && links.back().from == link.from && links.back().to == link.to) {
        // A reverse link is at the line of the link that has it, which may be the earlier one.
        const auto [first, second] = std::minmax(
            d_.links[i - 1].location, w.location, [](const Position& a, const Position& b) {
              return std::tie(a.line, a.column) < std::tie(b.line, b.column);
            });
        fail(second, fmt::format("duplicate link from {} to {} (first on line {})", link.from,
                                 link.to, first.line));
      }
      links.push_back(link);
      if (d_.version == 2) d_.topology.times.push_back({*w.own.latency, *w.own.gap});
    }
  }

  /// Every rank has a link, unless it is the only node; every switch has links in and out.
  void reject_dangling() const {
    const std::uint64_t nodes = d_.topology.nodes();
    std::vector<bool> entered(nodes), left(nodes);
    for (const Topology::Link& link : d_.topology.links) left[link.from] = entered[link.to] = true;
    for (std::uint64_t v = 0; v < nodes; ++v) {
      if (v < d_.topology.ranks) {
        if (nodes > 1 && !entered[v] && !left[v]) {
          fail(d_.links_location, fmt::format("rank {} has no link", v));
        }
      } else if (!entered[v] || !left[v]) {
        fail(d_.links_location,
             fmt::format("switch {} ('{}') has no link {} it", v,
                         printable(d_.topology.switches[v - d_.topology.ranks].name),
                         entered[v] ? "out of" : "into"));
      }
    }
  }

  /// Every rank reaches every other one.
  void reject_disconnected() const {
    for (const bool back : {false, true}) {
      std::vector<std::pair<Rank, Rank>> links;
      for (const Topology::Link& l : d_.topology.links)
        links.push_back(back ? std::pair(l.to, l.from) : std::pair(l.from, l.to));
      std::ranges::sort(links);
      const std::vector<bool> reached = reached_from(0, links, d_.topology.nodes());
      for (Rank r = 1; r < d_.topology.ranks; ++r) {
        if (reached[r]) continue;
        fail(d_.links_location,
             fmt::format("rank {} cannot be reached from rank {}", back ? 0 : r, back ? r : 0));
      }
    }
  }

  /// Fields that need others, or exclude them.
  void reject_contradictions() const {
    if (d_.for_ports && !d_.topology.ports) {
      fail(*d_.for_ports,
           "'overheads', 'shared' and 'groups' need 'ports': a network without 'ports' stores and "
           "forwards");
    }
    const auto copies = [](const Topology::Switch& s) {
      return s.multicast.value_or(false) || s.reduces.value_or(false);
    };
    if (d_.for_overheads && std::ranges::any_of(d_.topology.switches, copies)) {
      fail(*d_.for_overheads,
           "'overheads' cannot be combined with switches that have 'multicast' or 'reduces'");
    }
  }

  /// Groups of a level are made of those of the level before.
  void take_groups() {
    std::uint64_t members = 1;
    for (const NodeReference& group : d_.groups) {
      if (group.node % members != 0 || group.node <= members) {
        fail(group.location,
             fmt::format("groups of {} ranks cannot be made of {}", group.node,
                         members == 1 ? "single ranks" : fmt::format("groups of {}", members)));
      }
      if (d_.topology.ranks % group.node != 0 || group.node == d_.topology.ranks) {
        fail(group.location, fmt::format("groups of {} ranks do not divide {} ranks into several",
                                         group.node, d_.topology.ranks));
      }
      members = group.node;
      d_.topology.groups.push_back(members);
    }
  }

  [[noreturn]] void fail(const Position& at, const std::string& message) const {
    schedcc::fail(file_, at, message);
  }

  Document d_;
  const std::string& file_;
};

}  // namespace

Topology complete(Document document, const std::string& file) {
  return Completion(std::move(document), file).finish();
}

}  // namespace schedcc::topology_file
