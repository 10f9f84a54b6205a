#include "check/symmetry/message_images.hpp"

#include <algorithm>

#include "model/runs.hpp"

namespace schedcc {

namespace {

bool same_message(const Transfer& a, const Transfer& b) {
  return a.src == b.src && a.dst == b.dst && a.reduce == b.reduce;
}

Run run_of(const Transfer& t) { return {t.first, t.count}; }

/// Are the runs of all messages in ascending order, and not adjacent?
bool in_order(std::span<const std::span<const Transfer>> messages) {
  return std::ranges::all_of(messages, [](const auto& message) {
    const auto touches = [](const Transfer& a, const Transfer& b) {
      return b.first <= schedcc::end(run_of(a));
    };
    return std::ranges::adjacent_find(message, touches) == message.end();
  });
}

/// Compares runs that are made in ascending order, adjacent ones joined, with those of a message.
class Expected {
 public:
  explicit Expected(std::span<const Transfer> message) : message_(message) {}

  /// Chunks begin..end-1, perhaps none.
  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin == end) return;
    if (begin != end_) {
      close();
      begin_ = begin;
    }
    end_ = end;
  }
  /// Have all runs been as expected?
  bool close() {
    if (begin_ < end_) {
      same_ = same_ && next_ < message_.size() && message_[next_].first == begin_ &&
              message_[next_].count == end_ - begin_;
      ++next_;
    }
    begin_ = end_;
    return same_;
  }
  bool is_complete() { return close() && next_ == message_.size(); }

 private:
  std::span<const Transfer> message_;
  std::size_t next_ = 0;
  std::uint64_t begin_ = 0, end_ = 0;
  bool same_ = true;
};

}  // namespace

void MessageImages::divide(std::span<const Transfer> transfers) {
  messages_.clear();
  for (std::size_t begin = 0; begin < transfers.size();) {
    std::size_t end = begin + 1;
    while (end < transfers.size() && same_message(transfers[end], transfers[begin])) ++end;
    messages_.push_back(transfers.subspan(begin, end - begin));
    begin = end;
  }
}

/// Puts the runs of each message in ascending order, and joins adjacent ones. False if it has a
/// chunk twice, or a run that is empty or too long for a transfer.
bool MessageImages::put_in_order(std::span<const Transfer> transfers) {
  ordered_.assign(transfers.begin(), transfers.end());
  std::size_t size = 0;
  for (const Message& message : messages_) {
    const auto begin = static_cast<std::size_t>(message.data() - transfers.data());
    const std::span runs(ordered_.data() + begin, message.size());
    std::ranges::sort(runs, {}, &Transfer::first);
    const std::size_t first = size;
    for (const Transfer& t : runs) {
      if (t.count == 0) return false;
      const std::uint64_t end = size == first ? 0 : schedcc::end(run_of(ordered_[size - 1]));
      if (size == first || t.first > end) {
        ordered_[size++] = t;
        continue;
      }
      const std::uint64_t joined = std::uint64_t{ordered_[size - 1].count} + t.count;
      if (t.first < end || joined > max_transfer_count) return false;
      ordered_[size - 1].count = joined & max_transfer_count;
    }
  }
  ordered_.resize(size);
  divide(ordered_);
  return true;
}

/// The chunks of a ring.
std::uint64_t MessageImages::ring_size() const {
  return symmetry_.coordinates() == 2 ? std::uint64_t{symmetry_.ranks()} * symmetry_.block()
                                      : symmetry_.chunks();
}

/// False if it has no image, or runs over many rings: these would be more blocks than a step has
/// transfers.
bool MessageImages::set_seed(const Message& message) {
  const Rank P = symmetry_.ranks();
  const std::uint64_t size = ring_size();
  seed_ = message;
  rings_.clear();
  if (message.front().src >= P || message.front().dst >= P) return false;
  for (const Transfer& t : message) {
    if (t.count == 0 || schedcc::end(run_of(t)) > symmetry_.chunks()) return false;
    for (std::uint64_t c = t.first; c < schedcc::end(run_of(t));) {
      const std::uint64_t ring = c / size;
      const std::uint64_t until = std::min((ring + 1) * size, schedcc::end(run_of(t)));
      if (rings_.empty() || rings_.back().number != ring) rings_.push_back({ring, {}});
      rings_.back().runs.push_back(
          {static_cast<Chunk>(c - ring * size), static_cast<std::uint32_t>(until - c)});
      if (rings_.size() > 2 * message.size()) return false;
      c = until;
    }
  }
  return true;
}

bool MessageImages::is_image(const Message& message, Rank by) const {
  const Transfer& first = message.front();
  if (first.src != symmetry_.rename(by, seed_.front().src) ||
      first.dst != symmetry_.rename(by, seed_.front().dst) || first.reduce != seed_.front().reduce)
    return false;
  Expected expected(message);
  const std::uint64_t P = symmetry_.ranks();
  const bool pairs = symmetry_.coordinates() == 2;
  const std::uint64_t size = ring_size();
  const std::uint64_t shift =
      symmetry_.coordinates() == 0 ? 0 : std::uint64_t{by} * symmetry_.block();
  // Within a ring chunks from `cut` on begin again from 0.
  const std::uint64_t cut = size - shift;
  const auto add_ring = [&](const Ring& ring, std::uint64_t number) {
    const std::uint64_t base = number * size;
    const auto wraps = std::ranges::partition_point(
        ring.runs, [&](const Run& run) { return schedcc::end(run) <= cut; });
    for (auto run = wraps; run != ring.runs.end(); ++run) {
      const std::uint64_t begin = std::max<std::uint64_t>(run->first, cut);
      expected.add(base + begin - cut, base + schedcc::end(*run) - cut);
    }
    for (const Run& run : std::span(ring.runs.begin(), wraps))
      expected.add(base + run.first + shift, base + schedcc::end(run) + shift);
    if (wraps != ring.runs.end() && wraps->first < cut)
      expected.add(base + wraps->first + shift, base + size);
  };
  const auto first_wrapped = std::ranges::partition_point(
      rings_, [&](const Ring& ring) { return !pairs || ring.number + by < P; });
  for (auto ring = first_wrapped; ring != rings_.end(); ++ring)
    add_ring(*ring, ring->number + by - P);
  for (const Ring& ring : std::span(rings_.begin(), first_wrapped))
    add_ring(ring, pairs ? ring.number + by : 0);
  return expected.is_complete();
}

bool MessageImages::read(std::span<const Transfer> transfers, Transfers& seeds) {
  if (symmetry_.group() != Symmetry::Group::rotations) return false;
  divide(transfers);
  if (!in_order(messages_) && !put_in_order(transfers)) return false;
  const Rank P = symmetry_.ranks();
  if (messages_.empty() || messages_.size() % P != 0) return messages_.empty();
  const std::size_t orbits = messages_.size() / P;
  if (!set_seed(messages_.front())) return false;
  const bool neighbours = is_image(messages_[1], 1);
  for (std::size_t orbit = 0; orbit < orbits; ++orbit) {
    const std::size_t begin = neighbours ? orbit * P : orbit, stride = neighbours ? 1 : orbits;
    if (!set_seed(messages_[begin])) return false;
    for (Rank by = 1; by < P; ++by) {
      if (!is_image(messages_[begin + by * stride], by)) return false;
    }
    for (const Transfer& t : seed_) {
      symmetry_.each_block(run_of(t), [&](const Run& run) {
        Transfer seed = t;
        seed.first = run.first;
        seed.count = run.count & max_transfer_count;
        seeds.push_back(seed);
      });
    }
  }
  return true;
}

}  // namespace schedcc
