#include "schedcc/units.hpp"

#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/core.h>

#include "core/printable.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::string_view time_help = "a time has a unit: ps, ns, us, ms or s, as in 1.5us";
constexpr std::string_view gap_help =
    "a time per byte is written as 0.1ns/B, or as a bandwidth, 12.5GB/s or 100Gbit/s";
constexpr std::string_view link_help = "a link has a start-up and a bandwidth, as in 2us@300GB/s";
constexpr std::string_view size_help = "a size is a whole number of bytes, as in 4096, 4KiB, 1.5MB";

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view problem,
                         std::string_view help) {
  throw InputError(fmt::format("{}: '{}' {}; {}", what, printable(text), problem, help));
}

/// The number in front of a unit, and the unit.
struct Quantity {
  std::string_view number, unit;
};

Quantity split(std::string_view text, std::string_view what, std::string_view help) {
  if (text.starts_with('-')) refuse(what, text, "is negative", help);
  const bool number = !text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
  if (!number) refuse(what, text, "does not begin with a number", help);
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  auto length = static_cast<std::size_t>(end - text.data());
  if (length == 0) refuse(what, text, "does not begin with a number", help);
  std::size_t unit = length;
  while (unit < text.size() && text[unit] == ' ') ++unit;
  return {text.substr(0, length), text.substr(unit)};
}

double value_of(std::string_view number) {
  double value = 0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
  return result.ec == std::errc{} ? value : HUGE_VAL;
}

/// Removes k, M, G, T, P, E or Ki, Mi, ... from the front of a unit and returns its factor, 1 if
/// there is none.
std::uint64_t take_prefix(std::string_view& unit) {
  static constexpr std::string_view letters = "kMGTPE";
  if (unit.empty()) return 1;
  const std::size_t power = letters.find(unit[0] == 'K' ? 'k' : unit[0]);
  if (power == std::string_view::npos) return 1;
  unit.remove_prefix(1);
  const bool binary = unit.starts_with('i');
  if (binary) unit.remove_prefix(1);
  std::uint64_t factor = 1;
  for (std::size_t i = 0; i <= power; ++i) factor *= binary ? 1024 : 1000;
  return factor;
}

/// The bits of a unit of size: 8 for B, 8192 for KiB, 10^9 for Gbit or Gb.
std::optional<std::uint64_t> bits_of(std::string_view unit) {
  const std::uint64_t factor = take_prefix(unit);
  if (unit == "B" || unit == "byte" || unit == "bytes") return 8 * factor;
  if (unit == "b" || unit == "bit" || unit == "bits") return factor;
  return std::nullopt;
}

std::optional<double> seconds_of(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> units[] = {
      {"ps", 1e-12},     {"ns", 1e-9}, {"us", 1e-6}, {"\u00b5s", 1e-6},
      {"\u03bcs", 1e-6}, {"ms", 1e-3}, {"s", 1.0},
  };
  for (const auto& [name, seconds] : units) {
    if (name == unit) return seconds;
  }
  return std::nullopt;
}

/// The number of bytes in a decimal number, like 1.5 or 1e6, times `bits`, if it is whole and not
/// too large.
std::optional<std::uint64_t> whole_bytes(std::string_view number, std::uint64_t bits) {
  Wide digits = 0, scale = 1;
  if (const std::size_t e = number.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view power = number.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    unsigned zeros = 0;
    const auto end = power.data() + power.size();
    const auto result = std::from_chars(power.data(), end, zeros);
    if (result.ec != std::errc{} || result.ptr != end || zeros > 18) return std::nullopt;
    for (; zeros > 0 && bits < (std::uint64_t{1} << 60); --zeros) bits *= 10;
    if (zeros > 0) return std::nullopt;
    number = number.substr(0, e);
  }
  bool fraction = false;
  for (const char c : number) {
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (c < '0' || c > '9' || digits > (Wide{1} << 70)) return std::nullopt;
    digits = digits * 10 + static_cast<unsigned>(c - '0');
    if (fraction) scale *= 10;
  }
  if (digits > (Wide{1} << 127) / bits || digits * bits % (8 * scale) != 0) return std::nullopt;
  const Wide bytes = digits * bits / (8 * scale);
  return bytes < (Wide{1} << 63) ? std::optional(static_cast<std::uint64_t>(bytes)) : std::nullopt;
}

/// 2^20.
std::optional<std::uint64_t> power_of_two(std::string_view text) {
  if (!text.starts_with("2^")) return std::nullopt;
  unsigned exponent = 0;
  const auto end = text.data() + text.size();
  const auto result = std::from_chars(text.data() + 2, end, exponent);
  if (result.ec != std::errc{} || result.ptr != end || exponent > 62) return std::nullopt;
  return std::uint64_t{1} << exponent;
}

