#pragma once

// The numbers in the text form of the rules of Open MPI's component tuned, which ompi_rules.cpp
// reads.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/tuning/table.hpp"

namespace schedcc {

/// What stands before the version of the format, if that is stated.
inline constexpr std::string_view ompi_version_prefix = "rule-file-version-";

/// Finds numbers as Open MPI does, with their locations, and notes in the table what it skips or
/// reads in another way than it looks.
class OmpiNumbers {
 public:
  /// Both outlive it.
  OmpiNumbers(std::string_view text, TuningTable& table) : text_(text), table_(table) {}

  struct Number {
    std::int64_t value = 0;  ///< the nearest one that fits
    std::uint32_t line = 0, column = 0;
    bool first_of_line = false;
  };

  /// The version of the header, which is at the first byte or not at all: then it is 1.
  std::uint64_t version();
  /// The next number; none at the end of the text.
  std::optional<Number> next();

  /// Does a digit follow in this line?
  bool digit_follows() const;
  /// Goes on to what follows in this line.
  void skip_blanks() { at_ = blanks_end(); }
  /// What follows, up to white space: for messages.
  std::string following() const;
  /// The words that follow in this line and begin with a digit.
  std::size_t numbers_left() const;

  std::uint32_t line() const { return line_; }
  std::uint32_t column() const { return static_cast<std::uint32_t>(at_ - line_start_ + 1); }

 private:
  std::size_t blanks_end() const;
  bool at_number() const;
  Number number();
  /// Skips text that is not a number, up to white space or a digit.
  void skip();

  static constexpr std::size_t max_skipped = 50;
  std::string_view text_;
  TuningTable& table_;
  std::size_t at_ = 0, line_start_ = 0, skipped_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace schedcc
