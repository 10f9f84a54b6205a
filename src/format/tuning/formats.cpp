#include <algorithm>
#include <array>

#include "core/encoding.hpp"
#include "core/scanner.hpp"
#include "format/tuning/table.hpp"

namespace schedcc {

namespace {

constexpr std::array<std::string_view, tuning_formats> tuning_names{"ompi-rules", "ompi-json",
                                                                    "nccl-tuner"};

/// The first line with text that is not a comment, without blanks before it or a comment after it.
std::string_view first_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    line = line.substr(0, line.find('#'));
    if (!line.empty()) return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

/// Does a collective of NCCL begin a list?
bool is_short_rule(std::string_view line) {
  const std::size_t comma = line.find(',');
  if (comma == std::string_view::npos) return false;
  const std::string_view word = line.substr(0, line.find_first_of(" \t,"));
  return std::ranges::find(nccl_collectives, word) != nccl_collectives.end();
}

}  // namespace

std::string_view name(TuningFormat format) {
  return tuning_names[static_cast<std::size_t>(format)];
}

std::span<const std::string_view> tuning_format_names() { return tuning_names; }

std::optional<TuningFormat> find_tuning_format(std::string_view name) {
  const auto found = std::ranges::find(tuning_names, name);
  if (found == tuning_names.end()) return std::nullopt;
  return static_cast<TuningFormat>(found - tuning_names.begin());
}

std::string_view library(TuningFormat format) {
  return format == TuningFormat::nccl_tuner ? "NCCL" : "Open MPI";
}

std::optional<TuningFormat> tuning_format(std::string_view text) {
  const std::string_view line = first_line(without_byte_order_mark(text));
  if (line.empty()) return std::nullopt;
  if (line.starts_with('{')) {
    const bool key = text.find("\"collectives\"") != std::string_view::npos;
    return key ? std::optional(TuningFormat::ompi_json) : std::nullopt;
  }
  if (std::ranges::count(line, ',') >= 4 || is_short_rule(line)) return TuningFormat::nccl_tuner;
  if (line.substr(line.starts_with('[') ? 1 : 0).starts_with("rule-file-version"))
    return TuningFormat::ompi_rules;
  const std::size_t end = line.find_first_of(" \t\r");
  const std::string_view word = line.substr(0, end);
  if (std::ranges::all_of(word, is_digit)) return TuningFormat::ompi_rules;
  return std::nullopt;
}

TuningTable read_tuning_table(std::string_view text, const std::string& file, TuningFormat format) {
  switch (format) {
    case TuningFormat::ompi_json:
      return read_ompi_json(text, file);
    case TuningFormat::nccl_tuner:
      return read_nccl_tuner(text, file);
    case TuningFormat::ompi_rules:
      break;
  }
  return read_ompi_rules(text, file);
}

}  // namespace schedcc
