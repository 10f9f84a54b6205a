#include "cli/option_set.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/number_list.hpp"
#include "cli/usage_error.hpp"
#include "core/join.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"
#include "model/aliases.hpp"
#include "schedcc/spec.hpp"

namespace schedcc::cli {

namespace {

/// "  -o, --output FILE".
std::string synopsis(const Option& option) {
  const std::string letter = option.letter != 0 ? fmt::format("-{}, ", option.letter) : "    ";
  return fmt::format("  {}--{}{}{}", letter, option.name, option.argument.empty() ? "" : " ",
                     option.argument);
}

constexpr std::size_t width = 80;  ///< of --help, in columns

/// The help text of an option, with its other names.
std::string described(const Option& option) {
  const auto aliases = aliases_of(AliasKind::option, option.name);
  if (aliases.empty()) return std::string(option.help);
  return fmt::format("{} (also --{})", option.help, join(aliases, ", --"));
}

/// `text` in lines that end at `width`, all after `indent` spaces; those of the first are there.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  const std::size_t most = width - indent;
  for (std::size_t end;
       text.size() > most && (end = text.rfind(' ', most)) != std::string_view::npos;) {
    result += fmt::format("{}\n{:{}}", text.substr(0, end), "", indent);
    text.remove_prefix(end + 1);
  }
  return result + std::string(text);
}

/// Is it a word after one dash, as in -ranks?
bool one_dash(std::string_view name) { return !name.starts_with("--") && name.size() > 2; }

/// The commands that have an option, with commas.
std::string commands_with(std::string_view spelled) {
  std::vector<std::string_view> result;
  for (const Command& command : commands()) {
    command.with_options([&](const OptionSet& set) {
      const std::vector<Option> all = set.options();
      const bool has = std::ranges::any_of(
          all, [&](const Option& option) { return spelled == fmt::format("--{}", option.name); });
      if (has) result.push_back(command.name);
    });
  }
  return join(result, ", ");
}

}  // namespace

void OptionSet::add(std::string_view name, Set set, Variant variant, std::string initial) {
  Option option = find_option(name);
  if (!variant.argument.empty()) option.argument = variant.argument;
  if (!variant.fallback.empty()) option.fallback = variant.fallback;
  if (!variant.help.empty()) option.help = variant.help;
  all_.push_back({option, std::move(initial), std::move(set), variant.repeats});
}

void OptionSet::add(std::string_view name, bool& value) {
  add(name, [&value](const std::string&) { value = true; });
}

void OptionSet::add(std::string_view name, std::string& value, Variant variant) {
  add(
      name, [&value](const std::string& text) { value = text; }, variant, value);
}

void OptionSet::add(std::string_view name, std::optional<std::string>& value, Variant variant) {
  add(
      name, [&value](const std::string& text) { value = text; }, variant);
}

void OptionSet::add(std::string_view name, std::optional<std::uint64_t>& value, Variant variant) {
  add(
      name, [name, &value](const std::string& text) { value = number(name, text); }, variant);
}

std::uint64_t OptionSet::number(std::string_view name, const std::string& text) {
  const Option& option = find_option(name);
  return parse_number(text, fmt::format("--{}", name), option.min, option.max);
}

