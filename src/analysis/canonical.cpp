#include "analysis/canonical.hpp"

#include <fmt/core.h>

#include "analysis/message_groups.hpp"
#include "model/runs.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

std::vector<WrittenMessage> canonical(const Step& step) {
  MessageGroups groups;
  groups.read(step.transfers, MessageGroups::Modes::apart);
  std::vector<WrittenMessage> messages(groups.size());
  for (std::size_t i = 0; i < step.transfers.size(); ++i) {
    const Transfer& t = step.transfers[i];
    if (t.count == 0) {
      throw InputError(
          fmt::format("in step {}, {} sends no chunks to {}", step.number, t.src, t.dst));
    }
    WrittenMessage& message = messages[groups.of(i)];
    if (message.runs.empty()) message = {t.src, t.dst, t.reduce != 0, {}};
    message.runs.push_back({t.first, t.count});
  }
  for (WrittenMessage& message : messages) message.runs = joined_neighbours(message.runs);
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
  constexpr std::size_t slots = 1 << 16;
  if (seen_.empty()) seen_.resize(slots);
  ++stamp_;
  for (const Transfer& t : step.transfers) {
    std::uint64_t& seen = seen_[t.src % slots];
    if (seen == stamp_ || t.count == 0) return false;
    seen = stamp_;
  }
  return true;
}

}  // namespace schedcc
