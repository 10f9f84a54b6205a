#pragma once

// How the check of one schedule is spread over threads, and the check with that to choose.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "schedcc/check.hpp"

namespace schedcc {

/// Threads pay for schedules of millions of transfers; 2^18 take a few milliseconds.
struct Threading {
  std::size_t threads = 1;
  /// So many transfers are checked by one thread before others start.
  std::uint64_t alone = std::uint64_t{1} << 18;
  /// Steps are handed from thread to thread in blocks of at least so many transfers, a step of more
  /// as a block of its own. To check them takes longer than to hand them over, and all blocks
  /// together, 2 MiB, stay in the caches of processors.
  std::uint64_t block = std::uint64_t{1} << 13;
  /// The most blocks at a time. They even out that stages are faster here than there.
  std::size_t blocks = 16;
  /// Every transfer, also where a part of them can show that there is nothing to report.
  bool in_full = false;
};

/// By symmetry alone (symmetry/symmetry.hpp); none if that cannot show that there is nothing to
/// report.
std::optional<Report> check_by_symmetry(const Source& source, const Machine& machine,
                                        const CheckOptions& options, std::size_t threads = 1);

/// By an excerpt alone (period/period.hpp), likewise.
std::optional<Report> check_by_excerpt(const Source& source, const Machine& machine,
                                       const CheckOptions& options, const Threading& threading);

/// As `check`, for a schedule; `options.jobs` is ignored.
Report check_steps(const Source& source, const Machine& machine, const CheckOptions& options,
                   const Threading& threading);

}  // namespace schedcc
