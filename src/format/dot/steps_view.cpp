// view=steps is the space-time graph: a column for each rank, time downwards, an arrow for each
// message from its sender to its receiver, at which the chunks that arrived are listed.
//
// Two passes over the source: the first collects the times and the width of a column, the second
// draws step by step, and keeps only the messages under way.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "format/dot/node_positions.hpp"
#include "format/dot/writer.hpp"
#include "format/selection.hpp"
#include "model/runs.hpp"

namespace schedcc::dot {

namespace {

/// Okabe and Ito's colours without the yellow, then darker ones and lighter ones; an arrow has that
/// of its first chunk.
constexpr std::array<std::string_view, 21> chunk_colours{
    "#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00",
    "#5A5A5A", "#003F63", "#7D3700", "#005C43", "#8A3F66", "#1F6F9C", "#8F6300",
    "#A0A0A0", "#5B9BD5", "#F08A4B", "#5CC4A1", "#E3AFCB", "#94D2F2", "#F3C566"};

/// The number of colours to use in turn, such that chunks of one colour are far apart, also from
/// the last ones on to the first.
std::size_t colours_of(std::uint64_t chunks) {
  std::size_t result = chunk_colours.size(), furthest = chunks <= result ? result : 0;
  for (std::size_t colours = chunk_colours.size(); colours > furthest; --colours) {
    const std::size_t rest = chunks % colours, apart = rest == 0 ? colours : rest;
    if (apart > furthest) std::tie(result, furthest) = std::pair(colours, apart);
  }
  return result;
}

std::string chunk_list(std::span<const Run> runs) {
  std::string list;
  for (const Run& run : runs) {
    if (!list.empty()) list += ',';
    list += fmt::format("{}", run.first);
    if (run.count > 1) list += fmt::format("-{}", end(run) - 1);
  }
  return list;
}

/// The list if it is short, else the number of chunks.
std::string short_list(std::span<const Run> runs) {
  if (runs.size() <= 3) {
    std::string list = chunk_list(runs);
    if (list.size() <= 9) return list;
  }
  std::uint64_t chunks = 0;
  for (const Run& run : runs) chunks += run.count;
  return fmt::format("#{}", chunks);
}

/// The chunks that arrive at a rank at a time.
struct Arrival {
  std::vector<Run> runs;
  bool reduce = false;
  std::string label() const {
    return fmt::format("{}{}", reduce ? "+" : "", short_list(united(runs)));
  }
};

class StepsView : public View {
 public:
  StepsView(const Source& source, const EmitOptions& options, Text& out)
      : source_(shown_part(source, options)),
        shown_(selection_of(options.parameters, source).ranks),
        machine_(*options.machine),
        out_(out),
        P_(source.problem.ranks),
        nodes_(source.node_count()),
        tree_(source.hop_level() && shown_.last + 1 - shown_.first == nodes_
                  ? tree_positions(machine_, nodes_)
                  : std::vector<TreePosition>()),
        colours_(colours_of(source.problem.total_chunks())) {
    collect_times();
  }

  std::vector<std::string> legend() const override {
    std::vector<std::string> result{"an arrow for each message",
                                    "at its end the chunks that it brings"};
    if (!signs_.many.empty()) result.push_back(fmt::format("#{0}: {0} chunks", signs_.many));
    if (signs_.least < signs_.most) {
      result.push_back(fmt::format(
          "colours: the {}chunk{}", signs_.several ? "first " : "",
          signs_.most < colours_ ? "" : fmt::format(", the same again after {}", colours_)));
    }
    if (signs_.reduce) result.emplace_back("dashed, +: adds to what is there");
    add_nodes(result, source_.problem, shown_.first, shown_.last);
    return result;
  }

