#include "program/races.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/vector_clock.hpp"
#include "program/cell_table.hpp"

namespace schedcc::program {

namespace {

/// After this many races further GPUs are not searched.
constexpr std::size_t enough = 1000;
/// Pairs that begin in so many threadblocks are resolved at once: clocks of these are two pages.
constexpr std::size_t most_resolved = 64;

/// The events that others wait for.
std::vector<bool> named(const Wiring& wiring) {
  std::vector<bool> result(wiring.events());
  for (Event e = 0; e < wiring.events(); ++e) {
    if (const Event first = wiring.awaited_by(e); first != none) result[first] = true;
  }
  return result;
}

/// An access of an event to a chunk: which of its chunks that is.
struct Access {
  Event event = none;
  std::uint32_t index = 0;
};

/// A cell of memory: its last write, and the reads since, the last of each threadblock.
struct Cell {
  Access write;
  std::vector<Access> reads;
};

/// The events of one GPU.
class Local {
 public:
  Local(const Wiring& wiring, Rank gpu, Call call, const std::vector<bool>& named)
      : wiring_(wiring),
        memory_(wiring.program(), gpu, call),
        first_(wiring.first_block(gpu)),
        clocks_(wiring.first_block(gpu + 1) - first_,
                VectorClock(wiring.first_block(gpu + 1) - first_)),
        named_(named),
        cells_(memory_.size()) {}

  void pass(Event e, std::vector<Race>& open) {
    const std::uint32_t b = wiring_.block_of(e) - first_;
    VectorClock& clock = clocks_[b];
    if (const Event first = wiring_.awaited_by(e); first != none) clock.join(done_.at(first));
    overlap(e, open);
    access(e, clock, open);
    clock.set(b, wiring_.step_of(e) + 1);
    if (named_[e]) done_.insert_or_assign(e, clock);
  }

 private:
  void access(Event e, const VectorClock& clock, std::vector<Race>& open) {
    const Instruction& step = wiring_[e];
    const OpEffects effect = effects(step.op);
    if (effect.reads_src) read(e, step.src, step.count, clock, open);
    if (effect.reads_dst && !effect.writes_dst) read(e, step.dst, step.count, clock, open);
    if (effect.writes_dst) write(e, step.dst, step.count, clock, open);
  }

  /// Is a chunk that it reads the destination of another one? (If of the same one, it does not
  /// matter.)
  void overlap(Event e, std::vector<Race>& open) const {
    const Instruction& step = wiring_[e];
    const OpEffects effect = effects(step.op);
    if (!effect.reads_src || !effect.writes_dst || step.count < 2) return;
    std::unordered_map<std::uint64_t, std::uint32_t> written;
    for (std::uint32_t i = 0; i < step.count; ++i) written[memory_.cell(step.dst, i)] = i;
    for (std::uint32_t i = 0; i < step.count; ++i) {
      const auto found = written.find(memory_.cell(step.src, i));
      if (found == written.end() || found->second == i) continue;
      // It is not before itself, so it stays.
      open.push_back({e, e, true, at(step.src, i), AccessKind::read, AccessKind::write});
      return;
    }
  }

  bool before(Event first, const VectorClock& clock) const {
    return clock[wiring_.block_of(first) - first_] > wiring_.step_of(first);
  }

  /// Is `first` earlier in the threadblock of `second`, or known to be before it? If not, the pair
  /// is open.
  void order(const Access& first, AccessKind first_kind, const Access& second, AccessKind kind,
             Slot slot, const VectorClock& clock, std::vector<Race>& open) const {
    const Event e = second.event;
    if (wiring_.block_of(first.event) == wiring_.block_of(e) || before(first.event, clock)) return;
    const bool overtakes = first.index > second.index;
    const Race pair{first.event, e, overtakes, slot, first_kind, kind};
    for (auto race = open.rbegin(); race != open.rend() && race->second == e; ++race) {
      if (race->first != first.event) continue;
      if (overtakes && !race->overtakes) *race = pair;
      return;
    }
    open.push_back(pair);
  }

  void read(Event e, Slot slot, std::uint32_t count, const VectorClock& clock,
            std::vector<Race>& open) {
    for (std::uint32_t i = 0; i < count; ++i) {
      Cell& cell = cells_[memory_.cell(slot, i)];
      const Access access{e, i};
      if (cell.write.event != none)
        order(cell.write, AccessKind::write, access, AccessKind::read, at(slot, i), clock, open);
      const auto mine = std::ranges::find_if(cell.reads, [&](const Access& other) {
        return wiring_.block_of(other.event) == wiring_.block_of(e);
      });
      if (mine == cell.reads.end()) {
        cell.reads.push_back(access);
      } else {
        *mine = access;
      }
    }
  }

  void write(Event e, Slot slot, std::uint32_t count, const VectorClock& clock,
             std::vector<Race>& open) {
    for (std::uint32_t i = 0; i < count; ++i) {
      Cell& cell = cells_[memory_.cell(slot, i)];
      const Access access{e, i};
      if (cell.write.event != none)
        order(cell.write, AccessKind::write, access, AccessKind::write, at(slot, i), clock, open);
      for (const Access& other : cell.reads)
        order(other, AccessKind::read, access, AccessKind::write, at(slot, i), clock, open);
      cell.write = access;
      cell.reads.clear();
    }
  }

