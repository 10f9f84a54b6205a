// Meshes and tori: ranks in rows and columns, duplex unless `ports` says otherwise, wormhole-like:
// in its step a message takes its whole route, along the row of its source to the column of its
// destination, then along that column (x-y routing). On a torus it takes the shorter direction,
// upward on a tie.
//
// Every directed edge between neighbours carries at most `congestion` messages a step. Of N ranks,
// edge dN + v leaves rank v to the right (d = 0) or to the left (1), and those that leave it down
// (to the next row, d = 2) and up (3) are numbered likewise, column by column: so the edges of a
// walk follow one another.
//
// Source: FT, section 4 ("Meshes").

#include <algorithm>
#include <cstdint>
#include <optional>

#include <fmt/core.h>

#include "core/saturating.hpp"
#include "machine/entry.hpp"
#include "machine/link_graph.hpp"
#include "machine/mesh.hpp"
#include "machine/parameters.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// A walk along one dimension: the direction, and how many edges.
struct Walk {
  bool upward;
  std::uint64_t edges;
};

Walk walk(std::uint64_t from, std::uint64_t to, std::uint64_t length, bool torus) {
  if (!torus) return {to > from, to > from ? to - from : from - to};
  const std::uint64_t up = to >= from ? to - from : to + length - from;
  return up <= length - up ? Walk{true, up} : Walk{false, length - up};
}

class EdgeChannels : public LinkChannels {
 public:
  explicit EdgeChannels(const Mesh& mesh) : mesh_(mesh) {}

  void route(Rank src, Rank dst, std::vector<Run>& edges) const override {
    const std::uint64_t row = src / mesh_.columns, column = src % mesh_.columns;
    const std::uint64_t last_row = dst / mesh_.columns, last_column = dst % mesh_.columns;
    const Walk along = walk(column, last_column, mesh_.columns, mesh_.torus);
    add(along, along.upward ? 0 : 1, row * mesh_.columns, column, mesh_.columns, edges);
    const Walk down = walk(row, last_row, mesh_.rows, mesh_.torus);
    add(down, down.upward ? 2 : 3, last_column * mesh_.rows, row, mesh_.rows, edges);
  }

  std::uint64_t capacity(std::uint64_t) const override { return mesh_.congestion; }

  std::string describe(std::uint64_t edge) const override {
    const std::uint64_t d = edge / size(), place = edge % size();
    const std::uint64_t length = d < 2 ? mesh_.columns : mesh_.rows;
    const std::uint64_t line = place / length, from = place % length;
    const std::uint64_t to = next(from, d % 2 == 0, length);
    const auto rank = [&](std::uint64_t at) {
      return d < 2 ? line * mesh_.columns + at : at * mesh_.columns + line;
    };
    return fmt::format("the edge from rank {} to rank {}", rank(from), rank(to));
  }

  /// Through the middle, in either direction.
  std::vector<Cut> cuts() const override {
    const Saturating borders = Saturating(mesh_.congestion) * (mesh_.torus ? 2 : 1);
    const auto halved = [&](std::uint64_t length, std::uint64_t breadth) {
      return Cut{length / 2 * breadth, (length - length / 2) * breadth, (borders * breadth).value(),
                 "chunks that must cross the middle of the network"};
    };
    return {halved(mesh_.rows, mesh_.columns), halved(mesh_.columns, mesh_.rows)};
  }

  /// The edges that messages to neighbours take. In a ring of two ranks all messages go upward.
  std::optional<LinkGraph> graph() const override {
    LinkGraph result{static_cast<Rank>(size()), size(), {}};
    const std::uint64_t N = mesh_.columns;
    for (std::uint64_t v = 0; v < size(); ++v) {
      const auto line = [&](std::uint64_t at, std::uint64_t length, std::uint64_t stride) {
        const auto add = [&](std::uint64_t to) {
          result.links.push_back({static_cast<Rank>(v),
                                  static_cast<Rank>(v - at * stride + to * stride),
                                  mesh_.congestion});
        };
        if (at + 1 < length || (mesh_.torus && length > 2)) add(next(at, true, length));
        if (at > 0 || (mesh_.torus && length > 2)) add(next(at, false, length));
      };
      line(v % N, N, 1);
      line(v / N, mesh_.rows, N);
    }
    return result;
  }

 private:
  std::uint64_t size() const { return mesh_.rows * mesh_.columns; }

