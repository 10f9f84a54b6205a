#include "format/tuning/ompi_numbers.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/core.h>

#include "core/printable.hpp"
#include "core/scanner.hpp"

namespace schedcc {

std::uint64_t OmpiNumbers::version() {
  if (!text_.starts_with(ompi_version_prefix)) return 1;
  at_ = ompi_version_prefix.size();
  std::uint64_t result = 0;
  const auto [end, error] =
      std::from_chars(text_.data() + at_, text_.data() + text_.size(), result);
  if (error != std::errc()) return 1;
  at_ = static_cast<std::size_t>(end - text_.data());
  return result;
}

std::optional<OmpiNumbers::Number> OmpiNumbers::next() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++at_;
      ++line_;
      line_start_ = at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
      ++at_;
    } else if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (at_number()) {
      return number();
    } else {
      skip();
    }
  }
  return std::nullopt;
}

bool OmpiNumbers::digit_follows() const {
  const std::size_t at = blanks_end();
  return at < text_.size() && is_digit(text_[at]);
}

std::string OmpiNumbers::following() const {
  const std::size_t at = blanks_end();
  return printable(text_.substr(at, text_.find_first_of(" \t\r\n#", at) - at));
}

std::size_t OmpiNumbers::numbers_left() const {
  std::size_t result = 0;
  for (std::size_t at = blanks_end(); at < text_.size(); ++at) {
    if (text_[at] == '\n' || text_[at] == '#') break;
    const bool begins = at == 0 || text_[at - 1] == ' ' || text_[at - 1] == '\t';
    if (begins && is_digit(text_[at])) ++result;
  }
  return result;
}

std::size_t OmpiNumbers::blanks_end() const {
  return std::min(text_.find_first_not_of(" \t", at_), text_.size());
}

bool OmpiNumbers::at_number() const {
  const std::size_t at = at_ + (text_[at_] == '-' || text_[at_] == '+' ? 1 : 0);
  return at < text_.size() && is_digit(text_[at]);
}

OmpiNumbers::Number OmpiNumbers::number() {
  const std::string_view before = text_.substr(line_start_, at_ - line_start_);
  Number result{0, line_, column(), before.find_first_not_of(" \t") == std::string_view::npos};
  const std::size_t begin = at_;
  const bool negative = text_[at_] == '-';
  if (!is_digit(text_[at_])) ++at_;
  int base = 10;
  if (text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X")) {
    base = 16;
    at_ += 2;
  } else if (text_[at_] == '0' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])) {
    base = 8;
  }
  std::uint64_t size = 0;
  const auto [end, error] =
      std::from_chars(text_.data() + at_, text_.data() + text_.size(), size, base);
  at_ = static_cast<std::size_t>(end - text_.data());
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  const bool fits = error != std::errc::result_out_of_range && size <= most;
  if (!fits) size = most;
  result.value = negative ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
  if (base == 8 || !fits) {
    table_.add(Severity::warning, "number", result.line, result.column,
               fmt::format("'{}' is {}: {}", printable(text_.substr(begin, at_ - begin)),
                           fits ? "octal" : "read as the largest number", result.value));
  }
  return result;
}

void OmpiNumbers::skip() {
  const std::size_t begin = at_;
  const std::uint32_t column = this->column();
  while (at_ < text_.size() && text_[at_] != '#' &&
         std::string_view(" \t\r\n\v\f").find(text_[at_]) == std::string_view::npos &&
         !at_number()) {
    ++at_;
  }
  if (++skipped_ > max_skipped) return;
  table_.add(Severity::warning, "syntax", line_, column,
             fmt::format("'{}' is skipped: Open MPI reads only numbers, and comments after #{}",
                         printable(text_.substr(begin, at_ - begin)),
                         skipped_ == max_skipped ? " (further text is not reported)" : ""));
}

}  // namespace schedcc
