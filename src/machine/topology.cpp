// A network from a file: ranks, switches, and directed links with capacities.
//
// Without ports: store and forward, one link a step, as on the fat tree. Links are the only limits:
// a rank may use all of its links in a step, and a link carries its capacity in chunks. A step of R
// rounds carries R times the capacity of each link.
//
// With ports: a rank sends and receives up to `ports` messages per step, and a message takes its
// whole route in its step; a link carries its capacity in messages, or more with `shared`. Switches
// may copy messages, or combine them, if the file says so (machine/step_routes.hpp).
//
// A route is a shortest one; where there are several, it continues at every node to the neighbour
// with the lowest number. It may pass through ranks, which do not hold chunks in transit. If there
// is no route, the result is one hop over a link that does not exist, which the check `links`
// reports. (A file of version 2 has all routes.)

#include "machine/topology.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include "core/names.hpp"
#include "core/printable.hpp"
#include "machine/entry.hpp"
#include "machine/files.hpp"
#include "machine/link_graph.hpp"
#include "machine/link_index.hpp"
#include "machine/link_routes.hpp"
#include "machine/shortest_routes.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

using TopologyPtr = std::shared_ptr<const Topology>;

std::string name_of(const Topology& topology, Rank node) {
  if (node < topology.ranks) return fmt::format("rank {}", node);
  return fmt::format("switch {} ({})", node, topology.switches[node - topology.ranks].name);
}

bool any_switch_has(const Topology& topology, bool (*f)(const SwitchRules&)) {
  for (std::uint64_t v = topology.ranks; v < topology.nodes(); ++v) {
    if (f(topology.rules(static_cast<Rank>(v)))) return true;
  }
  return false;
}

class FileNetwork : public Network {
 public:
  explicit FileNetwork(TopologyPtr topology)
      : topology_(std::move(topology)), link_index_(*topology_), routes_(*topology_) {}

  std::uint64_t nodes() const override { return topology_->nodes(); }
  std::uint64_t links() const override { return topology_->links.size(); }

  std::optional<Link> link(Rank from, Rank to) const override {
    if (from >= nodes()) return std::nullopt;
    const auto found = link_index_.find(from, to);
    if (!found) return std::nullopt;
    return Link{*found, topology_->links[*found].capacity};
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

  std::string describe(Rank node) const override { return name_of(*topology_, node); }

  bool has_rounds() const override { return true; }

  SwitchRules rules(Rank node) const override { return topology_->rules(node); }
  bool restricted() const override {
    return any_switch_has(*topology_,
                          [](const SwitchRules& r) { return !r.multicast || !r.reduces; });
  }

 private:
  TopologyPtr topology_;
  LinkIndex link_index_;
  ShortestRoutes routes_;
};

/// The links as the channels of messages that take their whole route in a step.
class FileChannels : public LinkChannels {
 public:
  explicit FileChannels(TopologyPtr topology)
      : topology_(std::move(topology)), routes_(*topology_) {}

  void route(Rank src, Rank dst, std::vector<Run>& channels) const override {
    routes_.append(src, dst, channels);
  }

  std::uint64_t capacity(std::uint64_t channel) const override {
    return topology_->links[channel].capacity;
  }

  bool shared() const override { return topology_->shared; }

  SwitchRules in_network() const override { return in_network_; }
  SwitchRules rules_at_destination(std::uint64_t channel) const override {
    return topology_->rules(topology_->links[channel].to);
  }
  SwitchRules rules_at_source(std::uint64_t channel) const override {
    return topology_->rules(topology_->links[channel].from);
  }

  std::string describe(std::uint64_t channel) const override {
    const Topology::Link& link = topology_->links[channel];
    return fmt::format("the link from {} to {}", name_of(*topology_, link.from),
                       name_of(*topology_, link.to));
  }

  std::optional<LinkGraph> graph() const override {
    LinkGraph result{topology_->ranks, topology_->nodes(), {}};
    std::uint64_t common = 0;
    for (std::size_t i = 0; i < topology_->links.size(); ++i) {
      const auto& [from, to, capacity] = topology_->links[i];
      const std::uint64_t carried =
          topology_->shared ? megabytes_per_second(topology_->times[i]) : capacity;
      common = std::gcd(common, carried);
      result.links.push_back({from, to, carried});
    }
    if (topology_->shared) {
      for (auto& link : result.links) link.capacity /= common;
    }
    return result;
  }

 private:
  /// Rounded up, so that bounds by capacities stay below the true ones.
  static std::uint64_t megabytes_per_second(const LinkTime& time) {
    constexpr double most = 1e12, rounding_error = 1e-6;
    return static_cast<std::uint64_t>(
        std::ceil(std::min(1 / (time.beta * 1e6), most) * (1 - rounding_error)));
  }

