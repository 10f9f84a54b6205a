// Whoever has a chunk that starts at one rank alone has it, through others, from one message of
// that rank. With k ports the ranks that have it from a message in one step of T, before which t
// steps are over, become at most (k+1)^(T-t-1) by the end: those that receive from none of them are
// counted with another message. So a chunk with n goals needs messages of its source whose powers
// of k + 1 sum up to n, and the source sends no more than its ports admit in each step, for all its
// chunks. (Nine ranks, k = 4, three chunks in two steps: the source sends four messages worth 5 and
// four worth 1. One chunk can have two of the former; the two others lack 3 each, six together.)
// Counting all messages overlooks that: what most ranks hold cannot help the other chunks.
//
// Whether they suffice is decided greedily, from the most valuable messages on. Let w be the value
// of a message. A chunk that lacks x takes floor(x/w) of them in full; what is left is the rest x
// mod w. Messages go to chunks that take them in full as long as there are some, whichever; then to
// the largest rests, each of which one message covers.
//
// This misses no solution. Later messages are worth divisors of w, so some of them that are worth w
// or more together, from the most valuable on, sum up to w at some point. Let a solution have
// another chunk d that could take a message in full, but has lesser messages in its place: some of
// these are worth exactly w, and change places with a message of value w, wherever that is. After
// that, let a message cover the rest of one chunk, while lesser ones cover a larger rest of
// another: they change places as well.

#include "prove/sat/bounds/source_sends.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace schedcc::prover {

namespace {

/// The goals that the chunks of a source still lack.
class Lacking {
 public:
  explicit Lacking(std::vector<std::uint64_t> rests) : rests_(std::move(rests)) {}

  bool none() const { return full_ == 0 && rests_.empty(); }

  /// Messages of one value, which divides that of those before, if there were any.
  void cover(Saturating value, std::uint64_t messages) {
    split(value.value());
    const std::uint64_t taken = std::min(full_.value(), messages);
    full_ = remaining(full_, taken);
    // Rests in descending order: each of the messages that are left covers one.
    std::ranges::sort(rests_, std::greater{});
    const auto covered = std::min<std::uint64_t>(messages - taken, rests_.size());
    rests_.erase(rests_.begin(), rests_.begin() + static_cast<std::ptrdiff_t>(covered));
  }

 private:
  /// Counts full messages of this value.
  void split(std::uint64_t value) {
    full_ *= value_ / value;
    value_ = value;
    for (std::uint64_t& rest : rests_) {
      full_ += rest / value;
      rest %= value;
    }
    std::erase(rests_, 0);
  }

  std::vector<std::uint64_t> rests_;  ///< of the chunks: less than the value of a message
  Saturating full_ = 0;               ///< messages of this value that chunks take in full
  std::uint64_t value_ = 1;
};

/// What messages are worth: in the last step, the one before, and so on, up to one that covers a
/// chunk with `most` goals.
std::vector<std::uint64_t> message_values(const Instance& instance, std::uint64_t most) {
  std::vector<std::uint64_t> values;
  const std::uint64_t growth = std::uint64_t{instance.ports->send} + 1;
  for (Saturating value = 1; values.size() < instance.steps; value *= growth) {
    values.push_back(value.value());
    if (value >= most) break;
  }
  return values;
}

bool can_spread(const Instance& instance, Rank source, const std::vector<std::uint64_t>& goals) {
  const auto values = message_values(instance, std::ranges::max(goals));
  Lacking lacking(goals);
  const Saturating messages = instance.sendable(source, 1);  // of a step
  for (std::size_t i = values.size(); i-- > 0;) {
    // Those of earlier steps cover a chunk, too.
    const bool first = i + 1 == values.size();
    lacking.cover(values[i], (messages * (first ? instance.steps - i : 1)).value());
  }
  return lacking.none();
}

}  // namespace

std::vector<Rank> overtaxed_sources(const Instance& instance, const std::vector<Delivery>& chunks) {
  std::map<Rank, std::vector<std::uint64_t>> goals;  // of the chunks of each source
  for (const Delivery& chunk : chunks) {
    if (chunk.sources.size() == 1 && !chunk.goals.empty()) {
      goals[chunk.sources.front()].push_back(chunk.goals.size());
    }
  }
  std::vector<Rank> result;
  for (const auto& [source, numbers] : goals) {
    if (!can_spread(instance, source, numbers)) result.push_back(source);
  }
  return result;
}

}  // namespace schedcc::prover
