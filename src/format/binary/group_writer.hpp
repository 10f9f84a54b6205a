#pragma once

// Finds the structure of rows and writes them as groups (docs/binary-format.md, "Groups").

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/binary/blocks.hpp"
#include "format/binary/layout.hpp"

namespace schedcc::binary {

/// Groups of one section of a file.
class GroupWriter {
 public:
  /// With `stored`, every row takes at least a byte, so that what a reader allocates is
  /// proportional to the file.
  GroupWriter(BlockWriter& blocks, BlockKind kind, bool stored)
      : blocks_(blocks), kind_(kind), stored_(stored), places_(table_size) {}

  void add(const Row& row) { rows_.push_back(row); }
  /// Writes the rows that were added since the last call. Those of a step are written together.
  void write();
  /// How many rows have been added.
  std::uint64_t rows() const { return dropped_ + rows_.size(); }

 private:
  /// Rows that are those `distance` before them plus the same difference.
  struct Match {
    std::size_t distance = 0, rows = 0;
  };
  /// How a group is written: its distance, the least difference of each column, and the codes of
  /// the widths of what each row adds to it.
  struct GroupEncoding {
    std::size_t distance;
    Row base;
    std::array<std::size_t, columns> codes;
    std::size_t bytes;  ///< of all of it, except the number of rows
  };

  static constexpr std::size_t table_size = 1 << 12;
  /// Shorter matches are not worth a group of their own.
  static constexpr std::size_t least_match = 4;
  /// A match of this many rows is taken without a look at others.
  static constexpr std::size_t long_match = 64;
  /// Rows by which the distance of a group that stores differences is chosen.
  static constexpr std::size_t sample = 64;
  /// Rows of such a group.
  static constexpr std::size_t longest_listed = 4096;

  Match best_match(std::size_t at);
  std::size_t matching(std::size_t at, std::size_t distance) const;
  void remember(std::size_t distance);
  void write_listed(std::size_t from, std::size_t to);
  GroupEncoding encoding(std::size_t from, std::size_t to, std::size_t distance) const;
  void put(std::size_t from, std::size_t to, const GroupEncoding& encoding);
  void drop_old();

  BlockWriter& blocks_;
  BlockKind kind_;
  bool stored_;
  std::vector<Row> rows_;
  std::size_t begin_ = 0;                ///< the first row that is not written
  std::uint64_t dropped_ = 0;            ///< rows before the first of rows_
  std::array<std::size_t, 3> recent_{};  ///< distances of the last matches
  std::vector<std::uint64_t> places_;    ///< one past the last row with this sender and receiver
};

}  // namespace schedcc::binary
