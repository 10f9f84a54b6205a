#include "check/symmetry/blocks_in_turn.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analysis/digest.hpp"
#include "check/coverage.hpp"
#include "check/symmetry/images.hpp"
#include "check/symmetry/symmetry.hpp"
#include "check/transfer_words.hpp"
#include "core/seldom.hpp"

namespace schedcc {

namespace {

/// Are all ranks alike, and the blocks one for each?
bool ranks_alike(const Problem& problem) {
  return of_one_block(problem, 0) && !problem.ordered && problem.ranks >= 2 &&
         problem.ranks < Rank{1} << 31;
}

bool ranks_alike(const Machine& machine) {
  return machine.ports() != nullptr &&
         (machine.channels() == nullptr || machine.channels()->ranks_alike());
}

/// The rows of the first block, and whether others are their images.
class FirstBlock {
 public:
  explicit FirstBlock(const Problem& problem)
      : P_(problem.ranks),
        K_(problem.chunks),
        symmetry_(Symmetry::Group::rotations, P_, 1, K_),
        rotations_(symmetry_) {}

  const Schedule& rows() const { return *rows_; }
  std::uint64_t size() const { return rows_->size(); }

  /// Adds a row; false if it is not of one block, or not of that of the first row.
  bool add(const Step& step) {
    if (size() == 0) block_ = step.transfers.front().first / K_;
    const std::uint64_t before = std::uint64_t{block_} * K_;
    rows_->begin_step(step.number);
    begins_.push_back(seeds_.size());
    for (Transfer t : step.transfers) {
      if (t.first < before || t.first + std::uint64_t{t.count} > before + K_ || t.src >= P_ ||
          t.dst >= P_)
        return false;
      seeds_.push_back(Rotations::seed(symmetry_, t));
      t.first -= static_cast<Chunk>(before);
      rows_->add(t);
    }
    return true;
  }

  /// Is it one of its rows, renamed for another block?
  bool is_image(std::uint64_t row, Rank block, std::span<const Transfer> transfers) const {
    if (transfers.size() != (*rows_)[row].transfers.size()) return false;
    const auto first = std::span(seeds_).subspan(begins_[row], transfers.size());
    const Rank by = block >= block_ ? block - block_ : block + (P_ - block_);
    const auto begin = std::ranges::find_if(first, [&](const Rotations::Seed& seed) {
      Differences one;
      one.note(transfers.front(), rotations_.image(seed, by));
      return one.none();
    });
    if (begin == first.end()) return false;
    const auto split = static_cast<std::size_t>(begin - first.begin());
    const std::size_t before = first.size() - split;
    Differences differences;
    rotations_.compare(first.subspan(split), by, transfers.data(), differences);
    rotations_.compare(first.first(split), by, transfers.data() + before, differences);
    return differences.none();
  }

  /// Its broadcast, or its reduction, alone.
  Source alone(const Source& source) const {
    Source result = source;
    result.problem = *of_one_block(source.problem, block_);
    result.open = [rows = std::shared_ptr<const Schedule>(rows_)] { return stream(rows); };
    return result;
  }

 private:
  Rank P_;
  std::uint32_t K_;
  Symmetry symmetry_;
  Rotations rotations_;
  Rank block_ = 0;
  std::shared_ptr<Schedule> rows_ = std::make_shared<Schedule>();  ///< the block has number 0
  std::vector<Rotations::Seed> seeds_;                             ///< of all rows, as they are
  std::vector<std::size_t> begins_;                                ///< of each row's seeds
};

/// What the other blocks add to the figures of the first one, but for the steps.
CutOut others(const Schedule& rows, Rank blocks) {
  CutOut result;
  Digest digest;
  for (std::uint64_t row = 0; row < rows.size(); ++row) {
    const Step step = rows[row];
    digest.read(step);
    result.transfers += step.transfers.size() * (blocks - 1);
    result.messages += digest.size() * (blocks - 1);
    result.volume += digest.largest() * (blocks - 1);
  }
  return result;
}

/// Follows the rows of a schedule that moves one block after another.
class BlocksInTurn {
 public:
  explicit BlocksInTurn(const Problem& problem) : problem_(problem), seen_(problem.ranks) {}

  /// Is the next row, which has transfers, one of such a schedule?
  bool read(const Step& step) {
    const std::uint64_t number = step.transfers.front().first / problem_.chunks;
    if (step.rounds != 1 || number >= problem_.ranks) return false;
    const auto block = static_cast<Rank>(number);
    last_ = step.number;
    if (blocks_ <= 1 && (blocks_ == 0 || block == block_)) {
      if (blocks_ == 0) begin(block);
      last_of_first_ = step.number;
      return first_.add(step);
    }
    if (row_ == first_.size() || blocks_ == 1) {
      if (seen_[block]) return false;
      begin(block);
    }
    return block == block_ && first_.is_image(row_++, block, step.transfers);
  }

  /// Have all blocks been moved?
  bool complete() const { return blocks_ == problem_.ranks && row_ == first_.size(); }

  /// The first block, and what the others add to its figures.
  Excerpt excerpt(const Source& source) const {
    CutOut rest = others(first_.rows(), problem_.ranks);
    rest.steps = last_ - last_of_first_;
    return {first_.alone(source), std::move(rest)};
  }

 private:
  void begin(Rank block) {
    ++blocks_;
    block_ = block;
    seen_[block] = true;
    row_ = 0;
  }

  const Problem& problem_;
  FirstBlock first_{problem_};
  std::vector<bool> seen_;                      ///< by block
  std::uint64_t blocks_ = 0;                    ///< that have begun
  Rank block_ = 0;                              ///< the last one
  std::uint64_t row_ = 0;                       ///< the next of its group, after the first one
  std::uint64_t last_ = 0, last_of_first_ = 0;  ///< steps
};

}  // namespace

std::optional<Excerpt> first_block(const Source& source, const Machine& machine,
                                   const CheckOptions& options,
                                   const std::function<void(std::uint64_t)>& progress) {
  if (!ranks_alike(source.problem) || !ranks_alike(machine) || source.hop_level() ||
      !decides_without_order(options))
    return std::nullopt;
  Seldom seldom(progress);
  std::uint64_t transfers = 0;
  BlocksInTurn blocks(source.problem);
  const auto steps = source.open();
  for (Step step; steps->next(step);) {
    if (step.transfers.empty()) continue;
    if (!blocks.read(step)) return std::nullopt;
    seldom(transfers += step.transfers.size());
  }
  return blocks.complete() ? std::optional(blocks.excerpt(source)) : std::nullopt;
}

}  // namespace schedcc
