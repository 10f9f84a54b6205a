#include "format/goal/labels.hpp"

#include <algorithm>
#include <functional>

#include "core/scanner.hpp"

namespace schedcc {

namespace {

constexpr std::size_t max_series = 4;
constexpr std::size_t first_slots = 16;

}  // namespace

void GoalLabels::clear() {
  open_ = 0;
  entries_.clear();
  mask_ = first_slots - 1;
  std::fill_n(slots_.begin(), first_slots, 0);
}

std::optional<GoalLabels::NumberedLabel> GoalLabels::numbered(std::string_view label) {
  std::size_t begin = label.size();
  std::uint64_t number = 0, unit = 1;
  for (; begin > 0 && is_digit(label[begin - 1]); --begin, unit *= 10) {
    if (label.size() - begin == 10) return std::nullopt;  // beyond any number of operations
    number += unit * static_cast<std::uint64_t>(label[begin - 1] - '0');
  }
  const std::size_t digits = label.size() - begin;
  if (digits == 0 || (digits > 1 && label[begin] == '0')) return std::nullopt;
  return NumberedLabel{label.substr(0, begin), number};
}

const GoalLabels::Series* GoalLabels::series_of(std::string_view prefix) const {
  for (std::size_t i = 0; i < open_; ++i) {
    if (series_[i].prefix == prefix) return &series_[i];
  }
  return nullptr;
}

bool GoalLabels::insert(std::string_view label, std::uint32_t operation) {
  if (find(label)) return false;
  const auto number = numbered(label);
  const Series* const series = number ? series_of(number->prefix) : nullptr;
  if (series != nullptr && series->ends_before(number->number)) {
    series_[static_cast<std::size_t>(series - series_.data())].operations.push_back(operation);
  } else if (number && series == nullptr && open_ < max_series) {
    if (series_.size() == open_) series_.emplace_back();
    Series& opened = series_[open_++];
    opened.prefix = number->prefix;
    opened.first = number->number;
    opened.operations.assign(1, operation);
  } else {
    insert_entry(label, operation);
  }
  return true;
}

std::optional<std::uint32_t> GoalLabels::find(std::string_view label) const {
  if (const auto number = numbered(label)) {
    const Series* const series = series_of(number->prefix);
    if (series != nullptr && series->has(number->number))
      return series->operations[number->number - series->first];
  }
  return find_entry(label);
}

std::size_t GoalLabels::slot_of(std::string_view label) const {
  std::size_t slot = std::hash<std::string_view>{}(label)&mask_;
  while (slots_[slot] != 0 && entries_[slots_[slot] - 1].label != label) slot = (slot + 1) & mask_;
  return slot;
}

void GoalLabels::insert_entry(std::string_view label, std::uint32_t operation) {
  if (2 * entries_.size() > mask_) grow();
  entries_.push_back({label, operation});
  slots_[slot_of(label)] = static_cast<std::uint32_t>(entries_.size());
}

std::optional<std::uint32_t> GoalLabels::find_entry(std::string_view label) const {
  if (entries_.empty()) return std::nullopt;
  const std::uint32_t entry = slots_[slot_of(label)];
  if (entry == 0) return std::nullopt;
  return entries_[entry - 1].operation;
}

void GoalLabels::grow() {
  mask_ = 2 * mask_ + 1;
  if (slots_.size() <= mask_) slots_.resize(mask_ + 1);
  std::fill_n(slots_.begin(), mask_ + 1, 0);
  for (std::size_t i = 0; i < entries_.size(); ++i)
    slots_[slot_of(entries_[i].label)] = static_cast<std::uint32_t>(i + 1);
}

}  // namespace schedcc
