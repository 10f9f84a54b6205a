#include "schedcc/spec.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "core/join.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// Reads digits from the front of `text` and removes them; false if there are none or too many.
bool take_digits(std::string_view& text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool multiply(std::uint64_t& value, std::uint64_t factor) {
  return !__builtin_mul_overflow(value, factor, &value);
}

/// 2^20 after the base has been read.
bool take_power(std::string_view& text, std::uint64_t& value) {
  text.remove_prefix(1);
  std::uint64_t exponent = 0;
  if (!take_digits(text, exponent) || exponent > 64) return false;
  const std::uint64_t base = value;
  value = 1;
  for (std::uint64_t i = 0; i < exponent; ++i) {
    if (!multiply(value, base)) return false;
  }
  return true;
}

/// k, M, G, T, or Ki, Mi, Gi, Ti.
bool take_unit(std::string_view& text, std::uint64_t& value) {
  const std::size_t unit = std::string_view("kMGT").find(text[0] == 'K' ? 'k' : text[0]);
  if (unit == std::string_view::npos) return false;
  text.remove_prefix(1);
  const bool binary = text.starts_with('i');
  if (binary) text.remove_prefix(1);
  for (std::size_t i = 0; i <= unit; ++i) {
    if (!multiply(value, binary ? 1024 : 1000)) return false;
  }
  return true;
}

bool read_number(std::string_view text, std::uint64_t& value) {
  if (!take_digits(text, value)) return false;
  if (text.starts_with('^') && !take_power(text, value)) return false;
  if (!text.empty() && !take_unit(text, value)) return false;
  return text.empty();
}

/// 123 or 2^64, of any size.
bool is_number_or_power(std::string_view text) {
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::size_t power = text.find('^');
  return digits(text.substr(0, power)) &&
         (power == std::string_view::npos || digits(text.substr(power + 1)));
}

// Values are written with percent-escapes where a character would end them, or the line or token of
// a file that they are in: `topology:my%20dir/a%2Cb.json`.

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/// A percent sign without two hexadecimal digits after it is literal.
std::string unescaped(std::string_view value) {
  std::string result;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '%' && i + 2 < value.size()) {
      const int high = hex_digit(value[i + 1]), low = hex_digit(value[i + 2]);
      if (high >= 0 && low >= 0) {
        result += static_cast<char>(16 * high + low);
        i += 2;
        continue;
      }
    }
    result += value[i];
  }
  return result;
}

/// The reverse. `behind_key`: the value follows the `=` of its key, and may contain further ones.
std::string escaped(std::string_view value, bool behind_key) {
  std::string result;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte > ' ' && byte < 0x7f && c != ',' && c != '#' && c != '%';
    if (plain && (c != '=' || behind_key)) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", byte);
    }
  }
  return result;
}

}  // namespace

std::uint64_t parse_number(std::string_view text, std::string_view what, std::uint64_t min,
                           std::uint64_t max) {
  std::uint64_t value = 0;
  const bool read = read_number(text, value);
  if (read && value >= min && value <= max) return value;
  const std::string shown = printable(text);
  if (!read && max == UINT64_MAX && is_number_or_power(text))
    throw InputError(fmt::format("{}: {} is more than 2^64 - 1", what, shown));
  throw InputError(
      max == UINT64_MAX
          ? fmt::format("{}: '{}' is not a whole number of at least {}", what, shown, min)
          : fmt::format("{}: '{}' is not a whole number in {}..{}", what, shown, min, max));
}

bool Parameters::has(std::string_view name) const { return values_.contains(name); }

const std::vector<std::string>& Parameters::list(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw InternalError(fmt::format("no parameter '{}'", name));
  return found->second;
}

const std::string& Parameters::text(std::string_view name) const { return list(name).front(); }

std::uint64_t Parameters::integer(std::string_view name) const {
  return parse_number(text(name), name);
}

double Parameters::time(std::string_view name) const { return parse_time(text(name), name); }

double Parameters::gap(std::string_view name) const { return parse_gap(text(name), name); }

LinkTime Parameters::link(std::string_view name) const { return parse_link(text(name), name); }

std::uint64_t Parameters::size(std::string_view name) const {
  return parse_bytes(text(name), name);
}

Spec Spec::parse(std::string_view text) {
  Spec spec;
  const std::size_t colon = text.find(':');
  spec.name = text.substr(0, colon);
  if (colon == std::string_view::npos) return spec;
  std::string_view rest = text.substr(colon + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    if (item.empty()) {
      throw InputError(fmt::format("'{}': a parameter is missing after '{}'", printable(text),
                                   spec.items.empty() ? ':' : ','));
    }
    const std::size_t equals = item.find('=');
    if (equals != std::string_view::npos) {
      spec.items.push_back(
          {std::string(item.substr(0, equals)), {unescaped(item.substr(equals + 1))}});
    } else if (spec.items.empty()) {
      spec.items.push_back({"", {unescaped(item)}});
    } else {
      spec.items.back().second.push_back(unescaped(item));
    }
    if (comma == std::string_view::npos) return spec;
    rest.remove_prefix(comma + 1);
  }
}

