// The command line. One table says which command has which options, with what text; from it come
// parsing,
// --help and did-you-mean.

#include "cli/options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <thread>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "core/names.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/spec.hpp"

namespace schedcc::cli {

namespace po = boost::program_options;

namespace {

using Value = const po::variables_map&;
std::string text(Value values, const char* name) { return values[name].as<std::string>(); }

std::uint64_t number(Value values, const char* name, std::uint64_t least, std::uint64_t most) {
  return parse_number(text(values, name), fmt::format("--{}", name), least, most);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    items.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

std::vector<std::string> known_checks(const std::string& list) {
  std::vector<std::string_view> names;
  for (const CheckInfo& check : checks()) names.push_back(check.name);
  for (const CheckInfo& check : program_checks()) names.push_back(check.name);
  std::vector<std::string> chosen = split(list);
  for (const std::string& name : chosen) {
    if (std::ranges::find(names, name) == names.end())
      throw UsageError(unknown("check", name, names));
  }
  return chosen;
}

Blocking blocking(const std::string& name) {
  static constexpr std::string_view names[] = {"sendrecv", "send-first", "recv-first", "program"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (names[i] == name) return static_cast<Blocking>(i);
  }
  throw UsageError(unknown("blocking semantics", name, names));
}

Color color(const std::string& name) {
  static constexpr std::string_view names[] = {"auto", "always", "never"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (names[i] == name) return static_cast<Color>(i);
  }
  throw UsageError(unknown("colour", name, names));
}

Receive receive(const std::string& name) {
  static constexpr std::string_view names[] = {"call", "arrival"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (names[i] == name) return static_cast<Receive>(i);
  }
  throw UsageError(unknown("value of --receive", name, names));
}

/// Reads a positive number of seconds, with a fraction or as other numbers are.
double seconds(const std::string& text) {
  constexpr std::uint64_t most = 1'000'000'000;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool plain = error == std::errc() && end == text.data() + text.size();
  if (plain && value > 0 && value <= most) return value;
  try {
    if (!plain) return static_cast<double>(parse_number(text, "--timeout", 1, most));
  } catch (const InputError&) {  // said below
  }
  throw UsageError(fmt::format("--timeout is a number of seconds, not '{}'", text));
}

/// Reads --shard I/N.
void shard(const std::string& text, Options& options) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) throw UsageError(fmt::format("--shard is I/N, not '{}'", text));
  options.shards = parse_number(text.substr(slash + 1), "--shard", 1);
  options.shard = parse_number(text.substr(0, slash), "--shard", 1, options.shards) - 1;
}

/// An option: its name, the commands that have it, what --help says of it, and what it sets.
struct Option {
  const char* name;   ///< with a short form behind a comma
  const char* value;  ///< nullptr: a flag
  const char* commands;
  const char* help;
  void (*set)(Options&, Value);
};

constexpr const char* some = "compile verify sweep";
constexpr const char* costs = "cost tune";
constexpr const char* all = "list compile prove verify cost tune sweep";

const Option table[] = {
    {"collective", "C", "prove tune sweep", "the collective, where an algorithm serves several",
     [](Options& o, Value v) { o.collective = text(v, "collective"); }},
    {"collective", "C", "compile cost",
     "the collective, where an algorithm serves several, or a program says 'custom'",
     [](Options& o, Value v) { o.collective = text(v, "collective"); }},
    {"collective", "C", "verify", "what a program does that says 'custom' and no more",
     [](Options& o, Value v) { o.collective = text(v, "collective"); }},
    {"problem", "FILE", "compile verify cost",
     "what a program does that says 'custom' and no more: the header of a schedule",
     [](Options& o, Value v) { o.problem = text(v, "problem"); }},
    {"root", "R", "verify", "the root of that collective (default: as the program looks)",
     [](Options& o, Value v) { o.root = number(v, "root", 0, UINT32_MAX); }},
    {"machine", "M", "compile prove verify cost tune sweep", "the machine, NAME[:key=value,...]",
     [](Options& o, Value v) { o.machine = text(v, "machine"); }},
    {"ranks", "P", "compile prove", "the number of ranks",
     [](Options& o, Value v) { o.ranks = number(v, "ranks", 1, UINT64_MAX); }},
    {"ranks", "P", "cost", "the number of ranks",
     [](Options& o, Value v) { o.ranks = number(v, "ranks", 1, UINT32_MAX); }},
    {"ranks", "P,...", "tune", "the number of ranks, or several",
     [](Options& o, Value v) { o.rank_list = text(v, "ranks"); }},
    {"root", "R", "compile prove", "the root (default 0)",
     [](Options& o, Value v) { o.root = number(v, "root", 0, UINT64_MAX); }},
    {"root", "R", "cost tune", "the root (default 0)",
     [](Options& o, Value v) { o.root = number(v, "root", 0, UINT32_MAX); }},
    {"chunks", "K", "compile", "packets of a message, or chunks of a block (default 1)",
     [](Options& o, Value v) { o.chunks = number(v, "chunks", 1, UINT64_MAX); }},
    {"chunks", "K", "prove", "packets of a message, or chunks of a block (default 1)",
     [](Options& o, Value v) { o.chunks = number(v, "chunks", 1, UINT32_MAX); }},
    {"block-sizes", "FILE", "compile prove cost",
     "irregular blocks: how many chunks each has, in a file",
     [](Options& o, Value v) { o.block_sizes = text(v, "block-sizes"); }},
    {"chunks", "K", costs, "packets or chunks (default: the number that takes the least time)",
     [](Options& o, Value v) { o.chunks = number(v, "chunks", 1, UINT32_MAX); }},
    {"bytes", "N", "cost", "size of the message, or of a block: 4096, 4MiB, 1.5MB",
     [](Options& o, Value v) { o.bytes = text(v, "bytes"); }},
    {"bytes", "N|N..M", "tune", "size of the message, or of a block: 4MiB, or a range, 1KiB..16MiB",
     [](Options& o, Value v) { o.bytes = text(v, "bytes"); }},
    {"points", "N", "tune", "sizes of a range, at equal ratios (default: each twice the last)",
     [](Options& o, Value v) { o.points = number(v, "points", 2, 100000); }},
    {"alpha", "TIME", costs, "start-up of a message: 10us",
     [](Options& o, Value v) { o.alpha = text(v, "alpha"); }},
    {"beta", "TIME/SIZE", costs, "time per byte, or a bandwidth: 0.1ns/B, 10GB/s",
     [](Options& o, Value v) { o.beta = text(v, "beta"); }},
    {"model", "MODEL", costs, "the cost model, NAME[:key=value,...] (default alpha-beta)",
     [](Options& o, Value v) { o.model = text(v, "model"); }},
    {"receive", "WHEN", "cost",
     "LogP, LogGP: its overhead at the call (default), or on arrival, as LogGOPSim",
     [](Options& o, Value v) { o.receive = receive(text(v, "receive")); }},
    {"critical-path", nullptr, "cost", "the messages that the asynchronous time waits for",
     [](Options& o, Value) { o.critical_path = true; }},
    {"improvement", "A", "tune", "how much faster A is than the best of the others",
     [](Options& o, Value v) { o.improvement = text(v, "improvement"); }},
    {"csv", nullptr, costs, "comma-separated values on standard output",
     [](Options& o, Value) { o.csv = true; }},
    {"ordered", nullptr, "compile prove verify cost tune", "the operator is not commutative",
     [](Options& o, Value) { o.ordered = true; }},
    {"all-chunks", nullptr, "prove",
     "prove the closed form of an algorithm, for every number of chunks",
     [](Options& o, Value) { o.all_chunks = true; }},
    {"steps", "T", "prove", "decide for so many steps (default: find the least)",
     [](Options& o, Value v) { o.steps = number(v, "steps", 0, UINT32_MAX); }},
    {"rounds", "N", "prove", "topologies: rounds that the steps share, each at least one",
     [](Options& o, Value v) { o.rounds = number(v, "rounds", 1, UINT32_MAX); }},
    {"no-wait", nullptr, "prove",
     "machines with routers: transfers take their routes without waiting",
     [](Options& o, Value) { o.no_wait = true; }},
    {"pareto", nullptr, "prove", "the frontier of steps (and rounds) for 1, 2, ... chunks up to K",
     [](Options& o, Value) { o.pareto = true; }},
    {"assume-bound", nullptr, "prove", "take for granted what counting says, and start there",
     [](Options& o, Value) { o.assume_bound = true; }},
    {"timeout", "S", "prove", "give up after so many seconds",
     [](Options& o, Value v) { o.timeout = seconds(text(v, "timeout")); }},
    {"solver", "NAME", "prove", "cadical, z3, or both: each confirms the other",
     [](Options& o, Value v) { o.solver = text(v, "solver"); }},
    {"smt2", "FILE", "prove",
     "write the query in SMT-LIB (without --steps: of the largest T refuted)",
     [](Options& o, Value v) { o.smt2 = text(v, "smt2"); }},
    {"certificate", "DIR", "prove",
     "leave each refuted query there, with a proof (DRAT); a folder of its own",
     [](Options& o, Value v) { o.certificate = text(v, "certificate"); }},
    {"algorithms", "A,...", "tune sweep", "which ones, or all (default all)",
     [](Options& o, Value v) { o.algorithms = text(v, "algorithms"); }},
    {"ranks", "FIRST..LAST", "sweep", "numbers of ranks (default 2..64)",
     [](Options& o, Value v) { o.rank_range = text(v, "ranks"); }},
    {"chunks", "FIRST..LAST", "sweep", "numbers of chunks (default 1..16)",
     [](Options& o, Value v) { o.chunk_range = text(v, "chunks"); }},
    {"roots", "all|first", "sweep", "every root, or root 0 (default all)",
     [](Options& o, Value v) {
       static constexpr std::string_view names[] = {"all", "first"};
       const std::string roots = text(v, "roots");
       if (std::ranges::find(names, roots) == std::end(names)) {
         throw UsageError(unknown("choice of roots", roots, names));
       }
       o.all_roots = roots == "all";
     }},
    {"shard", "I/N", "sweep", "only the I-th of N parts of the cases, I = 1..N",
     [](Options& o, Value v) { shard(text(v, "shard"), o); }},
    {"from", "FORMAT", "compile prove verify",
     "the format of the file (default: by extension or content)",
     [](Options& o, Value v) {
       o.from = text(v, "from");
       if (find_format(*o.from).read == nullptr) {
         throw UsageError(fmt::format("format '{}' is only written, not read", *o.from));
       }
     }},
    {"strict-format", nullptr, "compile verify cost",
     "refuse what is only noted: what nothing depends on",
     [](Options& o, Value) { o.check.strict_format = true; }},
    {"emit", "FORMAT", "compile prove", "the format, NAME[:key=value,...] (default sched)",
     [](Options& o, Value v) { o.emit = text(v, "emit"); }},
    {"output,o", "FILE", "compile prove",
     "where to write; without --emit its extension says the format",
     [](Options& o, Value v) { o.output = text(v, "output"); }},
    {"emit", "svg", "tune", "a plot, with -o or to standard output",
     [](Options& o, Value v) {
       static constexpr std::string_view names[] = {"svg"};
       if (text(v, "emit") != "svg") throw UsageError(unknown("format", text(v, "emit"), names));
       o.emit = "svg";
     }},
    {"output,o", "FILE.svg", "tune", "where to write the plot",
     [](Options& o, Value v) { o.output = text(v, "output"); }},
    {"level", "L", "compile", "endpoint, or hop: lowered to the links of a routed machine",
     [](Options& o, Value v) {
       static constexpr std::string_view names[] = {"endpoint", "hop"};
       const std::string level = text(v, "level");
       if (std::ranges::find(names, level) == std::end(names)) {
         throw UsageError(unknown("level", level, names));
       }
       o.hop_level = level == "hop";
     }},
    {"checks", "A,...", some, "only these checks (default: all that apply)",
     [](Options& o, Value v) { o.check.checks = known_checks(text(v, "checks")); }},
    {"no-verify", nullptr, "cost", "the time of whatever it is",
     [](Options& o, Value) { o.verify = false; }},
    {"no-verify", nullptr, "compile", "check nothing, and emit whatever it is",
     [](Options& o, Value) { o.verify = false; }},
    {"strict", nullptr, some, "warnings are errors",
     [](Options& o, Value) { o.check.strict = true; }},
    {"blocking", "S", some, "how calls block: sendrecv (default), send-first, recv-first, program",
     [](Options& o, Value v) { o.check.blocking = blocking(text(v, "blocking")); }},
    {"eager", "N", some, "messages per pair that are buffered (default 0: rendezvous)",
     [](Options& o, Value v) { o.check.eager = number(v, "eager", 0, UINT64_MAX); }},
    {"eager", "N", "prove", "LogP: messages per pair that are buffered (default 0: rendezvous)",
     [](Options& o, Value v) { o.check.eager = number(v, "eager", 0, UINT64_MAX); }},
    {"fifo", "N", "compile verify",
     "programs: messages that a channel holds, whatever the protocol and the message size",
     [](Options& o, Value v) { o.check.fifo = number(v, "fifo", 1, UINT32_MAX); }},
    {"runtime", "NAME", "compile verify", "programs: whose limits count: msccl (default), rccl",
     [](Options& o, Value v) { o.runtime = text(v, "runtime"); }},
    {"max-buffer", "N", some, "the longest queue that is allowed",
     [](Options& o, Value v) { o.check.max_buffer = number(v, "max-buffer", 0, UINT64_MAX); }},
    {"max-findings", "N", "compile verify", "how many findings to show (default 20)",
     [](Options& o, Value v) { o.check.max_findings = number(v, "max-findings", 0, UINT32_MAX); }},
    {"max-transfers", "N", "compile cost",
     "the largest schedule to make of an algorithm (default 2^26 transfers)",
     [](Options& o, Value v) { o.max_transfers = number(v, "max-transfers", 1, UINT64_MAX); }},
    {"json", nullptr, all, "the report as JSON on standard output",
     [](Options& o, Value) { o.json = true; }},
    {"jobs,j", "N", some, "files or cases to work on at once (default 1; 0: one per processor)",
     [](Options& o, Value v) {
       o.jobs = static_cast<unsigned>(number(v, "jobs", 0, 1024));
       if (o.jobs == 0) o.jobs = std::max(1u, std::thread::hardware_concurrency());
     }},
    {"quiet", nullptr, all, "no report where all is well",
     [](Options& o, Value) { o.quiet = true; }},
    {"color", "WHEN", all, "auto (default), always, never",
     [](Options& o, Value v) { o.color = color(text(v, "color")); }},
    {"help,h", nullptr, all, "this text", [](Options&, Value) {}},
    {"version", nullptr, all, "the version", [](Options&, Value) {}},
};

bool belongs(const Option& option, std::string_view command) {
  const std::string_view commands = option.commands;
  for (std::size_t begin = 0; begin < commands.size();) {
    const std::size_t end = std::min(commands.find(' ', begin), commands.size());
    if (commands.substr(begin, end - begin) == command) return true;
    begin = end + 1;
  }
  return false;
}

std::string_view long_name(const Option& option) {
  const std::string_view name = option.name;
  return name.substr(0, name.find(','));
}

std::vector<const Option*> options_of(std::string_view command) {
  std::vector<const Option*> result;
  for (const Option& option : table) {
    if (belongs(option, command)) result.push_back(&option);
  }
  return result;
}

/// "  -o, --output FILE".
std::string synopsis(const Option& option) {
  const std::string_view name = option.name;
  const std::size_t comma = name.find(',');
  const std::string short_form =
      comma == std::string_view::npos ? "    " : fmt::format("-{}, ", name.substr(comma + 1));
  return fmt::format("  {}--{}{}{}", short_form, long_name(option), option.value ? " " : "",
                     option.value ? option.value : "");
}

std::string help(const Command& command) {
  std::string result =
      fmt::format("Usage: schedcc {}\n\n{}\n\nOptions:\n", command.usage, command.about);
  for (const Option* option : options_of(command.name)) {
    result += fmt::format("{:<28} {}\n", synopsis(*option), option->help);
  }
  return result + fmt::format("\nExamples:\n{}", command.examples);
}

constexpr const char* how_to_call = "Usage: schedcc COMMAND [options]\n\nCommands:\n";

std::string command_list() {
  std::string result;
  for (const Command& command : commands()) {
    result += fmt::format("  {:<9} {}\n", command.name, command.summary);
  }
  return result;
}

std::string overview() {
  return fmt::format("schedcc compiles and verifies communication schedules.\n\n{}{}", how_to_call,
                     command_list()) +
         "\nExamples:\n"
         "  schedcc compile fractional-tree:r=3 --ranks 64 --chunks 24 -o tree.sched\n"
         "  schedcc verify tree.sched\n"
         "  schedcc compile tree.sched --emit dot | dot -Tsvg -o tree.svg\n\n"
         "schedcc COMMAND --help says more of a command, schedcc list what there is.\n"
         "Exit status: 0 every check holds; 1 a check is violated; 2 bad usage or input;\n"
         "3 undecided; 70 a fault of schedcc itself.\n";
}

std::string version() { return "schedcc " SCHEDCC_VERSION "\n"; }

const Command& find_command(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  throw UsageError(unknown("command", name, names));
}

/// The one message for an option that the command does not have.
[[noreturn]] void unknown_option(const Command& command, std::string_view given) {
  const std::string_view name = given.substr(0, given.find('='));
  std::vector<std::string> spelled;
  for (const Option* option : options_of(command.name)) {
    spelled.push_back(fmt::format("--{}", long_name(*option)));
  }
  const std::vector<std::string_view> candidates(spelled.begin(), spelled.end());
  std::string message = unknown("option", name, candidates);
  if (message.find("did you mean") == std::string::npos) {
    message = fmt::format("unknown option '{}'; 'schedcc {} --help' lists the options", name,
                          command.name);
  }
  throw UsageError(message);
}

po::variables_map read(const Command& command, const std::vector<std::string>& arguments) {
  po::options_description description;
  for (const Option* option : options_of(command.name)) {
    if (option->value) {
      description.add_options()(option->name, po::value<std::string>());
    } else {
      description.add_options()(option->name, po::bool_switch());
    }
  }
  description.add_options()("argument", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("argument", -1);
  namespace style = po::command_line_style;
  po::variables_map values;
  try {
    po::store(po::command_line_parser(arguments)
                  .options(description)
                  .positional(positional)
                  .style(style::unix_style & ~style::allow_guessing)
                  .run(),
              values);
  } catch (const po::unknown_option& error) {
    unknown_option(command, error.get_option_name());
  } catch (const po::multiple_occurrences& error) {
    throw UsageError(fmt::format("option '{}' is given twice", error.get_option_name()));
  } catch (const po::error_with_option_name& error) {
    if (dynamic_cast<const po::invalid_command_line_syntax*>(&error) != nullptr) {
      const auto kind = static_cast<const po::invalid_command_line_syntax&>(error).kind();
      const bool extra = kind == po::invalid_syntax::extra_parameter;
      throw UsageError(fmt::format("option '{}' takes {}", error.get_option_name(),
                                   extra ? "no value" : "a value, which is missing"));
    }
    throw UsageError(error.what());
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
  return values;
}

/// An empty value is never meant: an unset variable of a script, more likely.
void refuse_empty(const Command& command, const po::variables_map& values) {
  for (const Option* option : options_of(command.name)) {
    const std::string name(long_name(*option));
    if (option->value && values.count(name) > 0 && text(values, name.c_str()).empty())
      throw UsageError(
          fmt::format("option '--{}' takes a value, and the one given is empty", name));
  }
}

}  // namespace

std::string usage() {
  return fmt::format(
      "{}{}\n'schedcc COMMAND --help' explains a command, 'schedcc --help' has examples.\n",
      how_to_call, command_list());
}

Options parse(const std::vector<std::string>& arguments, std::string& answer) {
  Options options;
  if (arguments.empty()) throw UsageError("a command is missing");
  const std::string& first = arguments.front();
  if (first == "--version") answer = version();
  if (first == "--help" || first == "-h") answer = overview();
  if (first == "help") {
    answer = arguments.size() > 1 ? help(find_command(arguments[1])) : overview();
  }
  if (!answer.empty()) return options;
  if (first.starts_with('-')) {
    throw UsageError(
        fmt::format("'{}' stands where a command belongs; 'schedcc --help' lists them", first));
  }
  const Command& command = find_command(first);
  options.command = command.name;
  const po::variables_map values =
      read(command, std::vector<std::string>(arguments.begin() + 1, arguments.end()));
  if (values["version"].as<bool>()) answer = version();
  if (values["help"].as<bool>()) answer = help(command);
  if (!answer.empty()) return options;
  refuse_empty(command, values);
  for (const Option* option : options_of(command.name)) {
    const std::string name(long_name(*option));
    const bool given = option->value ? values.count(name) > 0 : values[name].as<bool>();
    if (given) option->set(options, values);
  }
  if (values.count("argument") > 0) {
    options.arguments = values["argument"].as<std::vector<std::string>>();
  }
  return options;
}

}  // namespace schedcc::cli
