#include "check/sample/rank_parts.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/core.h>

namespace schedcc {

namespace {

using local::RankTransfer;

auto order(const RankTransfer& part) { return std::tuple(part.peer, part.first, part.reduce); }

bool touch(const RankTransfer& a, const RankTransfer& b) {
  return a.peer == b.peer && a.reduce == b.reduce && a.first + a.count == b.first;
}

bool has_chunk(const RankTransfer& part, std::uint64_t chunk) {
  return chunk - part.first < part.count;  // wraps to a large number below
}

/// Calls `visit` with at most RankParts::most parts, and throws TooManyParts if there are more.
template <typename F>
void each_part(const LocalRankSchedule& rank, std::uint64_t step, Direction direction, F visit) {
  const auto counted = [&, left = RankParts::most](const RankTransfer& part) mutable {
    if (left-- == 0) throw TooManyParts();
    visit(part);
  };
  direction == Direction::sends ? rank.sends(step, counted) : rank.receives(step, counted);
}

}  // namespace

RankParts::RankParts(const LocalRankSchedule& rank, std::uint64_t step, Direction direction) {
  each_part(rank, step, direction, [this](const RankTransfer& part) { parts_.push_back(part); });
  std::ranges::sort(parts_, {}, order);
  std::size_t kept = 0;
  for (const RankTransfer& part : parts_) {
    if (kept > 0 && touch(parts_[kept - 1], part)) {
      parts_[kept - 1].count += part.count;
    } else {
      parts_[kept++] = part;
    }
  }
  parts_.resize(kept);
}

std::span<const RankTransfer> RankParts::with(std::uint64_t peer) const {
  const auto first = std::ranges::lower_bound(parts_, peer, {}, &RankTransfer::peer);
  const auto next = std::ranges::upper_bound(parts_, peer, {}, &RankTransfer::peer);
  return {first, next};
}

std::vector<std::span<const RankTransfer>> RankParts::messages() const {
  std::vector<std::span<const RankTransfer>> result;
  for (std::size_t i = 0; i < parts_.size(); i += result.back().size())
    result.push_back(with(parts_[i].peer));
  return result;
}

bool handles(const LocalRankSchedule& rank, std::uint64_t step, Direction direction,
             std::uint64_t chunk, Parts which) {
  bool result = false;
  each_part(rank, step, direction, [&](const RankTransfer& part) {
    const bool asked = which == Parts::all || part.reduce == (which == Parts::combined);
    result |= asked && has_chunk(part, chunk);
  });
  return result;
}

std::uint64_t chunks_of(std::span<const RankTransfer> message) {
  std::uint64_t result = 0;
  for (const RankTransfer& part : message) result += part.count;
  return result;
}

std::string describe(std::span<const RankTransfer> message) {
  if (message.empty()) return "nothing";
  const auto& [peer, first, count, reduce] = message.front();
  const std::string chunks = count == 1 ? fmt::format("chunk {}", first)
                                        : fmt::format("chunks {}-{}", first, first + count - 1);
  return fmt::format("{}{}{}", chunks, reduce ? " (combined)" : "",
                     message.size() > 1 ? " and more" : "");
}

}  // namespace schedcc
