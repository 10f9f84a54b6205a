// What the command line asks for: a command, help, or the version; and exit statuses.

#include "cli/commands.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "cli/completion.hpp"
#include "cli/manual.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/sources.hpp"
#include "cli/version.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cli {

Status first_status(Status a, Status b) {
  for (const Status status : {internal_error, bad_input, violated, undecided}) {
    if (a == status || b == status) return status;
  }
  return ok;
}

Status status_of(const Report& report) {
  if (report.below_bound) return internal_error;
  switch (report.verdict()) {
    case Verdict::holds:
      return ok;
    case Verdict::violated:
      return violated;
    case Verdict::unknown:
      break;
  }
  return undecided;
}

namespace {

/// The exit statuses of a command, for its help.
std::string statuses(const Command& command) {
  const std::pair<int, std::string_view> rows[] = {
      {ok, command.success},
      {violated, command.failure},
      {bad_input, "bad usage, unreadable or malformed input, or output that cannot be written"},
      {undecided, "undecided: a limit of time or memory was reached"},
      {internal_error, "an internal error of schedcc"}};
  std::string result;
  for (const auto& [status, meaning] : rows) {
    if (!meaning.empty()) result += fmt::format("  {:<3} {}\n", status, meaning);
  }
  return result;
}

constexpr const char* usage_line = "Usage: schedcc COMMAND [options]\n\nCommands:\n";

std::string command_list() {
  std::string result;
  for (const Command& command : commands()) {
    result += fmt::format("  {:<11} {}\n", command.name, command.summary);
  }
  return result;
}

}  // namespace

std::string help(const Command& command) {
  std::string options;
  command.with_options([&](const OptionSet& set) { options = set.help(); });
  return fmt::format("Usage: schedcc {}\nOptions:\n{}\nExit status:\n{}\nExamples:\n{}",
                     command.about, options, statuses(command), command.examples);
}

std::string overview() {
  return fmt::format(R"(schedcc compiles and verifies communication schedules.

{}{}
Examples:
  schedcc compile fractional-tree:r=3 --ranks 64 --chunks 24 -o tree.sched
  schedcc verify tree.sched
  schedcc show tree.sched -o tree.html

'schedcc COMMAND --help' explains a command; 'schedcc list' prints the names of
algorithms, machines, formats, ...
Exit status: 0 every check holds; 1 a check is violated; 2 bad usage or input;
3 undecided; 70 an internal error of schedcc.
)",
                     usage_line, command_list());
}

namespace {

const Command& find_command(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  if (is_file(name) ||
      std::ranges::find(algorithms(), name, &Algorithm::name) != algorithms().end()) {
    throw UsageError(fmt::format("unknown command '{0}'; did you mean 'schedcc {1} {0}'?",
                                 printable(name), is_file(name) ? "verify" : "compile"));
  }
  throw UsageError(unknown("command", name, names));
}

}  // namespace

Status run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_error(
        fmt::format("{}{}\n'schedcc COMMAND --help' explains a command, 'schedcc --help' has "
                    "examples.\n",
                    usage_line, command_list()));
    return bad_input;
  }
  const std::string& first = arguments.front();
  const bool wants_version = first == "--version" || first == "-V";
  if (wants_version || first == "--help" || first == "-h" ||
      (first == "help" && arguments.size() == 1)) {
    StandardOutput().write(wants_version ? version() : overview());
    return ok;
  }
  if (first == "help") {
    const Command& command = find_command(arguments[1]);
    return command.run(command, {"--help"});
  }
  if (first == "--man") {
    StandardOutput().write(manual());
    return ok;
  }
  if (first == "__complete") {
    StandardOutput().write(completions({arguments.begin() + 1, arguments.end()}));
    return ok;
  }
  if (first.starts_with('-')) {
    throw UsageError(fmt::format(
        "'{}' is an option where a command is expected; 'schedcc --help' lists commands", first));
  }
  const Command& command = find_command(first);
  return command.run(command, std::vector<std::string>(arguments.begin() + 1, arguments.end()));
}

}  // namespace schedcc::cli
