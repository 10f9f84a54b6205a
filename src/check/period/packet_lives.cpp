#include "check/period/packet_lives.hpp"

#include <algorithm>

#include "analysis/abandoned.hpp"

namespace schedcc {

namespace {

/// The largest sum of the first changes, modulo 2^64.
std::uint64_t largest_sum(const std::vector<std::uint64_t>& changes) {
  std::uint64_t result = 0, now = 0;
  for (const std::uint64_t change : changes) result = std::max(result, now += change);
  return result;
}

}  // namespace

void PacketLives::follow(const Transfer& t, std::uint64_t place, std::uint64_t time) {
  const bool exists = t.src < ranks_ && t.dst < ranks_;
  if (!exists || t.count != 1 || t.reduce != 0 || t.dst == root_ || time > UINT8_MAX)
    throw Abandoned();
  const std::uint64_t from = t.src * (q_ + 1) + place, to = t.dst * (q_ + 1) + place;
  const bool held = t.src == root_ || (arrived_[from] != 0 && arrived_[from] < time);
  if (!held || arrived_[to] != 0) throw Abandoned();
  left_[from] = arrived_[to] = static_cast<std::uint8_t>(time);
  ++arrivals_;
}

std::uint64_t PacketLives::last_arrival(std::uint64_t place) const {
  std::uint64_t last = 0;
  for (std::uint64_t rank = 0; rank < ranks_; ++rank)
    last = std::max<std::uint64_t>(last, arrived_[rank * (q_ + 1) + place]);
  return last;
}

std::uint64_t PacketLives::longest_queue() const {
  std::uint64_t longest = 0;
  std::vector<std::uint64_t> changes;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    longest =
        std::max({longest, longest_without_last(rank, changes), longest_with_last(rank, changes)});
  }
  return longest;
}

/// By time modulo q.
std::uint64_t PacketLives::longest_without_last(Rank rank,
                                                std::vector<std::uint64_t>& changes) const {
  std::uint64_t always = 0;
  changes.assign(q_ + 1, 0);
  for (std::uint64_t place = 0; place < q_; ++place) {
    const Stay kept = stay(rank, place);
    if (kept.empty()) continue;
    always += (kept.end - kept.begin) / q_;
    const std::uint64_t begin = kept.begin % q_, end = kept.end % q_;
    ++changes[begin];
    --changes[end];
    changes[0] += end < begin ? 1 : 0;
  }
  return always + largest_sum(changes);
}

/// While it keeps packet m: by rows from there on.
std::uint64_t PacketLives::longest_with_last(Rank rank, std::vector<std::uint64_t>& changes) const {
  const Stay last = stay(rank, q_);
  if (last.empty()) return 0;
  changes.assign(last.end - last.begin, 0);
  const auto count = [&](const Stay& kept) {  // by time from m on
    const std::uint64_t begin = std::max(kept.begin, last.begin);
    const std::uint64_t end = std::min(kept.end, last.end);
    if (end <= begin) return;
    ++changes[begin - last.begin];
    if (end < last.end) --changes[end - last.begin];
  };
  count(last);
  for (std::uint64_t place = 0; place < q_; ++place) {
    const Stay first = stay(rank, place);
    for (std::uint64_t f = generations(place); f-- > 0 && !first.empty();) {
      const std::uint64_t begin = first.begin + f * q_, end = first.end + f * q_;
      if (end <= m_ + last.begin) break;
      count({std::max(begin, m_) - m_, end - m_});
    }
  }
  return largest_sum(changes);
}

std::uint64_t PacketLives::longest_joint_queue() const {
  constexpr std::size_t times = UINT8_MAX + 1;
  std::vector<std::uint64_t> by_place((q_ + 1) * times);
  for (Rank rank = 0; rank < ranks_; ++rank) {
    for (std::uint64_t place = 0; place <= q_; ++place) {
      const Stay kept = stay(rank, place);
      if (kept.empty()) continue;
      ++by_place[place * times + kept.begin];
      --by_place[place * times + kept.end];
    }
  }
  std::vector<std::uint64_t> changes(m_ + q_ + times);
  for (std::uint64_t place = 0; place <= q_; ++place) {
    const bool last = place == q_;
    const std::uint64_t packets = last ? 1 : generations(place);
    for (std::uint64_t f = 0; f < packets; ++f) {
      const std::uint64_t from = last ? m_ : f * q_;
      for (std::size_t t = 0; t < times; ++t) changes[from + t] += by_place[place * times + t];
    }
  }
  return largest_sum(changes);
}

}  // namespace schedcc
