// Clusters: ranks in nodes, nodes in groups of level 1 (racks), these in groups of level 2, and so
// on; ranks are numbered through, so that those of a group are consecutive.
//
// Per step a rank sends and receives `ports` messages, and `nics` messages leave a node and enter
// it; within a node nothing else limits them. A group of a level l > 0 has the capacity
//     max(1, floor(members * capacity of a member / O_l))
// with that of a node being `nics`, and O_l its oversubscription, a decimal number of 1 or more. So
// many messages per step leave the group, and enter it; and as nothing leaves the outermost group,
// that many pass between its members, over its spine.
//
// With rails rank i of a node uses NIC i mod nics, for one message per step in each direction, and
// in every group of level 1 a switch for each number connects the NICs with that number: messages
// between them do not load the group. A message of level 1 between NICs of different numbers goes
// up to the spine of the group and down again: it leaves and enters the group (the outermost one:
// passes its spine).
//
// If messages are `shared`, there may be more of them than these capacities; the model `levels`
// then divides the bandwidth.
//
// Channels. Two for each node, with rails for each NIC: out and in. Then two for each group of
// level 1, 2, ...: out and in; of the outermost one only the first is used, the spine. Groups that
// block nothing (O_l = 1) have no load of their own: their members' capacities imply theirs.
//
// Sources: Leiserson, "Fat-Trees: Universal Networks for Hardware-Efficient Supercomputing" (1985):
// capacities by level; NVIDIA, "DGX SuperPOD Reference Architecture" (rails).

#include "machine/cluster.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/join.hpp"
#include "core/printable.hpp"
#include "core/saturating.hpp"
#include "machine/entry.hpp"
#include "machine/link_graph.hpp"
#include "machine/parameters.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

class ClusterChannels : public LinkChannels {
 public:
  /// The channels of a cluster of `ranks` ranks.
  ClusterChannels(const Cluster& cluster, Rank ranks)
      : cluster_(cluster), ranks_(ranks), nics_(cluster.rails ? cluster.nics : 1) {
    std::uint64_t next = 0;
    for (const Cluster::Level& level : cluster.levels) {
      begin_.push_back(next);
      next += 2 * (ranks / level.ranks) * (begin_.size() == 1 ? nics_ : 1);
    }
  }

  void route(Rank src, Rank dst, std::vector<Run>& channels) const override {
    std::uint32_t level = 0;  // of the message
    while (group(level, src) != group(level, dst)) ++level;
    if (level == 0) return;
    channels.push_back({2 * nic(src), 1});
    channels.push_back({2 * nic(dst) + 1, 1});
    for (std::uint32_t l = 1; l < level; ++l) {
      if (!cluster_.levels[l].blocking) continue;
      channels.push_back({out_of(l, src), 1});
      channels.push_back({out_of(l, dst) + 1, 1});
    }
    if (!cluster_.levels[level].blocking) return;
    const bool needs_spine =
        !cluster_.avoids_spine(level) || cluster_.nic(src) != cluster_.nic(dst);
    if (!needs_spine) return;
    if (level == outermost()) {
      channels.push_back({out_of(level, src), 1});
    } else if (cluster_.rails && level == 1) {
      channels.push_back({out_of(level, src), 2});
    }
  }

  std::uint64_t capacity(std::uint64_t channel) const override {
    const std::uint32_t level = level_of(channel);
    return level == 0 && cluster_.rails ? 1 : cluster_.levels[level].capacity;
  }

  bool shared() const override { return cluster_.shared; }

  std::string describe(std::uint64_t channel) const override {
    const std::uint32_t level = level_of(channel);
    if (level == outermost()) return "the spine";
    const std::uint64_t number = (channel - begin_[level]) / 2;
    const char* const direction = channel % 2 == 0 ? "uplink" : "downlink";
    if (level > 0) {
      return fmt::format("the {} of group {} at level {}", direction, number, level);
    }
    return cluster_.rails ? fmt::format("the {} of NIC {} of node {}", direction, number % nics_,
                                        number / nics_)
                          : fmt::format("the {} of node {}", direction, number);
  }

