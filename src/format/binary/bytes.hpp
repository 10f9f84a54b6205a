#pragma once

// Numbers as bytes: little-endian, or of variable length, seven bits a byte, the lowest first
// (LEB128).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc::binary {

/// Throws InputError that names the byte of the file.
[[noreturn]] inline void fail_at_byte(const std::string& file, std::uint64_t offset,
                                      const std::string& message) {
  throw InputError({file, 0, 0}, fmt::format("byte {}: {}", offset, message));
}

template <typename Number>
void put_fixed(std::string& out, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i)
    out += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}

inline void put_varint(std::string& out, std::uint32_t value) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(static_cast<unsigned char>(value | 0x80));
  out += static_cast<char>(static_cast<unsigned char>(value));
}

/// How many bytes put_varint takes.
inline std::size_t varint_size(std::uint32_t value) {
  std::size_t size = 1;
  while ((value >>= 7) != 0) ++size;
  return size;
}

/// Differences near 0 modulo 2^32 as small numbers: 0, -1, 1, -2, ...
inline std::uint32_t zigzag(std::uint32_t difference) {
  return (difference << 1) ^ ((difference >> 31) != 0 ? UINT32_MAX : 0);
}
inline std::uint32_t from_zigzag(std::uint32_t value) {
  return (value >> 1) ^ ((value & 1) != 0 ? UINT32_MAX : 0);
}

/// `Number` at `bytes`, little-endian, of any alignment.
template <typename Number>
Number fixed_at(const char* bytes) {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value = static_cast<Number>(value | static_cast<Number>(static_cast<unsigned char>(bytes[i]))
                                            << (8 * i));
  return value;
}

/// Reads a part of a file; errors name the byte of the file.
class ByteReader {
 public:
  ByteReader() = default;
  /// `offset`: of the first byte in the file.
  ByteReader(std::string_view bytes, std::uint64_t offset, std::string file)
      : bytes_(bytes), offset_(offset), file_(std::move(file)) {}

  bool empty() const { return at_ == bytes_.size(); }
  /// The offset in the file of the next byte.
  std::uint64_t offset() const { return offset_ + at_; }

  std::string_view bytes(std::uint64_t count, std::string_view what) {
    if (count > bytes_.size() - at_) {
      fail_at_byte(
          file_, offset(),
          fmt::format("{} needs {} bytes, and {} are left", what, count, bytes_.size() - at_));
    }
    const std::string_view result = bytes_.substr(at_, static_cast<std::size_t>(count));
    at_ += result.size();
    return result;
  }
  template <typename Number>
  Number fixed(std::string_view what) {
    return fixed_at<Number>(bytes(sizeof(Number), what).data());
  }
  std::string_view rest() { return bytes(bytes_.size() - at_, ""); }
  /// A number of variable length, in its shortest form.
  std::uint32_t varint(std::string_view what) {
    const std::uint64_t begin = offset();
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const auto byte = fixed<std::uint8_t>(what);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte >= 0x80) continue;
      if (value > UINT32_MAX) break;
      if (byte == 0 && shift > 0)
        fail_at(begin, fmt::format("{} is not in its shortest form", what));
      return static_cast<std::uint32_t>(value);
    }
    fail_at(begin, fmt::format("{} must be below 2^32", what));
  }

  /// At a byte of the file.
  [[noreturn]] void fail_at(std::uint64_t offset, const std::string& message) const {
    fail_at_byte(file_, offset, message);
  }

 private:
  std::string_view bytes_;
  std::uint64_t offset_ = 0;
  std::size_t at_ = 0;
  std::string file_;
};

}  // namespace schedcc::binary
