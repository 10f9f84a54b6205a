// On a grid of s long rows all rows do the same: the steps of a total exchange on a line
// (line_covers.cpp) of s times as many packets. Each of its packets stands for those to the row d
// rows further on, which change the row at their goal: at most one of each row arrives in a column
// in a step, and all move by d rows there. A column of up to three ranks carries that: if d is 1
// or, on three, 2, which is one back. The other packets, which stay in their columns, are sent
// when the ranks of the column neither send nor receive.
//
// Where columns are long, and rows short, packets change the column when they leave, since routes
// begin with the row.

#include "prove/sat/exchange/line_exchange.hpp"

#include <cstddef>
#include <utility>

#include "prove/sat/exchange/line_covers.hpp"
#include "prove/sat/question/packets.hpp"

namespace schedcc::prover {

namespace {

/// A grid as lines: along its rows, or along its columns.
struct Lines {
  std::uint64_t length, count;
  bool rows;

  Rank rank(std::uint64_t position, std::uint64_t line) const {
    return static_cast<Rank>(rows ? line * length + position : position * count + line);
  }
};

class LineExchange {
 public:
  LineExchange(const Packets& packets, const Lines& lines,
               std::vector<std::vector<std::vector<std::size_t>>> between)
      : packets_(packets),
        lines_(lines),
        between_(std::move(between)),
        each_(between_[0][1].size()) {}

  /// Packets of each pair of ranks.
  std::uint64_t each() const { return each_; }

  std::shared_ptr<const Schedule> schedule(const std::vector<LineStep>& steps) {
    std::vector<Transfers> made(steps.size());
    std::vector<std::vector<bool>> busy(lines_.length, std::vector<bool>(steps.size()));
    for (std::size_t t = 0; t < steps.size(); ++t) {
      for (const LineMessage& m : steps[t]) {
        busy[m.from][t] = busy[m.to][t] = true;
        for (std::uint64_t line = 0; line < lines_.count; ++line) add(m, line, made[t]);
      }
    }
    for (std::uint64_t v = 0; v < lines_.length; ++v) {
      if (!change_lines(v, busy[v], made)) return nullptr;
    }
    return schedule_of(made);
  }

 private:
  void send(Rank from, Rank to, std::size_t packet, Transfers& step) const {
    for (const Chunk c : packets_.chunks[packet]) step.push_back(copy(from, to, c));
  }
  /// The message of one line.
  void add(const LineMessage& m, std::uint64_t line, Transfers& step) const {
    const std::uint64_t goal = (line + m.packet / each_) % lines_.count;
    const bool changed = !lines_.rows || m.to == m.goal;
    const std::uint64_t before = lines_.rows || m.from == m.origin ? line : goal;
    const std::size_t packet =
        between_[lines_.rank(m.origin, line)][lines_.rank(m.goal, goal)][m.packet % each_];
    send(lines_.rank(m.from, before), lines_.rank(m.to, changed ? goal : line), packet, step);
  }
  /// Adds the messages between lines at a position; false if it has too few steps for them.
  bool change_lines(std::uint64_t position, const std::vector<bool>& busy,
                    std::vector<Transfers>& made) const {
    std::size_t t = 0;
    for (std::uint64_t i = each_; i < each_ * lines_.count; ++i, ++t) {
      while (t < busy.size() && busy[t]) ++t;
      if (t == busy.size()) return false;
      for (std::uint64_t line = 0; line < lines_.count; ++line) {
        const Rank from = lines_.rank(position, line),
                   to = lines_.rank(position, (line + i / each_) % lines_.count);
        send(from, to, between_[from][to][i % each_], made[t]);
      }
    }
    return true;
  }

  const Packets& packets_;
  Lines lines_;
  std::vector<std::vector<std::vector<std::size_t>>> between_;  ///< packets, by their ends
  std::uint64_t each_;
};

}  // namespace

std::shared_ptr<const Schedule> line_exchange(const Instance& instance,
                                              const std::vector<Delivery>& chunks,
                                              const RankRows& rows, std::uint64_t most) {
  constexpr std::uint64_t max_lines = 3;
  const std::uint64_t ranks = instance.ranks;
  if (!rows.grid || ranks < 2 || !takes_one_port(instance) || !has_single_goals(chunks)) {
    return nullptr;
  }
  const Lines lines = rows.columns >= rows.rows ? Lines{rows.columns, rows.rows, true}
                                                : Lines{rows.rows, rows.columns, false};
  if (lines.count > max_lines) return nullptr;
  const Packets all = packets(chunks, width(instance));
  std::vector<std::vector<std::vector<std::size_t>>> between(
      ranks, std::vector<std::vector<std::size_t>>(ranks));
  for (std::size_t p = 0; p < all.deliveries.size(); ++p) {
    const Delivery& packet = all.deliveries[p];
    if (!packet.goals.empty()) between[packet.sources[0]][packet.goals[0]].push_back(p);
  }
  for (Rank from = 0; from < ranks; ++from) {
    for (Rank to = 0; to < ranks; ++to) {
      if (from != to && between[from][to].size() != between[0][1].size()) return nullptr;
    }
  }
  LineExchange exchange(all, lines, std::move(between));
  const std::uint64_t each = exchange.each() * lines.count;
  if (each == 0 || line_steps(lines.length, rows.torus, each) >= most) return nullptr;
  const auto steps = exchange_on_line(lines.length, rows.torus, each);
  return steps.empty() ? nullptr : exchange.schedule(steps);
}

}  // namespace schedcc::prover
