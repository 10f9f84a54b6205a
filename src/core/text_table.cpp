#include "core/text_table.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/core.h>

namespace schedcc {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

namespace {

/// Letters, not bytes: continuation bytes of UTF-8 take no room.
std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

/// The widths of the columns, that of column `broken` limited for lines of `width` letters.
std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows,
                                       std::size_t broken, std::size_t width) {
  std::vector<std::size_t> result;
  for (const auto& row : rows) {
    if (row.size() > result.size()) result.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) result[i] = std::max(result[i], letters(row[i]));
  }
  if (broken >= result.size()) return result;
  std::size_t others = 2 * result.size();
  for (std::size_t i = 0; i < result.size(); ++i) others += i == broken ? 0 : result[i];
  const std::size_t room = std::max(width - std::min(width, others), letters(rows[0][broken]));
  if (result[broken] <= room) return result;
  result[broken] = 0;  // the widest that needs no break
  for (const auto& row : rows) {
    const std::size_t cell = broken < row.size() ? letters(row[broken]) : 0;
    if (cell <= room) result[broken] = std::max(result[broken], cell);
  }
  return result;
}

std::string without_spaces_at_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::string_view right,
                    std::size_t width) {
  const std::size_t broken = std::min(right.find('-'), right.size());
  const std::vector<std::size_t> widths = column_widths(rows, broken, width);
  std::string result;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool to_the_right = i < right.size() && right[i] == '>';
      if (letters(row[i]) > widths[i]) {
        result += without_spaces_at_end(line + "  " + row[i]);
        line.assign(letters(line) + 2 + widths[i], ' ');
        continue;
      }
      const std::string padding(widths[i] - letters(row[i]), ' ');
      line += fmt::format("  {}", to_the_right ? padding + row[i] : row[i] + padding);
    }
    result += without_spaces_at_end(std::move(line));
  }
  return result;
}

}  // namespace schedcc