  void write() override {
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
  /// What occurs.
  struct LegendUse {
    std::string many;      ///< a number of chunks that stands for a list of them
    bool several = false;  ///< chunks in a message
    bool reduce = false;   ///< messages that reduce
    std::uint64_t least = UINT64_MAX, most = 0;  ///< first chunk of a message
  };
  struct Row {
    double y = 0;
    bool leaves = false;  ///< a step begins here
  };

  /// When the chunks of a message are held; a route takes a step for each of its links.
  std::uint64_t arrival(std::uint64_t step, Rank src, Rank dst) const {
    if (!machine_.routed() || source_.hop_level() || src == dst) return step + machine_.latency();
    std::vector<Rank> path;
    machine_.network()->route(src, dst, path);
    return step + path.size() - 1;
  }

  /// The first pass: the times, and the width of a column.
  void collect_times() {
    std::map<Event, Arrival> arrivals;
    std::size_t longest = 3;
    const auto measure = [&](std::uint64_t until) {
      std::erase_if(arrivals, [&](const auto& a) {
        if (a.first.first > until) return false;
        const std::string label = a.second.label();
        longest = std::max(longest, label.size());
        if (signs_.many.empty() && label.find('#') != std::string::npos)
          signs_.many = label.substr(label.find('#') + 1);
        return true;
      });
    };
    const auto stream = source_.open();
    for (Step step; stream->next(step);) {
      measure(step.number);
      for (const WrittenMessage& m : canonical(step)) {
        check_nodes(m.src, m.dst, nodes_);
        const std::uint64_t time = arrival(step.number, m.src, m.dst);
        rows_[step.number].leaves = true;
        rows_.try_emplace(time);
        add(arrivals[{time, m.dst}], m);
        note(m);
      }
    }
    measure(UINT64_MAX);
    box_ = {4 + 2.4 * static_cast<double>(longest), 7, true};
    place_rows();
  }

  void note(const WrittenMessage& m) {
    const std::uint64_t first = first_chunk(m.runs);
    signs_.least = std::min(signs_.least, first);
    signs_.most = std::max(signs_.most, first);
    signs_.several |= m.runs.size() > 1 || (m.runs.size() == 1 && m.runs.front().count > 1);
    signs_.reduce |= m.reduce;
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
        y -= machine_.timing() ? std::clamp(9 * gap, 16.0, 60.0) : gap > 1 ? 64 : 44;
      }
      row.y = y;
      before = time;
    }
    bottom_ = y - 26;
  }

  /// A tree's routers are between their subtrees, all others after the ranks.
  double column(std::uint64_t v) const {
    const double width = 2 * box_.x + 6;
    return tree_.empty() ? width * static_cast<double>(v - shown_.first)
                         : 2 * width * tree_[v].column;
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
    for (std::uint64_t v = shown_.first; v <= shown_.last; ++v) {
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

  /// LogP: the cycle, next to its row. Otherwise the step, between its two rows.
  void write_row_number(std::uint64_t time, const Row& row) {
    if (!machine_.timing() && !row.leaves) return;
    const double y = row.y - (machine_.timing() ? 0 : 22);
    out_.print(
        "  \"step {0}\" [label=\"{1} {0}\", shape=plain, style=\"\", fixedsize=false, "
        "fontsize=9, pos=\"{2}\"]\n",
        time, machine_.step_unit(), text({-box_.x - 32, y}));
  }

  /// Records later arrivals, and draws those up to `now`.
  void write_arrivals(std::uint64_t now) {
    for (const auto& [event, arrived] : arrivals_) {
      if (event.first > now) break;
      const std::vector<Run> runs = united(arrived.runs);
      out_.print("  \"{}@{}\" [label=\"{}\", color=\"{}\", tooltip=\"{}\", pos=\"{}\"]\n",
                 event.second, event.first, arrived.label(), colour(runs), chunk_list(runs),
                 text(place(event)));
    }
  }

  /// A point for a send without an arrival at the same time.
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
    // From below a box, or from a point, to above a box: no other box of the row hides its ends.
    const bool box = arrivals_.contains(from);
    add(arrivals_[to], m);
    const Point half{0, box_.y};
    const Arrow arrow(box ? place(from) - half : place(from), box ? Outline{0, 0} : Outline{2, 2},
                      place(to) + half, {0, 0}, {}, {}, 5);
    out_.print("  \"{}@{}\" -> \"{}@{}\" [color=\"{}\"{}, tooltip=\"{} -> {}: {}\", pos=\"{}\"]\n",
               m.src, step, m.dst, to.first, colour(m.runs), m.reduce ? ", style=dashed" : "",
               m.src, m.dst, chunk_list(m.runs), arrow.pos());
  }

  static std::uint64_t first_chunk(std::span<const Run> runs) {
    return runs.empty() ? 0 : runs.front().first;
  }
  std::string_view colour(std::span<const Run> runs) const {
    return chunk_colours[first_chunk(runs) % colours_];
  }

  Source source_;
  NumberInterval shown_;  ///< the nodes that have columns
  const Machine& machine_;
  Text& out_;
  std::uint64_t P_, nodes_;
  std::vector<TreePosition> tree_;     ///< at hop level, where the network is one
  std::map<std::uint64_t, Row> rows_;  ///< the times of sends and arrivals
  std::map<Event, Arrival> arrivals_;  ///< those not drawn yet, and those of the current step
  Outline box_{12, 7, true};
  std::size_t colours_;  ///< that are used
  LegendUse signs_;
  double bottom_ = 0;
};

}  // namespace

std::unique_ptr<View> steps_view(const Source& source, const EmitOptions& options, Text& out) {
  return std::make_unique<StepsView>(source, options, out);
}

}  // namespace schedcc::dot
