// Meshes and tori: ranks in rows and columns, duplex, wormhole-like: in its step a message takes
// its whole route, along the row of its source to the column of its destination, then along that
// column (x-y routing). On a torus it goes round the shorter way, upward on a tie.
//
// Every directed edge between neighbours carries at most `congestion` messages a step. Edge 4v + d
// leaves rank v to the right, to the left, down (to the next row) or up, for d = 0..3.
//
// Source: FT, section 4 ("Meshes").

#include <algorithm>

#include <fmt/core.h>

#include "machine/parameters.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

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

class Edges : public Channels {
 public:
  explicit Edges(const Mesh& mesh) : mesh_(mesh) {}

  void way(Rank src, Rank dst, std::vector<ChannelRun>& edges) const override {
    const std::uint64_t row = src / mesh_.columns, column = src % mesh_.columns;
    const std::uint64_t last_row = dst / mesh_.columns, last_column = dst % mesh_.columns;
    const Walk along = walk(column, last_column, mesh_.columns, mesh_.torus);
    append({4 * row * mesh_.columns + (along.upward ? 0 : 1), mesh_.columns, 4, !along.upward},
           column, along.edges, edges);
    const Walk down = walk(row, last_row, mesh_.rows, mesh_.torus);
    append({4 * last_column + (down.upward ? 2 : 3), mesh_.rows, 4 * mesh_.columns, !down.upward},
           row, down.edges, edges);
  }

  std::uint64_t capacity(std::uint64_t) const override { return mesh_.congestion; }

  std::string describe(std::uint64_t edge) const override {
    const std::uint64_t rank = edge / 4, d = edge % 4;
    const std::uint64_t row = rank / mesh_.columns, column = rank % mesh_.columns;
    const std::uint64_t to = d < 2 ? row * mesh_.columns + next(column, d == 0, mesh_.columns)
                                   : next(row, d == 2, mesh_.rows) * mesh_.columns + column;
    return fmt::format("the edge from rank {} to rank {}", rank, to);
  }

 private:
  /// Appends `count` edges of a line from its `begin`-th on; it goes on at its other end.
  static void append(const ChannelRun& line, std::uint64_t begin, std::uint64_t count,
                     std::vector<ChannelRun>& edges) {
    const auto part = [&](std::uint64_t first, std::uint64_t length) {
      if (length == 0) return;
      edges.push_back({line.first + first * line.stride, length, line.stride, line.downward});
    };
    const std::uint64_t here = std::min(count, line.downward ? begin + 1 : line.count - begin),
                        rest = count - here;
    part(line.downward ? begin + 1 - here : begin, here);
    part(line.downward ? line.count - rest : 0, rest);
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

Machine grid(const std::string& name, const Parameters& p, Rank ranks, bool torus) {
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
  Machine machine;
  machine.name = name;
  machine.spec = fmt::format("{}:{}x{},congestion={}{}", name, mesh.rows, mesh.columns,
                             p.text("congestion"), width_item(p));
  machine.ports = PortLimits{};
  machine.width = width(p);
  machine.mesh = mesh;
  machine.channels = std::make_shared<Edges>(mesh);
  return machine;
}

std::vector<Parameter> parameters() {
  return {{.name = "",
           .summary = "rows and columns, as in 8x16; without them nearly a square",
           .kind = Parameter::Kind::text},
          {.name = "congestion",
           .summary = "messages that a directed edge carries per step",
           .least = 1,
           .most = UINT32_MAX,
           .standard = "1"},
          width_parameter};
}

}  // namespace

extern const MachineEntry mesh_machine, torus_machine;

const MachineEntry mesh_machine{
    .name = "mesh",
    .summary = "duplex ranks in rows and columns; messages go along the row, then the column",
    .source = "FT, section 4",
    .parameters = parameters(),
    .make = [](const Parameters& p, Rank ranks) { return grid("mesh", p, ranks, false); },
};

const MachineEntry torus_machine{
    .name = "torus",
    .summary = "a mesh whose rows and columns are rings; messages go round the shorter way",
    .source = "FT, section 4",
    .parameters = parameters(),
    .make = [](const Parameters& p, Rank ranks) { return grid("torus", p, ranks, true); },
};

}  // namespace schedcc
