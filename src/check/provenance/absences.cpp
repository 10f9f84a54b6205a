// Causes of chunks that are missing.
//
// A sender without the chunk did not get it from a sender without the chunk, and so on back to the
// first: that one sends too early, or no transfer ever brings it the chunk. This is the cause of
// all later errors.

#include <algorithm>
#include <map>

#include "check/provenance/causes.hpp"

namespace schedcc::provenance {

namespace {

class Absences {
 public:
  Absences(const Replay& replay, std::span<const std::size_t> suspects, Budget& budget)
      : replay_(replay),
        transfers_(replay.history().transfers),
        budget_(budget),
        search_{budget.left / 16},
        run_(replay.run(0, {})),
        arrivals_(replay.places()),
        order_(suspects.begin(), suspects.end()) {
    for (std::size_t i = 0; i < transfers_.size(); ++i) {
      arrivals_[replay.dst(i)].push_back(i);
      order_.push_back(i);
    }
  }

  std::vector<Cause> find() {
    cause_of_.resize(transfers_.size());
    for (std::size_t i = 0; i < transfers_.size(); ++i) {  // earlier ones are done
      if (run_.carried(i).held) continue;
      cause_of_[i] = cause_at(replay_.src(i), transfers_[i].where.step);
      causes_[cause_of_[i]].failing.push_back(i);
    }
    for (std::size_t p = 0; p < replay_.places(); ++p) {
      if (!replay_.wanted(p) || run_.final(p).held) continue;
      causes_[cause_at(p, UINT64_MAX)].goals.push_back(replay_.node(p));
    }
    if (!replay_.reduced()) {
      for (Cause& cause : causes_) seek_misdirected(cause);
    }
    for (Cause& cause : causes_) {
      if (cause.kind == Cause::Kind::absent && !cause.transfer) note_last(cause);
    }
    return std::move(causes_);
  }

 private:
  /// Why does a node not hold the chunk at `time`?
  std::size_t cause_at(std::size_t place, std::uint64_t time) {
    std::optional<std::size_t> failed, later;
    for (const std::size_t i : arrivals_[place]) {
      const bool held = run_.carried(i).held;
      if (!held && transfers_[i].arrives <= time) failed = i;
      if (held && (!later || transfers_[i].arrives < transfers_[*later].arrives)) later = i;
    }
    if (failed) return cause_of_[*failed];
    const auto kind = later ? Cause::Kind::early : Cause::Kind::absent;
    const auto [known, added] = roots_.try_emplace({kind, place}, causes_.size());
    if (added) causes_.push_back({kind, replay_.node(place), later});
    return known->second;
  }

  /// A transfer that would repair something, and break nothing, if it went to where the chunk is
  /// missing.
  void seek_misdirected(Cause& cause) {
    if (cause.kind != Cause::Kind::absent) return;
    const std::size_t target = replay_.place(cause.node);
    std::size_t most = 0;
    for (const std::size_t i : order_) {
      if (replay_.dst(i) == target || replay_.src(i) == target || !run_.carried(i).held) continue;
      if (!search_.spend(replay_.size()) || !budget_.spend(replay_.size())) return;
      const Edit edit{i, Edit::Kind::redirect, target};
      const std::size_t repaired = repairs(replay_.run(0, {&edit, 1}));
      if (repaired <= most) continue;
      most = repaired;
      cause.transfer = i;
    }
  }

  /// How far the chunk comes.
  void note_last(Cause& cause) const {
    for (std::size_t i = 0; i < transfers_.size(); ++i) {
      if (!run_.carried(i).held) continue;
      if (!cause.last || transfers_[i].arrives >= transfers_[*cause.last].arrives) cause.last = i;
    }
    if (!cause.last) cause.contributors = replay_.problem().holders(replay_.history().chunk);
  }

  /// How many more transfers and ranks have the chunk; 0 if any has lost it.
  std::size_t repairs(const Replay::Run& run) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < transfers_.size(); ++i) {
      if (run_.carried(i).held && !run.carried(i).held) return 0;
      if (run.carried(i).held != run_.carried(i).held) ++count;
    }
    for (std::size_t p = 0; p < replay_.places(); ++p) {
      if (!replay_.wanted(p) || run.final(p).held == run_.final(p).held) continue;
      if (run_.final(p).held) return 0;
      ++count;
    }
    return count;
  }

  const Replay& replay_;
  const std::vector<ChunkTransfer>& transfers_;
  Budget& budget_;
  Budget search_;  ///< a part of it, for guesses
  Replay::Run run_;
  std::vector<std::vector<std::size_t>> arrivals_;  ///< the transfers to each place
  std::vector<std::size_t> order_;                  ///< in which transfers are tried
  std::vector<std::size_t> cause_of_;               ///< of the transfers that fail
  std::map<std::pair<Cause::Kind, std::size_t>, std::size_t> roots_;
  std::vector<Cause> causes_;
};

}  // namespace

std::vector<Cause> absences(const Replay& replay, std::span<const std::size_t> suspects,
                            Budget& budget) {
  return Absences(replay, suspects, budget).find();
}

}  // namespace schedcc::provenance