std::string Spec::text() const {
  std::string result = name;
  char before = ':';
  for (const auto& [key, values] : items) {
    result += before;
    result += key;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool behind_key = i == 0 && !key.empty();
      if (i > 0) result += ',';
      if (behind_key) result += '=';
      result += escaped(values[i], behind_key);
    }
    before = ',';
  }
  return result;
}

namespace {

const Parameter& find(std::span<const Parameter> known, std::string_view key,
                      std::string_view what) {
  const auto found = std::ranges::find(known, key, &Parameter::name);
  if (found != known.end()) return *found;
  if (known.empty()) throw InputError(fmt::format("{} has no parameters", what));
  if (key.empty()) {
    throw InputError(fmt::format("{}: parameters are given as key=value, as in {}=...", what,
                                 known.front().name));
  }
  std::vector<std::string_view> names;
  for (const Parameter& parameter : known) {
    if (!parameter.name.empty()) names.push_back(parameter.name);
  }
  if (names.empty()) {
    throw InputError(fmt::format("{} has no parameter '{}'{}", what, printable(key),
                                 known.front().path ? "; in a path write %3D for '='" : ""));
  }
  throw InputError(
      fmt::format("{} has no parameter '{}'{}", what, printable(key), suggestion(key, names)));
}

/// Reads and checks a value; throws InputError.
void check_value(const Parameter& parameter, std::string_view value, const std::string& where) {
  switch (parameter.kind) {
    case Parameter::Kind::integer:
      parse_number(value, where, parameter.min, parameter.max);
      break;
    case Parameter::Kind::time:
      parse_time(value, where);
      break;
    case Parameter::Kind::gap:
      parse_gap(value, where);
      break;
    case Parameter::Kind::size:
      parse_bytes(value, where);
      break;
    case Parameter::Kind::link:
      parse_link(value, where);
      break;
    default:
      break;
  }
}

/// One value, or several or none if the kind of parameter allows it.
void check_values(const Parameter& parameter, const std::vector<std::string>& values,
                  const std::string& where) {
  if (parameter.kind == Parameter::Kind::flag) {
    if (values.empty()) return;
    throw InputError(fmt::format("{} takes no value, it is written '{}'", where, parameter.name));
  }
  if (values.size() != 1 && parameter.kind != Parameter::Kind::list) {
    throw InputError(fmt::format("{} takes one value, not '{}'{}", where,
                                 printable(join(values, ",")),
                                 parameter.path ? "; in a path write %2C for ','" : ""));
  }
  const auto& choices = parameter.choices;
  if (!choices.empty() && std::ranges::find(choices, values.front()) == choices.end()) {
    throw InputError(fmt::format("{}: unknown value '{}'{}", where, printable(values.front()),
                                 suggestion(values.front(), choices)));
  }
  check_value(parameter, values.front(), where);
}

/// Checked values as `Parameters` holds them: numbers as digits, so that 2^3 and 8 are equal.
std::vector<std::string> spelled(const Parameter& parameter,
                                 const std::vector<std::string>& values) {
  if (parameter.kind != Parameter::Kind::integer) return values;
  return {std::to_string(parse_number(values.front(), parameter.name))};
}

using Items = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// The items with those values that are names of flags made items of their own: r=3,coupled. An
/// item without values is a flag already.
Items with_flags(const Items& items, std::span<const Parameter> known) {
  const auto flag = [&](const std::string& word) {
    return std::ranges::any_of(known, [&](const Parameter& p) {
      return p.kind == Parameter::Kind::flag && p.name == word;
    });
  };
  Items result;
  for (const auto& [key, values] : items) {
    Items::value_type rest{key, {}};
    Items flags;
    for (const std::string& value : values) {
      const bool first = rest.second.empty() && !key.empty();  // r=coupled is not a flag
      if (!first && flag(value)) {
        flags.push_back({value, {}});
      } else {
        rest.second.push_back(value);
      }
    }
    if (!rest.second.empty() || values.empty()) result.push_back(std::move(rest));
    result.insert(result.end(), flags.begin(), flags.end());
  }
  return result;
}

}  // namespace

Parameters Spec::check(std::span<const Parameter> known, std::string_view what) const {
  Parameters result;
  for (const auto& [key, values] : with_flags(items, known)) {
    const Parameter& parameter = find(known, key, what);
    // After a value without a name only flags have none.
    if (key.empty() && values.size() > 1 && parameter.kind != Parameter::Kind::list &&
        !parameter.path)
      find(known, values[1], what);
    const std::string where = fmt::format("{}, parameter '{}'", what, key);
    check_values(parameter, values, where);
    if (!result.values_.emplace(key, spelled(parameter, values)).second) {
      throw InputError(fmt::format("{} is given twice", where));
    }
  }
  for (const Parameter& parameter : known) {
    if (parameter.required && !result.has(parameter.name)) {
      throw InputError(fmt::format("{} needs '{}': {}", what, parameter.name, parameter.summary));
    }
    if (parameter.default_value.empty() || result.has(parameter.name)) continue;
    result.values_.emplace(
        parameter.name,
        Spec::parse(fmt::format(":{}", parameter.default_value)).items.front().second);
  }
  return result;
}

}  // namespace schedcc
