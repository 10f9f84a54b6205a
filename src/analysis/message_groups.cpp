#include "analysis/message_groups.hpp"

#include <algorithm>

#include "schedcc/error.hpp"

namespace schedcc {

void MessageGroups::read(std::span<const Transfer> transfers, Modes modes) {
  if (transfers.size() > UINT32_MAX) throw LimitError("too many transfers in a step");
  group_.resize(transfers.size());
  if (!join_ascending(transfers, modes)) join_by_sender(transfers, modes);
  number_groups();
}

/// Groups neighbours; false if a later transfer may belong to an earlier group.
bool MessageGroups::join_ascending(std::span<const Transfer> transfers, Modes modes) {
  std::uint64_t last = 0;
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < transfers.size(); ++i) {
    const Transfer& t = transfers[i];
    const std::uint64_t ends = std::uint64_t{t.src} << 32 | t.dst;
    const bool switches = modes == Modes::apart && t.reduce != transfers[first].reduce;
    if (i > 0 && (ends < last || (ends == last && switches))) return false;
    if (ends > last) first = i;
    group_[i] = first;
    last = ends;
  }
  return true;
}

void MessageGroups::join_by_sender(std::span<const Transfer> transfers, Modes modes) {
  count(transfers, modes);
  sort_by_sender(transfers);
  auto from = sent_.begin();
  for (const Sender& sender : senders_) {
    if (!sender.has_others) continue;
    const auto to = sent_.begin() + sender.end;
    std::sort(from, to);
    for (std::uint64_t first = *from; from != to; ++from) {
      if (*from >> 32 != first >> 32) first = *from;
      group_[static_cast<std::uint32_t>(*from)] = static_cast<std::uint32_t>(first);
    }
  }
}

/// Finds the senders; group_ has that of each transfer.
void MessageGroups::count(std::span<const Transfer> transfers, Modes modes) {
  base_ += senders_.size();
  senders_.clear();
  for (std::uint32_t i = 0; i < transfers.size(); ++i) {
    const Transfer& t = transfers[i];
    std::uint64_t& number = numbers_[t.src][modes == Modes::apart ? t.reduce : 0];
    if (number < base_) {
      number = base_ + senders_.size();
      senders_.push_back({i, 0, t.dst, false, 0});
    }
    group_[i] = static_cast<std::uint32_t>(number - base_);
    Sender& sender = senders_[group_[i]];
    ++sender.transfers;
    sender.has_others |= t.dst != sender.receiver;
  }
}

/// Groups the transfers of senders with one receiver, and puts those of each other one together.
void MessageGroups::sort_by_sender(std::span<const Transfer> transfers) {
  std::uint32_t size = 0;
  for (Sender& sender : senders_) {
    sender.end = size;
    if (sender.has_others) size += sender.transfers;
  }
  sent_.resize(size);
  for (std::uint32_t i = 0; i < transfers.size(); ++i) {
    Sender& sender = senders_[group_[i]];
    if (sender.has_others) {
      sent_[sender.end++] = std::uint64_t{transfers[i].dst} << 32 | i;
    } else {
      group_[i] = sender.first;
    }
  }
}

void MessageGroups::number_groups() {
  firsts_.clear();
  for (std::uint32_t i = 0; i < group_.size(); ++i) {
    const std::uint32_t first = group_[i];
    group_[i] = first == i ? static_cast<std::uint32_t>(firsts_.size()) : group_[first];
    if (first == i) firsts_.push_back(i);
  }
}

}  // namespace schedcc
