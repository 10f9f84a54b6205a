#include "analysis/canonical.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/core.h>

#include "model/runs.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

std::vector<WrittenMessage> canonical(const Step& step) {
  std::vector<WrittenMessage> messages;
  CanonicalMessages()(step, [&](const WrittenMessage& m) { messages.push_back(m); });
  return messages;
}

namespace {

void require_chunks(const Step& step) {
  const auto empty =
      std::ranges::find_if(step.transfers, [](const Transfer& t) { return t.count == 0; });
  if (empty == step.transfers.end()) return;
  throw InputError(
      fmt::format("in step {}, {} sends no chunks to {}", step.number, empty->src, empty->dst));
}

/// Do senders rise, and the receivers of each? As most algorithms have them.
bool ends_ascend(std::span<const Transfer> transfers) {
  const auto ends = [](const Transfer& t) { return std::uint64_t{t.src} << 32 | t.dst; };
  return std::ranges::adjacent_find(transfers, std::ranges::greater_equal(), ends) ==
         transfers.end();
}

}  // namespace

bool CanonicalMessages::all_single(const Step& step) {
  require_chunks(step);
  if (ends_ascend(step.transfers)) return true;
  ++stamp_;
  if (all_differ(step.transfers, &Transfer::src, sent_)) return true;
  if (all_differ(step.transfers, &Transfer::dst, received_)) return true;
  if (receivers_.repeat(step.transfers) == false) return true;
  groups_.read(step.transfers, MessageGroups::Modes::apart);
  return groups_.size() == step.transfers.size();
}

/// Do they have different senders, or receivers?
bool CanonicalMessages::all_differ(std::span<const Transfer> transfers, Rank Transfer::*end,
                                   Stamps& seen) {
  return std::ranges::all_of(
      transfers, [&](const Transfer& t) { return std::exchange(seen[t.*end], stamp_) != stamp_; });
}

void CanonicalMessages::order_by_message(std::size_t transfers) {
  ends_.assign(groups_.size(), 0);
  for (std::size_t i = 0; i < transfers; ++i) ++ends_[groups_.of(i)];
  std::exclusive_scan(ends_.begin(), ends_.end(), ends_.begin(), std::size_t{0});
  order_.resize(transfers);
  for (std::uint32_t i = 0; i < transfers; ++i) order_[ends_[groups_.of(i)]++] = i;
}

const WrittenMessage& CanonicalMessages::message_of(std::span<const Transfer> transfers,
                                                    std::span<const std::uint32_t> members) {
  const Transfer& first = transfers[members.front()];
  message_.src = first.src;
  message_.dst = first.dst;
  message_.reduce = first.reduce != 0;
  message_.runs.resize(members.size());
  std::ranges::transform(members, message_.runs.begin(), [&](std::uint32_t i) {
    return Run{transfers[i].first, transfers[i].count};
  });
  if (members.size() > 1) message_.runs = joined_neighbours(message_.runs);
  return message_;
}

}  // namespace schedcc
