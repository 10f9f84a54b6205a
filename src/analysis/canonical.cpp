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
  for (WrittenMessage& message : messages) message.runs = merged(message.runs, false);
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

bool CanonicalMessages::all_single(const Step& step) {
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
