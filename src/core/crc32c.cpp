#include "core/crc32c.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace schedcc {

namespace {

constexpr std::size_t bytes_at_once = 8;
using CrcTables = std::array<std::array<std::uint32_t, 256>, bytes_at_once>;

/// tables[k][b]: the checksum of the byte b followed by k zero bytes.
constexpr CrcTables crc_tables() {
  constexpr std::uint32_t reflected = 0x82F63B78;
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? reflected : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < bytes_at_once; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}

std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(std::string_view bytes,
                                                                      std::uint32_t before) {
  std::uint64_t crc = ~before;
  while (bytes.size() >= sizeof crc) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    crc = _mm_crc32_u64(crc, word);
    bytes.remove_prefix(sizeof word);
  }
  auto rest = static_cast<std::uint32_t>(crc);
  for (const char c : bytes) rest = _mm_crc32_u8(rest, static_cast<unsigned char>(c));
  return ~rest;
}
#endif

}  // namespace

std::uint32_t crc32c_by_tables(std::string_view bytes, std::uint32_t before) {
  static constexpr CrcTables tables = crc_tables();
  std::uint32_t crc = ~before;
  for (; bytes.size() >= bytes_at_once; bytes.remove_prefix(bytes_at_once)) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < bytes_at_once; ++i) {
      const std::uint32_t mixed = i < 4 ? (crc >> (8 * i)) & 0xFF : 0;
      next ^= tables[bytes_at_once - 1 - i][byte_at(bytes, i) ^ mixed];
    }
    crc = next;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i)
    crc = (crc >> 8) ^ tables[0][(crc ^ byte_at(bytes, i)) & 0xFF];
  return ~crc;
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return crc32c_by_instruction(bytes, before);
#endif
  return crc32c_by_tables(bytes, before);
}

}  // namespace schedcc
