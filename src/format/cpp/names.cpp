// A namespace comes from a file's name or from the user. The first is converted to an identifier,
// the second must be one.

#include "format/cpp/names.hpp"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc::cpp {

namespace {

/// Words that cannot name a namespace.
constexpr std::string_view reserved[] = {
    // the keywords up to C++23
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return",
    "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
    "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline",
    "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
    "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
    "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
    "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
    "while", "xor", "xor_eq",
    // names that the emitted program uses
    "main", "posix", "std"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_reserved(std::string_view word) { return std::ranges::count(reserved, word) != 0; }

bool is_identifier(std::string_view word) {
  return !word.empty() && !is_digit(word.front()) && !is_reserved(word) &&
         std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c); });
}

/// The parts of a::b::c.
std::vector<std::string_view> parts_of(std::string_view space) {
  std::vector<std::string_view> parts;
  for (std::size_t colons; (colons = space.find("::")) != std::string_view::npos;) {
    parts.push_back(space.substr(0, colons));
    space.remove_prefix(colons + 2);
  }
  parts.push_back(space);
  return parts;
}

/// An identifier that resembles a file's name: "2d-tree.v1" becomes schedule_2d_tree_v1, xor xor_.
std::string identifier(std::string_view stem) {
  std::string result;
  for (const char c : stem) {
    const bool kept = is_letter(c) || is_digit(c);
    const bool gap = result.empty() || result.back() == '_';  // no double or leading underscore
    if (kept && c != '_') {
      result += c;
    } else if (!gap) {
      result += '_';
    }
  }
  if (!result.empty() && result.back() == '_') result.pop_back();
  if (result.empty()) return "schedule";
  if (is_digit(result.front())) result.insert(0, "schedule_");
  return is_reserved(result) ? result + "_" : result;
}

}  // namespace

void check_namespace(const Parameters& parameters) {
  if (!parameters.has("namespace")) return;
  const std::string& given = parameters.text("namespace");
  if (!std::ranges::all_of(parts_of(given), is_identifier)) {
    throw InputError(
        fmt::format("parameter 'namespace': '{}' is not a valid name of a C++ namespace", given));
  }
}

std::string namespace_of(const EmitOptions& options) {
  if (!options.parameters.has("namespace")) return identifier(options.stem);
  check_namespace(options.parameters);
  return options.parameters.text("namespace");
}

/// Nested names are written with their lengths, so that they are unique.
std::string guard_of(std::string_view space) {
  const std::vector<std::string_view> parts = parts_of(space);
  std::string guard = "SCHEDCC_TABLE_";
  if (parts.size() == 1) return guard.append(space);
  for (const std::string_view part : parts) guard += fmt::format("{}{}", part.size(), part);
  return guard;
}

std::string string_literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte >= 0x7f || c == '"' || c == '\\' || c == '?') {
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace schedcc::cpp
