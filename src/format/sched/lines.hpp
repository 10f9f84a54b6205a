#pragma once

// Lines of numbers for an Output, written where they are passed on from.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "schedcc/format.hpp"

namespace schedcc {

/// The numbers below 10^4, in four digits each.
inline constexpr auto four_digits = [] {
  std::array<char, 40000> digits{};
  char* to = digits.data();
  for (int number = 0; number < 10000; ++number) {
    for (const int unit : {1000, 100, 10, 1}) *to++ = static_cast<char>('0' + number / unit % 10);
  }
  return digits;
}();

/// Writes the last digits of a number below 10^4, all but so many, and as many bytes of any value.
inline char* put_digits(char* to, std::uint32_t number, std::size_t left_out = 0) {
  std::memcpy(to, four_digits.data() + std::size_t{4} * number + left_out, 4);
  return to + (4 - left_out);
}

/// put_number for those that few schedules have.
char* put_large_number(char* to, std::uint64_t number);

/// Writes a number in decimal, and up to three bytes of any value. Returns the end of the number.
inline char* put_number(char* to, std::uint64_t number) {
  if (number >= 100'000'000) return put_large_number(to, number);
  const auto all = static_cast<std::uint32_t>(number), high = all >= 10'000 ? all / 10'000 : all;
  to = put_digits(to, high, std::size_t{high < 10} + (high < 100 ? 1 : 0) + (high < 1000 ? 1 : 0));
  return all >= 10'000 ? put_digits(to, all % 10'000) : to;
}

/// Where the next characters of a line go: a value, which stays in a register.
class Place {
 public:
  explicit Place(char* at) : at_(at) {}

  /// The place after what is put here.
  [[nodiscard]] Place put(std::string_view text) const {
    return Place(std::ranges::copy(text, at_).out);
  }
  [[nodiscard]] Place put(std::uint64_t number) const { return Place(put_number(at_, number)); }
  char* at() const { return at_; }

 private:
  char* at_;
};

/// Passes lines on in large pieces, and other text between them. The caller must call `flush` at
/// the end; nothing is written after an exception.
class Lines : public Output {
 public:
  explicit Lines(Output& out) : out_(out) {}

  /// `put` puts a part of a line, a few numbers and words, at the place that it is given, and
  /// returns the place after it.
  template <typename Put>
  void part(const Put& put) {
    if (room() < longest_part) flush();
    at_ = put(Place(at_)).at();
  }
  void write(std::string_view text) override {
    while (!text.empty()) {
      if (room() == 0) flush();
      const std::string_view piece = text.substr(0, room());
      at_ = std::ranges::copy(piece, at_).out;
      text.remove_prefix(piece.size());
    }
  }
  void flush() {
    out_.write({buffer_.data(), static_cast<std::size_t>(at_ - buffer_.data())});
    at_ = buffer_.data();
  }

 private:
  static constexpr std::size_t longest_part = 128;

  std::size_t room() const {
    return static_cast<std::size_t>(buffer_.data() + buffer_.size() - at_);
  }

  Output& out_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 16);
  char* at_ = buffer_.data();
};

}  // namespace schedcc
