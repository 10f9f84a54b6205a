#include "cli/completion.hpp"

#include <algorithm>
#include <span>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/number_list.hpp"
#include "prove/sat/solve/solver.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

/// Candidates for the word, all of which begin with it.
class Candidates {
 public:
  explicit Candidates(std::string word) : word_(std::move(word)) {}

  const std::string& word() const { return word_; }

  void add(std::string_view candidate, std::string_view description = {}) {
    if (!candidate.starts_with(word_)) return;
    text_ += candidate;
    if (!description.empty()) text_ += fmt::format("\t{}", description);
    text_ += '\n';
  }
  void files() { text_ += ":files\n"; }
  void folders() { text_ += ":folders\n"; }
  std::string text() const { return text_; }

 private:
  std::string word_, text_;
};

/// A name with parameters: an algorithm, a machine, a format, a model.
struct ParameterizedName {
  std::string_view name, summary;
  const std::vector<Parameter>& parameters;
};

template <typename Entry>
ParameterizedName parameterized(const Entry& entry) {
  return {entry.name, entry.summary, entry.parameters};
}

/// NAME, and after a colon its parameters, KEY= or one of the values of KEY. `before`: the part of
/// the word before the name.
void add_spec(Candidates& out, const std::string& before, const ParameterizedName& entry) {
  out.add(before + std::string(entry.name), entry.summary);
  const std::string given = out.word().substr(std::min(before.size(), out.word().size()));
  if (!given.starts_with(fmt::format("{}:", entry.name))) return;
  const std::string known = before + given.substr(0, given.find_last_of(":,") + 1);
  for (const Parameter& p : entry.parameters) {
    if (p.name.empty() || given.find(fmt::format("{}=", p.name)) < known.size() - before.size())
      continue;
    const bool flag = p.kind == Parameter::Kind::flag;
    out.add(fmt::format("{}{}{}", known, p.name, flag ? "" : "="), p.summary);
    if (!out.word().starts_with(fmt::format("{}{}=", known, p.name))) continue;
    for (const std::string_view choice : p.choices)
      out.add(fmt::format("{}{}={}", known, p.name, choice));
  }
}

void add_algorithms(Candidates& out, const std::string& before) {
  for (const Algorithm* a : algorithms()) add_spec(out, before, parameterized(*a));
}

void add_machines(Candidates& out, const std::string& before) {
  for (const MachineInfo& m : machines()) {
    add_spec(out, before, parameterized(m));
    for (const auto& [alias, meaning] : m.aliases) out.add(before + std::string(alias), meaning);
  }
  for (const MachineFile& file : machine_files()) out.add(before + file.name, file.title);
}

void add_checks(Candidates& out, const std::string& before) {
  for (const CheckInfo& c : all_checks()) out.add(before + std::string(c.name), c.summary);
}

/// The word up to the last comma: the part of a list that is complete.
std::string listed(const Candidates& out, const std::string& before) {
  const std::size_t comma = out.word().rfind(',');
  return comma == std::string::npos || comma < before.size() ? before
                                                             : out.word().substr(0, comma + 1);
}

using Add = void (*)(Candidates& out, const std::string& before);

/// What the value of an option can be, where its row does not say it.
constexpr std::pair<std::string_view, Add> values[] = {
    {"collective",
     [](Candidates& out, const std::string& before) {
       for (const CollectiveInfo& c : collectives())
         out.add(before + std::string(c.name), c.summary);
     }},
    {"machine", add_machines},
    {"algorithms",
     [](Candidates& out, const std::string& before) {
       out.add(before + "all", "all algorithms");
       add_algorithms(out, before);
       const std::string rest = listed(out, before);
       if (rest != before) add_algorithms(out, rest);
     }},
    {"improvement", add_algorithms},
    {"checks",
     [](Candidates& out, const std::string& before) { add_checks(out, listed(out, before)); }},
    {"from",
     [](Candidates& out, const std::string& before) {
       for (const Format* f : formats()) {
         if (f->readable) out.add(before + std::string(f->name), f->summary);
       }
     }},
    {"emit",
     [](Candidates& out, const std::string& before) {
       for (const Format* f : formats()) {
         if (f->writable) add_spec(out, before, parameterized(*f));
       }
     }},
    {"model",
     [](Candidates& out, const std::string& before) {
       for (const CostModelInfo& m : cost_models()) add_spec(out, before, parameterized(m));
     }},
    {"solver",
     [](Candidates& out, const std::string& before) {
       for (const prover::SolverEntry* s : prover::solvers())
         out.add(before + std::string(s->name), s->summary);
       out.add(before + "both", "each confirms the other");
     }},
};

