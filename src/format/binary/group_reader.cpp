#include "format/binary/group_reader.hpp"

#include <bit>
#include <cstring>

namespace schedcc::binary {

namespace {

/// Rows that all have the same difference.
void add_constant(Transfer* out, std::size_t rows, std::size_t distance, const Row& base) {
  if (distance == 0) {
    std::fill_n(out, rows, as_transfer(base));
  } else if (distance == 1) {  // in a register
    Row row = row_of(out[-1]);
    for (std::size_t i = 0; i < rows; ++i) out[i] = as_transfer(row = plus(row, base));
  } else {
    for (std::size_t i = 0; i < rows; ++i)
      out[i] = as_transfer(plus(row_of(*(out + i - distance)), base));
  }
}

// Columns are read and written alone: to read all of a row a part of which was just written stalls
// processors.

std::uint32_t column_of(const Transfer& t, std::size_t column) {
  std::uint32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const char*>(&t) + column * sizeof value, sizeof value);
  return value;
}

void set_column(Transfer& t, std::size_t column, std::uint32_t value) {
  std::memcpy(reinterpret_cast<char*>(&t) + column * sizeof value, &value, sizeof value);
}

/// One column, of whose differences from `base` each row stores one.
template <typename Stored>
void add_column(Transfer* out, std::size_t rows, std::size_t distance, std::size_t column,
                std::uint32_t base, const char* stored) {
  const auto difference = [&](std::size_t i) {
    return base + fixed_at<Stored>(stored + i * sizeof(Stored));
  };
  if (distance == 0) {
    for (std::size_t i = 0; i < rows; ++i) set_column(out[i], column, difference(i));
  } else if (distance == 1) {
    std::uint32_t value = column_of(out[-1], column);
    for (std::size_t i = 0; i < rows; ++i) set_column(out[i], column, value += difference(i));
  } else {
    for (std::size_t i = 0; i < rows; ++i)
      set_column(out[i], column, column_of(*(out + i - distance), column) + difference(i));
  }
}

}  // namespace

GroupReader::Group GroupReader::read_head(ByteReader& in, bool stored) const {
  const std::uint64_t begin = in.offset();
  Group group{};
  const auto fail = [&](const std::string& message) { in.fail_at(begin, message); };
  group.rows = in.varint("the number of rows of a group");
  if (group.rows == 0) fail("a group must have at least 1 row");
  group.distance = in.varint("the distance of a group");
  if (const std::size_t most = std::min(window_, rows_.size()); group.distance > most) {
    fail(fmt::format("a group refers to the row {} before it; there are {}", group.distance, most));
  }
  const auto codes = in.fixed<std::uint8_t>("the widths of a group");
  for (std::uint32_t& base : group.base) base = from_zigzag(in.varint("a difference of a group"));
  std::uint64_t bytes = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    group.widths[c] = stored_bytes[(codes >> (2 * c)) & 3];
    bytes += group.widths[c];
  }
  if (stored && bytes == 0) fail("each run of a 'pre' or 'post' line takes at least a byte");
  for (std::size_t c = 0; c < columns; ++c)
    group.stored[c] = in.bytes(group.rows * group.widths[c], "a column of a group").data();
  return group;
}

/// Without stored bytes a row is the one `distance` before it plus the same difference, modulo
/// 2^32: after 2^32 / 2^z such differences, z the zeros at the end of all of them, rows repeat.
std::uint64_t GroupReader::distinct(const Group& group) {
  std::uint32_t differences = 0;
  for (std::size_t c = 0; c + 1 < columns; ++c) {
    if (group.widths[c] != 0) return group.rows;
    differences |= group.base[c];
  }
  const std::uint64_t repeated = (std::uint64_t{1} << 32) >> std::countr_zero(differences);
  return std::min(group.rows, std::max<std::uint64_t>(1, group.distance * repeated));
}

void GroupReader::begin() {
  if (rows_.size() >= room())  // so that rows are hardly moved more than once
    rows_.erase(rows_.begin(), rows_.end() - static_cast<std::ptrdiff_t>(window_));
  begin_ = rows_.size();
}

std::span<const Transfer> GroupReader::expand(Group& group, std::size_t part) {
  const std::size_t begin = rows_.size();
  if (begin == 0) rows_.reserve(room());  // of which only what is used takes memory
  rows_.resize(begin + part);
  Transfer* const out = rows_.data() + begin;
  add_constant(out, part, group.distance, group.base);
  for (std::size_t c = 0; c < columns; ++c) {
    const auto add = [&](auto column) {
      column(out, part, group.distance, c, group.base[c], group.stored[c]);
      group.stored[c] += part * group.widths[c];
    };
    if (group.widths[c] == 1) add(add_column<std::uint8_t>);
    if (group.widths[c] == 2) add(add_column<std::uint16_t>);
    if (group.widths[c] == 4) add(add_column<std::uint32_t>);
  }
  group.rows -= part;
  return {out, part};
}

}  // namespace schedcc::binary
