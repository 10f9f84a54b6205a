#pragma once

// Reads groups of rows (docs/binary-format.md, "Groups").

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "format/binary/bytes.hpp"
#include "format/binary/layout.hpp"

namespace schedcc::binary {

/// Groups of one section of a file. Keeps the rows that later groups may refer to.
class GroupReader {
 public:
  /// `window`: how far back groups may refer, in rows.
  explicit GroupReader(std::uint32_t window) : window_(window) {}

  /// Reads a group, after the byte that says that it is one. First calls begin(rows, distinct) with
  /// the number of its rows, before there are any, and how many of them may differ in other columns
  /// than the last; then take(rows) for its rows, part by part; the span is valid during the call.
  /// With `stored`, every row must take at least a byte of the file. Throws InputError with the
  /// byte.
  template <typename Begin, typename Take>
  void read(ByteReader& in, bool stored, Begin begin, Take take) {
    Group group = read_head(in, stored);
    begin(group.rows, distinct(group));
    while (group.rows > 0) {
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(group.rows, at_once));
      take(std::span<const Row>(expand(group, part)));
    }
  }

 private:
  /// So many rows are expanded before they are taken, while they are in a near cache.
  static constexpr std::size_t at_once = 2048;

  struct Group {
    std::uint64_t rows;    ///< still to be expanded
    std::size_t distance;  ///< 0: differences are from rows of zeros
    Row base;
    std::array<std::size_t, columns> widths;
    std::array<const char*, columns> stored;  ///< where the next row has its bytes
  };

  Group read_head(ByteReader& in, bool stored) const;
  static std::uint64_t distinct(const Group& group);
  /// Appends the next `part` rows, and returns them.
  std::span<const Row> expand(Group& group, std::size_t part);

  std::size_t window_;
  std::vector<Row> rows_;
};

}  // namespace schedcc::binary
