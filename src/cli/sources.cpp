#include "cli/sources.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "algorithm/composition/composition.hpp"
#include "algorithm/own_algorithm.hpp"
#include "analysis/compile_command.hpp"
#include "analysis/report_text.hpp"
#include "cli/chunk_advice.hpp"
#include "cli/generator.hpp"
#include "cli/requests.hpp"
#include "core/only_for.hpp"
#include "core/shell_word.hpp"
#include "format/requested_problem.hpp"
#include "program/limits.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/named_machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

bool is_algorithm(const std::string& text) {
  return std::ranges::any_of(algorithms(), [name = text.substr(0, text.find(':'))](
                                               const Algorithm* a) { return a->name == name; });
}

/// The command for a file.
std::string command(const std::string& path, const Source& source, const ProblemOptions& options,
                    const FileOptions& file) {
  return fmt::format(
      "schedcc compile {}{}{}{}", shell_word(path), reading_options(options, file),
      source.problem.ordered ? " --ordered" : "",
      options.machine ? fmt::format(" --machine {}", shell_word(source.machine)) : "");
}

/// "file:3:5: ", for an error in a file that another one names.
std::string within(const SourceLocation& location) {
  if (location.file.empty()) return {};
  return where(location.file, location.line, location.column) + ": ";
}

/// An explanation for a machine's file that cannot be opened: the rule for relative paths.
std::string path_rule(const std::string& file, const SourceLocation& location) {
  const bool unopened = !location.file.empty() && location.line == 0;
  return unopened && location.file != file && file.find('/') != std::string::npos
             ? "; a path in a file is relative to the folder of that file"
             : "";
}

/// Options of programs are refused for schedules, and for programs with --machine, whose steps are
/// checked.
void require_program_for(std::string_view option, const Source& source,
                         const ProblemOptions& options) {
  if (source.program != nullptr) return;
  if (source.plan != nullptr) {
    throw InputError({source.file, 0, 0}, only_for(option, "programs of MSCCL"));
  }
  throw InputError(
      {source.file, 0, 0},
      only_for(option, options.machine ? "programs; with --machine the steps are checked instead"
                                       : "programs"));
}

/// The program of the source, for the requested runtime.
std::shared_ptr<const Program> for_runtime(const Source& source, const std::string& runtime) {
  Program program = *source.program;
  program.runtime = program::find_runtime(runtime).name;
  return std::make_shared<const Program>(std::move(program));
}

ProblemRequest problem_request(const ProblemOptions& options, const FileOptions& file) {
  return {options.collective, {}, options.root, {}, options.ordered, file.problem};
}

/// That an algorithm is for other machines; empty where it is a composition for such a machine, as
/// the checks decide whether it fits.
std::string other_machines(const NamedAlgorithm& named, const Machine& machine) {
  std::string kinds;
  for (const std::string& spec : named.algorithm->machines_for(named.parameters)) {
    if (Spec::parse(spec).name == machine.name()) {
      if (is_composition(named.spec.name)) return "";
      return fmt::format("not designed for {} with these parameters", machine.spec());
    }
    kinds += (kinds.empty() ? "" : ", ") + spec;
  }
  return fmt::format("designed for {}, not for {}", kinds, machine.spec());
}

/// The machine that a file names, with all its parameters, if it can be had.
std::string stated_machine(const Source& source) {
  try {
    return named_machine(source).spec();
  } catch (const InputError&) {  // of a machine that is not used
    return source.machine;
  }
}

/// Throws UsageError for options that contradict each other, InputError for the name of an
/// algorithm.
void check_file_usage(const std::string& path, const ProblemOptions& options,
                      const FileOptions& file) {
  as_usage([&] { require_file_request(problem_request(options, file)); });
  if (file.problem == "-" && path == "-") {
    throw UsageError("'-' (standard input) is given twice");
  }
  if (path.empty()) throw UsageError("empty file name");
  if (path.find('/') == std::string::npos && !std::filesystem::exists(path) && is_algorithm(path)) {
    throw InputError(
        {path, 0, 0},
        fmt::format("no such file; to check an algorithm of this name use 'schedcc compile {}'",
                    path));
  }
}

