// nlohmann-json does the reading; it tells each token as it goes by, and the text is handed to it
// through an iterator that counts. From the number of bytes read at the end of a token follows the
// place of its beginning.

#include "frontend/import/located_json.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "frontend/import/counting_iterator.hpp"
#include "schedcc/registry.hpp"

namespace schedcc {

namespace {

class Builder {
 public:
  using Kind = LocatedJson::Kind;
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  Builder(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  LocatedJson run() {
    nlohmann::json::sax_parse(CountingIterator(text_.data(), &read_),
                              CountingIterator(text_.data() + text_.size(), &read_), this);
    return std::move(root_);
  }

  bool null() { return add({.kind = Kind::null, .place = word()}); }
  bool boolean(bool value) {
    return add({.kind = Kind::boolean, .place = word(), .number = value ? 1U : 0U});
  }
  bool number_unsigned(number_unsigned_t value) {
    return add({.kind = Kind::number, .place = word(), .number = value});
  }
  bool number_integer(number_integer_t) { return no_number(); }
  bool number_float(number_float_t, const string_t&) { return no_number(); }
  bool string(string_t& value) {
    return add({.kind = Kind::text, .place = quoted(), .text = std::move(value)});
  }
  bool binary(binary_t&) { return false; }
  bool key(string_t& value) {
    open_.back()->members.push_back({{.kind = Kind::text, .place = quoted(), .text = value}, {}});
    return true;
  }
  bool start_object(std::size_t) { return open(Kind::object); }
  bool start_array(std::size_t) { return open(Kind::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  [[noreturn]] bool parse_error(std::size_t position, const std::string&,
                                const nlohmann::json::exception& error) {
    // "[json.exception...] parse error at line 3, column 5: syntax error while parsing ...: what"
    const std::string_view all = error.what();
    const std::size_t colon = all.find(": ");
    throw InputError(
        at(position == 0 ? 0 : position - 1),
        fmt::format("no JSON: {}", colon == std::string_view::npos ? all : all.substr(colon + 2)));
  }

 private:
  static constexpr std::size_t deepest = 64;

  bool add(LocatedJson value) {
    put(std::move(value));
    return true;
  }

  LocatedJson* put(LocatedJson value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    LocatedJson& in = *open_.back();
    if (in.kind == Kind::array) return &in.items.emplace_back(std::move(value));
    in.members.back().second = std::move(value);
    return &in.members.back().second;
  }

  bool open(Kind kind) {
    if (open_.size() == deepest) throw InputError(at(read_ - 1), "this is nested too deeply");
    // What holds the value does not move before it is closed: only its own parts are added to.
    open_.push_back(put({.kind = kind, .place = at(read_ - 1)}));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  bool no_number() { throw InputError(word(), "this is no whole number from 0 on"); }

  /// The place of the number or word read last; the byte behind a number has been read, too.
  Place word() const {
    const auto part = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' ||
             c == 'E';
    };
    std::size_t begin = std::min(read_, text_.size());
    if (begin > 0 && !part(text_[begin - 1])) --begin;
    while (begin > 0 && part(text_[begin - 1])) --begin;
    return at(begin);
  }

  /// The place of the string read last: its opening quotation mark is the last before its end
  /// behind an even number of backslashes.
  Place quoted() const {
    std::size_t begin = read_ - 1;
    while (begin > 0) {
      --begin;
      if (text_[begin] != '"') continue;
      std::size_t slashes = 0;
      while (slashes < begin && text_[begin - 1 - slashes] == '\\') ++slashes;
      if (slashes % 2 == 0) break;
    }
    return at(begin);
  }

  /// Offsets come in rising order, nearly: lines are counted on from the last place.
  Place at(std::size_t offset) const {
    if (offset < counted_) counted_ = 0, line_ = 1, line_begin_ = 0;
    for (; counted_ < offset; ++counted_) {
      if (text_[counted_] != '\n') continue;
      ++line_;
      line_begin_ = counted_ + 1;
    }
    return {file_, line_, static_cast<std::uint32_t>(offset - line_begin_ + 1)};
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t read_ = 0;
  LocatedJson root_;
  std::vector<LocatedJson*> open_;
  mutable std::size_t counted_ = 0, line_begin_ = 0;
  mutable std::uint32_t line_ = 1;
};

std::string_view article(LocatedJson::Kind kind) {
  static constexpr std::string_view names[] = {"null",   "true or false", "a number",
                                               "a text", "an array",      "an object"};
  return names[static_cast<std::size_t>(kind)];
}

void expect(const LocatedJson& value, LocatedJson::Kind kind, std::string_view what) {
  if (value.kind == kind) return;
  value.fail(fmt::format("{} is {}, not {}", what, article(kind), article(value.kind)));
}

}  // namespace

void LocatedJson::fail(const std::string& message) const { throw InputError(place, message); }

std::uint64_t LocatedJson::number_in(std::string_view what, std::uint64_t least,
                                     std::uint64_t most) const {
  expect(*this, Kind::number, what);
  if (number < least || number > most) {
    fail(fmt::format("{} is {}, not in {}..{}", what, number, least, most));
  }
  return number;
}

const std::string& LocatedJson::text_of(std::string_view what) const {
  expect(*this, Kind::text, what);
  return text;
}

const std::vector<LocatedJson>& LocatedJson::items_of(std::string_view what) const {
  expect(*this, Kind::array, what);
  return items;
}

std::vector<const LocatedJson*> LocatedJson::fields(
    std::string_view what, std::initializer_list<std::string_view> keys,
    std::initializer_list<std::string_view> optional) const {
  expect(*this, Kind::object, what);
  std::vector<std::string_view> known(keys);
  known.insert(known.end(), optional);
  std::vector<const LocatedJson*> result(known.size(), nullptr);
  for (const auto& [key, value] : members) {
    const auto found = std::ranges::find(known, std::string_view(key.text));
    if (found == known.end()) {
      key.fail(fmt::format("{} has no field '{}'{}", what, key.text, suggestion(key.text, known)));
    }
    const LocatedJson*& field = result[static_cast<std::size_t>(found - known.begin())];
    if (field != nullptr) key.fail(fmt::format("'{}' is there twice", key.text));
    field = &value;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (result[i] == nullptr) fail(fmt::format("{} needs the field '{}'", what, known[i]));
  }
  return result;
}

LocatedJson parse_json(std::string_view text, const std::string& file) {
  return Builder(text, file).run();
}

}  // namespace schedcc
