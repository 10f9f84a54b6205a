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

/// A cell of memory: its last write, and the reads since, the last of each threadblock.
struct Cell {
  Event write = none;
  std::vector<Event> reads;
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
      open.push_back({e, e, at(step.src, i), AccessKind::read, AccessKind::write});
      return;
    }
  }

  bool before(Event first, const VectorClock& clock) const {
    return clock[wiring_.block_of(first) - first_] > wiring_.step_of(first);
  }

  /// Is `first` earlier in the threadblock of `e`, or known to be before it? If not, the pair is
  /// open.
  void order(Event first, AccessKind first_kind, Event e, AccessKind kind, Slot slot,
             const VectorClock& clock, std::vector<Race>& open) const {
    if (wiring_.block_of(first) == wiring_.block_of(e) || before(first, clock)) return;
    for (auto race = open.rbegin(); race != open.rend() && race->second == e; ++race) {
      if (race->first == first) return;
    }
    open.push_back({first, e, slot, first_kind, kind});
  }

  void read(Event e, Slot slot, std::uint32_t count, const VectorClock& clock,
            std::vector<Race>& open) {
    for (std::uint32_t i = 0; i < count; ++i) {
      Cell& cell = cells_[memory_.cell(slot, i)];
      if (cell.write != none)
        order(cell.write, AccessKind::write, e, AccessKind::read, at(slot, i), clock, open);
      const auto mine = std::ranges::find_if(
          cell.reads, [&](Event other) { return wiring_.block_of(other) == wiring_.block_of(e); });
      if (mine == cell.reads.end()) {
        cell.reads.push_back(e);
      } else {
        *mine = e;
      }
    }
  }

  void write(Event e, Slot slot, std::uint32_t count, const VectorClock& clock,
             std::vector<Race>& open) {
    for (std::uint32_t i = 0; i < count; ++i) {
      Cell& cell = cells_[memory_.cell(slot, i)];
      if (cell.write != none)
        order(cell.write, AccessKind::write, e, AccessKind::write, at(slot, i), clock, open);
      for (const Event other : cell.reads)
        order(other, AccessKind::read, e, AccessKind::write, at(slot, i), clock, open);
      cell.write = e;
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

/// The pairs that stay open with messages included, in the order of execution: clocks of the
/// threadblocks in which open pairs begin, at all threadblocks of the program.
std::vector<Race> resolve(const Wiring& wiring, const std::vector<Event>& order,
                          const std::vector<Race>& open, const std::vector<bool>& named) {
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  std::unordered_map<Event, std::vector<const Race*>> by_second;
  for (const Race& race : open) {
    places.try_emplace(wiring.block_of(race.first), static_cast<std::uint32_t>(places.size()));
    by_second[race.second].push_back(&race);
  }
  const VectorClock nothing(places.size());
  std::vector<VectorClock> clocks(wiring.blocks().size(), nothing);
  std::unordered_map<Event, VectorClock> done, sent;
  std::vector<Race> result;
  std::size_t settled = 0;
  for (const Event e : order) {
    const std::uint32_t b = wiring.block_of(e);
    VectorClock& clock = clocks[b];
    if (const Event first = wiring.awaited_by(e); first != none) {
      if (const auto found = done.find(first); found != done.end()) clock.join(found->second);
    }
    if (const Event sender = wiring.sender_of(e); sender != none) {
      if (const auto found = sent.find(sender); found != sent.end()) {
        clock.join(found->second);
        sent.erase(found);
      }
    }
    if (const auto found = by_second.find(e); found != by_second.end()) {
      for (const Race* race : found->second) {
        const std::uint32_t place = places.at(wiring.block_of(race->first));
        if (clock[place] <= wiring.step_of(race->first)) result.push_back(*race);
      }
      if (++settled == by_second.size()) break;
    }
    if (const auto mine = places.find(b); mine != places.end()) {
      clock.set(mine->second, wiring.step_of(e) + 1);
    }
    if (!VectorClock::compare(clock, nothing).greater) continue;
    if (named[e]) done.insert_or_assign(e, clock);
    if (wiring.receiver_of(e) != none) sent.insert_or_assign(e, clock);
  }
  return result;
}

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
    std::vector<Race> races = resolve(wiring, order, open, is_named);
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
