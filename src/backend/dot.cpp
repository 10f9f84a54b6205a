// Pictures of a schedule for Graphviz.
//
// view=graph is the communication graph in the manner of FT's figure 1: a node for each rank, an
// edge for each pair that ever communicates, labelled with the first step in which it does. Trees
// and what looks like one are laid out by Graphviz from the root down. Everything else has cycles,
// in which Graphviz finds no direction; its ranks are set on a circle. A fat tree with its routers
// is drawn as such.
//
// view=steps is the space-time graph: a column for each rank, time downwards, an arrow for each
// message from where it leaves to where its chunks are held, and what arrived written there.
//
// Positions that are known here are given to Graphviz as they are (layout=nop2), curves included:
// plain `dot -Tsvg` draws either view. Colours are from the palettes of Okabe and Ito and of
// viridis, which the colour-blind can tell apart.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "backend/text.hpp"
#include "ir/canonical.hpp"
#include "ir/runs.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

namespace schedcc {

namespace {

constexpr std::string_view root_colour = "#F0E442";
constexpr std::string_view router_colour = "#DDDDDD";

// Geometry, in points. ----------------------------------------------------------------------------

struct Point {
  double x = 0, y = 0;
};
Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
Point operator*(double s, Point a) { return {s * a.x, s * a.y}; }
double length(Point a) { return std::hypot(a.x, a.y); }
Point unit(Point a) { return length(a) > 0 ? (1 / length(a)) * a : Point{1, 0}; }
/// `a` turned to the right.
Point right_of(Point a) { return {a.y, -a.x}; }

std::string text(Point p) {
  const auto tenth = [](double v) { return std::round(10 * v) / 10 + 0.0; };  // no -0
  return fmt::format("{:.1f},{:.1f}", tenth(p.x), tenth(p.y));
}

/// The outline of a node: a circle, or a box.
struct Outline {
  double x, y;  ///< half of width and height
  bool box = false;

  /// How far it reaches from its centre in a direction.
  double reach(Point direction) const {
    if (!box) return x;
    const double across = std::abs(direction.x) > 0 ? x / std::abs(direction.x) : INFINITY;
    const double up = std::abs(direction.y) > 0 ? y / std::abs(direction.y) : INFINITY;
    return std::min(across, up);
  }
};

/// An arrow as a Bezier curve from outline to outline.
struct Arrow {
  Point start, c1, c2, base, tip;

