#include "check/symmetry/rank_zero.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "check/abandoned.hpp"
#include "check/symmetry/comparison.hpp"
#include "check/symmetry/orbits.hpp"

namespace schedcc {

namespace {

/// Steps that are compared as they are read, or that are the seeds of symmetric ones.
class RankZeroStream : public StepStream {
 public:
  RankZeroStream(std::unique_ptr<StepStream> stream, const Symmetry& symmetry, bool seeds)
      : stream_(std::move(stream)), symmetry_(symmetry), seeds_(seeds), orbits_(symmetry) {}

  bool next(Step& step) override {
    if (!stream_->next(step)) return false;
    if (!(seeds_ ? read_seeds(step.transfers) : orbits_.read(step.transfers))) throw Abandoned();
    transfers_ = orbits_.of_rank_zero();
    step.transfers = transfers_;
    step.lines = {};
    return true;
  }

 private:
  /// Rotations number chunks beyond the last one, but for seeds of the first block.
  bool read_seeds(std::span<const Transfer> seeds) {
    return orbits_.read_seeds(seeds) && std::ranges::all_of(seeds, [&](const Transfer& t) {
             return std::uint64_t{t.first} + t.count <= symmetry_.block();
           });
  }

  std::unique_ptr<StepStream> stream_;
  Symmetry symmetry_;
  bool seeds_;
  Orbits orbits_;
  Transfers transfers_;
};

/// The rows, if those of rank 0 may be kept: of few ranks each has a large part of the schedule.
std::optional<Steps> rows_to_compare(const Source& source, const Symmetry& symmetry) {
  constexpr Rank least_ranks = 256;
  constexpr std::uint64_t most_rows = 1 << 24;
  if (symmetry.ranks() < least_ranks) return std::nullopt;
  auto rows = source.open()->rows();
  return rows && rows->size() <= most_rows ? std::move(rows) : std::nullopt;
}

}  // namespace

Source of_rank_zero(const Source& source, const Symmetry& symmetry, std::size_t threads,
                    const std::function<void(std::uint64_t)>& progress) {
  Source result = source;
  if (const auto rows = source.open()->rows(); rows && made_by(symmetry, *rows)) {
    result.open = [seeds = rows->rotated()->seeds, symmetry] {
      return std::make_unique<RankZeroStream>(stream(seeds), symmetry, true);
    };
  } else if (const auto compared = rows_to_compare(source, symmetry)) {
    result.open = [schedule = Comparison(*compared, symmetry).run(threads, progress)] {
      return stream(schedule);
    };
  } else {
    result.open = [open = source.open, symmetry] {
      return std::make_unique<RankZeroStream>(open(), symmetry, false);
    };
  }
  return result;
}

}  // namespace schedcc
