#pragma once

// The layout of binary files (docs/binary-format.md): what the writer and the reader share.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "schedcc/schedule.hpp"

namespace schedcc::binary {

/// The first bytes of a file. No text has them, and a transfer as text would change them.
inline constexpr std::string_view magic{"\x89SCB\r\n\x1a\n", 8};
inline constexpr std::uint32_t version = 1;
/// The magic, the version, the window, and a checksum.
inline constexpr std::size_t file_header_size = magic.size() + 12;

enum class BlockKind : std::uint32_t { header = 1, pre = 2, post = 3, steps = 4, end = 5 };

/// The number of a block, its kind and the length of its payload; a checksum follows.
inline constexpr std::size_t block_header_size = 12;
inline constexpr std::size_t checksum_size = 4;
/// The longest payload of a block, in bytes.
inline constexpr std::uint32_t longest_payload = std::uint32_t{1} << 20;

/// What an item of the payload is that the byte begins.
inline constexpr std::uint8_t step_item = 0, group_item = 1;

/// The window is how far back groups may refer, in rows; this is the largest one.
inline constexpr std::uint32_t largest_window = std::uint32_t{1} << 20;

/// A transfer: sender, receiver, first chunk, and the number of chunks, with 2^31 if it reduces. Or
/// a run of chunks of a `pre` or `post` line: the rank, twice the line's number (and 1 if it is
/// reduced), the first and the last chunk. Differences of rows are modulo 2^32.
using Row = std::array<std::uint32_t, 4>;
static_assert(sizeof(Row) == sizeof(Transfer) && std::endian::native == std::endian::little,
              "a Transfer has the bytes of its row, so that readers make rows as transfers");
inline constexpr std::size_t columns = std::tuple_size_v<Row>;

inline constexpr std::uint32_t reduce_bit = std::uint32_t{1} << 31;

/// The bytes for each row of a column, by its code of two bits.
inline constexpr std::array<std::size_t, 4> stored_bytes{0, 1, 2, 4};

inline Row row_of(const Transfer& t) { return std::bit_cast<Row>(t); }
inline Transfer as_transfer(const Row& row) { return std::bit_cast<Transfer>(row); }

inline Row plus(const Row& a, const Row& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]};
}
inline Row minus(const Row& a, const Row& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]};
}

}  // namespace schedcc::binary
