#pragma once

// JSON whose values know where they stand, so that what is wrong with them can be told with line
// and column.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedcc/error.hpp"

namespace schedcc {

/// A value and the place at which it begins. Numbers are whole and not negative; all others are
/// refused, since no input of schedcc has any.
struct LocatedJson {
  enum class Kind : std::uint8_t { null, boolean, number, text, array, object };

  Kind kind = Kind::null;
  Place place{};
  std::uint64_t number = 0;  ///< of a number; of a boolean 0 or 1
  std::string text{};
  std::vector<LocatedJson> items{};                            ///< of an array
  std::vector<std::pair<LocatedJson, LocatedJson>> members{};  ///< of an object: key, value

  /// Throws InputError at this place.
  [[noreturn]] void fail(const std::string& message) const;

  /// Each throws InputError if the value is of another kind (or out of range); `what` names it:
  /// "'ranks'".
  std::uint64_t number_in(std::string_view what, std::uint64_t least, std::uint64_t most) const;
  const std::string& text_of(std::string_view what) const;
  const std::vector<LocatedJson>& items_of(std::string_view what) const;
  /// The members named `keys`, in this order; all must be there, and no other, each once.
  /// `optional` ones come last and are nullptr where left out.
  std::vector<const LocatedJson*> fields(
      std::string_view what, std::initializer_list<std::string_view> keys,
      std::initializer_list<std::string_view> optional = {}) const;
};

/// Reads one JSON value. `file` is the name for messages. Throws InputError with the place.
LocatedJson parse_json(std::string_view text, const std::string& file);

}  // namespace schedcc
