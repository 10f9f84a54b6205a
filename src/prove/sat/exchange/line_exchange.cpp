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
  LineExchange(const TotalExchange& exchange, const Lines& lines)
      : exchange_(exchange), lines_(lines) {}

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
  static void send(Rank from, Rank to, const std::vector<Chunk>& chunks, Transfers& step) {
    for (const Chunk c : chunks) step.push_back(copy(from, to, c));
  }
  /// The message of one line.
  void add(const LineMessage& m, std::uint64_t line, Transfers& step) const {
    const std::uint64_t goal = (line + m.packet / exchange_.each) % lines_.count;
    const bool changed = !lines_.rows || m.to == m.goal;
    const std::uint64_t before = lines_.rows || m.from == m.origin ? line : goal;
    send(lines_.rank(m.from, before), lines_.rank(m.to, changed ? goal : line),
         exchange_.chunks(lines_.rank(m.origin, line), lines_.rank(m.goal, goal),
                          m.packet % exchange_.each),
         step);
  }
  /// Adds the messages between lines at a position; false if it has too few steps for them.
  bool change_lines(std::uint64_t position, const std::vector<bool>& busy,
                    std::vector<Transfers>& made) const {
    std::size_t t = 0;
    for (std::uint64_t i = exchange_.each; i < exchange_.each * lines_.count; ++i, ++t) {
      while (t < busy.size() && busy[t]) ++t;
      if (t == busy.size()) return false;
      for (std::uint64_t line = 0; line < lines_.count; ++line) {
        const Rank from = lines_.rank(position, line),
                   to = lines_.rank(position, (line + i / exchange_.each) % lines_.count);
        send(from, to, exchange_.chunks(from, to, i % exchange_.each), made[t]);
      }
    }
    return true;
  }

  const TotalExchange& exchange_;
  Lines lines_;
};

}  // namespace

std::shared_ptr<const Schedule> line_exchange(const Instance& instance,
                                              const std::vector<Delivery>& chunks,
                                              const RankRows& rows, std::uint64_t most) {
  constexpr std::uint64_t max_lines = 3;
  if (!rows.grid) return nullptr;
  const Lines lines = rows.columns >= rows.rows ? Lines{rows.columns, rows.rows, true}
                                                : Lines{rows.rows, rows.columns, false};
  if (lines.count > max_lines) return nullptr;
  const auto exchange = total_exchange(instance, chunks);
  if (!exchange) return nullptr;
  const std::uint64_t each = exchange->each * lines.count;
  if (line_steps(lines.length, rows.torus, each) >= most) return nullptr;
  const auto steps = exchange_on_line(lines.length, rows.torus, each);
  return steps.empty() ? nullptr : LineExchange(*exchange, lines).schedule(steps);
}

}  // namespace schedcc::prover
