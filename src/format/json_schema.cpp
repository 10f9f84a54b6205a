// nlohmann-json parses, and reports each token. It reads the text through an iterator that counts
// characters, and the locations follow from the count: a token begins after the end of the previous
// one, white space, colons and commas.

#include "format/json_schema.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/counted.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"

namespace schedcc {

namespace {

/// Iterates over a text with a character count that all its copies share.
class CountingIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return !(a == b); }

 private:
  const char* at_;
  std::size_t* count_;
};

std::string_view name(JsonSchema::Kind kind) {
  static constexpr std::string_view names[] = {"a number", "a string",  "true or false", "null",
                                               "an array", "an object", "an object"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace

/// Compares the parser's events with the schema.
class JsonEvents {
 public:
  using Kind = JsonSchema::Kind;
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  JsonEvents(JsonReader& in, const JsonSchema& root) : in_(in), next_(&root) {}

  bool null() { return skips() || other(Kind::null); }
  bool boolean(bool value) {
    if (skips()) return true;
    const JsonSchema& schema = expect(Kind::boolean);
    if (schema.number) schema.number(value ? 1 : 0);
    return true;
  }
  bool number_unsigned(number_unsigned_t value) {
    if (skips()) return true;
    const JsonSchema& schema = expect(Kind::number);
    if (schema.real) {
      schema.real(static_cast<double>(value));
      return true;
    }
    if (value < schema.min || value > schema.max) {
      in_.fail(schema.max == UINT64_MAX
                   ? fmt::format("{} must be at least {}, not {}", schema.what, schema.min, value)
                   : fmt::format("{} must be in {}..{}, not {}", schema.what, schema.min,
                                 schema.max, value));
    }
    if (schema.number) schema.number(value);
    return true;
  }
  bool number_integer(number_integer_t value) {
    return skips() || real(static_cast<double>(value)) || no_whole_number();
  }
  /// Called for whole numbers beyond 2^64, too.
  bool number_float(number_float_t value, const string_t& text) {
    if (skips() || real(value)) return true;
    const bool whole = text.find_first_not_of("0123456789") == string_t::npos;
    if (!whole && fraction()) return true;
    return no_whole_number(whole ? text : string_t());
  }
  bool string(string_t& value) {
    if (skips()) return true;
    const bool either = wanted().kind == Kind::number && wanted().text;
    const JsonSchema& schema = expect(either ? Kind::number : Kind::text);
    if (schema.text) schema.text(value);
    return true;
  }
  bool binary(binary_t&) { return false; }

  bool start_object(std::size_t) {
    if (skips(1)) return true;
    move();
    open(wanted().kind == Kind::map ? expect_at(Kind::map) : expect_at(Kind::object));
    return true;
  }
  bool start_array(std::size_t) {
    if (skips(1)) return true;
    open(expect(Kind::array));
    return true;
  }
  bool key(string_t& value) {
    if (skipped_ > 0) return true;
    move();
    OpenValue& object = open_.back();
    if (object.schema->kind == Kind::map) {
      next_ = object.schema->items;
      if (object.schema->text) object.schema->text(value);
      return true;
    }
    const auto& fields = object.schema->fields;
    const auto found = std::ranges::find(fields, std::string_view(value), &JsonSchema::Field::name);
    if (found == fields.end()) {
      if (!object.schema->other) unknown_field(*object.schema, value);
      object.schema->other(value);
      skip_ = true;
      return true;
    }
    const std::uint64_t bit = std::uint64_t{1} << (found - fields.begin());
    if ((object.seen & bit) != 0) in_.fail(fmt::format("duplicate field '{}'", value));
    object.seen |= bit;
    next_ = found->schema;
    return true;
  }
  bool end_object() {
    if (skips(-1)) return true;
    move();
    const JsonSchema& schema = *open_.back().schema;
    for (std::size_t i = 0; i < schema.fields.size(); ++i) {
      if (schema.fields[i].presence == JsonSchema::Presence::required &&
          (open_.back().seen >> i & 1) == 0) {
        fail_at(open_.back().begin,
                fmt::format("{} needs the field '{}'", schema.what, schema.fields[i].name));
      }
    }
    return close();
  }
  bool end_array() {
    if (skips(-1)) return true;
    move();
    const JsonSchema& schema = *open_.back().schema;
    const std::uint64_t items = open_.back().seen;
    const std::uint64_t least = std::max<std::uint64_t>(schema.min, schema.fields.size());
    if (items < least) {
      fail_at(open_.back().begin,
              fmt::format("{} must have {}{}, not {}", schema.what,
                          schema.fields.empty() ? "at least " : "", counted(least, "item"), items));
    }
    return close();
  }

  [[noreturn]] bool parse_error(std::size_t position, const std::string&,
                                const nlohmann::json::exception& error) {
    const std::size_t offset = position == 0 ? 0 : std::min(position - 1, in_.text_.size());
    if (in_.text_.substr(offset).starts_with('\0')) nul_byte(offset);
    // "[json.exception...] parse error at line 3, column 5: syntax error while parsing ..."
    const std::string_view all = error.what();
    const std::size_t colon = all.find(": ");
    const std::string_view what = all.substr(colon == std::string_view::npos ? 0 : colon + 2);
    fail_at(offset, fmt::format("invalid JSON: {}", printable(what, 200)));
  }

  /// The value is read. The parser ends at a NUL byte, which is not the end of the text.
  void finish() {
    const std::size_t nul = in_.text_.find('\0');
    if (nul != std::string_view::npos) nul_byte(nul);
  }

 private:
  /// An array, object or map that has begun.
  struct OpenValue {
    const JsonSchema* schema;
    std::size_t begin;       ///< where it does
    std::uint64_t seen = 0;  ///< objects: the fields, as bits; arrays: how many items
  };

  /// Is the current event part of a value that is skipped? `opened`: 1 if it begins an array or
  /// object, -1 if it ends one.
  bool skips(int opened = 0) {
    if (!skip_ && skipped_ == 0) return false;
    move();
    skip_ = false;
    skipped_ += static_cast<std::size_t>(opened);
    return true;
  }

  /// To the current event.
  void move() {
    in_.before_ = in_.at_;
    in_.at_ = in_.read_;
  }

  /// The schema that the current value must have.
  const JsonSchema& wanted() const {
    if (next_ != nullptr) return *next_;
    const auto& [schema, begin, seen] = open_.back();
    if (schema->fields.empty()) return *schema->items;
    if (seen == schema->fields.size()) {
      in_.fail(fmt::format("{} must have at most {} items", schema->what, seen));
    }
    return *schema->fields[seen].schema;
  }
  const JsonSchema& expect(Kind kind) {
    move();
    return expect_at(kind);
  }
  const JsonSchema& expect_at(Kind kind) {
    const JsonSchema* found = &wanted();
    if (found->kind != kind && found->otherwise != nullptr && found->otherwise->kind == kind)
      found = found->otherwise;
    const JsonSchema& schema = *found;
    if (schema.kind != kind) {
      in_.fail(fmt::format("{} must be {}, not {}", schema.what, name(schema.kind), name(kind)));
    }
    taken();
    return schema;
  }
  /// A value has been read: an item, unless it follows a key.
  void taken() {
    if (next_ == nullptr) ++open_.back().seen;
    next_ = nullptr;
  }

  bool other(Kind kind) {
    move();
    if (wanted().or_null) {
      taken();
    } else {
      expect_at(kind);
    }
    return true;
  }

  /// Moves to a number that is not a whole one; is it read as the schema says?
  bool real(double value) {
    move();
    const JsonSchema& schema = wanted();
    if (schema.kind != Kind::number || !schema.real) return false;
    taken();
    schema.real(value);
    return true;
  }

  /// Is the current value, a number with a fraction or an exponent, read as the schema says?
  bool fraction() {
    const JsonSchema& schema = wanted();
    if (schema.kind != Kind::number || !schema.fraction) return false;
    taken();
    schema.fraction();
    return true;
  }

  bool no_whole_number(const std::string& digits = {}) {
    const JsonSchema& schema = wanted();
    if (schema.kind == Kind::number && !digits.empty()) {
      in_.fail(fmt::format("{} must be at most {}, not {}", schema.what, schema.max,
                           printable(digits, 40)));
    }
    in_.fail(schema.kind == Kind::number
                 ? fmt::format("{} must be a whole number of at least 0", schema.what)
                 : fmt::format("{} must be {}, not a number", schema.what, name(schema.kind)));
  }

  void open(const JsonSchema& schema) {
    open_.push_back({&schema, in_.at_ - 1});
    if (schema.begin) schema.begin();
  }
  bool close() {
    const JsonSchema& schema = *open_.back().schema;
    open_.pop_back();
    if (schema.end) schema.end();
    return true;
  }

  [[noreturn]] void unknown_field(const JsonSchema& schema, const std::string& field) const {
    std::vector<std::string_view> known;
    for (const JsonSchema::Field& f : schema.fields) known.push_back(f.name);
    in_.fail(fmt::format("{} has no field '{}'{}", schema.what, printable(field),
                         suggestion(field, known)));
  }

  [[noreturn]] void nul_byte(std::size_t offset) { fail_at(offset, "invalid JSON: NUL byte"); }

  [[noreturn]] void fail_at(std::size_t offset, const std::string& message) {
    in_.count_to(offset);
    throw InputError(
        {in_.file_, in_.line_, static_cast<std::uint32_t>(offset - in_.line_begin_ + 1)}, message);
  }

  JsonReader& in_;
  const JsonSchema* next_;  ///< of the value after a key, and of the root; nullptr: of an item
  std::vector<OpenValue> open_;
  bool skip_ = false;        ///< the next value is skipped
  std::size_t skipped_ = 0;  ///< arrays and objects of the skipped value that are open
};

bool is_json_with(std::string_view text, std::string_view field) {
  text = without_byte_order_mark(text);
  const auto next = [&](std::size_t from) {
    const std::size_t at = text.find_first_not_of(" \t\r\n", from);
    return at == std::string_view::npos ? '\0' : text[at];
  };
  if (next(0) != '{') return false;
  const std::string key = fmt::format("\"{}\"", field);
  // It may be a value, too, as of the name of a tool.
  std::size_t at = text.find(key);
  while (at != std::string_view::npos && next(at + key.size()) != ':')
    at = text.find(key, at + key.size());
  return at != std::string_view::npos;
}

void JsonReader::read(const JsonSchema& schema) {
  refuse_utf16(text_, file_);
  JsonEvents events(*this, schema);
  nlohmann::json::sax_parse(CountingIterator(text_.data(), &read_),
                            CountingIterator(text_.data() + text_.size(), &read_), &events);
  events.finish();
}

SourceLocation JsonReader::location() const {
  const auto [line, column] = position();
  return {file_, line, column};
}

Position JsonReader::position() const {
  line();
  return {line_, static_cast<std::uint32_t>(counted_ - line_begin_ + 1)};
}

std::uint32_t JsonReader::line() const {
  std::size_t offset = before_;
  while (offset < at_ &&
         std::string_view(" \t\r\n:,").find(text_[offset]) != std::string_view::npos)
    ++offset;
  count_to(offset);
  return line_;
}

void JsonReader::count_to(std::size_t offset) const {
  if (offset < counted_) counted_ = line_begin_ = 0, line_ = 1;
  for (; counted_ < offset; ++counted_) {
    if (text_[counted_] != '\n') continue;
    ++line_;
    line_begin_ = counted_ + 1;
  }
}

}  // namespace schedcc
