#pragma once

// The command line of programs that execute tables.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedcc/mpi/rank_messages.hpp"

namespace schedcc::mpi {

/// Bad usage: the same on every rank. Exit status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

struct Arguments {
  std::vector<std::uint64_t> bytes{1024, 65536, 1048576};
  std::uint64_t repetitions = 20;
  std::string type, op;  ///< empty: chosen for the table
  std::uint64_t limit = 60;
  ExecutionMode mode;
  bool verify = true, library = true, help = false;
  std::vector<std::string> rest;  ///< arguments that are not options
  /// Options that the program added, with their values.
  std::vector<std::pair<std::string, std::string>> others;
  std::vector<std::string> given;  ///< all options, in order

  bool has(const std::string& option) const {
    return std::find(given.begin(), given.end(), option) != given.end();
  }
};

inline const char* options_help() {
  return R"(      --bytes N,...        sizes of the message, or of a block, rounded up to
                           whole elements (default: 1KiB,64KiB,1MiB); 0:
                           messages without content
      --repetitions N      timed executions of each size (default: 20; 0: only
                           verify)
      --type T             byte, uint32, uint64, float, double, affine (default:
                           byte; for reductions double, for ordered ones affine)
      --op OP              sum, min, max; of integers also prod, band, bor and
                           bxor; compose (of affine functions x -> a x + b, which
                           is not commutative). With min, max, band and bor,
                           contributions that count twice are not detected
      --pace P             free (default): a rank continues as soon as its data
                           allow it; step: as soon as all its messages of the
                           previous step are done
      --sends S            standard (default): MPI may buffer messages;
                           synchronous: a message is under way until it is
                           received, as in the cost models
      --limit S            seconds that one execution may take (default: 60;
                           0: any)
      --no-verify          do not compare the results with the definition
      --no-library         do not time the library's own collective
      --help               this text
)";
}

/// A number with a unit: "4096", "64KiB", "1M".
inline std::uint64_t parse_size(const std::string& text) {
  std::size_t i = 0;
  std::uint64_t value = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && value < UINT64_MAX / 16; ++i) {
    value = 10 * value + static_cast<std::uint64_t>(text[i] - '0');
  }
  std::string unit = text.substr(i);
  if (!unit.empty() && unit.back() == 'B') unit.pop_back();
  static constexpr std::pair<const char*, std::uint64_t> units[] = {
      {"", 1},           {"k", 1000},        {"K", 1000},        {"M", 1000000},
      {"G", 1000000000}, {"Ki", 1ULL << 10}, {"Mi", 1ULL << 20}, {"Gi", 1ULL << 30}};
  for (const auto& [name, factor] : units) {
    if (i == 0 || unit != name) continue;
    if (value > (std::uint64_t{1} << 40) / factor) break;
    return value * factor;
  }
  throw UsageError(
      "'" + text +
      "' is not a size; sizes are written as 4096, 64KiB or 1MB, and are at most 1024GiB");
}

inline std::uint64_t parse_number(const std::string& option, const std::string& text,
                                  std::uint64_t most) {
  std::uint64_t value = 0;
  bool digits = !text.empty() && text.size() <= 9;
  for (const char c : text) {
    digits = digits && c >= '0' && c <= '9';
    value = 10 * value + static_cast<std::uint64_t>(c - '0');
  }
  if (!digits || value > most) {
    throw UsageError(option + " needs a number up to " + std::to_string(most) + ", not '" + text +
                     "'");
  }
  return value;
}

/// Is the value the second of the two allowed ones?
inline bool second_of(const std::string& option, const std::string& value, const char* first,
                      const char* second) {
  if (value != first && value != second) {
    throw UsageError(option + " is " + first + " or " + second + ", not '" + value + "'");
  }
  return value == second;
}

/// Sizes between commas.
inline std::vector<std::uint64_t> parse_sizes(const std::string& text) {
  std::vector<std::uint64_t> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    result.push_back(parse_size(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return result;
}

/// The variable of an option without a value; nullptr if it is none of them.
inline bool* flag_of(Arguments& arguments, const std::string& option) {
  if (option == "--no-verify") return &arguments.verify;
  if (option == "--no-library") return &arguments.library;
  return option == "--help" || option == "-h" ? &arguments.help : nullptr;
}

/// Sets an option with a value. Throws UsageError for a value that is not allowed.
inline void set_option(Arguments& arguments, const std::string& option, const std::string& value) {
  if (option == "--bytes") {
    arguments.bytes = parse_sizes(value);
  } else if (option == "--repetitions") {
    arguments.repetitions = parse_number(option, value, 1000000);
  } else if (option == "--type") {
    arguments.type = value;
  } else if (option == "--op") {
    arguments.op = value;
  } else if (option == "--pace") {
    arguments.mode.pace =
        second_of(option, value, "free", "step") ? StepOrder::step : StepOrder::free;
  } else if (option == "--sends") {
    arguments.mode.synchronous = second_of(option, value, "standard", "synchronous");
  } else if (option == "--limit") {
    arguments.limit = parse_number(option, value, 1000000);
  }
}

/// Options that a program adds.
struct OtherOptions {
  std::vector<std::string> with_value, flags;
};

/// Reads the arguments after the program's name; `others` are options that the program adds. `-o`
/// is
/// `--output`. Throws UsageError.
inline Arguments parse(int argc, char** argv, const OtherOptions& others = {}) {
  Arguments result;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i], value;
    if (option.substr(0, 1) != "-" || option == "-") {
      result.rest.push_back(option);
      continue;
    }
    const std::size_t equals = option.find('=');
    const bool attached = equals != std::string::npos;
    if (attached) {
      value = option.substr(equals + 1);
      option.resize(equals);
    }
    if (option == "-o") option = "--output";
    const auto among = [&option](const std::vector<std::string>& options) {
      return std::find(options.begin(), options.end(), option) != options.end();
    };
    result.given.push_back(option);
    bool* const flag = flag_of(result, option);
    const bool other_flag = among(others.flags), other = among(others.with_value);
    if (flag != nullptr || other_flag) {
      if (attached) throw UsageError(option + " has no value");
      if (flag != nullptr) *flag = flag == &result.help;
      if (other_flag) result.others.emplace_back(option, "");
      continue;
    }
    if (!other && !is_one_of(option, {"--bytes", "--repetitions", "--type", "--op", "--pace",
                                      "--sends", "--limit"})) {
      throw UsageError("unknown option '" + option + "'; --help lists them");
    }
    if (!attached) {
      if (++i == argc) throw UsageError(option + " needs a value");
      value = argv[i];
    }
    if (other) {
      result.others.emplace_back(option, value);
    } else {
      set_option(result, option, value);
    }
  }
  return result;
}

}  // namespace schedcc::mpi