  std::vector<Cut> cuts() const override {
    std::vector<Cut> result;
    if (cluster_.shared) return result;
    for (std::uint32_t l = 0; l < outermost(); ++l) {
      const auto& [members, ranks, capacity, blocking] = cluster_.levels[l];
      if (l > 0 && !blocking) continue;
      result.push_back({ranks, ranks_ - ranks, capacity,
                        l == 0 ? "chunks that must enter and leave a node"
                               : "chunks that must enter and leave a group of nodes"});
    }
    const Cluster::Level& all = cluster_.levels.back();
    if (all.blocking && !cluster_.avoids_spine(outermost())) {
      const std::uint64_t member = cluster_.levels[outermost() - 1].ranks;
      result.push_back({ranks_, ranks_ - member, all.capacity, "chunks that must pass the spine"});
    }
    return result;
  }

  /// The tree of the groups. With rails, or with a spine that passes fewer messages than reach it,
  /// channels are not links of it.
  std::optional<LinkGraph> graph() const override {
    if (cluster_.rails || cluster_.levels.back().blocking) return std::nullopt;
    LinkGraph result{ranks_, ranks_, {}};
    std::uint64_t members = ranks_, carried = cluster_.ports, first = 0;
    for (const Cluster::Level& level : cluster_.levels) {
      const std::uint64_t groups = result.nodes;
      for (std::uint64_t m = 0; m < members; ++m) {
        const auto member = static_cast<Rank>(first + m);
        const auto group = static_cast<Rank>(groups + m / level.members);
        result.links.push_back({member, group, carried});
        result.links.push_back({group, member, carried});
      }
      first = groups;
      members /= level.members;
      carried = level.capacity;
      result.nodes += members;
    }
    return result;
  }

 private:
  std::uint32_t outermost() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  std::uint64_t group(std::uint32_t level, Rank rank) const {
    return rank / cluster_.levels[level].ranks;
  }
  /// Its number among the channels of all nodes.
  std::uint64_t nic(Rank rank) const { return cluster_.node(rank) * nics_ + cluster_.nic(rank); }
  /// The channel out of the rank's group of a level > 0; that into it is the next one.
  std::uint64_t out_of(std::uint32_t level, Rank rank) const {
    return begin_[level] + 2 * group(level, rank);
  }
  std::uint32_t level_of(std::uint64_t channel) const {
    return static_cast<std::uint32_t>(std::ranges::upper_bound(begin_, channel) - begin_.begin() -
                                      1);
  }

  Cluster cluster_;
  Rank ranks_;
  std::uint64_t nics_;                ///< that have a channel of their own, of a node
  std::vector<std::uint64_t> begin_;  ///< the first channel of each level
};

[[noreturn]] void refuse(const std::string& problem) {
  throw InputError(fmt::format("machine 'cluster': {}", problem));
}

/// Reads "8x4x16".
std::vector<std::uint64_t> read_factors(std::string_view text) {
  constexpr std::size_t max_levels = 32;  // more would have more than 2^32 ranks, or be empty
  std::vector<std::uint64_t> result;
  for (std::string_view rest = text;;) {
    if (result.size() == max_levels) refuse(fmt::format("it has more than {} levels", max_levels));
    const std::size_t x = rest.find('x');
    result.push_back(parse_number(
        rest.substr(0, x),
        result.empty()
            ? "machine 'cluster', ranks of a node"
            : fmt::format("machine 'cluster', members of a group of level {}", result.size()),
        1, UINT32_MAX));
    if (x == std::string_view::npos) return result;
    rest.remove_prefix(x + 1);
  }
}

/// The ranks of all groups; saturates.
Saturating product(const std::vector<std::uint64_t>& factors) {
  Saturating result = 1;
  for (const std::uint64_t factor : factors) result *= factor;
  return result;
}

