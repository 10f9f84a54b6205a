#include "analysis/digest.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace schedcc {

void Digest::read(const Step& step) {
  if (++stamp_ == 0) {  // after 2^32 steps the stamps start again
    marks_.clear();
    stamp_ = 1;
  }
  step_ = step;
  made_ = false;
  meet_.reset();
  unsigned sends_twice = 0, receives_twice = 0, both = 0;
  std::uint32_t largest = 0;
  for (const Transfer& t : step.transfers) {
    Mark& src = marks_[t.src];
    sends_twice |= static_cast<unsigned>(src.sent == stamp_);
    both |= static_cast<unsigned>(src.received == stamp_);
    src.sent = stamp_;
    Mark& dst = marks_[t.dst];
    receives_twice |= static_cast<unsigned>(dst.received == stamp_);
    both |= static_cast<unsigned>(dst.sent == stamp_);
    dst.received = stamp_;
    largest = std::max<std::uint32_t>(largest, t.count);
  }
  sends_twice_ = sends_twice != 0;
  receives_twice_ = receives_twice != 0;
  both_ = both != 0;
  largest_ = largest;
}

std::uint64_t Digest::largest() const {
  std::uint64_t largest = largest_;
  if (sends_twice_) {
    for (const Message& message : messages()) largest = std::max(largest, message.chunks);
  }
  return largest;
}

bool Digest::chunks_meet() const {
  if (meet_) return *meet_;
  if (!receives_twice_ || largest_ > 1) return receives_twice_;
  constexpr std::uint64_t free = UINT64_MAX;  // larger than any rank
  const std::size_t size = std::bit_ceil(2 * step_.transfers.size());
  const int shift = 64 - std::countr_zero(size);
  places_.assign(size, free);
  meet_ = std::ranges::any_of(step_.transfers, [&](const Transfer& t) {
    const std::uint64_t place = std::uint64_t{t.dst} << 32 | t.first;
    std::size_t i = place * 0x9e3779b97f4a7c15u >> shift;
    while (places_[i] != free && places_[i] != place) i = (i + 1) & (size - 1);
    return std::exchange(places_[i], place) == place;
  });
  return *meet_;
}

std::span<const Message> Digest::messages() const {
  if (made_) return messages_;
  made_ = true;
  messages_.clear();
  const auto transfers = step_.transfers;
  if (!sends_twice_) {
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      messages_.push_back({transfers[i].src, transfers[i].dst, transfers[i].count, i});
    }
    return messages_;
  }
  groups_.read(transfers);
  for (const std::size_t first : groups_.firsts()) {
    messages_.push_back({transfers[first].src, transfers[first].dst, 0, first});
  }
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    messages_[groups_.of(i)].chunks += transfers[i].count;
  }
  return messages_;
}

}  // namespace schedcc
