// view=graph is the communication graph in the manner of FT's figure 1: a node for each rank, an
// edge for each pair that ever communicates, labelled with the first step in which it does. Trees
// and similar graphs are laid out by Graphviz from the root down. Other graphs have cycles, for
// which Graphviz has no good layout; their ranks are placed on a circle. A fat tree with its
// routers is drawn as such.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "format/dot/graph.hpp"
#include "format/dot/layout.hpp"
#include "format/dot/node_positions.hpp"
#include "format/dot/writer.hpp"
#include "format/selection.hpp"
#include "machine/rank_rows.hpp"

namespace schedcc::dot {

namespace {

/// viridis without its yellow end, which is invisible on white.
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

/// Copies are solid, reductions dashed; an edge with both has two heads in a row, where it has
/// heads.
std::string_view style(const Edge& e, bool dense) {
  if (!e.reduces) return "";
  return e.copies && !dense ? ", style=dashed, arrowhead=normalnormal" : ", style=dashed";
}

class GraphView : public View {
 public:
  GraphView(const Source& source, const EmitOptions& options, Text& out)
      : problem_(source.problem),
        out_(out),
        graph_(
            graph_of(shown_part(source, options), selection_of(options.parameters, source).ranks)),
        tree_(graph_.hop_level ? tree_positions(*options.machine, graph_.nodes)
                               : std::vector<TreePosition>()),
        rows_(rank_rows(*options.machine, graph_.ranks)),
        dense_(graph_.dense()) {
    refuse_unreadable(options, graph_.edges.size(), 0);
    if (!tree_.empty() || grid() || !graph_.sparse()) return;
    if (const GraphMetrics metrics = metrics_of(graph_); layered(metrics)) layers_ = metrics;
  }

  std::vector<std::string> legend() const override {
    std::vector<std::string> result;
    if (!layers_ && dense_) {
      result.emplace_back("a line for each pair that communicates");
      if (draws([](const Line& l) { return !l.both; }))
        result.emplace_back("a head: only one of both sends");
    } else {
      result.emplace_back(
          "an arrow for each pair that communicates, with the step of its first use");
    }
    const auto differs = [&](const Line& l) {
      return l.step != line_of(graph_.edges.front())->step;
    };
    if (!layers_ && draws(differs)) {
      result.push_back(fmt::format("colours: {}, from purple (0) to green ({})",
                                   dense_ ? "the step of its first use" : "this step",
                                   graph_.last));
    }
    if (draws([](const Line& l) { return l.edge->reduces; }))
      result.emplace_back("dashed: adds to what is there");
    if (draws([&](const Line& l) { return l.edge->reduces && l.edge->copies; }))
      result.emplace_back(!layers_ && dense_ ? "or adds and copies"
                                             : "two heads in a row: also copies");
    if (!layers_ && !dense_ && draws([](const Line& l) { return l.both; }))
      result.emplace_back("heads at both ends: both ways in the same step");
    add_nodes(result, problem_, graph_.first, graph_.end - 1);
    return result;
  }

  void write() override {
    if (layers_) {
      write_layered(*layers_);
    } else {
      write_placed(!tree_.empty() ? "a fat tree" : grid() ? "a grid" : "a circle");
    }
  }

 private:
  /// What is drawn for an edge.
  struct Line {
    const Edge* edge;
    std::uint64_t step;  ///< of the first use
    bool both;           ///< for the edge of the opposite direction as well
    bool beside;         ///< that one has a line of its own
  };

  /// None if it is drawn with the edge of the opposite direction.
  std::optional<Line> line_of(const Edge& e) const {
    const Edge* back = layers_ ? nullptr : graph_.find(e.dst, e.src);
    if (back == nullptr) return Line{&e, e.first, false, false};
    const bool both =
        dense_ || (back->first == e.first && style(*back, dense_) == style(e, dense_));
    if (!both) return Line{&e, e.first, false, true};
    if (e.dst < e.src) return std::nullopt;
    return Line{&e, std::min(e.first, back->first), true, false};
  }

  /// Is a line drawn for which the predicate holds?
  template <typename Predicate>
  bool draws(Predicate holds) const {
    return std::ranges::any_of(graph_.edges, [&](const Edge& e) {
      const std::optional<Line> line = line_of(e);
      return line && holds(*line);
    });
  }

  bool grid() const { return rows_ && rows_->grid; }

  bool layered(const GraphMetrics& metrics) const {
    if (graph_.hop_level) return metrics.acyclic;
    return metrics.acyclic && metrics.depth <= 40 &&
           metrics.width <= std::max<std::size_t>(40, graph_.ranks / 2 + 1);
  }