  /// The control points are a third of the way from either end, moved by `shift1` and `shift2`.
  Arrow(Point from, Outline a, Point to, Outline b, Point shift1, Point shift2, double head) {
    const Point third = (1.0 / 3) * (to - from);
    c1 = from + third + shift1;
    c2 = to - third + shift2;
    start = from + a.reach(unit(c1 - from)) * unit(c1 - from);
    tip = to + b.reach(unit(c2 - to)) * unit(c2 - to);
    base = tip + head * unit(c2 - tip);
  }
  /// The place of a label of some letters: to the right of the curve, `before` points ahead of its
  /// tip or in its middle.
  Point label(double before, std::size_t letters) const {
    const double whole = length(tip - start);
    const double s = whole > 2 * before ? 1 - before / whole : 0.5, r = 1 - s;
    const Point on = r * r * r * start + 3 * r * r * s * c1 + 3 * r * s * s * c2 + s * s * s * tip;
    const Point aside = right_of(unit(tip - start));
    const double half_width = 2.9 * static_cast<double>(letters), half_height = 4;
    return on + (2 + half_width * std::abs(aside.x) + half_height * std::abs(aside.y)) * aside;
  }
  std::string pos() const {
    return fmt::format("e,{} {} {} {} {}", text(tip), text(start), text(c1), text(c2), text(base));
  }
  /// With a head at either end, or at none.
  std::string pos(bool heads) const {
    if (!heads) return fmt::format("{} {} {} {}", text(start), text(c1), text(c2), text(tip));
    const Point behind = start + length(base - tip) * unit(c1 - start);
    return fmt::format("s,{} e,{} {} {} {} {}", text(start), text(tip), text(behind), text(c1),
                       text(c2), text(base));
  }
};

// The communication graph. ------------------------------------------------------------------------

struct Edge {
  Rank src, dst;
  std::uint64_t first;  ///< the first step that uses it
  bool copies, reduces;
};

bool same_pair(const Edge& a, const Edge& b) { return a.src == b.src && a.dst == b.dst; }
bool pair_before(const Edge& a, const Edge& b) {
  return std::pair(a.src, a.dst) < std::pair(b.src, b.dst);
}

/// Joins the uses of each pair. They come in the order of time.
void join_uses(std::vector<Edge>& uses) {
  std::ranges::stable_sort(uses, pair_before);
  std::size_t kept = 0;
  for (const Edge& use : uses) {
    if (kept > 0 && same_pair(uses[kept - 1], use)) {
      uses[kept - 1].copies |= use.copies;
      uses[kept - 1].reduces |= use.reduces;
    } else {
      uses[kept++] = use;
    }
  }
  uses.resize(kept);
}

/// The edges by source and destination; never many more in memory than there are.
std::vector<Edge> edges_of(const Source& source) {
  std::vector<Edge> edges;
  std::size_t limit = 1024;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    for (const Transfer& t : step.transfers) {
      if (edges.size() == limit) {
        join_uses(edges);
        limit = std::max<std::size_t>(limit, 2 * edges.size());
      }
      edges.push_back({t.src, t.dst, step.number, t.reduce == 0, t.reduce != 0});
    }
  }
  join_uses(edges);
  return edges;
}

/// The shape of a graph that decides how it is drawn.
struct Shape {
  bool acyclic = false;
  std::size_t depth = 0;  ///< nodes on its longest path
  std::size_t width = 0;  ///< the most nodes that are equally far from the sources
  std::size_t sources = 0, sinks = 0;
};

/// By taking away nodes without incoming edges.
Shape shape_of(const std::vector<Edge>& edges, std::size_t nodes) {
  std::vector<std::size_t> in(nodes), out(nodes), level(nodes), ready;
  for (const Edge& e : edges) ++in[e.dst], ++out[e.src];
  Shape shape;
  for (std::size_t v = 0; v < nodes; ++v) {
    if (in[v] == 0) ready.push_back(v);
    shape.sources += in[v] == 0 && out[v] > 0;
    shape.sinks += out[v] == 0 && in[v] > 0;
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const auto from = std::ranges::lower_bound(edges, ready[i], {}, &Edge::src);
    for (auto e = from; e != edges.end() && e->src == ready[i]; ++e) {
      level[e->dst] = std::max(level[e->dst], level[e->src] + 1);
      if (--in[e->dst] == 0) ready.push_back(e->dst);
    }
  }
  shape.acyclic = ready.size() == nodes;
  std::map<std::size_t, std::size_t> widths;
  for (const std::size_t l : level) ++widths[l];
  shape.depth = widths.size();
  for (const auto& [l, width] : widths) shape.width = std::max(shape.width, width);
  return shape;
}

/// viridis without its yellow end, which is lost on white paper.
std::string time_colour(std::uint64_t step, std::uint64_t last) {
  struct Colour {
    double r, g, b;
  };
  constexpr std::array<Colour, 5> ramp{
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {53, 183, 121}, {122, 190, 60}}};
  const double at = last == 0 ? 0 : 4 * static_cast<double>(step) / static_cast<double>(last);
  const auto i = std::min<std::size_t>(3, static_cast<std::size_t>(at));
  const double f = at - static_cast<double>(i);
  const auto mix = [f](double a, double b) {
    return static_cast<int>(std::lround(a + f * (b - a)));
  };
  return fmt::format("#{:02X}{:02X}{:02X}", mix(ramp[i].r, ramp[i + 1].r),
                     mix(ramp[i].g, ramp[i + 1].g), mix(ramp[i].b, ramp[i + 1].b));
}

/// Copies are solid, reductions dashed; an edge that does both has two heads in a row.
std::string_view style(const Edge& e) {
  if (!e.reduces) return "";
  return e.copies ? ", style=dashed, arrowhead=normalnormal" : ", style=dashed";
}

