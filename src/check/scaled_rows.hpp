#pragma once

// The rows of a schedule, with which those of schedules with more chunks are compared (scaled.hpp).

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "schedcc/schedule.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Rows are read as far as they are needed, and kept.
class ScaledRows {
 public:
  /// The rows of `source` have `transfers` transfers together. `room`: for so many there is still
  /// place, which all who share it take from it and give back; it outlives this.
  ScaledRows(Source source, std::uint64_t transfers, std::uint64_t& room)
      : source_(std::move(source)), all_(transfers), room_(room) {}
  ~ScaledRows();
  ScaledRows(const ScaledRows&) = delete;
  ScaledRows& operator=(const ScaledRows&) = delete;

  const Source& source() const { return source_; }

  /// May another schedule have these rows, or `by` times as many? Without a look at them.
  bool sizes_agree(const Source& scaled, std::uint32_t by) const;
  /// Is each row of another schedule, which has as many ranks, the same with every chunk replaced
  /// by `by` of them? Not seen where there is no place.
  bool same_blocks(const Source& scaled, std::uint32_t by);
  /// Has each row of another schedule one packet of `by` for each chunk, and are the rows of each
  /// packet these ones? Then how many steps later it ends; else none.
  std::optional<std::uint64_t> more_steps_of_packets(const Source& scaled, std::uint32_t by);

 private:
  /// The row with this number, valid until the next call; nullptr: there is none, or no place.
  const Step* find(std::uint64_t row);
  /// Are there no rows but those before this one?
  bool ends_before(std::uint64_t row) { return find(row) == nullptr && complete_; }
  bool same_row(const Step& own, const Steps& rows, std::uint64_t row, std::uint32_t by);

  Source source_;
  std::uint64_t all_;
  std::uint64_t& room_;
  std::unique_ptr<StepStream> left_;  ///< of the rows; nullptr: none, or not open yet
  bool complete_ = false;             ///< are all rows here?
  Transfers transfers_;               ///< of all rows: no more than there is place for
  std::vector<Step> rows_;
  Transfers buffer_;
};

}  // namespace schedcc