std::optional<std::uint64_t> stated_ranks(const Parameters& p) {
  if (!p.has("")) return std::nullopt;
  const std::vector<std::uint64_t> factors = read_factors(p.text(""));
  if (factors.size() == 1) return std::nullopt;
  return product(factors).value();
}

/// For `ranks` ranks; without a text nearly as many nodes as ranks in each.
std::vector<std::uint64_t> factors_of(const Parameters& p, Rank ranks) {
  if (!p.has("")) {
    const std::uint64_t nodes = near_square(ranks);
    return {ranks / nodes, nodes};
  }
  std::vector<std::uint64_t> result = read_factors(p.text(""));
  if (result.size() == 1) {
    if (ranks % result[0] != 0)
      refuse(fmt::format("the number of ranks, {}, is not a multiple of the {} ranks of a node",
                         ranks, result[0]));
    result.push_back(ranks / result[0]);
  }
  if (const Saturating all = product(result); all != ranks) {
    const bool huge = all.value() == Saturating::max;
    throw InputError(fmt::format("machine 'cluster:{}' has {} ranks, not {}", join(result, "x"),
                                 huge ? "more than 2^63" : std::to_string(all.value()), ranks));
  }
  return result;
}

/// An oversubscription, `over / under`: 1.5 is 15/10.
struct Ratio {
  std::uint64_t over, under;

  /// floor(number / ratio), for a ratio of 1 or more.
  std::uint64_t divide(std::uint64_t number) const {
    return number / over * under + number % over * under / over;  // at most `number`
  }
  /// As it is written: "1.5".
  std::string text() const {
    if (under == 1) return std::to_string(over);
    const std::string digits = std::to_string(under + over % under);  // with leading zeros
    return fmt::format("{}.{}", over / under, digits.substr(1));
  }
};

Ratio read_ratio(const std::string& text) {
  constexpr std::string_view what = "machine 'cluster', parameter 'oversubscription'";
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::uint64_t least = point == text.size() ? 1 : 0;
  const std::uint64_t whole = parse_number(text.substr(0, point), what, least, UINT32_MAX);
  Ratio result{whole, 1};
  if (point == text.size()) return result;
  std::string digits = text.substr(point + 1);
  const bool missing = digits.empty();
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  if (missing || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) {
    refuse(fmt::format("oversubscription is a number with 1 to 4 digits after its point, not '{}'",
                       printable(text)));
  }
  for (const char digit : digits) {
    result.under *= 10;
    result.over = result.over * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  if (result.over < result.under)
    refuse(fmt::format("oversubscription is a number of 1 or more, not '{}'", printable(text)));
  return result;
}

/// For each level after the nodes; a single value is for all of them.
std::vector<Ratio> read_oversubscription(const Parameters& p, std::size_t levels) {
  std::vector<Ratio> result;
  for (const std::string& item : p.list("oversubscription")) result.push_back(read_ratio(item));
  if (result.size() == 1) result.resize(levels, result[0]);
  if (result.size() != levels) {
    refuse(
        fmt::format("oversubscription needs 1 value{}, not {}",
                    levels > 1 ? fmt::format(" or {} (one per level above the node)", levels) : "",
                    result.size()));
  }
  return result;
}

Cluster read_cluster(const Parameters& p, Rank ranks, const std::vector<Ratio>& oversubscription,
                     const std::vector<std::uint64_t>& factors) {
  Cluster cluster{.levels = {},
                  .ports = static_cast<std::uint32_t>(p.integer("ports")),
                  .nics = p.integer("nics"),
                  .rails = p.has("rails"),
                  .shared = p.has("shared")};
  if (cluster.rails && cluster.nics > factors[0]) {
    refuse(fmt::format("rails need at most one NIC per rank; a node has {} and {}",
                       counted(factors[0], "rank"), counted(cluster.nics, "NIC")));
  }
  cluster.levels.push_back({factors[0], factors[0], cluster.nics});
  for (std::size_t l = 1; l < factors.size(); ++l) {
    const Cluster::Level& member = cluster.levels.back();
    // At most the NICs of all nodes: below 2^64.
    const std::uint64_t all = factors[l] * member.capacity;
    const std::uint64_t capacity = std::max<std::uint64_t>(oversubscription[l - 1].divide(all), 1);
    cluster.levels.push_back({factors[l], factors[l] * member.ranks, capacity, capacity < all});
  }
  if (cluster.levels.back().ranks != ranks) throw InternalError("a cluster of other ranks");
  return cluster;
}

Levels levels_of(const Cluster& cluster) {
  Levels result;
  for (std::size_t l = 0; l + 1 < cluster.levels.size(); ++l) {
    const Cluster::Level& level = cluster.levels[l];
    result.groups.push_back({level.ranks, level.capacity, level.capacity});
  }
  return result;
}

MachineRules make_cluster(const Parameters& p, Rank ranks) {
  const std::vector<std::uint64_t> factors = factors_of(p, ranks);
  const std::vector<Ratio> over = read_oversubscription(p, factors.size() - 1);
  std::vector<std::string> ratios;
  ratios.reserve(over.size());
  for (const Ratio& ratio : over) ratios.push_back(ratio.text());
  const Cluster cluster = read_cluster(p, ranks, over, factors);
  return {.spec = fmt::format("cluster:{},ports={},nics={},oversubscription={}{}{}",
                              join(factors, "x"), cluster.ports, cluster.nics, join(ratios, ","),
                              cluster.rails ? ",rails" : "", cluster.shared ? ",shared" : ""),
          .ports = PortLimits{cluster.ports, cluster.ports, 2 * cluster.ports},
          .channels = std::make_shared<ClusterChannels>(cluster, ranks),
          .levels = levels_of(cluster),
          .shape = cluster};
}

}  // namespace

