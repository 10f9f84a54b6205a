#include "format/mscclpp/json.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "core/printable.hpp"
#include "program/plan/forms.hpp"

namespace schedcc {

JsonSchema PlanJson::number(std::string_view what, std::function<void(std::uint64_t)> take,
                            std::uint64_t limit) {
  return {.kind = JsonSchema::Kind::number, .what = what, .max = limit, .number = std::move(take)};
}

JsonSchema PlanJson::number(std::string_view what, std::uint32_t& to, std::uint64_t limit) {
  return number(
      what, [&to](std::uint64_t n) { to = static_cast<std::uint32_t>(n); }, limit);
}

JsonSchema PlanJson::flag(std::string_view what, bool& to) {
  return {.kind = JsonSchema::Kind::boolean, .what = what, .number = [&to](std::uint64_t n) {
            to = n == 1;
          }};
}

JsonSchema PlanJson::text(std::string_view what, std::string& to) {
  return {.kind = JsonSchema::Kind::text, .what = what, .text = [&to](std::string& value) {
            to = value;
          }};
}

JsonSchema PlanJson::text(std::string_view what, std::function<void(std::string&)> take) {
  return {.kind = JsonSchema::Kind::text, .what = what, .text = std::move(take)};
}

JsonSchema PlanJson::list(std::string_view what, const JsonSchema& items,
                          std::function<void()> begin, std::function<void()> end) {
  return {.kind = JsonSchema::Kind::array,
          .what = what,
          .items = &items,
          .begin = std::move(begin),
          .end = std::move(end)};
}

JsonSchema PlanJson::object(std::string_view what, std::vector<JsonSchema::Field> fields,
                            std::function<void()> begin, std::function<void()> end) {
  return {.kind = JsonSchema::Kind::object,
          .what = what,
          .fields = std::move(fields),
          .other = [this, what](const std::string& key) { note(what, key); },
          .begin = std::move(begin),
          .end = std::move(end)};
}

void PlanJson::note(std::string_view what, const std::string& key) {
  std::string message =
      fmt::format("the runtime ignores the field '{}' of {}", printable(key), what);
  const auto known = std::ranges::find(notes_, message, &Note::message);
  if (known != notes_.end()) {
    ++known->more;
  } else if (notes_.size() < 64) {
    const SourceLocation at = in_.location();
    notes_.push_back({std::move(message), at.line, at.column, 0});
  }
}

BufferKind PlanJson::buffer(const std::string& word) const {
  for (const BufferKind kind : {BufferKind::input, BufferKind::output, BufferKind::scratch}) {
    if (word == schedcc::name(kind)) return kind;
  }
  in_.fail(fmt::format("a buffer is i, o or s, not '{}'", printable(word)));
}

PlanChannel PlanJson::kind(const std::string& word) const {
  for (const PlanChannel kind :
       {PlanChannel::none, PlanChannel::memory, PlanChannel::port, PlanChannel::multicast}) {
    if (word == schedcc::name(kind)) return kind;
  }
  in_.fail(fmt::format("a channel is memory, port or switch, not '{}'", printable(word)));
}

JsonSchema PlanJson::numbers(std::string_view what, std::function<void(const Numbers&)> take) {
  return list(
      what, item_, [this] { numbers_.clear(); },
      [this, take = std::move(take)] { take(numbers_); });
}

JsonSchema PlanJson::numbers(std::string_view what, Numbers& to) {
  return numbers(what, [&to](const Numbers& read) { to = read; });
}

}  // namespace schedcc
