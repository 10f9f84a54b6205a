// Topologies in JSON: the number of ranks, the names of the switches, and the links.
//
//     {"topology": 1, "ranks": 2, "switches": ["hub"],
//      "links": [{"from": 0, "to": 2, "capacity": 1}, ...]}
//
// Nodes 0..P-1 are the ranks, P, P + 1, ... the switches in their order. In version 2 links have a
// latency and a bandwidth, which a kind of links may state for all of them:
//
//     {"topology": 2, "ranks": 2, "switches": ["hub"], "ports": 1,
//      "kinds": {"cable": {"latency": "1us", "bandwidth": "25GB/s"}},
//      "links": [{"from": 0, "to": 2, "kind": "cable", "both": true}, ...]}
//
// and a switch may say what it does with messages: {"name": "hub", "multicast": true}.

#include "machine/topology.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "core/input_text.hpp"
#include "core/printable.hpp"
#include "format/json_schema.hpp"
#include "format/sccl/reader.hpp"
#include "format/topology/document.hpp"

namespace schedcc {

namespace topology_file {

namespace {

/// Reads the fields in any order; their consistency is checked at the end.
class TopologyReader {
 public:
  TopologyReader(std::string_view text, const std::string& file) : file_(file), in_(text, file) {}

  Topology read() {
    in_.read(topology_);
    return complete(std::move(document_), file_);
  }

 private:
  using Kind = JsonSchema::Kind;
  using enum JsonSchema::Presence;

  static constexpr std::uint64_t max_ports = (std::uint64_t{1} << 31) - 1;

  struct Schemas {
    JsonSchema capacity, latency, bandwidth;
  };
  Position here() const { return in_.position(); }
  static JsonSchema number(std::string_view what, std::uint64_t least, std::uint64_t most,
                           std::function<void(std::uint64_t)> take) {
    return {
        .kind = Kind::number, .what = what, .min = least, .max = most, .number = std::move(take)};
  }
  JsonSchema end(std::string_view what, NodeReference WrittenLink::*end) {
    return number(what, 0, UINT64_MAX, [this, end](std::uint64_t node) {
      document_.links.back().*end = {node, here()};
    });
  }

  /// The fields with the figures of what `target` returns.
  Schemas parameters(const std::function<LinkParameters&()>& target) {
    return {
        number("'capacity'", 1, UINT32_MAX, [target](std::uint64_t n) { target().capacity = n; }),
        {.kind = Kind::text,
         .what = "a latency, as \"5us\",",
         .text =
             [this, target](std::string& text) {
               later_field("latency");
               target().latency = quantity([&] { return parse_time(text, "'latency'"); });
             }},
        {.kind = Kind::text,
         .what = "a bandwidth, as \"50GB/s\",",
         .text = [this, target](std::string& text) {
           later_field("bandwidth");
           target().gap = quantity([&] { return bandwidth(text); });
         }}};
  }

  JsonSchema overhead(double Overheads::*target) {
    return {.kind = Kind::text,
            .what = "an overhead, as \"0.5us\",",
            .text = [this, target](std::string& text) {
              document_.topology.overheads.*target =
                  quantity([&] { return parse_time(text, "an overhead"); });
            }};
  }

  /// Seconds per byte.
  static double bandwidth(const std::string& text) {
    const double gap = parse_gap(text, "'bandwidth'");
    if (gap > 0) return gap;
    throw InputError(
        fmt::format("'bandwidth': '{}' is not a positive bandwidth with a unit, as 12.5GB/s or "
                    "100Gbit/s",
                    printable(text)));
  }

  /// What `parse` returns; its error with the location.
  template <typename F>
  double quantity(F parse) const {
    try {
      return parse();
    } catch (const InputError& error) {
      in_.fail(error.what());
    }
  }

  void check_version(std::uint64_t version) {
    if (version != 1 && version != 2) in_.fail("unsupported format version; supported are 1 and 2");
    document_.version = version;
  }

