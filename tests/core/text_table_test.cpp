// Tables as text: rows that are too wide are broken, and nothing is lost.

#include "catch.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "core/text_table.hpp"

using namespace schedcc;

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

const Rows rows{{"bytes", "best", "steps"},
                {"1 KiB", "ring", "8"},
                {"16 MiB", "circulant as reduce-scatter then circulant as allgather", "1000"}};

}  // namespace

TEST_CASE("a row is broken behind a cell that is too wide") {
  CHECK(aligned(rows, ">->", 40) ==
        "   bytes  best  steps\n"
        "   1 KiB  ring      8\n"
        "  16 MiB  circulant as reduce-scatter then circulant as allgather\n"
        "                 1000\n");
}

TEST_CASE("tables fit, except headings and cells that are wider by themselves") {
  const std::string whole = aligned(rows, ">->");
  const std::size_t widest = lines(whole).back().size();
  for (std::size_t width = 0; width <= widest + 5; ++width) {
    INFO("width " << width);
    const std::string table = aligned(rows, ">->", width);
    CHECK(without_spaces(table) == without_spaces(whole));
    CHECK((table == whole) == (width >= widest));
    for (const std::string& line : lines(table)) {
      const bool broken = line.ends_with("allgather");
      CHECK((broken || line.size() <= std::max<std::size_t>(width, 21)));
    }
  }
}
