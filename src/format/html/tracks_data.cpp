#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "format/html/script_text.hpp"
#include "format/html/tracks.hpp"

namespace schedcc::html {

namespace {

using program::none;

class TracksWriter {
 public:
  TracksWriter(const Tracks& tracks, Text& out) : tracks_(tracks), out_(out) { find_times(); }

  void write(const Selection& selection, const Report* report) {
    const std::uint64_t gpus = tracks_.first_track.size() - 1;
    const auto track = [&](std::uint64_t gpu) {
      return std::uint64_t{tracks_.first_track[std::min(gpu, gpus)]};
    };
    out_.print(
        "\"ranks\": {0}, \"nodes\": {0}, \"chunks\": 0, \"root\": null, "
        "\"reduction\": false,\n",
        tracks_.tracks.size());
    const std::uint64_t first = track(selection.ranks.first);
    out_.print(R"("shown": {{"ranks": [{}, {}])", first,
               std::max(first + 1, track(selection.ranks.last + 1)) - 1);
    if (!selection.all_steps)
      out_.print(", \"steps\": [{}, {}]", selection.steps.first, selection.steps.last);
    out_.put("}, \"start\": [],\n");
    write_tracks();
    write_instructions();
    write_places(report);
    write_links();
  }

 private:
  struct Waits {
    explicit Waits(std::size_t nodes) : open(nodes), next(nodes) {}
    void add(std::uint32_t from, std::uint32_t to) {
      ++open[to];
      next[from].push_back(to);
    }
    std::vector<std::uint32_t> open;  ///< by node: the nodes that it waits for
    std::vector<std::vector<std::uint32_t>> next;
  };

  std::uint32_t number_on_track(std::uint32_t i) const {
    return i - tracks_.tracks[tracks_.instructions[i].track].first;
  }

  /// Nodes are instructions, and behind them barriers, which begin when all have come to them.
  void find_times() {
    const auto instructions = static_cast<std::uint32_t>(tracks_.instructions.size());
    const std::size_t nodes = instructions + tracks_.barriers.size();
    Waits waits(nodes);
    std::vector<std::uint32_t> begin_of(instructions);  // the node that waits for it
    for (std::uint32_t i = 0; i < instructions; ++i) begin_of[i] = i;
    times_.assign(nodes, 0);
    for (std::uint32_t b = 0; b < tracks_.barriers.size(); ++b) {
      for (const std::uint32_t i : tracks_.barriers[b]) {
        begin_of[i] = instructions + b;
        waits.add(instructions + b, i);
      }
    }
    for (std::uint32_t i = 0; i < instructions; ++i) {
      if (number_on_track(i) > 0) waits.add(i - 1, begin_of[i]);
    }
    for (const TrackLink& link : tracks_.links) {
      const std::uint32_t to = link.to.instruction;
      if (to == none) continue;
      if (link.from.instruction != none) waits.add(link.from.instruction, begin_of[to]);
      if (link.from.instruction == none) times_[begin_of[to]] = 1;  // what it reads is before it
    }
    follow(waits, instructions);
  }

  void follow(Waits& waits, std::uint32_t instructions) {
    std::vector<std::uint32_t> ready;
    for (std::uint32_t node = 0; node < times_.size(); ++node) {
      if (waits.open[node] == 0) ready.push_back(node);
    }
    std::vector<bool> timed(times_.size());
    for (std::size_t k = 0; k < ready.size(); ++k) {
      const std::uint32_t node = ready[k];
      timed[node] = true;
      end_ = std::max(end_, times_[node] + 1);
      const std::uint64_t done = times_[node] + (node < instructions ? 1 : 0);
      for (const std::uint32_t after : waits.next[node]) {
        times_[after] = std::max(times_[after], done);
        if (--waits.open[after] == 0) ready.push_back(after);
      }
    }
    for (std::uint32_t i = 0; i < instructions; ++i) {
      if (!timed[i]) times_[i] = end_ + number_on_track(i);
    }
  }

  /// Each track as [GPU, threadblock or null].
  void write_tracks() {
    std::string_view comma = "";
    out_.print(R"("noun": "{}", "tracks": [)", tracks_.noun);
    for (const Track& track : tracks_.tracks) {
      out_.print("{}[{},{}]", comma, track.gpu,
                 track.block == none ? "null" : std::to_string(track.block));
      comma = ", ";
    }
    out_.put("],\n");
  }

  /// Each instruction as [track, time, text, detail, line].
  void write_instructions() {
    std::string_view comma = "";
    out_.put("\"instructions\": [");
    for (std::uint32_t i = 0; i < tracks_.instructions.size(); ++i) {
      const TrackInstruction& instruction = tracks_.instructions[i];
      out_.print("{}[{},{},{},{},{}]", comma, instruction.track, times_[i],
                 script_string(instruction.text), script_string(instruction.detail),
                 instruction.line);
      comma = ",\n";
    }
    out_.put("],\n");
  }

