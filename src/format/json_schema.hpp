#pragma once

// Reads JSON of a known structure. A JsonSchema describes a value: its kind, its range or its
// fields, and the functions to call with what is read. A value of another schema is an error with
// its location. The text is parsed once, and no tree is built.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/encoding.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

/// A value: what it may be, and what is called when it is read.
struct JsonSchema {
  enum class Kind : std::uint8_t { number, text, boolean, null, array, object, map };
  /// Must an object have a field?
  enum class Presence : std::uint8_t { required, optional };
  struct Field {
    std::string_view name;
    const JsonSchema* schema;
    Presence presence = Presence::required;
  };

  Kind kind;
  std::string_view what;  ///< its name in messages, as "a transfer"
  /// Numbers: the range of values, which are whole. Arrays: `min` is the fewest items.
  std::uint64_t min = 0, max = UINT64_MAX;
  const JsonSchema* items = nullptr;  ///< of arrays: each item; of maps, with any keys: each value
  /// Objects: the fields, at most 64. Arrays whose items have different schemas: the items.
  std::vector<Field> fields = {};
  bool or_null = false;  ///< may it be null instead? Then no function is called.
  /// The schema of a value that is of another kind than this one.
  const JsonSchema* otherwise = nullptr;
  /// Objects: called with the key of a field that is not in `fields`; its value is skipped.
  /// nullptr: such a field is an error.
  std::function<void(const std::string&)> other = nullptr;

  /// Called with a number that was read; with 0 or 1 for a boolean. With `text`, a number may be a
  /// text instead.
  std::function<void(std::uint64_t)> number = nullptr;
  /// Called instead, with any number, also one below 0 or with a fraction.
  std::function<void(double)> real = nullptr;
  /// Called instead of an error for a number with a fraction or an exponent.
  std::function<void()> fraction = nullptr;
  /// Called with a text that was read; of maps with each key, before its value is read.
  std::function<void(std::string&)> text = nullptr;
  std::function<void()> begin = nullptr, end = nullptr;  ///< of arrays, objects and maps
};

/// A location in a file that is known. Line and column count from 1; 0 means unknown.
struct Position {
  std::uint32_t line = 0, column = 0;
};

/// Throws InputError at a position of a file.
[[noreturn]] inline void fail(const std::string& file, const Position& at,
                              const std::string& message) {
  throw InputError({file, at.line, at.column}, message);
}

/// Does the text begin like an object of JSON, also after a byte order mark, and is there a field
/// of this name?
bool is_json_with(std::string_view text, std::string_view field);

/// Reads one JSON value.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::string file)
      : text_(without_byte_order_mark(text)), file_(std::move(file)) {}

  /// Throws InputError with the location of a mismatch.
  void read(const JsonSchema& schema);

  /// The location, and the line, of the current value or key.
  SourceLocation location() const;
  Position position() const;
  std::uint32_t line() const;
  /// Throws InputError there.
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(location(), message);
  }

 private:
  friend class JsonEvents;

  std::string_view text_;
  std::string file_;
  std::size_t read_ = 0;    ///< bytes that the parser has read
  std::size_t before_ = 0;  ///< those that it had read at the end of the previous event
  std::size_t at_ = 0;      ///< and at the end of the current one
  /// Counts lines up to an offset.
  void count_to(std::size_t offset) const;
  mutable std::size_t counted_ = 0;     ///< the offset up to which lines are counted
  mutable std::size_t line_begin_ = 0;  ///< the offset at which the line there begins
  mutable std::uint32_t line_ = 1;      ///< and its number
};

}  // namespace schedcc
