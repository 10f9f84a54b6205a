// The table of NCCL's example of a tuner plugin, a rule in each line:
//
//     COLLECTIVE,MINBYTES,MAXBYTES,ALGORITHM,PROTOCOL,CHANNELS,NODES,RANKS[,PIPEOPS[,REGBUFF]]
//
// The plugin reads unknown words as allreduce, ring and simple, of a number what looks like one,
// and drops lines with fewer fields. A call takes the first rule that matches it and whose
// algorithm NCCL has for its collective.
//
// Source: NVIDIA/nccl, plugins/tuner/example/plugin.c.

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/join.hpp"
#include "core/printable.hpp"
#include "core/scanner.hpp"
#include "format/tuning/table.hpp"

namespace schedcc {

namespace {

constexpr std::array<std::string_view, 7> nccl_algorithms{
    "ring", "tree", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr std::array<std::string_view, 3> nccl_protocols{"simple", "ll", "ll128"};
constexpr std::array<std::string_view, 10> field_names{
    "collective", "minBytes", "maxBytes", "algorithm",  "protocol",
    "channels",   "nNodes",   "nRanks",   "numPipeOps", "regBuff"};
constexpr std::size_t needed_fields = 8;
/// Characters that the plugin reads at once, of which a line feed is one if it is among them.
constexpr std::size_t longest_line = 255;

struct CsvField {
  std::string_view text;
  std::uint32_t column;
};

class TunerReader {
 public:
  TunerReader(std::string_view text, const std::string& file) : text_(text) {
    table_.format = TuningFormat::nccl_tuner;
    table_.file = file;
  }

  TuningTable read() {
    for (line_ = 1; !text_.empty(); ++line_) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      line(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
    }
    return std::move(table_);
  }

 private:
  void line(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    if (line.size() > longest_line && (line.front() != '#' || holds_rule(line))) {
      add(Severity::error, "syntax", 1,
          fmt::format("the line has more than {} characters; the plugin reads it in pieces, each "
                      "as a line{}",
                      longest_line,
                      line.front() == '#' ? ", and one of this comment as a rule" : ""));
      return;
    }
    if (line.front() == '#') return;
    const std::vector<CsvField> fields = split(line);
    if (fields.empty()) return;
    if (fields.size() < needed_fields) {
      const bool comment = fields.front().text.starts_with('#');
      add(comment ? Severity::note : Severity::error, comment ? "syntax" : "dropped",
          fields.front().column,
          fmt::format("the plugin silently drops this line: it has {}, and {} are needed",
                      counted(fields.size(), "field"), needed_fields));
      return;
    }
    if (fields.size() > field_names.size()) {
      add(Severity::warning, "syntax", fields[field_names.size()].column,
          fmt::format("the plugin ignores fields after the first {}", field_names.size()));
    }
    if (table_.rules.size() == max_rules) {
      throw InputError({table_.file, line_, 1},
                       fmt::format("there are more than {} rules", max_rules));
    }
    table_.rules.push_back(rule(fields));
  }

  /// Is a piece of a comment after its first read as a rule?
  static bool holds_rule(std::string_view comment) {
    for (comment.remove_prefix(longest_line); !comment.empty();
         comment.remove_prefix(std::min(longest_line, comment.size()))) {
      const std::string_view piece = comment.substr(0, longest_line);
      std::size_t fields = 0;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        if (piece[i] != ',' && (i == 0 || piece[i - 1] == ',')) ++fields;
      }
      if (fields >= needed_fields && piece.front() != '#') return true;
    }
    return false;
  }

  /// The fields as strtok finds them: empty ones do not count.
  std::vector<CsvField> split(std::string_view line) {
    std::vector<CsvField> result;
    bool reported = false;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find(',', at), line.size());
      std::string_view field = line.substr(at, end - at);
      if (field.empty() && !reported && end < line.size()) {
        reported = true;
        add(Severity::error, "syntax", static_cast<std::uint32_t>(at + 1),
            "an empty field, which the plugin does not count: later fields shift to the left");
      }
      if (!field.empty()) {
        const std::size_t blanks = std::min(field.find_first_not_of(" \t"), field.size());
        field.remove_prefix(blanks);
        while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) {
          field.remove_suffix(1);
        }
        result.push_back({field, static_cast<std::uint32_t>(at + blanks + 1)});
      }
      at = end + 1;
    }
    if (result.size() == 1 && result.front().text.empty()) result.clear();
    return result;
  }

  TuningRule rule(const std::vector<CsvField>& fields) {
    TuningRule rule;
    rule.line = line_;
    rule.column = fields[0].column;
    rule.collective = word(fields, 0, nccl_collectives);
    rule.bytes = {size(fields, 1), size(fields, 2)};
    rule.algorithm = word(fields, 3, nccl_algorithms);
    rule.protocol = word(fields, 4, nccl_protocols);
    const std::int64_t channels = number(fields, 5);
    rule.nodes = number(fields, 6);
    const std::int64_t ranks = number(fields, 7);
    if (ranks != -1) rule.ranks = {as_ranks(ranks), as_ranks(ranks)};
    if (fields.size() > 8) rule.pipe_ops = number(fields, 8);
    if (fields.size() > 9) rule.registered = number(fields, 9);
    check_sizes(rule, fields);
    check_algorithm(rule, fields);
    if (ranks == 0 || ranks < -1 || rule.nodes == 0 || rule.nodes < -1) {
      rule.applies = false;
      add(Severity::error, "shadowed", fields[rule.nodes == 0 || rule.nodes < -1 ? 6 : 7].column,
          "no communicator matches this rule; -1 is any");
    }
    if (channels == -1) {
      add(Severity::warning, "channels", fields[5].column,
          "-1 leaves the plugin's own number of channels, which is 1 in NVIDIA's example (in "
          "RCCL's the default); 0 is NCCL's default");
    }
    return rule;
  }

  static std::uint64_t as_ranks(std::int64_t number) {
    return number < 0 ? 0 : static_cast<std::uint64_t>(number);
  }

  void check_sizes(TuningRule& rule, const std::vector<CsvField>& fields) {
    if (rule.bytes.first > rule.bytes.last) {
      rule.applies = false;
      add(Severity::error, "shadowed", fields[1].column,
          fmt::format("no size is from {} to {}", rule.bytes.first, rule.bytes.last));
    } else if (rule.bytes.last == UINT32_MAX) {
      add(Severity::warning, "uncovered", fields[2].column,
          "4294967295 is not the largest size: this rule does not serve 4 GiB and more; "
          "18446744073709551615 does");
    }
  }

  void check_algorithm(TuningRule& rule, const std::vector<CsvField>& fields) {
    const std::vector<std::string_view> all = nccl_algorithms_of(rule.collective);
    if (std::ranges::find(all, rule.algorithm) == all.end()) {
      rule.applies = false;
      add(Severity::error, "algorithm", fields[3].column,
          fmt::format("NCCL has no {} for {} (it has {}): the rule never applies; a later one may",
                      rule.algorithm, rule.collective, join(all, ", ")));
    } else if (rule.algorithm != "ring" && rule.algorithm != "tree" && rule.protocol != "simple") {
      rule.applies = false;
      add(Severity::error, "algorithm", fields[4].column,
          fmt::format(
              "NCCL has {} only with the protocol simple: the rule never applies; a later one may",
              rule.algorithm));
    }
  }

  /// A word of the list; the plugin reads any other word as the first.
  template <typename Words>
  std::string word(const std::vector<CsvField>& fields, std::size_t index, const Words& words) {
    const CsvField& field = fields[index];
    if (std::ranges::find(words, field.text) != words.end()) return std::string(field.text);
    add(Severity::error, "syntax", field.column,
        fmt::format("unknown {} '{}'; the plugin reads it as {} (known: {})", field_names[index],
                    printable(field.text), words.front(), join(words, ", ")));
    return std::string(words.front());
  }

  /// Digits without a sign.
  struct Digits {
    std::uint64_t value = 0;  ///< too large a number is the largest
    bool whole = false;       ///< there is nothing else
    bool fits = true;
  };
  static Digits digits(std::string_view text) {
    Digits result;
    const char* const text_end = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), text_end, result.value);
    result.fits = error != std::errc::result_out_of_range;
    if (!result.fits) result.value = UINT64_MAX;
    result.whole = error != std::errc::invalid_argument && end == text_end;
    return result;
  }

  /// A size as strtoull reads it.
  std::uint64_t size(const std::vector<CsvField>& fields, std::size_t index) {
    std::string_view text = fields[index].text;
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    const Digits read = digits(text);
    const std::uint64_t value = negative && read.fits ? std::uint64_t{0} - read.value : read.value;
    if (!read.whole || (negative && read.fits && value != UINT64_MAX)) {
      misread(fields, index, value);
    } else if (!read.fits) {
      misread(fields, index, value, "have 64 bits");
    }
    return value;
  }

  /// A number as atoi reads it: as strtol does, of which the lower 32 bits remain.
  std::int64_t number(const std::vector<CsvField>& fields, std::size_t index) {
    std::string_view text = fields[index].text;
    text = text.substr(0, text.find_last_not_of(" \t\r") + 1);  // the last one of lines with CRLF
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    const Digits all = digits(text);
    const std::uint64_t limited = std::min(all.value, negative ? most + 1 : most);
    const auto read = static_cast<std::int64_t>(negative ? std::uint64_t{0} - limited : limited);
    const auto value = static_cast<std::int32_t>(read);
    if (!all.whole) {
      misread(fields, index, value);
    } else if (value != read) {
      misread(fields, index, value, "have 32 bits");
    }
    return value;
  }

  template <typename Number>
  void misread(const std::vector<CsvField>& fields, std::size_t index, Number value,
               std::string_view allowed = "are decimal, without units") {
    add(Severity::error, "number", fields[index].column,
        fmt::format("{} '{}' is read as {}: numbers {}", field_names[index],
                    printable(fields[index].text), value, allowed));
  }

  void add(Severity severity, std::string_view rule, std::uint32_t column, std::string message) {
    table_.add(severity, rule, line_, column, std::move(message));
  }

  std::string_view text_;
  std::uint32_t line_ = 1;
  TuningTable table_;
};

}  // namespace

std::vector<std::string_view> nccl_algorithms_of(std::string_view collective) {
  if (collective == "allreduce")
    return {"ring", "tree", "collnet_direct", "collnet_chain", "nvls", "nvls_tree"};
  if (collective == "allgather" || collective == "reducescatter")
    return {"ring", "pat", "nvls", "collnet_direct"};
  return {"ring"};
}

TuningTable read_nccl_tuner(std::string_view text, const std::string& file) {
  return TunerReader(text, file).read();
}

}  // namespace schedcc
