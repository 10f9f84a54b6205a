// Is a file a program? Many files are XML: pictures, pages, reports of tests.

#include <algorithm>

#include "core/encoding.hpp"
#include "format/msccl/reader.hpp"

namespace schedcc {

namespace {

constexpr std::string_view blanks = " \t\r\n";

/// The text after the first `end`.
std::string_view after(std::string_view text, std::string_view end) {
  const std::size_t at = text.find(end);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + end.size());
}

/// XML from its first element on.
std::string_view from_first_element(std::string_view text) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    if (text.starts_with("<!--")) {
      text = after(text, "-->");
    } else if (text.starts_with("<?") || text.starts_with("<!")) {
      text = after(text, ">");
    } else {
      return text;
    }
  }
}

}  // namespace

bool is_msccl(std::string_view text) {
  constexpr std::string_view begin = "<algo";
  text = from_first_element(without_byte_order_mark(text));
  if (!text.starts_with(begin) || text.size() == begin.size()) return false;
  const char next = text[begin.size()];
  return next == '/' || next == '>' || blanks.find(next) != std::string_view::npos;
}

}  // namespace schedcc
