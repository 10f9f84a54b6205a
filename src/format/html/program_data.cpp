#include "format/html/program_data.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "format/html/script_text.hpp"
#include "format/limits.hpp"
#include "program/wiring.hpp"

namespace schedcc::html {

namespace {

using program::Event;
using program::none;

/// "rcs s[2] o[0] x 4".
std::string instruction_text(const Instruction& step) {
  std::string result(name(step.op));
  if (step.op == Op::nop) return result;
  if (step.src.offset >= 0) result += " " + to_text(step.src);
  if (step.dst.offset >= 0) result += " " + to_text(step.dst);
  if (step.count > 1) result += fmt::format(" x {}", step.count);
  return result;
}

class ProgramWriter {
 public:
  ProgramWriter(const Program& program, Text& out) : wiring_(program), out_(out) {
    if (wiring_.events() > most::page_transfers) {
      throw InputError(fmt::format("a page holds at most {} instructions, and the program has {}",
                                   most::page_transfers, wiring_.events()));
    }
    find_times();
  }

  void write(const Selection& selection, const Report* report) {
    const auto& blocks = wiring_.blocks();
    const auto gpus = static_cast<Rank>(wiring_.program().gpus.size());
    out_.print(
        "\"ranks\": {0}, \"nodes\": {0}, \"chunks\": 0, \"root\": null, "
        "\"reduction\": false,\n",
        blocks.size());
    const auto track = [&](std::uint64_t gpu) {
      return wiring_.first_block(static_cast<Rank>(std::min<std::uint64_t>(gpu, gpus)));
    };
    const std::uint64_t first = track(selection.ranks.first);
    out_.print(R"("shown": {{"ranks": [{}, {}])", first,
               std::max<std::uint64_t>(first + 1, track(selection.ranks.last + 1)) - 1);
    if (!selection.all_steps)
      out_.print(", \"steps\": [{}, {}]", selection.steps.first, selection.steps.last);
    out_.put("}, \"start\": [],\n");
    write_tracks();
    write_instructions();
    write_places(report);
    write_waits();
  }

 private:
  /// Calls `f` with the events that e waits for.
  template <typename F>
  void for_each_awaited(Event e, F f) const {
    if (e > wiring_.owner(e).first) f(e - 1);
    if (const Event awaited = wiring_.awaited_by(e); awaited != none) f(awaited);
    if (const Event sender = wiring_.sender_of(e); sender != none) f(sender);
  }

  /// The events in an order in which each follows those that it waits for.
  void find_times() {
    const auto events = static_cast<Event>(wiring_.events());
    std::vector<std::uint32_t> waits(events);
    std::vector<std::vector<Event>> next(events);
    std::vector<Event> ready;
    for (Event e = 0; e < events; ++e) {
      for_each_awaited(e, [&](Event before) {
        ++waits[e];
        next[before].push_back(e);
      });
      if (waits[e] == 0) ready.push_back(e);
    }
    times_.assign(events, 0);
    std::vector<bool> timed(events);
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const Event e = ready[i];
      timed[e] = true;
      end = std::max(end, times_[e] + 1);
      for (const Event after : next[e]) {
        times_[after] = std::max(times_[after], times_[e] + 1);
        if (--waits[after] == 0) ready.push_back(after);
      }
    }
    for (Event e = 0; e < events; ++e) {
      if (!timed[e]) times_[e] = end + wiring_.step_of(e);
    }
  }

  void write_tracks() {
    std::string_view comma = "";
    out_.put("\"tracks\": [");
    for (const program::Block& block : wiring_.blocks()) {
      out_.print("{}\"GPU {} tb {}\"", comma, block.gpu, block.index);
      comma = ", ";
    }
    out_.put("],\n");
  }

  /// Each instruction as [track, time, text, line].
  void write_instructions() {
    std::string_view comma = "";
    out_.put("\"instructions\": [");
    for (Event e = 0; e < wiring_.events(); ++e) {
      out_.print("{}[{},{},{},{}]", comma, wiring_.block_of(e), times_[e],
                 script_string(instruction_text(wiring_[e])), wiring_[e].line);
      comma = ",\n";
    }
    out_.put("],\n");
  }

  /// Where the findings are: [track, time], or null.
  void write_places(const Report* report) {
    std::string_view comma = "";
    out_.put("\"places\": [");
    for (std::size_t i = 0; report != nullptr && i < report->findings.size(); ++i) {
      const Event e = place(report->findings[i]);
      out_.print("{}{}", comma,
                 e == none ? "null" : fmt::format("[{},{}]", wiring_.block_of(e), times_[e]));
      comma = ",";
    }
    out_.put("],\n");
  }

  Event place(const Finding& finding) const {
    if (!finding.rank || !finding.threadblock || *finding.rank >= wiring_.program().gpus.size())
      return none;
    const auto gpu = static_cast<Rank>(*finding.rank);
    for (std::uint32_t b = wiring_.first_block(gpu); b < wiring_.first_block(gpu + 1); ++b) {
      const program::Block& block = wiring_.blocks()[b];
      const std::uint64_t step = finding.step.value_or(0);
      if (block.index == *finding.threadblock && step < block.block->steps.size())
        return block.first + static_cast<Event>(step);
    }
    return none;
  }

  /// Messages, and dependencies (mode 2), as the transfers of the times at which they begin, each
  /// with its two instructions.
  void write_waits() {
    std::map<std::uint64_t, std::vector<std::string>> rows;
    const auto add = [&](Event from, Event to, int mode) {
      const Slot& slot = wiring_[from].src;
      rows[times_[from]].push_back(
          fmt::format("[{},{},{},{},{},{},{},{},{}]", wiring_.block_of(from), wiring_.block_of(to),
                      std::max(slot.offset, 0), std::max(wiring_[from].count, 1U), mode,
                      wiring_[from].line, std::max(times_[to], times_[from] + 1), from, to));
    };
    for (Event e = 0; e < wiring_.events(); ++e) {
      const Op op = wiring_[e].op;
      const bool reduces = effects(op).receives && effects(op).reads_src;
      if (const Event from = wiring_.sender_of(e); from != none) add(from, e, reduces ? 1 : 0);
      if (const Event from = wiring_.awaited_by(e); from != none) add(from, e, 2);
      rows.try_emplace(times_[e]);
    }
    std::string_view comma = "\n";
    out_.put("\"steps\": [");
    for (const auto& [time, transfers] : rows) {
      out_.print("{}[{},1,[", comma, time);
      std::string_view between = "";
      for (const std::string& row : transfers) {
        out_.put(between);
        out_.put(row);
        between = ",";
      }
      out_.put("]]");
      comma = ",\n";
    }
    out_.put("],\n");
  }

  program::Wiring wiring_;
  Text& out_;
  std::vector<std::uint64_t> times_;  ///< by event
};

}  // namespace

void write_program(const Program& program, const Selection& selection, const Report* report,
                   Text& out) {
  ProgramWriter(program, out).write(selection, report);
}

}  // namespace schedcc::html
