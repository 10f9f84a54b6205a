#pragma once

// Shapes of the JSON of a plan. The runtime reads the fields that it needs and ignores the others;
// these get a note.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/json_shape.hpp"
#include "schedcc/plan.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Reads a plan's text, and makes shapes of its values. The shapes use what they are given by
/// reference when the text is read.
class PlanJson {
 public:
  using Numbers = std::vector<std::uint32_t>;

  /// Indices and sizes: their sums fit 32 bits.
  static constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max() / 2;

  PlanJson(std::string_view text, const std::string& file) : in_(text, file) {}

  void read(const JsonShape& shape) { in_.read(shape); }
  /// Throws InputError at the current value.
  [[noreturn]] void fail(const std::string& message) const { in_.fail(message); }
  /// Of the fields that were ignored.
  std::vector<Note> notes() { return std::move(notes_); }

  /// Sets the line and the column to those of the current value.
  template <typename T>
  void here(T& at) const {
    const SourceLocation location = in_.location();
    at.line = location.line;
    at.column = location.column;
  }

  /// What a word stands for. Throws InputError at the current value.
  BufferKind buffer(const std::string& word) const;
  PlanChannel kind(const std::string& word) const;

  static JsonShape number(std::string_view what, std::function<void(std::uint64_t)> take,
                          std::uint64_t limit = most);
  static JsonShape number(std::string_view what, std::uint32_t& to, std::uint64_t limit = most);
  static JsonShape flag(std::string_view what, bool& to);
  static JsonShape text(std::string_view what, std::string& to);
  static JsonShape text(std::string_view what, std::function<void(std::string&)> take);
  static JsonShape list(std::string_view what, const JsonShape& items,
                        std::function<void()> begin = nullptr, std::function<void()> end = nullptr);
  JsonShape object(std::string_view what, std::vector<JsonShape::Field> fields,
                   std::function<void()> begin = nullptr, std::function<void()> end = nullptr);
  /// A list of numbers.
  JsonShape numbers(std::string_view what, std::function<void(const Numbers&)> take);
  JsonShape numbers(std::string_view what, Numbers& to);

 private:
  void note(std::string_view what, const std::string& key);

  JsonReader in_;
  std::vector<Note> notes_;
  Numbers numbers_;
  const JsonShape item_ = number(
      "a number", [this](std::uint64_t n) { numbers_.push_back(static_cast<std::uint32_t>(n)); });
};

}  // namespace schedcc