/// Puts the source of an input, read from a file or from a generator, on its machine: --machine, or
/// the one that it names.
void put_on_machine(Input& input, const ProblemOptions& options) {
  Source& source = input.source;
  if (options.ordered) source.problem.ordered = true;
  std::string stated;
  if (options.machine) {
    if (!source.machine.empty() && !source.program) stated = stated_machine(source);
    source.machine = *options.machine;
    source.program = nullptr;  // its steps are checked on that machine
    source.plan = nullptr;
  }
  const std::string& path = source.file;
  try {
    source.problem.validate();
    input.machine = named_machine(source);
    if (options.machine) source.machine = Spec::parse(source.machine).text();  // fits into a file
  } catch (const InputError& error) {
    if (!error.location.file.empty() && options.machine) throw;  // in the machine's own file
    throw InputError(options.machine || source.machine.empty() ? SourceLocation{path, 0, 0}
                                                               : source.machine_location,
                     within(error.location) + error.what() + path_rule(path, error.location));
  }
  if (!stated.empty() && stated != input.machine.spec())
    input.notes.push_back(
        fmt::format("the file names {}; it is checked on {}", stated, input.machine.spec()));
}

/// Options that are not for a generator.
void check_generator_usage(const SourceOptions& options) {
  for (const auto& [given, option] :
       {std::pair(options.from.has_value(), "--from"),
        std::pair(options.problem.has_value(), "--problem"),
        std::pair(options.runtime.has_value(), "--runtime"),
        std::pair(options.strict_format, "--strict-format"),
        std::pair(options.block_sizes.has_value(), "--block-sizes")}) {
    if (given) throw UsageError(fmt::format("{} cannot be combined with --generator", option));
  }
}

Input open_generated(const Generator& generator, const SourceOptions& options) {
  check_generator_usage(options);
  const auto ranks = stated_ranks(options.ranks, options.machine);
  if (!ranks) throw UsageError("--generator needs --ranks");
  const auto asked = as_usage([&] {
    const GeneratorArguments least;
    return GeneratorArguments{scheduled_number("--ranks", *ranks),
                              scheduled_number("--chunks", options.chunks.value_or(least.chunks)),
                              scheduled_number("--root", options.root.value_or(least.root))};
  });
  Input input;
  std::optional<Collective> collective;
  if (options.collective) collective = collective_of_user(*options.collective);
  input.source = generator.source(asked, collective);
  const Problem& problem = input.source.problem;
  const WideProblem stated = stated_problem(options, ranks, options.chunks, problem.collective);
  put_on_machine(input, options);
  WideProblem wide(problem);
  wide.chunks = stated.chunks;
  input.command = compile_command(generator.name(), wide, input.machine);
  return input;
}

Input open_algorithm(const std::string& text, const SourceOptions& options) {
  const NamedAlgorithm named(text);
  if (options.problem) throw UsageError(only_for("--problem", "programs"));
  if (options.runtime) throw UsageError(only_for("--runtime", "programs"));
  refuse_strict_format(options);
  Request request;
  request.parameters = named.parameters;
  request.problem = scheduled_problem(named.problem(options, options));
  request.block_sizes = block_sizes(options, request.problem);  // an algorithm may refuse them
  request.machine = make_machine(named.machine(options.machine), request.problem.ranks);
  Input input;
  input.source = from_algorithm(*named.algorithm, request, named.spec.text());
  input.machine = request.machine;
  input.made_for_machine = named.algorithm->made_for(request);
  if (!input.made_for_machine) {
    std::string note = other_machines(named, input.machine);
    if (!note.empty()) input.notes.push_back(std::move(note));
  }
  if (!options.chunks) {
    if (auto note = more_chunks(*named.algorithm, request)) input.notes.push_back(std::move(*note));
  }
  input.command = compile_command(named.spec.text(), WideProblem(request.problem), request.machine,
                                  options.block_sizes);
  return input;
}

}  // namespace

std::string as_command(std::string_view name, const Input& input) {
  constexpr std::string_view compile = "schedcc compile";
  return fmt::format("schedcc {}{}", name, input.command.substr(compile.size()));
}