  static Slot at(Slot slot, std::uint32_t i) {
    return {slot.buffer, slot.offset + static_cast<std::int32_t>(i)};
  }

  const Wiring& wiring_;
  Memory memory_;
  std::uint32_t first_;
  std::vector<VectorClock> clocks_;  ///< by block, after its last event: the steps that are done
  std::unordered_map<Event, VectorClock> done_;  ///< after events that others wait for
  const std::vector<bool>& named_;
  CellTable<Cell> cells_;
};

/// What is before an event: all of it before all of the event, and, by messages alone, each chunk
/// before the same one of the event and those after it.
struct Before {
  VectorClock all, by_chunk;

  void join(const Before& other) {
    all.join(other.all);
    by_chunk.join(other.by_chunk);
  }
};

/// The pairs that stay open with messages included, in the order of execution: clocks of the
/// threadblocks in which open pairs begin, at all threadblocks of the program.
class Resolution {
 public:
  Resolution(const Wiring& wiring, const std::vector<Race>& open, const std::vector<bool>& named)
      : wiring_(wiring), named_(named) {
    for (const Race& race : open) {
      const std::uint32_t block = wiring.block_of(race.first);
      places_.try_emplace(block, static_cast<std::uint32_t>(places_.size()));
      by_second_[race.second].push_back(&race);
    }
    nothing_ = VectorClock(places_.size());
    clocks_.assign(wiring.blocks().size(), nothing_);
  }

  std::vector<Race> run(const std::vector<Event>& order) {
    for (const Event e : order) {
      pass(e);
      if (settled_ == by_second_.size()) break;
    }
    return std::move(result_);
  }

 private:
  void pass(Event e) {
    const std::uint32_t b = wiring_.block_of(e);
    VectorClock& clock = clocks_[b];
    if (const Event first = wiring_.awaited_by(e); first != none) {
      if (const auto found = done_.find(first); found != done_.end()) clock.join(found->second);
    }
    Before before{clock, clock};
    if (const Event sender = wiring_.sender_of(e); sender != none) {
      if (const auto found = sent_.find(sender); found != sent_.end()) {
        before.join(found->second);
        sent_.erase(found);
      }
    }
    settle(e, before);
    if (const auto mine = places_.find(b); mine != places_.end())
      before.by_chunk.set(mine->second, wiring_.step_of(e) + 1);
    clock = before.by_chunk;  // the next instruction begins when all chunks are done
    if (!VectorClock::compare(clock, nothing_).greater) return;
    if (named_[e]) done_.insert_or_assign(e, clock);
    if (wiring_.receiver_of(e) != none) sent_.insert_or_assign(e, std::move(before));
  }

  void settle(Event e, const Before& before) {
    const auto found = by_second_.find(e);
    if (found == by_second_.end()) return;
    for (const Race* race : found->second) {
      const std::uint32_t place = places_.at(wiring_.block_of(race->first));
      const VectorClock& clock = race->overtakes ? before.all : before.by_chunk;
      if (clock[place] <= wiring_.step_of(race->first)) result_.push_back(*race);
    }
    ++settled_;
  }

  const Wiring& wiring_;
  const std::vector<bool>& named_;
  std::unordered_map<std::uint32_t, std::uint32_t> places_;  ///< of blocks in clocks
  std::unordered_map<Event, std::vector<const Race*>> by_second_;
  VectorClock nothing_{0};
  std::vector<VectorClock> clocks_;              ///< by block, after its last event
  std::unordered_map<Event, VectorClock> done_;  ///< after events that others wait for
  std::unordered_map<Event, Before> sent_;       ///< by event whose message is under way
  std::vector<Race> result_;
  std::size_t settled_ = 0;
};

}  // namespace

Races find_races(const Wiring& wiring, const std::vector<Event>& order, Call call) {
  Races result;
  const std::vector<bool> is_named = named(wiring);
  const auto gpus = static_cast<Rank>(wiring.program().gpus.size());
  std::vector<std::vector<Event>> events(gpus);
  for (const Event e : order) events[wiring.owner(e).gpu].push_back(e);
  std::vector<Race> open;  // of some GPUs
  std::unordered_set<std::uint32_t> begun_in;
  const auto settle = [&] {
    const auto gpu_of = [&](const Race& race) { return wiring.owner(race.second).gpu; };
    std::vector<Race> races = Resolution(wiring, open, is_named).run(order);
    std::ranges::stable_sort(races, {}, gpu_of);
    for (const Race& race : races) {
      if (result.found.size() >= enough && gpu_of(race) != gpu_of(result.found.back())) break;
      result.found.push_back(race);
    }
    open.clear();
    begun_in.clear();
  };
  for (Rank gpu = 0; gpu < gpus; ++gpu) {
    if (wiring.first_block(gpu + 1) - wiring.first_block(gpu) > max_blocks) {
      result.decided = false;
      continue;
    }
    if (result.found.size() >= enough) continue;
    Local local(wiring, gpu, call, is_named);
    const std::size_t before = open.size();
    for (const Event e : events[gpu]) local.pass(e, open);
    for (std::size_t i = before; i < open.size(); ++i)
      begun_in.insert(wiring.block_of(open[i].first));
    if (begun_in.size() >= most_resolved) settle();
  }
  if (!open.empty()) settle();
  return result;
}

}  // namespace schedcc::program