class GraphView {
 public:
  GraphView(const Source& source, const EmitOptions& options, Text& out)
      : source_(source),
        options_(options),
        out_(out),
        P_(source.problem.ranks),
        nodes_(std::max<std::uint64_t>(source.nodes, P_)),
        edges_(edges_of(source)) {
    for (const Edge& e : edges_) {
      last_ = std::max(last_, e.first);
      if (std::max(e.src, e.dst) >= nodes_) {
        throw InputError(
            fmt::format("a graph of {} nodes has no node {}", nodes_, std::max(e.src, e.dst)));
      }
    }
  }

  void write() {
    if (source_.hop_level() && options_.machine.name == "fattree" && nodes_ == 2 * P_ - 1) {
      write_placed("a fat tree");
    } else if (const Shape shape = sparse() ? shape_of(edges_, nodes_) : Shape{}; layered(shape)) {
      write_layered(shape);
    } else {
      write_placed("a circle");
    }
  }

 private:
  static constexpr std::size_t labelled_edges = 400;
  static constexpr double radius = 11;

  bool sparse() const { return nodes_ <= 100'000 && edges_.size() <= 2 * nodes_; }
  bool dense() const { return edges_.size() > labelled_edges; }
  bool layered(const Shape& shape) const {
    if (source_.hop_level()) return shape.acyclic;
    return shape.acyclic && shape.depth <= 40 &&
           shape.width <= std::max<std::size_t>(40, P_ / 2 + 1);
  }

  // What Graphviz lays out.
  void write_layered(const Shape& shape) {
    const bool upwards = shape.sinks < shape.sources;
    out_.print("  graph [layout=dot, rankdir={}, ordering={}, nodesep=0.2, ranksep=0.3]\n",
               upwards ? "BT" : "TB", upwards ? "in" : "out");
    out_.put("  node [shape=circle, fixedsize=true, width=0.36, fontsize=11]\n");
    out_.put("  edge [arrowsize=0.6, fontsize=10, penwidth=1.1]\n");
    for (std::uint64_t v = 0; v < nodes_; ++v) write_node(v, std::nullopt);
    std::vector<Edge> by_time = edges_;  // the order of a node's children
    std::ranges::stable_sort(by_time, {}, &Edge::first);
    const std::vector<bool> tree = tree_edges(by_time, upwards);
    for (std::size_t i = 0; i < by_time.size(); ++i) {
      const Edge& e = by_time[i];
      out_.print("  {} -> {} [label=\" {}\"{}{}]\n", e.src, e.dst, e.first, style(e),
                 tree[i] ? ", weight=8" : "");
    }
  }

  /// The edges by which each node is first reached (upwards: left), where it has several. They are
  /// kept short and straight.
  std::vector<bool> tree_edges(const std::vector<Edge>& edges, bool upwards) const {
    constexpr std::size_t none = SIZE_MAX;
    std::vector<std::size_t> best(nodes_, none);
    bool several = false;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      std::size_t& b = best[upwards ? edges[i].src : edges[i].dst];
      several |= b != none;
      if (b == none || edges[i].first < edges[b].first) b = i;
    }
    std::vector<bool> tree(edges.size());
    for (const std::size_t b : best) {
      if (several && b != none) tree[b] = true;
    }
    return tree;
  }

  // What is laid out here.
  void write_placed(std::string_view where) {
    out_.print("  // The nodes are set on {}; colours go from purple to green with the step.\n",
               where);
    out_.put("  graph [layout=nop2, outputorder=edgesfirst]\n");
    out_.print(
        "  node [shape=circle, fixedsize=true, width={0:.2f}, height={0:.2f}, fontsize=10]\n",
        2 * radius / 72);
    if (dense()) {
      out_.print("  // {} edges are too many for labels: thin lines, one for both directions.\n",
                 edges_.size());
      out_.put("  edge [arrowsize=0.3, penwidth=0.4]\n");
    } else {
      out_.put("  edge [arrowsize=0.6, fontsize=9]\n");
    }
    hub_ = find_hub();
    for (std::uint64_t v = 0; v < nodes_; ++v) write_node(v, place(v));
    for (const Edge& e : edges_) write_placed_edge(e);
  }