std::optional<Crossbar> crossbar_of(const Machine& machine) {
  if (const auto* crossbar = machine.shape<Crossbar>()) return *crossbar;
  const auto* cluster = machine.shape<Cluster>();
  if (cluster == nullptr || cluster->rails) return std::nullopt;
  if (std::ranges::any_of(cluster->levels, &Cluster::Level::blocking)) return std::nullopt;
  const std::uint64_t b = cluster->levels[0].ranks;
  return Crossbar{cluster->levels.back().ranks / b, b, cluster->nics, cluster->nics};
}

extern const MachineEntry cluster_machine;
const MachineEntry cluster_machine{
    .name = "cluster",
    .summary = "nodes of ranks with few NICs, in groups whose links may be oversubscribed",
    .source = "Leiserson 1985; NVIDIA, DGX SuperPOD",
    .parameters = {{.name = "",
                    .summary = "ranks of a node, nodes of a group, ..., such as 8x32 or 8x4x16 "
                               "(default: nearly as many nodes as ranks in each)",
                    .kind = Parameter::Kind::text},
                   {.name = "ports",
                    .summary = "messages that a rank sends, and receives, per step",
                    .min = 1,
                    .max = (std::uint64_t{1} << 31) - 1,
                    .default_value = "1"},
                   {.name = "nics",
                    .summary = "messages that leave a node, and enter it, per step",
                    .min = 1,
                    .max = UINT32_MAX,
                    .default_value = "1"},
                   {.name = "oversubscription",
                    .summary = "of each level above the node: what its members can send over what "
                               "it passes, such as 1.5",
                    .kind = Parameter::Kind::list,
                    .default_value = "1"},
                   {.name = "rails",
                    .summary = "rank i of a node uses NIC i mod nics; NICs of the same number are "
                               "connected without the spine",
                    .kind = Parameter::Kind::flag},
                   {.name = "shared",
                    .summary =
                        "messages above the capacity share the bandwidth, and are not an error",
                    .kind = Parameter::Kind::flag},
                   width_parameter},
    .make = make_cluster,
    .ranks = stated_ranks,
};

}  // namespace schedcc
