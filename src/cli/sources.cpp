#include "cli/sources.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>

#include "format/msccl/reader.hpp"
#include "machine/named_machine.hpp"
#include "model/block_sizes.hpp"
#include "program/limits.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

bool is_algorithm(const std::string& text) {
  return std::ranges::any_of(algorithms(), [name = text.substr(0, text.find(':'))](
                                               const Algorithm* a) { return a->name == name; });
}

/// The command for a file.
std::string command(const std::string& path, const Source& source, const Options& options) {
  return fmt::format("schedcc compile {}{}{}{}{}{}{}{}", path,
                     options.from ? fmt::format(" --from {}", *options.from) : "",
                     options.collective ? fmt::format(" --collective {}", *options.collective) : "",
                     options.root ? fmt::format(" --root {}", *options.root) : "",
                     options.problem ? fmt::format(" --problem {}", *options.problem) : "",
                     options.runtime ? fmt::format(" --runtime {}", *options.runtime) : "",
                     source.problem.ordered ? " --ordered" : "",
                     options.machine ? fmt::format(" --machine {}", source.machine) : "");
}

/// "file:3:5: ", for what is wrong in a file that another one names.
std::string within(const Place& place) {
  if (place.file.empty()) return {};
  if (place.line == 0) return place.file + ": ";
  return fmt::format("{}:{}:{}: ", place.file, place.line, place.column);
}

/// What explains that a machine's file cannot be opened: the rule for paths, where it matters.
std::string path_rule(const std::string& file, const Place& place) {
  const bool unopened = !place.file.empty() && place.line == 0;
  return unopened && place.file != file && file.find('/') != std::string::npos
             ? "; a path in a file is relative to the folder of that file"
             : "";
}

/// The first option given that says something of programs only; empty if there is none.
std::string_view program_option(const Options& options) {
  return options.check.fifo ? "--fifo" : options.runtime ? "--runtime" : "";
}

/// Such options are for programs; on another machine their steps are checked.
void require_program(const Source& source, const Options& options) {
  const std::string_view option = program_option(options);
  if (option.empty() || source.program != nullptr) return;
  throw InputError({source.file, 0, 0},
                   fmt::format("{} is for programs, and {}", option,
                               options.machine ? "--machine for steps" : "this holds steps"));
}

/// The program of the source, for the runtime that is asked for.
std::shared_ptr<const Program> for_runtime(const Source& source, const std::string& runtime) {
  Program program = *source.program;
  program.runtime = program::find_runtime(runtime).name;
  return std::make_shared<const Program>(std::move(program));
}

/// What the options for schedules have in common: numbers below 2^32.
void require_narrow(const Options& options) {
  for (const auto& [number, option] :
       {std::pair(options.ranks, "--ranks"), std::pair(options.root, "--root"),
        std::pair(options.chunks, "--chunks")}) {
    if (number.value_or(0) <= UINT32_MAX) continue;
    throw UsageError(
        fmt::format("{} {} is more than the 2^32 - 1 that a schedule can number; only closed forms "
                    "reach further: --no-verify --emit cpp:local",
                    option, *number));
  }
}

[[noreturn]] void refuse_option(std::string_view option) {
  throw UsageError(fmt::format("{} is for algorithms; a file says for itself what it is", option));
}

/// The collective of the option --collective, and not of a file.
Collective asked_collective(const Options& options) {
  try {
    const Collective collective = find_collective(*options.collective);
    if (collective != Collective::custom) {
      if (!options.root || info(collective).rooted) return collective;
      throw UsageError(fmt::format("{} has no root", info(collective).name));
    }
  } catch (const InputError& error) {
    throw UsageError(error.what());
  }
  throw UsageError("--collective custom does not say what the collective is");
}

/// A program that does not say what its collective is, as one of --collective or --problem.
Source as_asked(const Source& source, const Options& options) {
  if (options.problem) return taken_for(source, read_file(*options.problem));
  std::optional<Rank> root;
  if (options.root) root = static_cast<Rank>(*options.root);
  return taken_for(source, asked_collective(options), root);
}