  /// Notes a field that version 1 does not have.
  void later_field(std::string_view name) {
    if (document_.later.empty()) document_.later = name, document_.later_location = here();
  }

  void name_switch(const std::string& name) {
    if (name.empty()) in_.fail("a switch has no name");
    if (!names_.insert(name).second) {
      in_.fail(fmt::format("two switches are named '{}'", printable(name)));
    }
    document_.topology.switches.back().name = name;
  }

  /// A rule of the switch that is being read.
  JsonSchema rule(std::string_view name, std::string_view what,
                  std::optional<bool> Topology::Switch::*rule) {
    return {.kind = Kind::boolean, .what = what, .number = [this, name, rule](std::uint64_t n) {
              later_field(name);
              document_.topology.switches.back().*rule = n != 0;
            }};
  }

  void add_kind(const std::string& name) {
    if (name.empty()) in_.fail("a kind of links has no name");
    const auto [added, fresh] = document_.kinds.emplace(name, LinkParameters());
    if (!fresh) in_.fail(fmt::format("two kinds of links are named '{}'", printable(name)));
    kind_ = added;
  }

  /// Sets the kind of the link that is being read.
  void name_kind(const std::string& name) {
    const auto [known, fresh] =
        numbers_.emplace(name, static_cast<std::uint32_t>(document_.named.size()));
    if (fresh) document_.named.push_back({name, here()});
    document_.links.back().kind = known->second;
  }

  const std::string& file_;
  JsonReader in_;
  Document document_;
  std::set<std::string> names_;                                ///< of the switches
  Kinds::iterator kind_;                                       ///< the one that is being read
  std::map<std::string, std::uint32_t, std::less<>> numbers_;  ///< of the kinds that links name