  /// The edges of a walk that begins at position `from` of a line of `length` ranks, which is a
  /// ring if the walk wraps around. `line` is the number of its first edge in this direction.
  void add(const Walk& walk, std::uint64_t direction, std::uint64_t line, std::uint64_t from,
           std::uint64_t length, std::vector<Run>& edges) const {
    if (walk.edges == 0) return;
    const std::uint64_t first = direction * size() + line;
    const std::uint64_t before_end = walk.upward ? length - from : from + 1;
    const std::uint64_t here = std::min(walk.edges, before_end), beyond = walk.edges - here;
    edges.push_back({first + (walk.upward ? from : from + 1 - here), here, !walk.upward});
    if (beyond > 0)
      edges.push_back({first + (walk.upward ? 0 : length - beyond), beyond, !walk.upward});
  }

  static std::uint64_t next(std::uint64_t at, bool upward, std::uint64_t length) {
    if (upward) return at + 1 == length ? 0 : at + 1;
    return at == 0 ? length - 1 : at - 1;
  }

  Mesh mesh_;
};

/// Reads "8x16" into the mesh.
void read_sides(const std::string& machine, const std::string& text, Mesh& mesh) {
  const std::size_t x = text.find('x');
  if (x == std::string::npos) {
    throw InputError(fmt::format("machine '{}': '{}' is not ROWSxCOLUMNS, as in {}:8x16", machine,
                                 text, machine));
  }
  mesh.rows =
      parse_number(text.substr(0, x), fmt::format("machine '{}', rows", machine), 1, UINT32_MAX);
  mesh.columns = parse_number(text.substr(x + 1), fmt::format("machine '{}', columns", machine), 1,
                              UINT32_MAX);
}

MachineRules grid(const std::string& name, const Parameters& p, Rank ranks, bool torus) {
  Mesh mesh;
  mesh.rows = near_square(ranks);
  mesh.columns = ranks / mesh.rows;
  if (p.has("")) read_sides(name, p.text(""), mesh);
  if (mesh.rows * mesh.columns != ranks) {
    throw InputError(fmt::format("machine '{}:{}x{}' has {} ranks, not {}", name, mesh.rows,
                                 mesh.columns, mesh.rows * mesh.columns, ranks));
  }
  mesh.torus = torus;
  mesh.congestion = p.integer("congestion");
  const auto ports = static_cast<std::uint32_t>(p.integer("ports"));
  return {
      .spec = fmt::format("{}:{}x{},congestion={}{}", name, mesh.rows, mesh.columns,
                          p.text("congestion"), ports == 1 ? "" : fmt::format(",ports={}", ports)),
      .ports = PortLimits{ports, ports, 2 * ports},
      .channels = std::make_shared<EdgeChannels>(mesh),
      .shape = mesh};
}

std::optional<std::uint64_t> stated_ranks(const std::string& name, const Parameters& p) {
  if (!p.has("")) return std::nullopt;
  Mesh mesh;
  read_sides(name, p.text(""), mesh);
  return mesh.rows * mesh.columns;
}

std::vector<Parameter> parameters() {
  return {{.name = "",
           .summary = "rows and columns, such as 8x16 (default: nearly a square)",
           .kind = Parameter::Kind::text},
          {.name = "congestion",
           .summary = "messages that a directed edge carries per step",
           .min = 1,
           .max = UINT32_MAX,
           .default_value = "1"},
          {.name = "ports",
           .summary = "messages that a rank may send in a step, and receive",
           .min = 1,
           .max = UINT32_MAX / 2,
           .default_value = "1"},
          width_parameter};
}

RankRows rows(const Machine& machine) {
  const Mesh& mesh = *machine.shape<Mesh>();
  return {mesh.rows, mesh.columns, true, mesh.torus};
}

}  // namespace

extern const MachineEntry mesh_machine, torus_machine;

const MachineEntry mesh_machine{
    .name = "mesh",
    .summary = "duplex ranks in rows and columns; messages go along the row, then the column",
    .source = "FT, section 4",
    .parameters = parameters(),
    .make = [](const Parameters& p, Rank ranks) { return grid("mesh", p, ranks, false); },
    .ranks = [](const Parameters& p) { return stated_ranks("mesh", p); },
    .rows = rows,
};

const MachineEntry torus_machine{
    .name = "torus",
    .summary = "a mesh whose rows and columns are rings; messages take the shorter direction",
    .source = "FT, section 4",
    .parameters = parameters(),
    .make = [](const Parameters& p, Rank ranks) { return grid("torus", p, ranks, true); },
    .ranks = [](const Parameters& p) { return stated_ranks("torus", p); },
    .rows = rows,
};

}  // namespace schedcc
