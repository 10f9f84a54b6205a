#include "backend/text.hpp"

#include <nlohmann/json.hpp>

namespace schedcc {

std::string quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string comment(std::string_view text) {
  if (text.ends_with('\\')) return comment(text.substr(0, text.size() - 1)) + "\\x5c";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte >= ' ' && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return result;
}

}  // namespace schedcc