  TopologyPtr topology_;
  SwitchRules in_network_{
      any_switch_has(*topology_, [](const SwitchRules& r) { return r.multicast; }),
      any_switch_has(*topology_, [](const SwitchRules& r) { return r.reduces; })};
  LinkRoutes routes_;
};

/// What a rank can send, or receive, over all of its links together.
struct RankLinks {
  double out = 0, in = 0;  ///< bytes per second
};

/// A message takes a link from rank to rank, or one out of its source and one into its destination.
LinkTimes link_times(const Topology& topology) {
  LinkTimes result{topology.times, {0, 0}, 0};
  double direct = HUGE_VAL, leave = HUGE_VAL, enter = HUGE_VAL, fastest = HUGE_VAL, most = 0;
  std::vector<RankLinks> ranks(topology.ranks);
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    const auto& [from, to, capacity] = topology.links[i];
    const auto& [alpha, beta] = topology.times[i];
    const bool leaves = from < topology.ranks, enters = to < topology.ranks;
    if (leaves && enters) direct = std::min(direct, alpha);
    if (leaves) leave = std::min(leave, alpha), ranks[from].out += 1 / beta;
    if (enters) enter = std::min(enter, alpha), ranks[to].in += 1 / beta;
    if (leaves) fastest = std::min(fastest, beta);
  }
  for (const RankLinks& rank : ranks) most = std::max({most, rank.out, rank.in});
  if (most == 0) return result;  // a single rank
  const double overheads = topology.overheads.send + topology.overheads.receive;
  result.least = {std::min(direct, leave + enter) + overheads, fastest};
  result.min_beta_of_rank = 1 / most;
  return result;
}

/// The uplink of a group is not known, only the ports of its ranks.
std::optional<Levels> levels(const Topology& topology) {
  if (topology.groups.empty()) return std::nullopt;
  Levels result;
  for (const std::uint64_t ranks : topology.groups)
    result.groups.push_back({ranks, ranks * *topology.ports, ranks * *topology.ports});
  return result;
}

/// Throws InputError if the name, of no file, resembles one that is part of schedcc.
void suggest_machine_file(const std::string& name) {
  std::vector<std::string_view> names;
  for (const MachineText& machine : machine_texts()) names.push_back(machine.name);
  const std::string_view meant = nearest(std::filesystem::path(name).stem().string(), names);
  if (meant.empty()) return;
  throw InputError(fmt::format("there is no machine file '{}'; did you mean 'topology:{}'?",
                               printable(name), meant));
}

/// From a file, or by the name of one that is part of schedcc.
TopologyPtr load(const std::string& name) {
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored)) {
    if (const MachineText* const machine = find_machine_text(name))
      return std::make_shared<const Topology>(parse_topology(machine->text, name));
    suggest_machine_file(name);
  }
  return std::make_shared<const Topology>(read_topology(name));
}

MachineRules make_topology(const Parameters& p, Rank ranks) {
  if (!p.has("")) {
    throw InputError("machine 'topology' needs a file, as in topology:ring8.json");
  }
  TopologyPtr topology = load(p.text(""));
  if (topology->ranks != ranks) {
    throw InputError(fmt::format("machine 'topology:{}' has {} ranks, not {}", p.text(""),
                                 topology->ranks, ranks));
  }
  MachineRules rules;
  if (!topology->times.empty())
    rules.link_times = std::make_shared<const LinkTimes>(link_times(*topology));
  if (topology->ports) {
    rules.ports = PortLimits{*topology->ports, *topology->ports, 2 * *topology->ports};
    rules.levels = levels(*topology);
    rules.shape = *topology;
    rules.channels = std::make_shared<FileChannels>(std::move(topology));
  } else {
    rules.network = std::make_shared<FileNetwork>(std::move(topology));
  }
  return rules;
}

std::optional<ListedLinks> links(const Machine& machine) {
  const auto* const topology = machine.shape<Topology>();
  if (topology == nullptr) return std::nullopt;  // a network
  ListedLinks result;
  for (const Topology::Link& link : topology->links) result.links.emplace_back(link.from, link.to);
  for (const Topology::Switch& s : topology->switches) result.switches.push_back(s.name);
  return result;
}

}  // namespace

Overheads overheads_of(const Machine& machine) {
  const auto* const topology = machine.shape<Topology>();
  return topology == nullptr ? Overheads() : topology->overheads;
}

extern const MachineEntry topology_machine;
const MachineEntry topology_machine{
    .name = "topology",
    .summary = "a network of ranks, switches and directed links from a JSON file",
    .source = "docs/topology.schema.json",
    .parameters = {{.name = "",
                    .summary = "a file, or a name that 'schedcc list machines --files' prints",
                    .kind = Parameter::Kind::text,
                    .path = true}},
    .make = make_topology,
    .ranks =
        [](const Parameters& p) {
          return p.has("") ? std::optional<std::uint64_t>(load(p.text(""))->ranks) : std::nullopt;
        },
    .links = links,
};

}  // namespace schedcc
