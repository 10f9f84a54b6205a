#include "cost/messages.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

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
  if (!side_by_side_) return cut_.bytes(t.first, t.count);
  std::uint64_t largest = 0;
  for (std::uint64_t i = 0; i < t.count; ++i) {
    largest = std::max(largest, cut_.bytes(static_cast<Chunk>(t.first + i), 1));
  }
  return largest;
}

std::span<const SizedMessage> MessageReader::read(const Step& step) {
  digest_.read(step);
  messages_.clear();
  if (digest_.sends_twice()) {
    merge(step.transfers);
  } else {
    for (const Transfer& t : step.transfers) {
      messages_.push_back({t.src, t.dst, t.count, bytes(t)});
    }
  }
  return messages_;
}

/// Finds for each transfer the message of the first one between the same ranks.
void MessageReader::merge(std::span<const Transfer> transfers) {
  order_.resize(transfers.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto ends = [&](std::size_t i) { return std::pair(transfers[i].src, transfers[i].dst); };
  std::ranges::stable_sort(order_, {}, ends);
  first_.assign(transfers.size(), transfers.size());
  for (std::size_t k = 0, first = 0; k < order_.size(); ++k) {
    if (k == 0 || ends(order_[k]) != ends(order_[k - 1])) first = order_[k];
    first_[order_[k]] = first;
  }
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer& t = transfers[i];
    if (first_[i] == i) {
      order_[i] = messages_.size();  // from here on: the place of its message
      messages_.push_back({t.src, t.dst, t.count, bytes(t)});
      continue;
    }
    SizedMessage& message = messages_[order_[first_[i]]];
    message.chunks += t.count;
    message.bytes = side_by_side_ ? std::max(message.bytes, bytes(t)) : message.bytes + bytes(t);
  }
}

}  // namespace schedcc