  void write_node(std::uint64_t v, std::optional<Point> at) {
    std::string attributes = at ? fmt::format("pos=\"{}\"", text(*at)) : "";
    const auto add = [&](std::string_view more) {
      attributes += attributes.empty() ? "" : ", ";
      attributes += more;
    };
    if (source_.problem.rooted() && v == source_.problem.root) {
      add(fmt::format("style=filled, fillcolor=\"{}\", penwidth=2", root_colour));
    }
    if (v >= P_) add(fmt::format("shape=box, style=filled, fillcolor=\"{}\"", router_colour));
    if (attributes.empty()) {
      out_.print("  {}\n", v);
    } else {
      out_.print("  {} [{}]\n", v, attributes);
    }
  }

  const Edge* find(Rank src, Rank dst) const {
    const Edge key{src, dst, 0, false, false};
    const auto at = std::ranges::lower_bound(edges_, key, pair_before);
    return at != edges_.end() && same_pair(*at, key) ? &*at : nullptr;
  }

  void write_placed_edge(const Edge& e) {
    const Edge* back = find(e.dst, e.src);
    const bool alike = back && (dense() || (back->first == e.first && style(*back) == style(e)));
    if (alike && e.dst < e.src) return;  // one line for both directions
    const std::string colour = time_colour(e.first, last_);
    const Arrow arrow = curve(e, back && !alike);
    const std::string pos = alike ? arrow.pos(!dense()) : arrow.pos();
    const std::string_view dir = !alike ? "" : dense() ? ", dir=none" : ", dir=both";
    out_.print("  {} -> {} [", e.src, e.dst);
    if (!dense()) {
      const std::string label = fmt::format("{}", e.first);
      out_.print(R"(label="{}", fontcolor="{}", lp="{}", )", label, colour,
                 text(free_place(arrow, label.size())));
    }
    out_.print("color=\"{}\", pos=\"{}\"{}{}]\n", colour, pos, dir, style(e));
  }

  /// The place nearest to the arrow's head where a label has room.
  Point free_place(const Arrow& arrow, std::size_t letters) {
    Point at;
    for (double before = 13; before < 90; before += 4) {
      at = arrow.label(before, letters);
      if (std::ranges::none_of(labels_, [&](Point p) { return length(at - p) < 11; })) break;
    }
    labels_.push_back(at);
    return at;
  }

  /// Two directions keep to the right of each other; on the circle, an edge that passes over others
  /// is drawn towards the centre, the more the farther it goes.
  Arrow curve(const Edge& e, bool keep_right) const {
    const Outline a = outline(e.src), b = outline(e.dst);
    const Point from = place(e.src), to = place(e.dst);
    const double head = dense() ? 0 : 6, far = length(to - from);
    const Point side = (keep_right ? std::min(0.12 * far, 9.0) : 0) * right_of(unit(to - from));
    if (source_.hop_level() || dense() || hub_) return {from, a, to, b, side, side, head};
    const std::uint64_t d = e.src < e.dst ? e.dst - e.src : e.src - e.dst;
    const auto steps = static_cast<double>(std::min(d, nodes_ - d));
    const double inward = std::min(28 * std::log2(steps), 0.4 * length(from));
    return {from, a, to, b, side - inward * unit(from), side - inward * unit(to), head};
  }

  Outline outline(std::uint64_t v) const { return {radius, radius, v >= P_}; }

  /// A rank that more than half of the others communicate with stands in the centre.
  std::optional<Rank> find_hub() const {
    if (source_.hop_level() || P_ < 6 || !sparse()) return std::nullopt;
    std::vector<std::size_t> degree(P_);
    for (const Edge& e : edges_) ++degree[e.src], ++degree[e.dst];
    const auto most = std::ranges::max_element(degree);
    const bool star = *most > P_ / 2 && edges_.size() < P_ + P_ / 2;
    return star ? std::optional(static_cast<Rank>(most - degree.begin())) : std::nullopt;
  }

