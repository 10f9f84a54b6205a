#pragma once

// Schemas of the JSON of a plan. The runtime reads the fields that it needs and ignores the others;
// these get a note.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/json_schema.hpp"
#include "schedcc/plan.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Reads a plan's text, and makes schemas of its values. The schemas use what they are given by
/// reference when the text is read.
class PlanJson {
 public:
  using Numbers = std::vector<std::uint32_t>;

  /// Indices and sizes: their sums fit 32 bits.
  static constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max() / 2;

  PlanJson(std::string_view text, const std::string& file) : in_(text, file) {}

  void read(const JsonSchema& schema) { in_.read(schema); }
  /// Throws InputError at the current value.
  [[noreturn]] void fail(const std::string& message) const { in_.fail(message); }
  /// Notes on the fields that were ignored.
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

  static JsonSchema number(std::string_view what, std::function<void(std::uint64_t)> take,
                           std::uint64_t limit = most);
  static JsonSchema number(std::string_view what, std::uint32_t& to, std::uint64_t limit = most);
  static JsonSchema flag(std::string_view what, bool& to);
  static JsonSchema text(std::string_view what, std::string& to);
  static JsonSchema text(std::string_view what, std::function<void(std::string&)> take);
  static JsonSchema list(std::string_view what, const JsonSchema& items,
                         std::function<void()> begin = nullptr,
                         std::function<void()> end = nullptr);
  JsonSchema object(std::string_view what, std::vector<JsonSchema::Field> fields,
                    std::function<void()> begin = nullptr, std::function<void()> end = nullptr);
  /// A list of numbers.
  JsonSchema numbers(std::string_view what, std::function<void(const Numbers&)> take);
  JsonSchema numbers(std::string_view what, Numbers& to);

 private:
  void note(std::string_view what, const std::string& key);

  JsonReader in_;
  std::vector<Note> notes_;
  Numbers numbers_;
  const JsonSchema item_ = number(
      "a number", [this](std::uint64_t n) { numbers_.push_back(static_cast<std::uint32_t>(n)); });
};

}  // namespace schedcc
