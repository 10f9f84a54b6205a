#include "analysis/canonical.hpp"

#include <algorithm>
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

bool is_written(const Step& step) {
  if (step.transfers.empty() && step.rounds == 1) return false;
  if (step.number > UINT32_MAX) {
    throw InputError(
        fmt::format("step {} is above 2^32 - 1, the last that can be written", step.number));
  }
  return true;
}

namespace {

/// Do senders rise, and the receivers of each? As most algorithms have them.
bool ends_ascend(std::span<const Transfer> transfers) {
  std::uint64_t next = 0;  // one past the ends of the last one
  for (const Transfer& t : transfers) {
    const std::uint64_t ends = std::uint64_t{t.src} << 32 | t.dst;
    if (ends < next || t.count == 0 || ends == UINT64_MAX) return false;
    next = ends + 1;
  }
  return true;
}

}  // namespace

bool CanonicalMessages::all_single(const Step& step) {
  if (ends_ascend(step.transfers)) return true;
  ++stamp_;
  return all_differ(step.transfers, &Transfer::src, sent_) ||
         all_differ(step.transfers, &Transfer::dst, received_);
}

/// Do they have chunks, and different senders, or receivers?
bool CanonicalMessages::all_differ(std::span<const Transfer> transfers, Rank Transfer::*end,
                                   Stamps& seen) {
  return std::ranges::all_of(transfers, [&](const Transfer& t) {
    return t.count > 0 && std::exchange(seen[t.*end], stamp_) != stamp_;
  });
}

void CanonicalMessages::group(const Step& step) {
  const auto transfers = step.transfers;
  for (const Transfer& t : transfers) {
    if (t.count > 0) continue;
    throw InputError(
        fmt::format("in step {}, {} sends no chunks to {}", step.number, t.src, t.dst));
  }
  groups_.read(transfers, MessageGroups::Modes::apart);
  ends_.assign(groups_.size(), 0);
  for (std::size_t i = 0; i < transfers.size(); ++i) ++ends_[groups_.of(i)];
  std::exclusive_scan(ends_.begin(), ends_.end(), ends_.begin(), std::size_t{0});
  order_.resize(transfers.size());
  for (std::uint32_t i = 0; i < transfers.size(); ++i) order_[ends_[groups_.of(i)]++] = i;
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
