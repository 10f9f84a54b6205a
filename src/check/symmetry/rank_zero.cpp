#include "check/symmetry/rank_zero.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "analysis/abandoned.hpp"
#include "check/symmetry/comparison.hpp"
#include "check/symmetry/orbits.hpp"

namespace schedcc {

namespace {

enum class Rows : std::uint8_t {
  compared,  ///< as they are read
  seeds      ///< of symmetric ones
};

/// What rank 0 does.
class RankZeroStream : public StepStream {
 public:
  /// At the end `total` is set to the number of transfers that were compared.
  RankZeroStream(std::unique_ptr<StepStream> stream, const Symmetry& symmetry, Rows rows,
                 std::shared_ptr<std::uint64_t> total)
      : stream_(std::move(stream)),
        symmetry_(symmetry),
        rows_(rows),
        orbits_(symmetry),
        total_(std::move(total)) {}

  bool next(Step& step) override {
    if (!stream_->next(step)) {
      if (total_) *total_ = read_;
      return false;
    }
    if (!read(step.transfers)) throw Abandoned();
    read_ += step.transfers.size();
    transfers_ = orbits_.of_rank_zero();
    step.transfers = transfers_;
    step.lines = {};
    return true;
  }

 private:
  bool read(std::span<const Transfer> transfers) {
    return rows_ == Rows::seeds ? read_seeds(transfers) : orbits_.read(transfers);
  }
  /// Rotations number chunks beyond the last one, but for seeds of the first block.
  bool read_seeds(std::span<const Transfer> seeds) {
    return orbits_.read_seeds(seeds) && std::ranges::all_of(seeds, [&](const Transfer& t) {
             return std::uint64_t{t.first} + t.count <= symmetry_.block();
           });
  }

  std::unique_ptr<StepStream> stream_;
  Symmetry symmetry_;
  Rows rows_;
  Orbits orbits_;
  std::shared_ptr<std::uint64_t> total_;
  std::uint64_t read_ = 0;  ///< transfers
  Transfers transfers_;
};

/// May the steps of rank 0 be kept? Of few ranks each has a large part of the schedule.
bool may_be_kept(const Symmetry& symmetry) {
  constexpr Rank least_ranks = 256;
  return symmetry.ranks() >= least_ranks;
}

/// The rows, if they can be compared in any order, and those of rank 0 be kept.
std::optional<Steps> rows_to_compare(const Source& source, const Symmetry& symmetry) {
  constexpr std::uint64_t most_rows = 1 << 24;
  if (!may_be_kept(symmetry)) return std::nullopt;
  auto rows = source.open()->rows();
  return rows && rows->size() <= most_rows ? std::move(rows) : std::nullopt;
}

}  // namespace

RankZero of_rank_zero(const Source& source, const Symmetry& symmetry, const Crew& crew,
                      const std::function<void(std::uint64_t)>& progress) {
  RankZero result{source, nullptr};
  if (const auto rows = source.open()->rows(); rows && made_by(symmetry, *rows)) {
    result.source.open = [seeds = rows->rotated()->seeds, symmetry] {
      return std::make_unique<RankZeroStream>(stream(seeds), symmetry, Rows::seeds, nullptr);
    };
    return result;
  }
  const auto total = std::make_shared<std::uint64_t>(0);
  result.transfers = total;
  if (const auto compared = rows_to_compare(source, symmetry)) {
    Comparison comparison(*compared, symmetry, crew);
    const auto schedule = comparison.run(progress);
    *total = comparison.transfers();
    result.source.open = [schedule] { return stream(schedule); };
  } else {
    result.source.open = [open = source.open, symmetry, total] {
      return std::make_unique<RankZeroStream>(open(), symmetry, Rows::compared, total);
    };
    if (may_be_kept(symmetry)) {  // since some steps are read more than once
      const auto schedule = std::make_shared<const Schedule>(collect(*result.source.open()));
      result.source.open = [schedule] { return stream(schedule); };
    }
  }
  return result;
}

}  // namespace schedcc
