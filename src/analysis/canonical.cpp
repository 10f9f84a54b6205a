#include "analysis/canonical.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/core.h>

#include "model/runs.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

std::vector<WrittenMessage> canonical(const Step& step) {
  const std::span<const Transfer> transfers = step.transfers;
  const auto key = [&](std::size_t i) {
    const Transfer& t = transfers[i];
    return std::tuple(t.src, t.dst, static_cast<bool>(t.reduce));
  };
  std::vector<std::size_t> order(transfers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, key);

  std::vector<std::pair<std::size_t, WrittenMessage>> messages;  // with the index of its first
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Transfer& t = transfers[order[i]];
    if (t.count == 0) {
      throw InputError(
          fmt::format("in step {}, {} sends no chunks to {}", step.number, t.src, t.dst));
    }
    if (i == 0 || key(order[i]) != key(order[i - 1])) {
      messages.push_back({order[i], {t.src, t.dst, t.reduce != 0, {}}});
    }
    messages.back().second.runs.push_back({t.first, t.count});
  }
  std::ranges::sort(messages, {}, &std::pair<std::size_t, WrittenMessage>::first);

  std::vector<WrittenMessage> result;
  result.reserve(messages.size());
  for (auto& [first, message] : messages) {
    message.runs = merged(message.runs, false);
    result.push_back(std::move(message));
  }
  return result;
}

bool is_written(const Step& step) {
  if (step.transfers.empty() && step.rounds == 1) return false;
  if (step.number > UINT32_MAX) {
    throw InputError(
        fmt::format("step {} is above 2^32 - 1, the last that can be written", step.number));
  }
  return true;
}

bool SingleTransfers::operator()(const Step& step) {
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
