#include "format/text.hpp"

#include <nlohmann/json.hpp>

#include "core/printable.hpp"

namespace schedcc {

std::string quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string element_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&' || c == '<' || c == '>') {
      result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string comment(std::string_view text) {
  if (text.ends_with('\\')) return comment(text.substr(0, text.size() - 1)) + "\\x5c";
  return printable(text, text.size());
}

}  // namespace schedcc
