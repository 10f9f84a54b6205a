#pragma once

// A part of the transfers of every row of a schedule, for lower bounds on its time.
//
// A step takes as long as its slowest message, and no message becomes slower where others are left
// out: messages share links with fewer of them. So a schedule of which each row has only some
// transfers takes no longer than the whole, with steps one after another. Rows of most algorithms
// can be made in parts, by ranges of ranks, so that the bound takes as much less time as the part
// is smaller; where the part has the slowest messages of most steps, as that of ranks on both sides
// of a border between nodes has, it is near the time of the whole. Switches that copy or combine
// messages are the exception: without one of its messages a combination may cost more.

#include <cstdint>
#include <functional>
#include <optional>

#include "schedcc/schedule.hpp"

namespace schedcc {

class RowSample {
 public:
  /// The part of these steps for which `weight` is highest in an early row; none if their
  /// rows cannot be divided, or have few transfers.
  static std::optional<RowSample> of(const Steps& steps, Rank ranks,
                                     const std::function<double(const Step&)>& weight);

  /// The sample of the steps from a row on.
  Steps steps(const Steps& all, std::uint64_t row) const;

 private:
  explicit RowSample(RowParts parts) : parts_(parts) {}

  RowParts parts_;
};

}  // namespace schedcc
