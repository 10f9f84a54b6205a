#pragma once

// Strict reading of JSON whose form is known: a description of the form (`JsonShape`) says which
// fields an object has, which values they may have, and how to process a value. Any mismatch is an
// error with its location. The text is read once and not kept.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/encoding.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

/// The values allowed at some position, and how they are processed.
struct JsonShape {
  enum class Kind : std::uint8_t { number, text, boolean, null, array, object, map };
  struct Field {
    std::string_view name;
    const JsonShape* shape;
    bool needed = true;
  };

  Kind kind;
  std::string_view what;                       ///< "a transfer": for messages
  std::uint64_t least = 0, most = UINT64_MAX;  ///< numbers: whole, in this range; arrays: items
  const JsonShape* items = nullptr;  ///< of an array; the values of a map, whose keys are any
  /// Of an object, at most 64; or of an array in which each item has a shape of its own.
  std::vector<Field> fields = {};
  bool or_null = false;  ///< null is allowed instead; then nothing is called

  // Called when it has been read; numbers (of booleans 0 or 1), texts, and the keys of a map before
  // their values.
  std::function<void(std::uint64_t)> number = nullptr;
  std::function<void(std::string&)> text = nullptr;
  std::function<void()> begin = nullptr, end = nullptr;  ///< arrays, objects and maps
};

/// Reads one JSON value.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::string file)
      : text_(without_byte_order_mark(text)), file_(std::move(file)) {}

  /// Throws InputError with the location of a mismatch.
  void read(const JsonShape& shape);

  /// The location, and the line, of the current value or key.
  SourceLocation place() const;
  std::uint32_t line() const;
  /// Throws InputError there.
  [[noreturn]] void fail(const std::string& message) const { throw InputError(place(), message); }

 private:
  friend class JsonEvents;

  std::string_view text_;
  std::string file_;
  std::size_t read_ = 0;             ///< bytes that the parser has taken
  std::size_t before_ = 0, at_ = 0;  ///< taken up to the end of the last but one event and the last
  // The end of the text in which lines have been counted.
  void count_to(std::size_t offset) const;
  mutable std::size_t counted_ = 0, line_begin_ = 0;
  mutable std::uint32_t line_ = 1;
};

}  // namespace schedcc