  Point place(std::uint64_t v) const {
    if (source_.hop_level() && nodes_ == 2 * P_ - 1) return fat_tree_place(v);
    if (hub_ && v == *hub_) return {0, 0};
    const auto on_circle = static_cast<double>(nodes_ - (hub_ ? 1 : 0));
    const double per_node = static_cast<double>(edges_.size()) / on_circle;
    const double distance = dense() ? 38 : 38 + std::clamp(6 * per_node - 6, 0.0, 24.0);
    const double around =
        std::max(100 + 12 * std::min(per_node, 8.0), on_circle * distance / (2 * std::numbers::pi));
    const auto index = static_cast<double>(hub_ && v > *hub_ ? v - 1 : v);
    const double angle = 2 * std::numbers::pi * index / on_circle;
    return {around * std::sin(angle), around * std::cos(angle)};
  }

  /// Router i of level l stands above the middle of the leaves i * 2^l .. (i + 1) * 2^l - 1.
  Point fat_tree_place(std::uint64_t v) const {
    double y = 0, reach = 1;
    std::uint64_t begin = 0;
    for (std::uint64_t count = P_; v >= begin + count; count /= 2) {
      begin += count;
      reach *= 2;
      y += 62 + 2.5 * reach;
    }
    return {32 * ((static_cast<double>(v - begin) + 0.5) * reach - 0.5), y};
  }

  const Source& source_;
  const EmitOptions& options_;
  Text& out_;
  std::uint64_t P_, nodes_;
  std::vector<Edge> edges_;
  std::uint64_t last_ = 0;
  std::optional<Rank> hub_;
  std::vector<Point> labels_;
};

// The space-time graph. ---------------------------------------------------------------------------

/// Okabe and Ito's colours without the yellow; an arrow has that of its first chunk.
constexpr std::array<std::string_view, 7> chunk_colours{"#000000", "#0072B2", "#D55E00", "#009E73",
                                                        "#CC79A7", "#56B4E9", "#E69F00"};

std::string chunk_list(std::span<const Run> runs) {
  std::string list;
  for (const Run& run : runs) {
    if (!list.empty()) list += ',';
    list += fmt::format("{}", run.first);
    if (run.count > 1) list += fmt::format("-{}", end(run) - 1);
  }
  return list;
}

/// The list where it is short, else the number of chunks.
std::string short_list(std::span<const Run> runs) {
  if (runs.size() <= 3) {
    std::string list = chunk_list(runs);
    if (list.size() <= 9) return list;
  }
  std::uint64_t chunks = 0;
  for (const Run& run : runs) chunks += run.count;
  return fmt::format("#{}", chunks);
}

/// What a rank holds anew at a time.
struct Arrival {
  std::vector<Run> runs;
  bool reduce = false;
  std::string label() const {
    return fmt::format("{}{}", reduce ? "+" : "", short_list(merged(runs, true)));
  }
};

class StepsView {
 public:
  StepsView(const Source& source, const EmitOptions& options, Text& out)
      : source_(source),
        machine_(options.machine),
        out_(out),
        P_(source.problem.ranks),
        nodes_(std::max<std::uint64_t>(source.nodes, P_)) {}

  void write() {
    survey();
    write_frame();
    const auto stream = source_.open();
    for (Step step; stream->next(step);) {
      write_arrivals(step.number);
      write_departures(step);
      for (const WrittenMessage& m : canonical(step)) write_message(step.number, m);
      std::erase_if(arrivals_, [&](const auto& a) { return a.first.first <= step.number; });
    }
    write_arrivals(UINT64_MAX);
  }

 private:
  using Event = std::pair<std::uint64_t, Rank>;  ///< a time and a node
  struct Row {
    double y = 0;
    bool leaves = false;  ///< a step begins here
  };

  /// When the chunks of a message are held; a route takes a step for each of its links.
  std::uint64_t arrival(std::uint64_t step, Rank src, Rank dst) const {
    if (!machine_.routed() || source_.hop_level() || src == dst) return step + machine_.latency();
    std::vector<Rank> path;
    machine_.network->route(src, dst, path);
    return step + path.size() - 1;
  }