/// The words of an option that takes one of several; none if it takes something else.
std::vector<std::string> words_of(const Option& option) {
  const auto is_word = [](const std::string& text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
  };
  std::vector<std::string> result = split(option.argument, '|');
  if (!std::ranges::all_of(result, is_word)) result.clear();
  return result;
}

void add_values(Candidates& out, const Option& option, const std::string& before) {
  const std::vector<std::string> words = words_of(option);
  for (const std::string& word : words) out.add(before + word);
  if (!words.empty()) return;
  const auto known =
      std::ranges::find(values, option.name, &std::pair<std::string_view, Add>::first);
  if (known != std::end(values)) return known->second(out, before);
  if (option.argument.starts_with("FILE")) out.files();
  if (option.argument.starts_with("DIR")) out.folders();
}

/// What the arguments of a command can be that are not options.
void add_operands(Candidates& out, std::string_view command) {
  if (command == "list") {
    for (const std::string_view kind : list_kinds()) out.add(kind);
  } else if (command == "completion") {
    for (const std::string_view shell : {"bash", "zsh", "fish"}) out.add(shell);
  } else if (command == "verify" || command == "convert" || command == "lint" ||
             command == "record") {
    out.files();
  } else if (command != "tune" && command != "sweep") {
    add_algorithms(out, "");
    if (out.word().find(':') == std::string::npos) out.files();
  }
}

const Option* find(std::span<const Option> options, std::string_view spelled) {
  const auto found = std::ranges::find_if(options, [&](const Option& option) {
    return spelled == fmt::format("--{}", option.name) ||
           (option.letter != 0 && spelled == fmt::format("-{}", option.letter));
  });
  return found == options.end() ? nullptr : &*found;
}

void add_for_command(Candidates& out, const Command& command, std::span<const std::string> before) {
  std::vector<Option> options;
  command.with_options([&](const OptionSet& set) { options = set.options(); });
  const Option* awaited = nullptr;  // the option of which the word is the value
  bool options_end = false;
  for (const std::string& word : before) {
    const Option* const option = options_end ? nullptr : find(options, word);
    options_end |= awaited == nullptr && word == "--";
    awaited =
        awaited == nullptr && option != nullptr && !option->argument.empty() ? option : nullptr;
  }
  const std::string& word = out.word();
  if (awaited != nullptr) return add_values(out, *awaited, "");
  if (options_end || !word.starts_with('-')) return add_operands(out, command.name);
  const std::size_t equals = word.find('=');
  if (equals != std::string::npos) {
    const Option* const option = find(options, word.substr(0, equals));
    if (option != nullptr) add_values(out, *option, word.substr(0, equals + 1));
    return;
  }
  for (const Option& option : options) out.add(fmt::format("--{}", option.name), option.help);
}

}  // namespace

std::string completions(const std::vector<std::string>& words) {
  Candidates out(words.empty() ? "" : words.back());
  const auto found = words.empty() ? commands().end()
                                   : std::ranges::find(commands(), words.front(), &Command::name);
  if (words.size() <= 1 || (words.size() == 2 && words.front() == "help")) {
    for (const Command& command : commands()) out.add(command.name, command.summary);
    if (words.size() <= 1) {
      for (const auto& [name, text] :
           {std::pair("help", "explain a command"), std::pair("--help", "print the commands"),
            std::pair("--version", "print the version")}) {
        out.add(name, text);
      }
    }
  } else if (found != commands().end()) {
    add_for_command(out, *found, std::span(words).subspan(1, words.size() - 2));
  }
  return out.text();
}

}  // namespace schedcc::cli