std::size_t OptionSet::choice(std::string_view name, const std::string& text) {
  const std::vector<std::string> words = split(find_option(name).argument, '|');
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) {
    throw UsageError(unknown(fmt::format("--{} value", name), text,
                             std::vector<std::string_view>(words.begin(), words.end())));
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::string OptionSet::word(std::string_view name, std::size_t index) {
  return split(find_option(name).argument, '|').at(index);
}

const OptionSet::Bound* OptionSet::find(std::string_view spelled) const {
  const bool is_long = spelled.starts_with("--");
  const std::string_view name =
      is_long ? without_alias(AliasKind::option, spelled.substr(2)) : std::string_view();
  const auto found = std::ranges::find_if(all_, [&](const Bound& bound) {
    const Option& option = bound.option;
    return is_long ? name == option.name
                   : spelled.size() > 1 && spelled[0] == '-' && option.letter != 0 &&
                         spelled[1] == option.letter;
  });
  return found == all_.end() ? nullptr : &*found;
}

void OptionSet::unknown_option(std::string_view command, std::string_view name) const {
  std::vector<std::string> spelled;
  for (const Bound& bound : all_) {
    spelled.push_back(fmt::format("--{}", bound.option.name));
    for (const std::string_view alias : aliases_of(AliasKind::option, bound.option.name)) {
      spelled.push_back(fmt::format("--{}", alias));
    }
  }
  const std::string_view near =
      nearest(one_dash(name) ? fmt::format("-{}", name) : std::string(name),
              std::vector<std::string_view>(spelled.begin(), spelled.end()));
  const std::string others = commands_with(name);
  std::string message = fmt::format("unknown option '{}'", printable(name));
  if (!others.empty())
    message += fmt::format("; it is an option of {}, not of {}", others, command);
  if (!near.empty()) message += fmt::format("; did you mean '{}'?", near);
  if (others.empty() && near.empty())
    message += fmt::format("; 'schedcc {} --help' lists the options", command);
  throw UsageError(message);
}

/// Reads --name VALUE, --name=VALUE, -n VALUE, -nVALUE, or a flag, at `next`.
OptionSet::ParsedOption OptionSet::read_option(std::string_view command,
                                               const std::vector<std::string>& arguments,
                                               std::size_t& next) const {
  const std::string& argument = arguments[next++];
  const bool is_long = argument.starts_with("--");
  const std::size_t end = is_long ? std::min(argument.find('='), argument.size()) : 2;
  const std::string name = argument.substr(0, end);
  const Bound* const bound = find(name);
  // -json is --json, not -j with the value "son".
  const std::string word = argument.substr(0, argument.find('='));
  const bool meant_long = one_dash(word) && find(fmt::format("-{}", word)) != nullptr;
  if (bound == nullptr || meant_long) unknown_option(command, word);
  const bool attached = end < argument.size();
  const bool flag = bound->option.argument.empty();
  if (flag && attached) throw UsageError(fmt::format("option '{}' takes no value", name));
  if (flag) return {bound, {}};
  if (attached) return {bound, argument.substr(is_long ? end + 1 : end)};
  const auto is_option = [&](const std::string& text) {
    return find(text.substr(0, text.find('='))) != nullptr;
  };
  if (next == arguments.size() || is_option(arguments[next])) {
    throw UsageError(fmt::format("option '{}' takes a value, which is missing", name));
  }
  return {bound, arguments[next++]};
}

RequestedAction OptionSet::read(std::string_view command, const std::vector<std::string>& arguments,
                                std::vector<std::string>& operands) const {
  std::vector<ParsedOption> given;
  bool options_end = false;
  for (std::size_t next = 0; next < arguments.size();) {
    const std::string& argument = arguments[next];
    if (options_end || argument == "-" || !argument.starts_with('-')) {
      operands.push_back(arguments[next++]);
    } else if (argument == "--") {
      options_end = true;
      ++next;
    } else {
      given.push_back(read_option(command, arguments, next));
      const auto& [bound, value] = given.back();
      if (!bound->repeats && std::ranges::count(given, bound, &ParsedOption::bound) > 1) {
        throw UsageError(fmt::format("option '--{}' is given twice", bound->option.name));
      }
    }
  }
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(given,
                               [&](const ParsedOption& g) { return g.bound->option.name == name; });
  };
  if (has("help")) return RequestedAction::help;
  if (has("version")) return RequestedAction::version;
  for (const auto& [bound, value] : given) {
    // An empty value is never intended; usually it is an unset variable of a script.
    if (!bound->option.argument.empty() && value.empty()) {
      throw UsageError(fmt::format("the value of option '--{}' is empty", bound->option.name));
    }
    bound->set(value);
  }
  return RequestedAction::command;
}

std::vector<Option> OptionSet::options() const {
  std::vector<Option> result;
  for (const Bound& bound : all_) result.push_back(bound.option);
  return result;
}

std::string OptionSet::help() const {
  constexpr std::size_t column = 29;
  const std::string next_line = fmt::format("\n{:{}}", "", column);
  std::string result;
  for (const auto& [option, initial, set, repeats] : all_) {
    const std::string left = synopsis(option);
    result += left.size() + 1 < column ? fmt::format("{:<{}}", left, column) : left + next_line;
    result += wrapped(described(option), column);
    const std::string_view fallback = initial.empty() ? option.fallback : initial;
    if (!fallback.empty()) {
      const std::string note = fmt::format("(default: {})", fallback);
      const std::size_t used = result.size() - (result.rfind('\n') + 1);
      result += used + 1 + note.size() <= width ? " " : next_line;
      result += wrapped(note, column);
    }
    result += '\n';
  }
  return result;
}

}  // namespace schedcc::cli