  // Graphs laid out by Graphviz.
  void write_layered(const GraphMetrics& metrics) {
    const bool upwards = metrics.sinks < metrics.sources;
    out_.print("  graph [layout=dot, rankdir={}, ordering={}, nodesep=0.2, ranksep=0.3]\n",
               upwards ? "BT" : "TB", upwards ? "in" : "out");
    out_.put("  node [shape=circle, fixedsize=true, width=0.36, fontsize=11]\n");
    out_.put("  edge [arrowsize=0.6, fontsize=10, penwidth=1.1]\n");
    for (std::uint64_t v = graph_.first; v < graph_.end; ++v) write_node(v, std::nullopt);
    std::vector<Edge> by_time = graph_.edges;  // the order of a node's children
    std::ranges::stable_sort(by_time, {}, &Edge::first);
    const std::vector<bool> tree = tree_edges(by_time, upwards);
    for (std::size_t i = 0; i < by_time.size(); ++i) {
      const Edge& e = by_time[i];
      out_.print("  {} -> {} [label=\" {}\"{}{}]\n", e.src, e.dst, e.first, style(e, false),
                 tree[i] ? ", weight=8" : "");
    }
  }

  /// The edges by which each node is first reached (upwards: left), where it has several. They are
  /// kept short and straight.
  std::vector<bool> tree_edges(const std::vector<Edge>& edges, bool upwards) const {
    constexpr std::size_t none = SIZE_MAX;
    std::vector<std::size_t> best(graph_.nodes, none);
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

  // Graphs laid out by schedcc.
  void write_placed(std::string_view where) {
    out_.print("  // The nodes are set on {}; colours go from purple to green with the step.\n",
               where);
    out_.put("  graph [layout=nop2, outputorder=edgesfirst]\n");
    out_.print(
        "  node [shape=circle, fixedsize=true, width={0:.2f}, height={0:.2f}, fontsize=10]\n",
        2 * NodePositions::radius / 72);
    if (dense_) {
      out_.print("  // {} edges are too many for labels: thin lines, one for both directions.\n",
                 graph_.edges.size());
      out_.put("  edge [arrowsize=0.3, penwidth=0.4]\n");
    } else {
      out_.put("  edge [arrowsize=0.6, fontsize=9]\n");
    }
    const NodePositions places(graph_, tree_, grid() ? rows_->columns : 0);
    for (std::uint64_t v = graph_.first; v < graph_.end; ++v) write_node(v, places.place(v));
    for (const Edge& e : graph_.edges) write_placed_edge(e, places);
  }

  void write_node(std::uint64_t v, std::optional<Point> at) {
    std::string attributes = at ? fmt::format("pos=\"{}\"", text(*at)) : "";
    const auto add = [&](std::string_view more) {
      attributes += attributes.empty() ? "" : ", ";
      attributes += more;
    };
    if (problem_.rooted() && v == problem_.root) {
      add(fmt::format("style=filled, fillcolor=\"{}\", penwidth=2", root_colour));
    }
    if (v >= graph_.ranks) {
      add(fmt::format("shape=box, style=filled, fillcolor=\"{}\"", router_colour));
    }
    if (attributes.empty()) {
      out_.print("  {}\n", v);
    } else {
      out_.print("  {} [{}]\n", v, attributes);
    }
  }

  void write_placed_edge(const Edge& e, const NodePositions& places) {
    const std::optional<Line> line = line_of(e);
    if (!line) return;
    const std::string colour = time_colour(line->step, graph_.last);
    const Arrow arrow = places.curve(e, line->beside);
    const std::string pos = line->both ? arrow.pos(!dense_) : arrow.pos();
    const std::string_view dir = !line->both ? "" : dense_ ? ", dir=none" : ", dir=both";
    out_.print("  {} -> {} [", e.src, e.dst);
    if (!dense_) {
      const std::string label = fmt::format("{}", e.first);
      out_.print(R"(label="{}", fontcolor="{}", lp="{}", )", label, colour,
                 text(free_place(arrow, label.size())));
    }
    out_.print("color=\"{}\", pos=\"{}\"{}{}]\n", colour, pos, dir, style(e, dense_));
  }

  /// The position nearest to the arrow's head that has room for a label.
  Point free_place(const Arrow& arrow, std::size_t letters) {
    Point at;
    for (double before = 13; before < 90; before += 4) {
      at = arrow.label(before, letters);
      if (std::ranges::none_of(labels_, [&](Point p) { return length(at - p) < 11; })) break;
    }
    labels_.push_back(at);
    return at;
  }

  const Problem& problem_;
  Text& out_;
  Graph graph_;
  std::vector<TreePosition> tree_;      ///< at hop level, where the network is one
  std::optional<RankRows> rows_;        ///< of the machine's ranks
  bool dense_;                          ///< thin lines without labels, if placed by schedcc
  std::optional<GraphMetrics> layers_;  ///< if it is laid out by Graphviz
  std::vector<Point> labels_;
};

}  // namespace

std::unique_ptr<View> graph_view(const Source& source, const EmitOptions& options, Text& out) {
  return std::make_unique<GraphView>(source, options, out);
}

}  // namespace schedcc::dot
