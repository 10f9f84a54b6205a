#include "format/teccl/phrases.hpp"

#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "core/printable.hpp"

namespace schedcc::teccl {

namespace {

/// The length of the number that begins the text: digits, a point, an exponent with its sign.
std::size_t length_of_number(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() &&
         (std::string_view("0123456789.eE").find(text[size]) != std::string_view::npos ||
          (size > 0 && (text[size] == '-' || text[size] == '+') &&
           (text[size - 1] == 'e' || text[size - 1] == 'E')))) {
    ++size;
  }
  return size;
}

}  // namespace

void Phrase::expect(std::string_view words) {
  if (!take(words)) wanted(fmt::format("'{}'", words));
}

bool Phrase::take(std::string_view words) {
  if (!text_.substr(at_).starts_with(words)) return false;
  at_ += words.size();
  return true;
}

std::uint32_t Phrase::number(std::string_view what) {
  const std::size_t begin = at_;
  std::uint32_t value = 0;
  const char* const first = text_.data() + at_;
  const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
  if (end == first) wanted(std::string(what));
  at_ += static_cast<std::size_t>(end - first);
  if (error != std::errc() || value == UINT32_MAX) {
    fail_at(begin, fmt::format("{} must be below 2^32 - 1, not {}", what,
                               printable(text_.substr(begin, at_ - begin), 40)));
  }
  return value;
}

std::uint64_t Phrase::volume() {
  const std::string_view written = text_.substr(at_, length_of_number(text_.substr(at_)));
  double value = 0;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (written.empty() || error == std::errc::invalid_argument ||
      end != written.data() + written.size()) {
    wanted("a volume");
  }
  const double units = std::round(value * static_cast<double>(whole));
  if (error != std::errc() || units < 1 || units > static_cast<double>(whole)) {
    fail_at(at_, fmt::format("a volume is above 0 and at most 1, not {}", printable(written, 40)));
  }
  at_ += written.size();
  return static_cast<std::uint64_t>(units);
}

Hop Phrase::hop(std::vector<std::uint32_t>& switches) {
  const std::size_t begin = at_;
  Hop result;
  result.from = number("a GPU");
  expect("->");
  result.to = number("a GPU");
  if (take(" with volume ")) result.volume = volume();
  expect(" in epoch ");
  result.epoch = number("an epoch");
  switches.clear();
  if (take(" via switches ")) {
    do {
      switches.push_back(number("a switch"));
    } while (take("->") || take(" -> "));
  }
  if (result.from == result.to) {
    fail_at(begin, fmt::format("GPU {} sends to itself", result.from));
  }
  return result;
}

void Phrase::end() {
  if (at_ < text_.size()) wanted("the end");
}

void Phrase::fail_at(std::size_t offset, const std::string& message) const {
  SourceLocation location = place_;
  location.column += static_cast<std::uint32_t>(offset + 1);  // after the quote
  throw InputError(location, message);
}

void Phrase::wanted(const std::string& what) const {
  const std::string_view rest = text_.substr(at_);
  fail_at(at_, rest.empty() ? fmt::format("{} is missing at the end", what)
                            : fmt::format("{} is missing before '{}'", what, printable(rest, 20)));
}

}  // namespace schedcc::teccl
