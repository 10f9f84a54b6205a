#include "analysis/message_groups.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "schedcc/error.hpp"

namespace schedcc {

void MessageGroups::read(std::span<const Transfer> transfers, Modes modes) {
  if (transfers.size() > UINT32_MAX) throw LimitError("too many transfers in a step");
  group_.resize(transfers.size());
  if (!join_ascending(transfers, modes) && !join_few(transfers, modes))
    join_sorted(transfers, modes);
}

/// Groups neighbours; false if a later transfer may belong to an earlier group.
bool MessageGroups::join_ascending(std::span<const Transfer> transfers, Modes modes) {
  firsts_.clear();
  std::uint64_t last = 0;
  for (std::uint32_t i = 0; i < transfers.size(); ++i) {
    const Transfer& t = transfers[i];
    const std::uint64_t ends = std::uint64_t{t.src} << 32 | t.dst;
    if (i == 0 || ends > last) {
      firsts_.push_back(i);
    } else if (ends < last ||
               (modes == Modes::apart && t.reduce != transfers[firsts_.back()].reduce)) {
      return false;
    }
    group_[i] = static_cast<std::uint32_t>(firsts_.size() - 1);
    last = ends;
  }
  return true;
}

/// Looks each transfer up among the groups of its sender; false if a sender has many.
bool MessageGroups::join_few(std::span<const Transfer> transfers, Modes modes) {
  firsts_.clear();
  ++step_;
  for (std::uint32_t i = 0; i < transfers.size(); ++i) {
    const Transfer& t = transfers[i];
    Sender& sender = senders_[modes == Modes::apart ? t.reduce : 0][t.src];
    if (sender.step != step_) sender.groups = 0;
    sender.step = step_;
    std::uint32_t at = 0;
    while (at < sender.groups && sender.receivers[at] != t.dst) ++at;
    if (at == sender.groups) {
      if (at == Sender::few) return false;
      sender.receivers[at] = t.dst;
      sender.numbers[at] = static_cast<std::uint32_t>(firsts_.size());
      ++sender.groups;
      firsts_.push_back(i);
    }
    group_[i] = sender.numbers[at];
  }
  return true;
}

/// Sorts what each sender sends by receiver.
void MessageGroups::join_sorted(std::span<const Transfer> transfers, Modes modes) {
  sort_by_sender(transfers, modes);
  auto from = sent_.begin();
  for (const std::uint32_t end : ends_) {
    const auto to = sent_.begin() + end;
    if (!std::is_sorted(from, to)) std::sort(from, to);
    for (std::uint64_t first = *from; from != to; ++from) {
      if (*from >> 32 != first >> 32) first = *from;
      group_[static_cast<std::uint32_t>(*from)] = static_cast<std::uint32_t>(first);
    }
  }
  number_groups();
}

/// Puts the transfers of each sender together, in the order of their first ones.
void MessageGroups::sort_by_sender(std::span<const Transfer> transfers, Modes modes) {
  ++step_;
  ends_.clear();
  for (std::uint32_t i = 0; i < transfers.size(); ++i) {
    const Transfer& t = transfers[i];
    Sender& sender = senders_[modes == Modes::apart ? t.reduce : 0][t.src];
    if (std::exchange(sender.step, step_) != step_) {
      sender.numbers[0] = static_cast<std::uint32_t>(ends_.size());
      ends_.push_back(0);
    }
    group_[i] = sender.numbers[0];
    ++ends_[group_[i]];
  }
  std::exclusive_scan(ends_.begin(), ends_.end(), ends_.begin(), std::uint32_t{0});
  sent_.resize(transfers.size());
  for (std::uint32_t i = 0; i < transfers.size(); ++i)
    sent_[ends_[group_[i]]++] = std::uint64_t{transfers[i].dst} << 32 | i;
}

/// Replaces the first transfer of each group by the group's number.
void MessageGroups::number_groups() {
  firsts_.clear();
  for (std::uint32_t i = 0; i < group_.size(); ++i) {
    const std::uint32_t first = group_[i];
    group_[i] = first == i ? static_cast<std::uint32_t>(firsts_.size()) : group_[first];
    if (first == i) firsts_.push_back(i);
  }
}

}  // namespace schedcc
