// Topologies in JSON: the number of ranks, the names of the switches, and the links.
//
//     {"topology": 1, "ranks": 2, "switches": ["hub"],
//      "links": [{"from": 0, "to": 2, "capacity": 1}, ...]}
//
// Nodes 0..P-1 are the ranks, P, P + 1, ... the switches in their order.

#include "machine/topology.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include <fmt/core.h>

#include "core/input_text.hpp"
#include "core/printable.hpp"
#include "format/json_shape.hpp"
#include "format/sccl/reader.hpp"

namespace schedcc {

namespace {

/// Reads the fields in any order; their consistency is checked at the end.
class TopologyReader {
 public:
  TopologyReader(std::string_view text, const std::string& file) : file_(file), in_(text, file) {}

  Topology read() {
    const JsonShape version =
        number("'topology'", 0, UINT64_MAX, [this](std::uint64_t n) { check_version(n); });
    const JsonShape name{.kind = Kind::text, .what = "'name'"};
    const JsonShape ranks = number("'ranks'", 1, UINT32_MAX - 1, [this](std::uint64_t n) {
      topology_.ranks = static_cast<Rank>(n);
    });
    const JsonShape switch_name{.kind = Kind::text,
                                .what = "the name of a switch",
                                .text = [this](std::string& text) { add_switch(text); }};
    const JsonShape switches{
        .kind = Kind::array, .what = "'switches'", .items = &switch_name, .begin = [this] {
          switches_ = spot();
        }};
    const JsonShape from = end("'from'", &Written::from), to = end("'to'", &Written::to);
    const JsonShape capacity = number("'capacity'", 1, UINT32_MAX,
                                      [this](std::uint64_t n) { written_.back().capacity = n; });
    const JsonShape link{.kind = Kind::object,
                         .what = "a link",
                         .fields = {{"from", &from}, {"to", &to}, {"capacity", &capacity}},
                         .begin = [this] { written_.push_back({.spot = spot()}); }};
    const JsonShape links{.kind = Kind::array, .what = "'links'", .items = &link, .begin = [this] {
                            links_ = spot();
                          }};
    in_.read({.kind = Kind::object,
              .what = "a topology",
              .fields = {{"topology", &version},
                         {"ranks", &ranks},
                         {"links", &links},
                         {"name", &name, false},
                         {"switches", &switches, false}}});
    return finish();
  }

 private:
  using Kind = JsonShape::Kind;

  /// A location in the file.
  struct Location {
    std::uint32_t line = 0, column = 0;
  };
  /// An end of a link, before the nodes are known.
  struct End {
    std::uint64_t node = 0;
    Location spot{};
  };
  struct Written {
    Location spot{};
    End from{}, to{};
    std::uint64_t capacity = 0;
  };

  Location spot() const {
    const SourceLocation place = in_.place();
    return {place.line, place.column};
  }
  [[noreturn]] void fail(Location spot, const std::string& message) const {
    throw InputError({file_, spot.line, spot.column}, message);
  }

  static JsonShape number(std::string_view what, std::uint64_t least, std::uint64_t most,
                          std::function<void(std::uint64_t)> take) {
    return {.kind = Kind::number,
            .what = what,
            .least = least,
            .most = most,
            .number = std::move(take)};
  }
  JsonShape end(std::string_view what, End Written::*end) {
    return number(what, 0, UINT64_MAX, [this, end](std::uint64_t node) {
      written_.back().*end = {node, spot()};
    });
  }

  void check_version(std::uint64_t version) const {
    if (version != 1) in_.fail("unsupported format version; supported is 1");
  }

  void add_switch(const std::string& name) {
    if (name.empty()) in_.fail("a switch has no name");
    if (!names_.insert(name).second) {
      in_.fail(fmt::format("two switches are named '{}'", printable(name)));
    }
    topology_.switches.push_back(name);
  }

  Topology finish() {
    if (topology_.nodes() > UINT32_MAX - 1) fail(switches_, "there are too many nodes");
    for (const Written& link : written_) check_link(link);
    // Before memory is allocated for each rank.
    if (topology_.ranks > written_.size() + written_.size() + 1) {
      fail(links_,
           fmt::format("{} links are too few to reach {} ranks", written_.size(), topology_.ranks));
    }
    sort();
    reject_dangling();
    return std::move(topology_);
  }

  void check_link(const Written& link) const {
    for (const End& end : {link.from, link.to}) {
      if (end.node >= topology_.nodes()) {
        fail(end.spot, fmt::format("node {} does not exist; nodes are 0..{}", end.node,
                                   topology_.nodes() - 1));
      }
    }
    if (link.from.node == link.to.node) {
      fail(link.spot, fmt::format("node {} is linked to itself", link.from.node));
    }
  }

  /// The links by (from, to).
  void sort() {
    std::ranges::stable_sort(written_, {},
                             [](const Written& w) { return std::pair(w.from.node, w.to.node); });
    auto& links = topology_.links;
    for (const Written& w : written_) {
      const Topology::Link link{static_cast<Rank>(w.from.node), static_cast<Rank>(w.to.node),
                                w.capacity};
      if (!links.empty() && links.back().from == link.from && links.back().to == link.to) {
        fail(w.spot, fmt::format("duplicate link from {} to {}", link.from, link.to));
      }
      links.push_back(link);
    }
  }

  /// Every rank has a link, unless it is the only node; every switch has links in and out.
  void reject_dangling() const {
    const std::uint64_t nodes = topology_.nodes();
    std::vector<bool> entered(nodes), left(nodes);
    for (const Topology::Link& link : topology_.links) left[link.from] = entered[link.to] = true;
    for (std::uint64_t v = 0; v < nodes; ++v) {
      if (v < topology_.ranks) {
        if (nodes > 1 && !entered[v] && !left[v]) {
          fail(links_, fmt::format("rank {} has no link", v));
        }
      } else if (!entered[v] || !left[v]) {
        fail(links_, fmt::format("switch {} ('{}') has no link {} it", v,
                                 printable(topology_.switches[v - topology_.ranks]),
                                 entered[v] ? "out of" : "into"));
      }
    }
  }

  const std::string& file_;
  JsonReader in_;
  Topology topology_;
  std::set<std::string> names_;   ///< of the switches
  std::vector<Written> written_;  ///< the links
  Location switches_, links_;
};

}  // namespace

Topology read_topology(const std::string& path) {
  const InputText text = InputText::open(path);
  if (is_sccl(text.view())) return read_sccl_topology(text, path);
  return TopologyReader(text.view(), path).read();
}

}  // namespace schedcc