/// The product, if it is finite.
double finite(double value, std::string_view what, std::string_view text, std::string_view help) {
  if (!std::isfinite(value)) refuse(what, text, "is too large", help);
  return value;
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text, std::string_view what) {
  std::string_view bare = text;
  if (bare.ends_with('B')) bare.remove_suffix(1);
  if (const auto power = power_of_two(bare)) return *power;
  const auto [number, unit] = split(text, what, size_help);
  std::optional<std::uint64_t> bits = bits_of(unit);
  if (bits && unit.ends_with('b')) {
    refuse(what, text, "is ambiguous: write B for bytes, bit for bits", size_help);
  }
  if (!bits) {  // 64k, 1Mi, or no unit at all
    std::string_view rest = unit;
    const std::uint64_t factor = take_prefix(rest);
    if (rest.empty()) bits = 8 * factor;
  }
  if (!bits)
    refuse(what, text, fmt::format("has the unknown unit '{}'", printable(unit)), size_help);
  const auto bytes = whole_bytes(number, *bits);
  if (!bytes) refuse(what, text, "is not a whole number of bytes below 2^63", size_help);
  return *bytes;
}

double parse_time(std::string_view text, std::string_view what) {
  const auto [number, unit] = split(text, what, time_help);
  const double value = value_of(number);
  if (unit.empty() && value == 0) return 0;
  if (unit.empty()) refuse(what, text, "has no unit", time_help);
  const auto seconds = seconds_of(unit);
  if (!seconds)
    refuse(what, text, fmt::format("has the unknown unit '{}'", printable(unit)), time_help);
  return finite(value * *seconds, what, text, time_help);
}

double parse_gap(std::string_view text, std::string_view what) {
  const auto [number, unit] = split(text, what, gap_help);
  const double value = value_of(number);
  if (unit.empty() && value == 0) return 0;
  if (unit.empty()) refuse(what, text, "has no unit", gap_help);
  const std::size_t slash = unit.find('/');
  std::string_view above = unit.substr(0, slash);
  std::string_view below = slash == std::string_view::npos ? "" : unit.substr(slash + 1);
  if (slash == std::string_view::npos && unit.ends_with("ps")) {  // Gbps
    above = unit.substr(0, unit.size() - 2);
    below = "s";
  }
  const auto time = seconds_of(above);
  const auto size = bits_of(below);
  if (time && size) {
    return finite(value * *time / (static_cast<double>(*size) / 8), what, text, gap_help);
  }
  const auto amount = bits_of(above);
  const auto duration = seconds_of(below);
  if (!amount || !duration) {
    refuse(what, text, fmt::format("has the unknown unit '{}'", printable(unit)), gap_help);
  }
  if (value == 0) refuse(what, text, "is not a positive bandwidth", gap_help);
  const double bytes = finite(value * static_cast<double>(*amount) / 8, what, text, gap_help);
  return finite(*duration / bytes, what, text, gap_help);
}

LinkTime parse_link(std::string_view text, std::string_view what) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) refuse(what, text, "has no '@'", link_help);
  const std::string_view gap = text.substr(at + 1);
  const double alpha = parse_time(text.substr(0, at), what);
  const double beta = parse_gap(gap, what);
  if (beta == 0 && split(gap, what, gap_help).unit.empty())  // no bandwidth, or no time?
    refuse(what, text, "has a bandwidth without a unit", link_help);
  return {alpha, beta};
}

std::string format_time(double seconds) {
  static constexpr std::pair<double, std::string_view> units[] = {
      {1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}};
  if (seconds == 0) return "0 s";
  for (const auto& [unit, name] : units) {
    // 0.99996 ms would be written as 1.000 ms.
    if (seconds >= unit * 0.99995 || name == "ps") {
      const double value = seconds / unit;
      if (value >= 99999.5) return fmt::format("{:.3e} {}", value, name);
      const int places = value >= 999.95 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
      return fmt::format("{:.{}f} {}", value, places, name);
    }
  }
  return {};
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::string_view letters = "kMGTPE";
  const auto shortened = [&](std::uint64_t step, std::string_view suffix) {
    std::uint64_t number = bytes;
    std::size_t unit = 0;
    for (; number != 0 && number % step == 0 && unit < letters.size(); ++unit) number /= step;
    if (unit == 0) return std::pair(number, std::string("B"));
    const char letter = unit == 1 && step == 1024 ? 'K' : letters[unit - 1];
    return std::pair(number, fmt::format("{}{}", letter, suffix));
  };
  const auto binary = shortened(1024, "iB"), decimal = shortened(1000, "B");
  const auto& [number, unit] = decimal.first < binary.first ? decimal : binary;
  return fmt::format("{} {}", number, unit);
}

}  // namespace schedcc
