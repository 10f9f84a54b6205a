#include "cost/messages.hpp"

#include <algorithm>

#include "schedcc/error.hpp"

namespace schedcc {

void refuse_size() {
  throw InputError("the messages have more than 2^64 bytes in all; such sizes are not counted");
}

void add_bytes(std::uint64_t& sum, std::uint64_t bytes, std::uint64_t times) {
  if (__builtin_mul_overflow(bytes, times, &bytes)) refuse_size();
  if (__builtin_add_overflow(sum, bytes, &sum)) refuse_size();
}

std::uint64_t MessageReader::bytes(const Transfer& t) const {
  if (!side_by_side_) return chunk_bytes_.bytes(t.first, t.count);
  std::uint64_t largest = 0;
  for (std::uint64_t i = 0; i < t.count; ++i) {
    largest = std::max(largest, chunk_bytes_.bytes(static_cast<Chunk>(t.first + i), 1));
  }
  return largest;
}

std::span<const SizedMessage> MessageReader::read(const Step& step) {
  digest_.read(step);
  messages_.clear();
  const std::span<const Transfer> transfers = step.transfers;
  if (!digest_.sends_twice()) {
    messages_.resize(transfers.size());
    std::ranges::transform(transfers, messages_.begin(), [&](const Transfer& t) {
      return SizedMessage{t.src, t.dst, t.count, bytes(t)};
    });
  } else {
    for (const Message& m : digest_.messages()) messages_.push_back({m.src, m.dst, m.chunks, 0});
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      std::uint64_t& sum = messages_[digest_.message_of(i)].bytes;
      sum = side_by_side_ ? std::max(sum, bytes(transfers[i])) : sum + bytes(transfers[i]);
    }
  }
  if (groups_) {
    const std::span<const RoutedMessage> grouped = groups_->read(step, digest_);
    for (std::size_t i = 0; i < grouped.size(); ++i) {
      messages_[i].multicast = grouped[i].multicast;
      messages_[i].combination = grouped[i].combination;
    }
  }
  return messages_;
}

}  // namespace schedcc