std::string notes_text(const Input& input, bool colored) {
  std::string result;
  for (const std::string& note : input.notes) {
    Finding finding;
    finding.severity = Severity::note;
    finding.message = note;
    result += text(Style(colored), finding, input.source.file, input.source.name);
  }
  return result;
}

std::string reading_options(const ProblemOptions& options, const FileOptions& file) {
  const auto text = [](std::string_view option, const auto& value) {
    return value ? fmt::format(" --{} {}", option, shell_word(fmt::to_string(*value))) : "";
  };
  return text("from", file.from) + text("collective", options.collective) +
         text("root", options.root) + text("problem", file.problem) + text("runtime", file.runtime);
}

void refuse_strict_format(const FileOptions& options) {
  if (options.strict_format) throw UsageError(only_for("--strict-format", "files"));
}

bool is_file(const std::string& name) { return !names_own_algorithm(name) && names_file(name); }

bool is_file(const std::string& name, const FileOptions& options) {
  return (options.from && !names_own_algorithm(name)) || is_file(name);
}

const std::string& only_source(const GeneralOptions& options, std::string_view command) {
  const std::vector<std::string>& names = options.arguments;
  if (names.empty()) {
    throw UsageError(fmt::format("{} needs a SOURCE: an algorithm or a file", command));
  }
  if (names.size() > 1) {
    throw UsageError(fmt::format("{} takes one SOURCE; '{}' is a second one", command, names[1]));
  }
  return names.front();
}

Input open_file(const std::string& path, const ProblemOptions& options, const FileOptions& file) {
  check_file_usage(path, options, file);
  Input input;
  Source& source = input.source;
  source = read_file(path, file.from.value_or(""));
  if (file.strict_format) {
    const auto placed = [](const Note& note) { return note.line != 0; };
    const auto note = std::ranges::find_if(source.notes, placed);
    if (note != source.notes.end())
      throw InputError({path, note->line, note->column}, note->message + " (--strict-format)");
  }
  source = with_requested_problem(source, problem_request(options, file));
  put_on_machine(input, options);
  if (file.runtime) {
    require_program_for("--runtime", source, options);
    source.program = for_runtime(source, *file.runtime);
  }
  input.command = command(path, source, options, file);
  return input;
}

Input open_input(const std::string& name, const SourceOptions& options) {
  if (names_own_algorithm(name)) return open_generated(*Generator::in_use(), options);
  if (!is_file(name, options)) return open_algorithm(name, options);
  for (const auto& [given, option] :
       {std::pair(options.ranks.has_value(), "--ranks"),
        std::pair(options.chunks.has_value(), "--chunks"),
        std::pair(options.block_sizes.has_value(), "--block-sizes")}) {
    if (given) throw UsageError(only_for_algorithms(option));
  }
  return open_file(name, options, options);
}

OtherSchedule open_other(const std::string& name, const Input& input, const ProblemOptions& options,
                         const FileOptions& file) {
  if (is_file(name)) {
    Input other = open_file(name, options, file);
    return {std::move(other.source), std::move(other.machine)};
  }
  Source source = from_algorithm(name, input.source.problem, input.machine.spec());
  return {std::move(source), input.machine};
}

Source with_advice(Source source) {
  if (source.program == nullptr) return source;
  source.open = [open = std::move(source.open)] {
    try {
      return open();
    } catch (const InputError& error) {
      throw InputError(error.location,
                       fmt::format("{}; 'show -o FILE.html' draws it", error.what()));
    }
  };
  return source;
}

void require_fitting(const CheckOptions& check, const Input& input, const ProblemOptions& options) {
  if (check.fifo) require_program_for("--fifo", input.source, options);
  if (!input.source.is_program()) return;
  const CheckOptions defaults;
  for (const auto& [given, option] : {std::pair(check.max_buffer.has_value(), "--max-buffer"),
                                      std::pair(check.blocking != defaults.blocking, "--blocking"),
                                      std::pair(check.eager != defaults.eager, "--eager")}) {
    if (!given) continue;
    throw InputError({input.source.file, 0, 0},
                     input.source.plan != nullptr
                         ? only_for(option, "schedules")
                         : only_for(option,
                                    "schedules; with --machine the steps of this program "
                                    "are checked"));
  }
}

}  // namespace schedcc::cli
