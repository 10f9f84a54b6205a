#pragma once

// NAME[:key=value,...]: how algorithms, machines and formats are named with their parameters.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/units.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// Reads a whole number in any of the forms 1048576, 2^20, 1Mi, 64k. Throws InputError naming
/// `what`.
std::uint64_t parse_number(std::string_view text, std::string_view what, std::uint64_t min = 0,
                           std::uint64_t max = UINT64_MAX);

/// One parameter of an algorithm, a machine or a format.
struct Parameter {
  /// A flag is a word, without =; time, gap, size and link are quantities with units, see
  /// units.hpp.
  enum class Kind : std::uint8_t { integer, text, list, flag, time, gap, size, link };

  std::string_view name;  ///< empty for a positional one, as in mesh:8x16
  std::string_view summary;
  Kind kind = Kind::integer;
  std::vector<std::string_view> choices = {};  ///< text only: the allowed values; empty: any
  std::uint64_t min = 0, max = UINT64_MAX;     ///< integers only
  std::string_view default_value = {};         ///< the default, as written; empty: none
  bool required = false;                       ///< it is required
  bool path = false;                           ///< text only: it is the path of a file
};

/// The checked parameters of a specification.
class Parameters {
 public:
  bool empty() const { return values_.empty(); }
  bool has(std::string_view name) const;
  /// The value of an integer parameter; it has been given or has a default.
  std::uint64_t integer(std::string_view name) const;
  /// Seconds, seconds per byte, both, and bytes; each has been given or has a default.
  double time(std::string_view name) const;
  double gap(std::string_view name) const;
  LinkTime link(std::string_view name) const;
  std::uint64_t size(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  const std::vector<std::string>& list(std::string_view name) const;

 private:
  friend struct Spec;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

/// A specification as written, parsed but not yet checked.
struct Spec {
  std::string name;
  std::vector<std::pair<std::string, std::vector<std::string>>> items;

  /// `name:key=value,item,...`; an item without `=` continues the previous list, or is a flag. In a
  /// value, `%` and two hexadecimal digits are a byte; any other `%` is literal.
  static Spec parse(std::string_view text);
  /// The specification in its normal spelling: values of any bytes are read back as they are, and
  /// escapes keep white space, `#` and what is not ASCII out of them.
  std::string text() const;
  /// Checks the items against `known`: unknown keys (with suggestions), repeated keys, ranges.
  /// `what` names the owner in messages: "machine 'logp'".
  Parameters check(std::span<const Parameter> known, std::string_view what) const;
};

}  // namespace schedcc

#pragma GCC visibility pop
