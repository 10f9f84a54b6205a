#pragma once

// Limits on what a format lists. A header may name any number of ranks and chunks; anything listed
// one by one must be proportional to the schedule, or have a limit.

#include <cstdint>
#include <string_view>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc::most {

inline constexpr std::uint64_t table_ranks = std::uint64_t{1} << 24;  // compilers fail before
inline constexpr std::uint64_t goal_ranks = std::uint64_t{1} << 22;
inline constexpr std::uint64_t sccl_ranks = std::uint64_t{1} << 12;   // a link for each pair
inline constexpr std::uint64_t sccl_chunks = std::uint64_t{1} << 26;  // over all ranks
inline constexpr std::uint64_t tracks = std::uint64_t{1} << 20;
inline constexpr std::uint64_t picture_nodes = std::uint64_t{1} << 16;
inline constexpr std::uint64_t picture_arrows = 10000;  // more cannot be distinguished in a picture
inline constexpr std::uint64_t readable_nodes = 4096;
inline constexpr std::uint64_t page_transfers = 1'000'000;  // browsers need a second for 10^5
inline constexpr std::uint64_t platform_ranks = 1 << 10;    // where it lists a route for each pair
inline constexpr std::uint64_t trace_files = std::uint64_t{1} << 16;  // a file for each rank

/// Throws InputError: "a timeline serves at most 1048576 ranks, not 4294967294".
inline void check(std::string_view what, std::uint64_t limit, std::string_view nouns,
                  std::uint64_t number) {
  if (number <= limit) return;
  throw InputError(fmt::format("{} serves at most {} {}, not {}", what, limit, nouns, number));
}

}  // namespace schedcc::most
