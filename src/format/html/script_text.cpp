#include "format/html/script_text.hpp"

#include "format/text.hpp"

namespace schedcc::html {

std::string embedded(std::string_view json) {
  std::string result;
  for (const char c : json) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

std::string script_string(std::string_view text) { return embedded(quoted(text)); }

}  // namespace schedcc::html
