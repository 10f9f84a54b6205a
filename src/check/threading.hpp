#pragma once

// How the check of one schedule is spread over threads, and the check with that to choose.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "analysis/abandoned.hpp"
#include "analysis/demand.hpp"
#include "check/crew.hpp"
#include "check/period/checked_excerpt.hpp"
#include "check/share.hpp"
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
  /// The part that this process checks; other processes check the others.
  Share share = {};
  /// The processes that compare rows together, and then check the same part of a schedule.
  Team* team = nullptr;
  /// Of the problem, where it is known already.
  const Demand* demand = nullptr;
  /// The excerpt that was checked last, which may be the same, and is replaced by another one.
  CheckedExcerpt* excerpt = nullptr;

  Crew crew() const { return {threads, team}; }
};

/// By symmetry alone (symmetry/symmetry.hpp); none if that cannot show that there is nothing to
/// report.
std::optional<Report> check_by_symmetry(const Source& source, const Machine& machine,
                                        const CheckOptions& options, const Crew& crew = {});

/// Without the hops of a direct exchange on a tree (direct.hpp), likewise.
std::optional<Report> check_directly(const Source& source, const Machine& machine,
                                     const CheckOptions& options, const Threading& threading = {});

/// By an excerpt alone (period/period.hpp, symmetry/blocks_in_turn.hpp), likewise.
std::optional<Report> check_by_excerpt(const Source& source, const Machine& machine,
                                       const CheckOptions& options, const Threading& threading);

/// By the mirror image of a reduction alone (mirror.hpp), likewise.
std::optional<Report> check_by_mirror(const Source& source, const Machine& machine,
                                      const CheckOptions& options, const Threading& threading);

/// By one of these, unless all transfers are to be seen.
std::optional<Report> check_by_part(const Source& source, const Machine& machine,
                                    const CheckOptions& options, const Threading& threading);

/// As `check`, for a schedule; `options.jobs` is ignored.
Report check_steps(const Source& source, const Machine& machine, const CheckOptions& options,
                   const Threading& threading);

/// Gets the figures of a share, and a number that is the same where the same was read, and replaces
/// them by those of all shares.
using MergeFigures = std::function<void(Report& figures, std::uint64_t hash)>;

/// The share of one process of a check. If there is nothing to report in it, `merge` is called, and
/// the report follows from the figures that it leaves. Otherwise something is thrown.
Report check_share(const Source& source, const Machine& machine, const CheckOptions& options,
                   const Share& share, const MergeFigures& merge);

}  // namespace schedcc
