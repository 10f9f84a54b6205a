#include "cli/sweep_line.hpp"

#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/number_list.hpp"
#include "core/crc32c.hpp"

namespace schedcc::cli {

namespace {

/// Before the texts of a line.
constexpr std::string_view reason = "reason ", failure = "failure ";

std::string checksum(std::string_view text) { return fmt::format("{:08x}", crc32c(text)); }

/// A number that is all of the text.
template <typename Number>
bool read(std::string_view text, Number& value, int base = 10) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  return error == std::errc() && stop == end;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      result += text[i];
      continue;
    }
    unsigned char byte = 0;
    if (text.size() < i + 4 || text[i + 1] != 'x' || !read(text.substr(i + 2, 2), byte, 16))
      return std::nullopt;
    result += static_cast<char>(byte);
    i += 3;
  }
  return result;
}

/// Puts a text where it belongs; false if it is none of a tally.
bool read_text(std::string_view field, Tally& tally) {
  const bool failed = field.starts_with(failure);
  if (!failed && !field.starts_with(reason)) return false;
  auto text = unescaped(field.substr(failed ? failure.size() : reason.size()));
  if (!text) return false;
  if (failed) {
    tally.failed.push_back(std::move(*text));
  } else {
    tally.reasons.insert(std::move(*text));
  }
  return true;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\\') {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", byte);
    }
  }
  return result;
}

std::string SweepLine::text() const {
  std::string result = fmt::format("{}\t{}\t{}", task, first, last);
  tally.each_number([&](std::uint64_t number) { result += fmt::format("\t{}", number); });
  for (const std::string& text : tally.reasons)
    result += fmt::format("\t{}{}", reason, escaped(text));
  for (const std::string& text : tally.failed)
    result += fmt::format("\t{}{}", failure, escaped(text));
  return fmt::format("{}\t{}\n", checksum(result), result);
}

std::optional<SweepLine> SweepLine::parse(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos || line.substr(0, tab) != checksum(line.substr(tab + 1)))
    return std::nullopt;
  const std::vector<std::string> fields = split(line.substr(tab + 1), '\t');
  SweepLine result{};
  std::size_t next = 0;
  bool right = true;
  const auto take = [&](auto& number) {
    right = right && next < fields.size() && read(fields[next++], number);
  };
  take(result.task);
  take(result.first);
  take(result.last);
  result.tally.each_number(take);
  while (right && next < fields.size()) right = read_text(fields[next++], result.tally);
  return right ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace schedcc::cli
