#pragma once

// The times of steps that a schedule repeats, as rings and pipelines do.
//
// If all chunks have the same size, a step takes as long as an earlier one with the same sources,
// destinations and numbers of chunks, transfer by transfer, whichever chunks they are; neighbouring
// transfers of a message are then one. Where switches copy and combine messages with the same
// contents, the chunks have to be the same ones, too, but for a constant difference of their
// numbers: it keeps contents equal, and different.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/id_index.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/units.hpp"

namespace schedcc {

class KnownSteps {
 public:
  struct Times {
    std::uint64_t width;              ///< the largest message, in chunks
    std::span<const LinkTime> lines;  ///< of which the time is the highest
  };

  /// `by_contents`: do switches copy or combine messages?
  explicit KnownSteps(bool by_contents) : by_contents_(by_contents) {}

  /// The times of an earlier step that takes as long as this one, valid until the next call; none
  /// if none is known. Exact: steps are compared, not only their hashes. Time: the transfers.
  std::optional<Times> find(std::span<const Transfer> transfers);
  /// The times of the step that was not found last.
  void keep(const Times& times);

 private:
  /// Transfers that are kept at most; then all are forgotten.
  static constexpr std::size_t max_kept = std::size_t{1} << 18;

  struct Entry {
    std::uint64_t hash, width;
    std::size_t transfers, lines;  ///< where those of the step end
  };

  std::span<const Transfer> transfers(IdIndex::Id id) const;
  void normalize(std::span<const Transfer> transfers);

  bool by_contents_;
  Transfers normal_;  ///< of the step that was asked for last, without what makes no difference
  std::uint64_t hash_ = 0;
  std::vector<Entry> entries_;
  Transfers transfers_;          ///< of all entries
  std::vector<LinkTime> lines_;  ///< of all entries
  IdIndex index_;
};

}  // namespace schedcc