  /// The first pass: which times there are, and how wide a column must be.
  void survey() {
    std::map<Event, Arrival> arrivals;
    std::size_t longest = 3;
    const auto measure = [&](std::uint64_t until) {
      std::erase_if(arrivals, [&](const auto& a) {
        if (a.first.first > until) return false;
        longest = std::max(longest, a.second.label().size());
        return true;
      });
    };
    const auto stream = source_.open();
    for (Step step; stream->next(step);) {
      measure(step.number);
      for (const WrittenMessage& m : canonical(step)) {
        if (std::max(m.src, m.dst) >= nodes_) {
          throw InputError(
              fmt::format("a graph of {} nodes has no node {}", nodes_, std::max(m.src, m.dst)));
        }
        const std::uint64_t time = arrival(step.number, m.src, m.dst);
        rows_[step.number].leaves = true;
        rows_.try_emplace(time);
        add(arrivals[{time, m.dst}], m);
      }
    }
    measure(UINT64_MAX);
    box_ = {4 + 2.4 * static_cast<double>(longest), 7, true};
    place_rows();
  }

  static void add(Arrival& arrival, const WrittenMessage& m) {
    arrival.runs.insert(arrival.runs.end(), m.runs.begin(), m.runs.end());
    arrival.reduce |= m.reduce;
  }

  /// Time goes down; long pauses are cut short.
  void place_rows() {
    double y = -30;
    std::optional<std::uint64_t> before;
    for (auto& [time, row] : rows_) {
      if (before) {
        const auto gap = static_cast<double>(time - *before);
        y -= machine_.logp ? std::clamp(9 * gap, 16.0, 60.0) : gap > 1 ? 64 : 44;
      }
      row.y = y;
      before = time;
    }
    bottom_ = y - 26;
  }

  /// A fat tree's routers stand between their subtrees, all others after the ranks.
  double column(std::uint64_t v) const {
    const double width = 2 * box_.x + 6;
    if (!source_.hop_level() || machine_.name != "fattree") return width * static_cast<double>(v);
    std::uint64_t begin = 0, reach = 1;
    for (std::uint64_t count = P_; v >= begin + count; count /= 2) {
      begin += count;
      reach *= 2;
    }
    return 2 * width * ((static_cast<double>(v - begin) + 0.5) * static_cast<double>(reach) - 0.5);
  }
  Point place(Event e) const { return {column(e.second), rows_.at(e.first).y}; }

  /// The columns with their heads, and the numbers of the rows.
  void write_frame() {
    out_.put(
        "  // Placed here; a rank's column has its number above and below. \"#9\" is 9 chunks.\n");
    out_.put("  graph [layout=nop2, outputorder=edgesfirst]\n");
    out_.print(
        "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fixedsize=true, "
        "width={:.3f}, height={:.3f}, fontsize=8]\n",
        box_.x / 36, box_.y / 36);
    out_.put("  edge [arrowsize=0.5, penwidth=0.9]\n");
    for (std::uint64_t v = 0; v < nodes_; ++v) {
      const Point top{column(v), 0}, bottom{column(v), bottom_};
      write_head(v, "top", top);
      write_head(v, "bottom", bottom);
      out_.print(
          "  \"{0} top\" -> \"{0} bottom\" [dir=none, color=\"#CCCCCC\", pos=\"{1} {1} {2} "
          "{2}\"]\n",
          v, text(top), text(bottom));
    }
    for (const auto& [time, row] : rows_) write_row_number(time, row);
  }

  void write_head(std::uint64_t v, std::string_view where, Point at) {
    const bool root = source_.problem.rooted() && v == source_.problem.root;
    out_.print(
        "  \"{0} {1}\" [label=\"{0}\", shape={2}, width=0.3, height=0.3, fontsize=10, "
        "fillcolor=\"{3}\", style=filled, pos=\"{4}\"]\n",
        v, where, v < P_ ? "circle" : "box",
        root     ? root_colour
        : v < P_ ? "#FFFFFF"
                 : router_colour,
        text(at));
  }

  /// LogP: the cycle, beside its row. Otherwise the step, between its two rows.
  void write_row_number(std::uint64_t time, const Row& row) {
    if (!machine_.logp && !row.leaves) return;
    const double y = row.y - (machine_.logp ? 0 : 22);
    out_.print(
        "  \"step {0}\" [label=\"{1} {0}\", shape=plain, style=\"\", fixedsize=false, "
        "fontsize=9, pos=\"{2}\"]\n",
        time, machine_.logp ? "cycle" : "step", text({-box_.x - 32, y}));
  }

