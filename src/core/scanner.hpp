#pragma once

// Tokens of a text in which a line is a directive, white space separates, and # starts a comment;
// and errors with their location.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "core/encoding.hpp"
#include "core/printable.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Tokens of one line after the other.
class Scanner {
 public:
  /// Header lines begin with `prefix`.
  Scanner(std::string_view text, std::string file, std::string_view prefix = {})
      : text_(text), file_(std::move(file)), prefix_(prefix) {}

  /// Messages show a token only up to this character.
  void separate(char separator) { separator_ = separator; }

  /// A position to come back to.
  struct Mark {
    std::size_t at = 0;
    std::uint32_t line = 1;
  };
  Mark mark() const { return {at_, line_}; }
  void seek(const Mark& mark) {
    at_ = line_start_ = mark.at;
    line_ = mark.line;
  }

  std::uint32_t line() const { return line_; }

  /// Goes to the beginning of the next line, if the current one has no further text.
  bool next_line_begins() {
    if (!take('\n')) return false;
    --at_;
    next_line();
    return true;
  }

  /// Goes to the first token of the next line that has one; false at the end of the text.
  bool next_directive() {
    while (true) {
      skip_space();
      if (at_ == text_.size()) return false;
      if (text_[at_] != '\n') return true;
      next_line();
    }
  }