  /// Where each finding is: a list of instructions; or of the GPU's first track, as [track].
  void write_places(const Report* report) {
    std::string_view comma = "";
    out_.put("\"places\": [");
    for (std::size_t i = 0; report != nullptr && i < report->findings.size(); ++i) {
      out_.print("{}[{}]", comma, places(report->findings[i]));
      comma = ",";
    }
    out_.put("],\n");
  }

  std::string places(const Finding& finding) const {
    if (!finding.rank || *finding.rank + 1 >= tracks_.first_track.size()) return "";
    if (!finding.threadblock) {
      const std::uint32_t first = tracks_.first_track[*finding.rank];
      return first < tracks_.first_track[*finding.rank + 1] ? fmt::format("[{}]", first) : "";
    }
    std::string result = place(*finding.rank, *finding.threadblock, finding.step.value_or(0));
    for (const InstructionLocation& other : finding.others) {
      const std::string more = place(other.rank, other.threadblock, other.step);
      if (!more.empty()) result += (result.empty() ? "" : ",") + more;
    }
    return result;
  }

  std::string place(std::uint64_t gpu, std::uint64_t block, std::uint64_t step) const {
    for (std::uint32_t t = tracks_.first_track[gpu]; t < tracks_.first_track[gpu + 1]; ++t) {
      if (tracks_.tracks[t].block != block) continue;
      const std::size_t end = t + std::size_t{1} < tracks_.tracks.size()
                                  ? tracks_.tracks[t + std::size_t{1}].first
                                  : tracks_.instructions.size();
      const std::uint64_t i = tracks_.tracks[t].first + step;
      return i < end ? std::to_string(i) : "";
    }
    return "";
  }

  /// Links as the transfers of the times at which they begin, each with its two instructions (null:
  /// memory); those of barriers are at one time.
  void write_links() {
    std::map<std::uint64_t, std::vector<std::string>> rows;
    for (const TrackLink& link : tracks_.links) add(rows, link);
    for (const auto& barrier : tracks_.barriers) {
      for (std::size_t k = 1; k < barrier.size(); ++k) {
        const std::uint32_t from = barrier[k - 1], to = barrier[k];
        rows[times_[from]].push_back(
            row(track_of(from), track_of(to), {}, 1, barrier_mode, times_[to], from, to));
      }
    }
    for (std::uint32_t i = 0; i < tracks_.instructions.size(); ++i) rows.try_emplace(times_[i]);
    std::string_view comma = "\n";
    out_.put("\"steps\": [");
    for (const auto& [time, transfers] : rows) {
      out_.print("{}[{},1,[", comma, time);
      std::string_view between = "";
      for (const std::string& transfer : transfers) {
        out_.put(between);
        out_.put(transfer);
        between = ",";
      }
      out_.put("]]");
      comma = ",\n";
    }
    out_.put("],\n");
  }

  static constexpr unsigned barrier_mode = 4;  ///< after the kinds of links

  std::uint32_t track_of(std::uint32_t i) const { return tracks_.instructions[i].track; }

  /// Access to memory takes the time between an instruction and the next or the previous one.
  void add(std::map<std::uint64_t, std::vector<std::string>>& rows, const TrackLink& link) const {
    const std::uint32_t from = link.from.instruction, to = link.to.instruction;
    const std::uint64_t begin = from == none ? times_[to] - 1 : times_[from];
    const std::uint64_t end = to == none ? begin + 1 : std::max(times_[to], begin + 1);
    rows[begin].push_back(row(link.from.track, link.to.track, link.slot, link.count,
                              static_cast<unsigned>(link.kind), end, from, to));
  }

  std::string row(std::uint32_t from_track, std::uint32_t to_track, const Slot& slot,
                  std::uint32_t count, unsigned mode, std::uint64_t end, std::uint32_t from,
                  std::uint32_t to) const {
    const auto number = [](std::uint32_t i) { return i == none ? "null" : std::to_string(i); };
    const std::uint32_t line = from == none ? 0 : tracks_.instructions[from].line;
    return fmt::format("[{},{},{},{},{},{},{},{},{}]", from_track, to_track,
                       std::max(slot.offset, 0), std::max(count, 1U), mode, line, end, number(from),
                       number(to));
  }

  const Tracks& tracks_;
  Text& out_;
  std::vector<std::uint64_t> times_;  ///< by node
  std::uint64_t end_ = 0;             ///< of all that are timed
};

}  // namespace

std::string chunks_text(BufferKind buffer, std::int64_t first, std::uint32_t count) {
  if (count <= 1) return fmt::format("{}[{}]", name(buffer), first);
  return fmt::format("{}[{}-{}]", name(buffer), first, first + count - 1);
}

void write_tracks(const Tracks& tracks, const Selection& selection, const Report* report,
                  Text& out) {
  TracksWriter(tracks, out).write(selection, report);
}

}  // namespace schedcc::html
