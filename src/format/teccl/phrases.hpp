#pragma once

// The phrases in the strings of TE-CCL's JSON.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/teccl/document.hpp"
#include "schedcc/error.hpp"

namespace schedcc::teccl {

/// Reads one string; what does not belong there is an InputError with its column.
class Phrase {
 public:
  /// `at`: the location of the string's opening quote.
  Phrase(std::string_view text, SourceLocation at) : text_(text), place_(std::move(at)) {}

  /// The next characters are these.
  void expect(std::string_view words);
  /// Reads them if they are.
  bool take(std::string_view words);
  /// A whole number below 2^32 - 1.
  std::uint32_t number(std::string_view what);
  /// A decimal number above 0 and at most 1, in units of 10^-12, rounded.
  std::uint64_t volume();
  /// A hop, and the numbers of its switches.
  Hop hop(std::vector<std::uint32_t>& switches);
  /// Nothing follows.
  void end();

 private:
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message) const;
  [[noreturn]] void wanted(const std::string& what) const;

  std::string_view text_;
  SourceLocation place_;
  std::size_t at_ = 0;
};

}  // namespace schedcc::teccl
