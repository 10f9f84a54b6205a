#pragma once

// Binary files, byte by byte from docs/binary-format.md, and damaged files under right checksums.

#include <cstdint>
#include <string>

#include "core/crc32c.hpp"
#include "format/binary/bytes.hpp"
#include "format/binary/layout.hpp"

namespace binary_files {

using schedcc::binary::put_fixed;
using schedcc::binary::put_varint;
using schedcc::binary::Row;

inline std::string head(std::uint32_t version = 1, std::uint32_t window = 1000) {
  std::string result("\x89SCB\r\n\x1a\n");
  put_fixed(result, version);
  put_fixed(result, window);
  put_fixed(result, schedcc::crc32c(result));
  return result;
}

inline std::string block(std::uint32_t number, std::uint32_t kind, const std::string& payload) {
  std::string result;
  put_fixed(result, number);
  put_fixed(result, kind);
  put_fixed(result, static_cast<std::uint32_t>(payload.size()));
  result += payload;
  put_fixed(result, schedcc::crc32c(result));
  return result;
}

/// A group, without the bytes of its columns.
inline std::string group(std::uint32_t rows, std::uint32_t distance, unsigned char codes,
                         const Row& base) {
  std::string result("\1");
  put_varint(result, rows);
  put_varint(result, distance);
  result += static_cast<char>(codes);
  for (const std::uint32_t difference : base)
    put_varint(result, schedcc::binary::zigzag(difference));
  return result;
}

inline std::string end_block(std::uint32_t number, std::uint64_t steps, std::uint64_t transfers) {
  std::string payload;
  put_fixed(payload, steps);
  put_fixed(payload, transfers);
  return block(number, 5, payload);
}

/// The bytes with the checksums of all blocks that they still have corrected.
inline std::string resealed(std::string bytes) {
  using namespace schedcc::binary;
  std::size_t at = file_header_size;
  if (bytes.size() < at) return bytes;
  std::string head;
  put_fixed(head, schedcc::crc32c({bytes.data(), at - checksum_size}));
  bytes.replace(at - checksum_size, checksum_size, head);
  while (bytes.size() >= at + block_header_size + checksum_size) {
    const auto length = fixed_at<std::uint32_t>(bytes.data() + at + 8);
    const std::size_t covered = block_header_size + length;
    if (bytes.size() - at < covered + checksum_size) break;
    std::string sum;
    put_fixed(sum, schedcc::crc32c({bytes.data() + at, covered}));
    bytes.replace(at + covered, checksum_size, sum);
    at += covered + checksum_size;
  }
  return bytes;
}

}  // namespace binary_files