  /// Notes what arrives later, and draws what has arrived until `now`.
  void write_arrivals(std::uint64_t now) {
    for (const auto& [event, arrived] : arrivals_) {
      if (event.first > now) break;
      const std::vector<Run> runs = merged(arrived.runs, true);
      out_.print("  \"{}@{}\" [label=\"{}\", color=\"{}\", tooltip=\"{}\", pos=\"{}\"]\n",
                 event.second, event.first, arrived.label(), colour(runs), chunk_list(runs),
                 text(place(event)));
    }
  }

  /// A point where something leaves and nothing has just arrived.
  void write_departures(const Step& step) {
    std::set<Rank> sources;
    for (const Transfer& t : step.transfers) sources.insert(t.src);
    for (const Rank src : sources) {
      const Event event{step.number, src};
      if (arrivals_.contains(event)) continue;
      out_.print(
          "  \"{}@{}\" [shape=point, width=0.06, height=0.06, fillcolor=black, pos=\"{}\"]\n", src,
          step.number, text(place(event)));
    }
  }

  void write_message(std::uint64_t step, const WrittenMessage& m) {
    const Event from{step, m.src}, to{arrival(step, m.src, m.dst), m.dst};
    const Outline start = arrivals_.contains(from) ? box_ : Outline{2, 2};
    add(arrivals_[to], m);
    const Arrow arrow(place(from), start, place(to), box_, {}, {}, 5);
    out_.print("  \"{}@{}\" -> \"{}@{}\" [color=\"{}\"{}, tooltip=\"{} -> {}: {}\", pos=\"{}\"]\n",
               m.src, step, m.dst, to.first, colour(m.runs), m.reduce ? ", style=dashed" : "",
               m.src, m.dst, chunk_list(m.runs), arrow.pos());
  }

  static std::string_view colour(std::span<const Run> runs) {
    return chunk_colours[(runs.empty() ? 0 : runs.front().first) % chunk_colours.size()];
  }

  const Source& source_;
  const Machine& machine_;
  Text& out_;
  std::uint64_t P_, nodes_;
  std::map<std::uint64_t, Row> rows_;  ///< the times at which something leaves or arrives
  std::map<Event, Arrival> arrivals_;  ///< those not drawn yet, and those of the present step
  Outline box_{12, 7, true};
  double bottom_ = 0;
};

// -------------------------------------------------------------------------------------------------

std::string title(const Source& source, const EmitOptions& options) {
  return fmt::format("{}: {}; {}", source.name, describe(source.problem), options.machine.spec);
}

void write_dot(const Source& source, const EmitOptions& options, Output& output) {
  const std::string& view = options.parameters.text("view");
  if (view != "graph" && view != "steps") {
    throw InputError(fmt::format("format 'dot': view is graph or steps, not '{}'", view));
  }
  const bool graph = view == "graph";
  Text out(output);
  out.print("// {}\n// Made by schedcc {} with\n//   {}\n", comment(title(source, options)),
            SCHEDCC_VERSION, comment(options.command));
  out.put(graph ? "// An edge is labelled with the step of its first use; steps count from 0. "
                  "Reductions are dashed.\n"
                : "// An arrow ends where its chunks are held; their numbers stand there. "
                  "Reductions are dashed, and have a +.\n");
  out.print("digraph {} {{\n", quoted(options.stem.empty() ? "schedule" : options.stem));
  out.print("  graph [label={}, labelloc=t, fontsize=14, fontname=\"Helvetica\"]\n",
            quoted(title(source, options)));
  out.put("  node [fontname=\"Helvetica\"]\n  edge [fontname=\"Helvetica\"]\n");
  if (graph) {
    GraphView(source, options, out).write();
  } else {
    StepsView(source, options, out).write();
  }
  out.put("}\n");
  out.flush();
}

}  // namespace

extern const Format dot_format;
const Format dot_format{
    .name = "dot",
    .summary = "a picture for Graphviz: the communication graph, or the space-time graph",
    .extensions = {".dot", ".gv"},
    .parameters = {{.name = "view",
                    .summary =
                        "graph: edges with the step of their first use; steps: ranks by steps",
                    .kind = Parameter::Kind::text,
                    .standard = "graph"}},
    .write = write_dot,
};

}  // namespace schedcc