Input open_algorithm(const std::string& text, const Options& options) {
  const Spec spec = Spec::parse(text);
  const Algorithm& algorithm = find_algorithm(spec.name);
  if (!options.ranks) throw UsageError(fmt::format("algorithm '{}' needs --ranks", spec.name));
  require_narrow(options);
  if (const std::string_view option = program_option(options); !option.empty())
    throw UsageError(fmt::format("{} is for programs, and an algorithm makes steps", option));
  if (options.problem) throw UsageError("--problem is for programs; an algorithm has its options");
  Request request;
  request.most_transfers = options.max_transfers;
  request.parameters = spec.check(algorithm.parameters, fmt::format("algorithm '{}'", spec.name));
  Problem& problem = request.problem;
  problem.collective =
      options.collective ? find_collective(*options.collective) : algorithm.collectives.front();
  problem.ranks = static_cast<Rank>(*options.ranks);
  problem.root = static_cast<Rank>(options.root.value_or(0));
  problem.chunks = static_cast<std::uint32_t>(options.chunks.value_or(1));
  problem.ordered = options.ordered;
  if (problem.collective != Collective::custom) problem.validate();
  if (options.root && !problem.rooted()) {
    throw UsageError(fmt::format("{} has no root", info(problem.collective).name));
  }
  if (options.block_sizes) {
    if (options.chunks) {
      throw UsageError("--block-sizes says how many chunks each block has, so --chunks cannot");
    }
    const std::uint64_t blocks = block_count(problem.collective, problem.ranks);
    // What has no blocks is for the algorithm to refuse.
    request.block_sizes = read_block_sizes(*options.block_sizes, blocks);
  }
  request.machine = make_machine(
      options.machine.value_or(algorithm.machines_for(request.parameters).front()), problem.ranks);
  Input input;
  input.source = from_algorithm(algorithm, request, spec.text());
  input.machine = request.machine;
  input.own = algorithm.made_for(request);
  input.command = command(spec.text(), WideProblem(request.problem), request.machine, options);
  return input;
}

}  // namespace

std::string command(const std::string& spec, const WideProblem& problem, const Machine& machine,
                    const Options& options) {
  std::string result = fmt::format("schedcc compile {} --collective {} --ranks {}", spec,
                                   info(problem.collective).name, problem.ranks);
  if (problem.rooted()) result += fmt::format(" --root {}", problem.root);
  result += options.block_sizes ? fmt::format(" --block-sizes {}", *options.block_sizes)
                                : fmt::format(" --chunks {}", problem.chunks);
  if (problem.ordered) result += " --ordered";
  return result + fmt::format(" --machine {}", machine.spec);
}

bool is_file(const std::string& name) {
  // No algorithm has a dot in its name; what has one was meant as a file, whatever its extension.
  return name == "-" || name.find('/') != std::string::npos ||
         name.substr(0, name.find(':')).find('.') != std::string::npos;
}

Input open_file(const std::string& path, const Options& options) {
  for (const auto& [given, option] :
       {std::pair(options.ranks.has_value(), "--ranks"),
        std::pair(options.chunks.has_value(), "--chunks"),
        std::pair(options.block_sizes.has_value(), "--block-sizes")}) {
    if (given) refuse_option(option);
  }
  if (options.root && !options.collective) refuse_option("--root");
  if (options.problem && options.collective) {
    throw UsageError("--problem names the collective, so --collective cannot");
  }
  if (options.problem == "-" && (path == "-" || options.arguments.size() > 1)) {
    throw UsageError("standard input ('-') is named twice");
  }
  require_narrow(options);
  if (path.empty()) throw UsageError("the name of a file is empty");
  if (path.find('/') == std::string::npos && !std::filesystem::exists(path) && is_algorithm(path)) {
    throw InputError(
        {path, 0, 0},
        fmt::format("there is no such file, but an algorithm; 'schedcc compile {}' builds and "
                    "checks its schedules",
                    path));
  }
  Input input;
  Source& source = input.source;
  source = read_file(path, options.from.value_or(""));
  if (options.check.strict_format && !source.notes.empty()) {
    const Note& note = source.notes.front();
    throw InputError({path, note.line, note.column}, note.message + " (--strict-format)");
  }
  if (options.collective || options.problem) source = as_asked(source, options);
  if (options.ordered) source.problem.ordered = true;
  if (options.machine) {
    source.machine = *options.machine;
    source.program = nullptr;  // how its steps do on that machine is what is asked
  }
  try {
    source.problem.validate();
    input.machine = named_machine(source);
  } catch (const InputError& error) {
    if (!error.place.file.empty() && options.machine) throw;  // in the machine's own file
    throw InputError(
        options.machine || source.machine.empty() ? Place{path, 0, 0} : source.machine_place,
        within(error.place) + error.what() + path_rule(path, error.place));
  }
  require_program(source, options);
  if (options.runtime) source.program = for_runtime(source, *options.runtime);
  input.command = command(path, source, options);
  return input;
}

std::vector<Spec> algorithm_specs(const std::string& text) {
  std::vector<Spec> result;
  if (text == "all") {
    for (const Algorithm* a : algorithms()) result.push_back({std::string(a->name), {}});
    return result;
  }
  // A comma ends an algorithm or a parameter: what has a '=' before any ':' is a further parameter.
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const bool parameter = part.find('=') < part.find(':');
    if (parameter && !texts.empty()) {
      texts.back() += "," + part;
    } else {
      texts.push_back(part);
    }
    begin = end + 1;
  }
  for (const std::string& one : texts) result.push_back(Spec::parse(one));
  return result;
}

Input open_input(const std::string& name, const Options& options) {
  return options.from || is_file(name) ? open_file(name, options) : open_algorithm(name, options);
}

}  // namespace schedcc::cli
