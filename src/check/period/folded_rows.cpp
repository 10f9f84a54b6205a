#include "check/period/folded_rows.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "check/period/repetition.hpp"
#include "core/memory.hpp"

namespace schedcc {

namespace {

class FoldedRows {
 public:
  /// False if the rows shall not be kept.
  bool add(const Step& step) {
    if (step.rounds != 1 || rows_.size() == most_rows) return false;
    const std::span<const Transfer> transfers = step.transfers;
    if (const auto known = find(transfers)) {
      rows_.push_back({step.number, known->base, known->shift});
      return true;
    }
    kept_ += transfers.size() + 1;
    largest_ = std::max<std::uint64_t>(largest_, transfers.size());
    if (!may_keep()) return false;
    rows_.push_back({step.number, bases_.size(), 0});
    bases_.emplace_back(transfers.begin(), transfers.end());
    return true;
  }

  std::uint64_t size() const { return rows_.size(); }

  /// A part of a row: where it is kept, or in the buffer.
  Step read(std::uint64_t index, const RowParts& parts, Transfers& buffer) const {
    const Row& row = rows_[index];
    Step step{.number = row.number, .transfers = parts.cut(bases_[row.base])};
    if (row.shift == 0) return step;
    buffer.assign(step.transfers.begin(), step.transfers.end());
    for (Transfer& t : buffer) t.first += row.shift;
    step.transfers = buffer;
    return step;
  }

 private:
  static constexpr std::uint64_t longest_period = 64;
  static constexpr std::uint64_t most_rows = std::uint64_t{1} << 26;
  /// So many transfers are kept in any case, of which 16 MiB hold the first rows of a chain of some
  /// 1400 ranks.
  static constexpr std::uint64_t always_kept = std::uint64_t{1} << 20;

  /// Rows: as many as those at the beginnings and ends of two phases that repeat no others.
  static constexpr std::uint64_t few_periods = 4 * longest_period;

  /// Beyond that, as many as so many large rows have, but no more than fit into a 32nd of the
  /// memory.
  bool may_keep() const {
    return kept_ <= always_kept || kept_ <= std::min(few_periods * largest_, most_kept_);
  }

  /// The transfers of a base, with `shift` added to their chunks, modulo 2^32.
  struct Row {
    std::uint64_t number;
    std::size_t base;
    std::uint32_t shift;
  };

  /// How a row is made from a base of the rows before it.
  std::optional<Row> find(std::span<const Transfer> transfers) {
    if (transfers.empty()) return std::nullopt;
    if (auto row = repetition(transfers, period_)) return row;
    for (std::uint64_t back = 1; back <= longest_period; ++back) {
      if (auto row = repetition(transfers, back)) {
        period_ = back;
        return row;
      }
    }
    return std::nullopt;
  }

  /// Likewise, of that of the row so many rows back.
  std::optional<Row> repetition(std::span<const Transfer> transfers, std::uint64_t back) const {
    if (back > rows_.size()) return std::nullopt;
    Row row = rows_[rows_.size() - back];
    const Transfers& base = bases_[row.base];
    if (base.size() != transfers.size()) return std::nullopt;
    row.shift = transfers.front().first - base.front().first;
    if (!is_shifted(transfers, base, row.shift)) return std::nullopt;
    return row;
  }

  std::vector<Row> rows_;
  std::vector<Transfers> bases_;
  std::uint64_t period_ = 1;  ///< that of the last row which was found to repeat another one
  const std::uint64_t most_kept_ = usable_memory() / (32 * sizeof(Transfer));
  std::uint64_t kept_ = 0;     ///< the transfers of the bases, and the bases
  std::uint64_t largest_ = 0;  ///< those of the largest one
};

}  // namespace

std::optional<Steps> folded_rows(std::unique_ptr<StepStream> stream, std::size_t threads,
                                 const std::function<void(std::uint64_t)>& progress) {
  const auto rows = std::make_shared<FoldedRows>();
  std::uint64_t read = 0;
  if (threads > 1) stream->read_ahead(threads);
  for (Step step; stream->next(step);) {
    if (!rows->add(step)) return std::nullopt;
    if (progress) progress(read += step.transfers.size());
  }
  return Steps::in_parts(rows->size(), Steps::any_number,
                         [rows](std::uint64_t row, const RowParts& parts, Transfers& buffer) {
                           return rows->read(row, parts, buffer);
                         });
}

}  // namespace schedcc
