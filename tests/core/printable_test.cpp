#include "core/printable.hpp"

#include <string_view>
#include <utility>

#include "catch.hpp"

using namespace schedcc;

TEST_CASE("sequences of UTF-8 have their length, and what is none has none") {
  using namespace std::string_view_literals;
  const std::pair<std::string_view, std::size_t> texts[] = {
      {"a"sv, 1},
      {"\x7f"sv, 1},
      {"\xc3\xa9"sv, 2},
      {"\xe2\x82\xac!"sv, 3},
      {"\xf0\x9f\x98\x80"sv, 4},
      {"\xc0\xaf"sv, 0},
      {"\xe0\x80\xaf"sv, 0},
      {"\xf0\x80\x80\xaf"sv, 0},  // overlong
      {"\xed\xa0\x80"sv, 0},
      {"\xf4\x90\x80\x80"sv, 0},  // a surrogate, beyond Unicode
      {"\xc3"sv, 0},
      {"\xe2\x82"sv, 0},
      {"\x80"sv, 0},  // cut, and the rest
  };
  for (const auto& [text, length] : texts) {
    INFO(printable(text));
    CHECK(utf8_length(text) == length);
  }
}

TEST_CASE("control characters and what is not UTF-8 are written as numbers") {
  CHECK(without_controls("r\xc3\xa9seau.sched") == "r\xc3\xa9seau.sched");
  CHECK(without_controls("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(without_controls("a\tb\n") == "a\\x09b\\x0a");
  CHECK(without_controls("a\x7f") == "a\\x7f");
  CHECK(without_controls("a\xc2\x9b"
                         "b") == "a\\xc2\\x9bb");  // a control character beyond ASCII
  CHECK(without_controls("a\xff") == "a\\xff");
  CHECK(without_controls("a\xc3") == "a\\xc3");
  CHECK(without_controls("").empty());
}