  bool prefixed() const { return !prefix_.empty(); }
  /// At the first token of the header, if it is in the first line after the prefix; false if the
  /// prefix does not. Errors are at the start of the line.
  bool begin_header() {
    token_ = at_;
    return take(prefix_);
  }
  /// Throws InputError where the text begins with one.
  void refuse_byte_order_mark() const { schedcc::refuse_byte_order_mark(text_, file_); }
  /// As next_directive; false where a line has no prefix.
  bool next_header_line() {
    if (!prefixed()) return next_directive();
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') next_line();
      if (!take(prefix_)) return false;
      if (more()) return true;
    }
    return false;
  }
  /// At the start of the text: is `text` its first token?
  bool first_token_is(std::string_view text) { return next_directive() && token("") == text; }

  /// Is there another token in this line?
  bool more() {
    skip_space();
    return at_ < text_.size() && text_[at_] != '\n';
  }

  /// The next token; an error that names `wanted` if there is none.
  std::string_view token(std::string_view wanted) {
    begin_token(wanted);
    while (at_ < text_.size() && !ends_token(text_[at_])) ++at_;
    return text_.substr(token_, at_ - token_);
  }

  /// A whole number below 2^32 that is a token of its own.
  std::uint32_t number(std::string_view wanted) {
    begin_token(wanted);
    const std::uint32_t value = digits(wanted);
    if (at_ < text_.size() && !ends_token(text_[at_])) not_a_number(wanted);
    return value;
  }

  /// Digits, starting here; they need not end the token.
  std::uint32_t digits(std::string_view wanted) {
    return static_cast<std::uint32_t>(digits_up_to(UINT32_MAX, "2^32", wanted));
  }
  /// The same, for a number below 2^63.
  std::uint64_t long_digits(std::string_view wanted) {
    return digits_up_to(INT64_MAX, "2^63", wanted);
  }

  /// The same, for a number below 2^64.
  std::uint64_t longest_digits(std::string_view wanted) {
    return digits_up_to(UINT64_MAX, "2^64", wanted);
  }

  /// The text up to the next comma or the end of the token; it may not be empty.
  std::string_view field(std::string_view wanted) {
    begin_token(wanted);
    while (at_ < text_.size() && text_[at_] != ',' && !ends_token(text_[at_])) ++at_;
    if (at_ == token_) fail(fmt::format("missing {}", wanted));
    return text_.substr(token_, at_ - token_);
  }

  /// Is there no text before the next comma or the end of the line?
  bool at_empty_field() { return !more() || text_[at_] == ','; }

  /// Takes `c` if it comes next, without white space before it.
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool take(std::string_view text) {
    if (!text_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }

  /// A token that must be exactly `text`.
  void expect(std::string_view text, std::string_view after) {
    const auto wanted = [&] { return fmt::format("'{}' after {}", text, after); };
    if (!more()) fail(wanted() + " is missing");
    if (token("") != text) fail_token(fmt::format("expected {}, not '{}'", wanted(), shown()));
  }

  /// Begins a token whose parts are read one by one.
  void begin_token(std::string_view wanted) {
    if (!more()) fail(fmt::format("missing {}", wanted));
    token_ = at_;
  }
  /// Does a number come next, perhaps a negative one (which is an error, but a number)?
  bool starts_with_number() const {
    const std::size_t at = at_ + (at_ < text_.size() && text_[at_] == '-');
    return at < text_.size() && is_digit(text_[at]);
  }
  bool at_token_end() const { return at_ == text_.size() || ends_token(text_[at_]); }

  /// The line must end here, apart from a comment.
  void end_line() {
    if (!more()) return;
    const std::string_view extra = token("");
    fail_token(fmt::format("unexpected '{}' at the end of the line", printable(extra)));
  }

  /// The rest of the line, without a comment and white space around it.
  std::string_view rest_of_line(std::string_view wanted) {
    begin_token(wanted);
    std::size_t end = text_.find_first_of("\n#", at_);
    if (end == std::string_view::npos) end = text_.size();
    at_ = end;
    while (end > token_ && is_space(text_[end - 1])) --end;
    return text_.substr(token_, end - token_);
  }

  /// Consumes characters of the token while they satisfy the predicate; false if none does.
  template <typename Is>
  bool take_while(Is is) {
    const std::size_t before = at_;
    while (at_ < text_.size() && is(text_[at_])) ++at_;
    return at_ != before;
  }
  /// The part of the current token that has been consumed.
  std::string_view taken() const { return text_.substr(token_, at_ - token_); }
  /// Skips the rest of the line.
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  /// Skips any character; false at the end of the text.
  bool skip_character() {
    if (at_ == text_.size()) return false;
    if (text_[at_] == '\n') {
      next_line();
    } else {
      ++at_;
    }
    return true;
  }

  [[noreturn]] void fail(const std::string& message) const { fail_at(at_, message); }
  /// At the start of the current token.
  [[noreturn]] void fail_token(const std::string& message) const { fail_at(token_, message); }

  SourceLocation location() const { return {file_, line_, column(token_)}; }

  /// The whole current token, printable.
  std::string shown() const {
    std::size_t end = token_;
    while (end < text_.size() && !ends_token(text_[end])) ++end;
    const std::string_view whole = text_.substr(token_, end - token_);
    return printable(whole.substr(0, whole.find(separator_, 1)));
  }

 private:
  static constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static constexpr bool ends_token(char c) { return is_space(c) || c == '\n' || c == '#'; }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ < text_.size() && text_[at_] == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    }
  }

  void next_line() {
    ++at_;
    ++line_;
    line_start_ = at_;
  }

  std::uint32_t column(std::size_t at) const {
    return static_cast<std::uint32_t>(std::min<std::size_t>(at - line_start_ + 1, UINT32_MAX));
  }

  std::uint64_t digits_up_to(std::uint64_t most, std::string_view limit, std::string_view wanted) {
    if (at_ == text_.size() || !is_digit(text_[at_])) not_a_number(wanted);
    std::uint64_t value = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
      if (value > (most - digit) / 10) {
        fail_token(fmt::format("{} must be below {}", wanted, limit));
      }
      value = 10 * value + digit;
    }
    return value;
  }

  [[noreturn]] void not_a_number(std::string_view wanted) const {
    const std::string token = shown();
    if (token.empty()) fail(fmt::format("missing {}", wanted));
    fail_token(fmt::format("{} must be a whole number, not '{}'", wanted, token));
  }

  [[noreturn]] void fail_at(std::size_t at, const std::string& message) const {
    throw InputError({file_, line_, column(at)}, message);
  }

  std::string_view text_;
  std::string file_;
  std::string_view prefix_;
  std::size_t at_ = 0, token_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
  char separator_ = '\n';  ///< none: it is in no token
};

}  // namespace schedcc
