// A network from a file: ranks, switches, and directed links with capacities in chunks per step.
//
// Store and forward, one link a step, as on the fat tree. Links are the only limits: a rank may use
// all of its links in a step. A route is a shortest one; where there are several, it continues at
// every node to the neighbour with the lowest number. It may pass through ranks, which do not hold
// chunks in transit. If there is no route, the result is one hop over a link that does not exist,
// which the check `links` reports.
//
// A step of R rounds carries R times the capacity of each link.

#include <algorithm>

#include <fmt/core.h>

#include "machine/entry.hpp"
#include "machine/shortest_routes.hpp"
#include "machine/topology.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

class FileNetwork : public Network {
 public:
  explicit FileNetwork(std::shared_ptr<const Topology> topology)
      : topology_(std::move(topology)), routes_(*topology_) {}

  std::uint64_t nodes() const override { return topology_->nodes(); }
  std::uint64_t links() const override { return topology_->links.size(); }

  std::optional<Link> link(Rank from, Rank to) const override {
    const auto& all = topology_->links;
    const auto found =
        std::ranges::lower_bound(all, std::pair(from, to), {},
                                 [](const Topology::Link& l) { return std::pair(l.from, l.to); });
    if (found == all.end() || found->from != from || found->to != to) return std::nullopt;
    return Link{static_cast<std::uint64_t>(found - all.begin()), found->capacity};
  }

  void neighbours(Rank node, std::vector<Rank>& nodes) const override {
    const auto& all = topology_->links;
    for (auto l = std::ranges::lower_bound(all, node, {}, &Topology::Link::from);
         l != all.end() && l->from == node; ++l)
      nodes.push_back(l->to);
  }

  void route(Rank src, Rank dst, std::vector<Rank>& path) const override {
    routes_.append(src, dst, path);
  }

  std::string describe(Rank node) const override {
    if (node < topology_->ranks) return fmt::format("rank {}", node);
    return fmt::format("switch {} ({})", node, topology_->switches[node - topology_->ranks]);
  }

  bool has_rounds() const override { return true; }

 private:
  std::shared_ptr<const Topology> topology_;
  ShortestRoutes routes_;
};

}  // namespace

extern const MachineEntry topology_machine;
const MachineEntry topology_machine{
    .name = "topology",
    .summary = "a network of ranks, switches and directed links from a JSON file",
    .source = "docs/topology.schema.json",
    .parameters =
        {{.name = "", .summary = "the file", .kind = Parameter::Kind::text, .path = true}},
    .make =
        [](const Parameters& p, Rank ranks) {
          if (!p.has("")) {
            throw InputError("machine 'topology' needs a file, as in topology:ring8.json");
          }
          auto topology = std::make_shared<const Topology>(read_topology(p.text("")));
          if (topology->ranks != ranks) {
            throw InputError(fmt::format("machine 'topology:{}' has {} ranks, not {}", p.text(""),
                                         topology->ranks, ranks));
          }
          return MachineRules{.network = std::make_shared<FileNetwork>(std::move(topology))};
        },
};

}  // namespace schedcc
