#pragma once

// Reads groups of rows (docs/binary-format.md, "Groups").

#include <algorithm>
#include <cstdint>
#include <span>

#include "format/binary/bytes.hpp"
#include "format/binary/layout.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::binary {

/// Groups of one section of a file. Their rows are kept as transfers, those of `pre` and `post`
/// lines, too, as long as later groups may refer to them.
class GroupReader {
 public:
  /// `window`: how far back groups may refer, in rows.
  explicit GroupReader(std::uint32_t window) : window_(window) {}

  /// Begins a step: rows() are those that are read from now on.
  void begin();
  /// Valid until the next call of another function.
  std::span<const Transfer> rows() const { return std::span(rows_).subspan(begin_); }

  /// Reads a group, after the byte that says that it is one. First calls admit(rows, distinct) with
  /// the number of its rows, before there are any, and how many of them may differ in other columns
  /// than the last; then take(rows) for its rows, part by part; the span is valid during the call.
  /// With `stored`, every row must take at least a byte of the file. Throws InputError with the
  /// byte.
  template <typename Admit, typename Take>
  void read(ByteReader& in, bool stored, Admit admit, Take take) {
    Group group = read_head(in, stored);
    admit(group.rows, distinct(group));
    while (group.rows > 0) {
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(group.rows, at_once));
      take(expand(group, part));
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
  std::span<const Transfer> expand(Group& group, std::size_t part);

  /// Twice the window, nearly: less than the 32 MiB of which glibc gives memory back to the system
  /// each time.
  std::size_t room() const { return 2 * window_ - window_ / 256; }

  std::size_t window_;
  Transfers rows_;
  std::size_t begin_ = 0;  ///< of the step
};

}  // namespace schedcc::binary
