#include "cli/show_table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace schedcc::cli {

namespace {

constexpr std::size_t max_in_part = 36;  ///< columns of what is sent, or received, in a step
constexpr std::size_t default_width = 160;
constexpr std::string_view bar = " | ";  ///< between columns

/// Messages one after another. If they are too many, the first and how many more there are.
struct MessageList {
  std::string text = {};
  std::size_t left_out = 0;
};

MessageList join_messages(const std::vector<std::string>& messages) {
  MessageList result;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (i > 0 && result.text.size() + 1 + messages[i].size() > max_in_part) {
      result.left_out = messages.size() - i;
      result.text += fmt::format(" ..{}", result.left_out);
      return result;
    }
    result.text += (i == 0 ? "" : " ") + messages[i];
  }
  return result;
}

std::string joined(const std::vector<std::string>& messages) {
  return join_messages(messages).text;
}

std::string joined(const std::vector<std::size_t>& marks) {
  std::string result;
  for (const std::size_t mark : marks) result += fmt::format("!{}", mark);
  return result;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

std::string without_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::size_t TableLayout::Column::width() const {
  const std::size_t between = sends > 0 && receives > 0 ? 1 : 0;
  const std::size_t before_marks = marks > 0 && sends + receives > 0 ? 1 : 0;
  return std::max(title, sends + between + receives + before_marks + marks);
}

TableLayout::TableLayout(const ShownTable& table, std::size_t width)
    : table_(table),
      label_(std::max(table.row_title.size(), std::to_string(table.last_row).size())) {
  for (const ShownStep& step : table.steps) {
    Column column{.title = step.title.size()};
    for (const auto& [row, cell] : step.cells) {
      column.sends = std::max(column.sends, joined(cell.sends).size());
      column.receives = std::max(column.receives, joined(cell.receives).size());
      clipped_ |= join_messages(cell.sends).left_out + join_messages(cell.receives).left_out > 0;
      column.marks = std::max(column.marks, joined(cell.marks).size());
    }
    columns_.push_back(column);
  }
  for (std::size_t first = 0; first < columns_.size();) {
    std::size_t end = first, used = label_;
    while (end < columns_.size() &&
           (end == first || used + bar.size() + columns_[end].width() <= width))
      used += bar.size() + columns_[end++].width();
    blocks_.push_back({first, end});
    first = end;
  }
}

std::uint64_t TableLayout::last_step_within(std::uint64_t lines) const {
  const std::size_t fit = std::max<std::uint64_t>(1, lines / (table_.rows() + 2));
  return table_.steps[blocks_[std::min(fit, blocks_.size()) - 1].end - 1].number;
}

std::string TableLayout::cell_text(const Style& style, const ShownCell& cell,
                                   const Column& column) const {
  const std::string sends = joined(cell.sends), receives = joined(cell.receives);
  const std::string marks = joined(cell.marks);
  std::string result = padded(sends, column.sends);
  if (column.sends > 0 && column.receives > 0) result += ' ';
  std::size_t used = result.size() + std::max(receives.size(), column.receives);
  result = style.paint("36", result) + style.paint("32", padded(receives, column.receives));
  if (!marks.empty()) {
    const std::size_t gap = used > 0 ? 1 : 0;
    result += std::string(gap, ' ') + style.paint("1;31", marks);
    used += gap + marks.size();
  }
  return result + std::string(column.width() - used, ' ');
}

std::string TableLayout::row_text(const Style& style, const Block& block, Rank row) const {
  std::string line = style.bold(fmt::format("{:>{}}", row, label_));
  for (std::size_t c = block.first; c < block.end; ++c) {
    const auto found = table_.steps[c].cells.find(row);
    if (found == table_.steps[c].cells.end()) {
      line += std::string(bar) + std::string(columns_[c].width(), ' ');
      continue;
    }
    line += std::string(bar) + cell_text(style, found->second, columns_[c]);
  }
  return without_end(std::move(line));
}

std::string TableLayout::text(const Style& style) const {
  std::string result;
  for (const Block& block : blocks_) {
    std::string title = padded(table_.row_title, label_);
    for (std::size_t c = block.first; c < block.end; ++c)
      title += std::string(bar) + padded(table_.steps[c].title, columns_[c].width());
    title = without_end(std::move(title));
    title.pop_back();
    result += style.bold(title) + "\n";
    for (std::uint64_t row = table_.first_row; row <= table_.last_row; ++row)
      result += row_text(style, block, static_cast<Rank>(row));
    result += "\n";
  }
  return result;
}

std::size_t output_width() {
  winsize size{};
  const bool known = ::isatty(STDOUT_FILENO) == 1 &&
                     ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  if (known) return size.ws_col;
  const char* const columns = std::getenv("COLUMNS");
  const long stated = columns != nullptr ? std::strtol(columns, nullptr, 10) : 0;
  return stated > 0 ? static_cast<std::size_t>(stated) : default_width;
}

}  // namespace schedcc::cli
