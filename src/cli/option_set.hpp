#pragma once

// The options that a command takes: rows of one list, bound to the variables for their values.
// Parsing, ranges, --help, suggestions and errors are derived from it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace schedcc::cli {

/// An option: a row of the list.
struct Option {
  std::string_view name;
  char letter;                ///< the short name, -o; 0: none
  std::string_view argument;  ///< empty: a flag; "a|b|c": one of these words
  std::string_view help;
  std::string_view fallback = {};  ///< the default in words, if it is not a value
  std::uint64_t min = 0;           ///< the range of a number
  std::uint64_t max = UINT64_MAX;
};

/// The list of all options. Throws InternalError for a name that is not in it.
const Option& find_option(std::string_view name);

/// The properties of a command's option that its row does not have.
struct Variant {
  std::string_view argument = {};
  std::string_view fallback = {};
  std::string_view help = {};
  bool repeats = false;  ///< may be given several times
};

/// The action that a command line requests: run its command, or print text.
enum class RequestedAction : std::uint8_t { command, help, version };

class OptionSet {
 public:
  using Set = std::function<void(const std::string& value)>;

  /// An option whose text `set` takes. `initial`: the default, where it is a value.
  void add(std::string_view name, Set set, Variant variant = {}, std::string initial = {});
  /// A flag.
  void add(std::string_view name, bool& value);
  /// Unchanged text.
  void add(std::string_view name, std::string& value, Variant variant = {});
  void add(std::string_view name, std::optional<std::string>& value, Variant variant = {});
  /// A number in the range of its row.
  void add(std::string_view name, std::optional<std::uint64_t>& value, Variant variant = {});
  template <typename Number>
  requires std::is_unsigned_v<Number>
  void add_number(std::string_view name, Number& value, Variant variant = {}) {
    const auto set = [name, &value](const std::string& text) {
      value = static_cast<Number>(number(name, text));
    };
    add(name, set, variant, std::to_string(value));
  }
  /// One of the words of the row, in the order of the values of T: an enumeration, or bool.
  template <typename T>
  void add_choice(std::string_view name, T& value) {
    const auto set = [name, &value](const std::string& text) {
      value = static_cast<T>(choice(name, text));
    };
    add(name, set, {}, word(name, static_cast<std::size_t>(value)));
  }
  template <typename T>
  void add_choice(std::string_view name, std::optional<T>& value) {
    add(name,
        [name, &value](const std::string& text) { value = static_cast<T>(choice(name, text)); });
  }

  /// Reads the arguments after `command`: sets the values of options, and returns the other
  /// arguments in `operands`. Sets nothing if help or the version is requested. Throws UsageError,
  /// and InputError for a value.
  RequestedAction read(std::string_view command, const std::vector<std::string>& arguments,
                       std::vector<std::string>& operands) const;

  /// The options, with the command's variants.
  std::vector<Option> options() const;

  /// The --help text of each option, at most 80 columns wide.
  std::string help() const;

 private:
  /// An option of the command. `option` is its row, with the command's variant.
  struct Bound {
    Option option;
    std::string initial;
    Set set;
    bool repeats;
  };
  struct ParsedOption {
    const Bound* bound;
    std::string value;
  };

  static std::uint64_t number(std::string_view name, const std::string& text);
  static std::size_t choice(std::string_view name, const std::string& text);
  static std::string word(std::string_view name, std::size_t index);

  const Bound* find(std::string_view spelled) const;
  ParsedOption read_option(std::string_view command, const std::vector<std::string>& arguments,
                           std::size_t& next) const;
  [[noreturn]] void unknown_option(std::string_view command, std::string_view name) const;

  std::vector<Bound> all_;  ///< in the order of --help
};

}  // namespace schedcc::cli