  // The form of the text, from the inside out.
  const JsonSchema version_ =
      number("'topology'", 0, UINT64_MAX, [this](std::uint64_t n) { check_version(n); });
  const JsonSchema name_{.kind = Kind::text, .what = "'name'", .text = [this](std::string& text) {
                           document_.topology.name = text;
                         }};
  const JsonSchema source_{
      .kind = Kind::text, .what = "a source", .text = [this](std::string& text) {
        document_.topology.sources.push_back(text);
      }};
  const JsonSchema sources_{
      .kind = Kind::array, .what = "'sources'", .items = &source_, .begin = [this] {
        later_field("sources");
      }};
  const JsonSchema ranks_ = number("'ranks'", 1, UINT32_MAX - 1, [this](std::uint64_t n) {
    document_.topology.ranks = static_cast<Rank>(n);
  });
  const JsonSchema ports_ = number("'ports'", 1, max_ports, [this](std::uint64_t n) {
    later_field("ports");
    document_.topology.ports = static_cast<std::uint32_t>(n);
  });
  const JsonSchema send_ = overhead(&Overheads::send);
  const JsonSchema receive_ = overhead(&Overheads::receive);
  const JsonSchema overheads_{.kind = Kind::object,
                              .what = "'overheads'",
                              .fields = {{"send", &send_}, {"receive", &receive_}},
                              .begin = [this] {
                                later_field("overheads");
                                document_.for_ports = document_.for_overheads = here();
                              }};
  const JsonSchema shared_{
      .kind = Kind::boolean, .what = "'shared'", .number = [this](std::uint64_t n) {
        later_field("shared");
        document_.topology.shared = n != 0;
        document_.for_ports = here();
      }};
  const JsonSchema group_name_{.kind = Kind::text, .what = "the name of a group"};
  const JsonSchema group_ranks_ =
      number("'ranks' of a group", 1, UINT32_MAX, [this](std::uint64_t n) {
        document_.groups.push_back({n, here()});
      });
  const JsonSchema group_{.kind = Kind::object,
                          .what = "a group",
                          .fields = {{"ranks", &group_ranks_}, {"name", &group_name_, optional}}};
  const JsonSchema groups_{
      .kind = Kind::array, .what = "'groups'", .items = &group_, .begin = [this] {
        later_field("groups");
        document_.for_ports = here();
      }};
  const JsonSchema switch_name_{
      .kind = Kind::text, .what = "the name of a switch", .text = [this](std::string& text) {
        later_field("name");
        name_switch(text);
      }};
  const JsonSchema multicast_ = rule("multicast", "'multicast'", &Topology::Switch::multicast),
                   reduces_ = rule("reduces", "'reduces'", &Topology::Switch::reduces);
  const JsonSchema ruled_switch_{.kind = Kind::object,
                                 .what = "a switch",
                                 .fields = {{"name", &switch_name_},
                                            {"multicast", &multicast_, optional},
                                            {"reduces", &reduces_, optional}},
                                 .begin = [this] { document_.topology.switches.emplace_back(); }};
  const JsonSchema switch_{.kind = Kind::text,
                           .what = "the name of a switch",
                           .otherwise = &ruled_switch_,
                           .text = [this](std::string& text) {
                             document_.topology.switches.emplace_back();
                             name_switch(text);
                           }};
  const JsonSchema switches_{
      .kind = Kind::array, .what = "'switches'", .items = &switch_, .begin = [this] {
        document_.switches_location = here();
      }};
  const Schemas of_kind_ = parameters([this]() -> LinkParameters& { return kind_->second; });
  const JsonSchema kind_schema_{.kind = Kind::object,
                                .what = "a kind of links",
                                .fields = {{"capacity", &of_kind_.capacity, optional},
                                           {"latency", &of_kind_.latency, optional},
                                           {"bandwidth", &of_kind_.bandwidth, optional}}};
  const JsonSchema kinds_{.kind = Kind::map,
                          .what = "'kinds'",
                          .items = &kind_schema_,
                          .text = [this](std::string& text) { add_kind(text); },
                          .begin = [this] { later_field("kinds"); }};
  const JsonSchema from_ = end("'from'", &WrittenLink::from), to_ = end("'to'", &WrittenLink::to);
  const Schemas of_link_ =
      parameters([this]() -> LinkParameters& { return document_.links.back().own; });
  const JsonSchema link_kind_{
      .kind = Kind::text, .what = "'kind'", .text = [this](std::string& text) {
        later_field("kind");
        name_kind(text);
      }};
  const JsonSchema both_{
      .kind = Kind::boolean, .what = "'both'", .number = [this](std::uint64_t n) {
        later_field("both");
        document_.links.back().both = n != 0;
      }};
  const JsonSchema link_{.kind = Kind::object,
                         .what = "a link",
                         .fields = {{"from", &from_},
                                    {"to", &to_},
                                    {"capacity", &of_link_.capacity, optional},
                                    {"kind", &link_kind_, optional},
                                    {"latency", &of_link_.latency, optional},
                                    {"bandwidth", &of_link_.bandwidth, optional},
                                    {"both", &both_, optional}},
                         .begin = [this] { document_.links.push_back({.location = here()}); }};
  const JsonSchema links_{.kind = Kind::array, .what = "'links'", .items = &link_, .begin = [this] {
                            document_.links_location = here();
                          }};
  const JsonSchema topology_{.kind = Kind::object,
                             .what = "a topology",
                             .fields = {{"topology", &version_},
                                        {"ranks", &ranks_},
                                        {"links", &links_},
                                        {"name", &name_, optional},
                                        {"sources", &sources_, optional},
                                        {"ports", &ports_, optional},
                                        {"overheads", &overheads_, optional},
                                        {"shared", &shared_, optional},
                                        {"groups", &groups_, optional},
                                        {"kinds", &kinds_, optional},
                                        {"switches", &switches_, optional}}};
};

}  // namespace

}  // namespace topology_file

Topology parse_topology(std::string_view text, const std::string& file) {
  return topology_file::TopologyReader(text, file).read();
}

Topology read_topology(const std::string& path) {
  const InputText text = InputText::open(path);
  if (is_sccl(text.view())) return read_sccl_topology(text, path);
  return parse_topology(text.view(), path);
}

}  // namespace schedcc
