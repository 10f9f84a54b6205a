#include "handle.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace schedcc::python {

namespace {

std::uint32_t number(const std::string& what, std::uint64_t value) {
  if (value <= UINT32_MAX) return static_cast<std::uint32_t>(value);
  throw InputError(what + ": " + std::to_string(value) +
                   " is more than the 2^32 - 1 that a schedule can number");
}

/// What only algorithms can be asked for.
void refuse_problem(const ProblemArguments& asked) {
  for (const auto& [given, name] :
       {std::pair(asked.ranks.has_value(), "ranks"), std::pair(asked.chunks.has_value(), "chunks"),
        std::pair(asked.root.has_value(), "root"),
        std::pair(asked.collective.has_value(), "collective"),
        std::pair(asked.block_sizes.has_value(), "block_sizes")}) {
    if (given)
      throw InputError(std::string(name) + " is for algorithms; a file states its own problem");
  }
}

/// The source with the order and the machine that are asked for.
Handle put_on_machine(Source source, const ProblemArguments& asked) {
  refuse_problem(asked);
  if (asked.ordered) source.problem.ordered = true;
  source.problem.validate();
  if (asked.machine) {
    source.machine = make_machine(*asked.machine, source.problem.ranks).spec();
    source.program = nullptr;  // its steps are checked on that machine
    source.plan = nullptr;
    return {std::move(source)};
  }
  try {
    named_machine(source);
  } catch (const InputError& error) {
    if (!error.location.file.empty()) throw;  // in the machine's own file
    throw InputError(source.machine_location, error.what());
  }
  return {std::move(source)};
}

}  // namespace

Problem problem_of(const ProblemArguments& asked, Collective fallback) {
  if (!asked.ranks) throw InputError("missing ranks, the number of ranks");
  Problem problem;
  problem.collective = asked.collective ? collective_of_user(*asked.collective) : fallback;
  problem.ranks = number("ranks", *asked.ranks);
  problem.chunks = number("chunks", asked.chunks.value_or(1));
  problem.root = number("root", asked.root.value_or(0));
  problem.ordered = asked.ordered;
  if (asked.root && !problem.rooted())
    throw InputError(std::string(info(problem.collective).name) + " has no root");
  problem.validate();
  return problem;
}

Handle open_algorithm(const std::string& text, const ProblemArguments& asked) {
  const Collective first = named_algorithm(algorithm_spec(text))->collectives.front();
  if (asked.block_sizes && asked.chunks)
    throw InputError("block_sizes and chunks exclude each other");
  Source source =
      from_algorithm(text, problem_of(asked, first), asked.machine.value_or(""), asked.block_sizes);
  std::string spec = source.name;
  return {std::move(source), std::move(spec)};
}

Handle open_file(const std::string& path, const std::string& format,
                 const ProblemArguments& asked) {
  refuse_problem(asked);  // before a large file is read
  return put_on_machine(read_file(path, format), asked);
}

Handle open_text(std::string text, const std::string& name, const std::string& format,
                 const ProblemArguments& asked) {
  return put_on_machine(read_text(std::move(text), name, format), asked);
}

Handle open_steps(Problem problem, std::shared_ptr<const Schedule> schedule, std::uint64_t nodes,
                  const std::string& machine, const std::string& name) {
  problem.validate();
  if (nodes != 0 && nodes < problem.ranks) {
    throw InputError("nodes " + std::to_string(nodes) + " is less than the number of ranks, " +
                     std::to_string(problem.ranks));
  }
  const Rank ranks = problem.ranks;
  Handle result{from_schedule(std::move(problem), std::move(schedule), nodes)};
  result.source.name = name.empty() ? "schedule" : name;
  result.source.title = name;
  if (!machine.empty()) result.source.machine = make_machine(machine, ranks).spec();
  return result;
}

OtherSchedule on_machine(const Handle& handle, const std::optional<std::string>& machine) {
  OtherSchedule result{handle.source, {}};
  if (!machine) {
    result.machine = named_machine(handle.source);
    return result;
  }
  result.machine = make_machine(*machine, handle.source.problem.ranks);
  result.source.machine = result.machine.spec();
  result.source.program = nullptr;
  result.source.plan = nullptr;
  return result;
}

std::string machine_for_folder(const std::string& machine, const std::string& folder) {
  if (machine.empty()) return machine;
  namespace fs = std::filesystem;
  Spec spec = Spec::parse(machine);
  const auto kinds = machines();
  const auto kind = std::ranges::find(kinds, spec.name, &MachineInfo::name);
  if (kind == kinds.end()) return machine;
  const auto files = machine_files();
  for (auto& [key, values] : spec.items) {
    const auto parameter = std::ranges::find(kind->parameters, key, &Parameter::name);
    if (parameter == kind->parameters.end() || !parameter->path) continue;
    std::string& path = values.front();
    const bool of_library = std::ranges::find(files, path, &MachineFile::name) != files.end();
    if (fs::path(path).is_absolute() || (of_library && !fs::exists(path))) continue;
    path = fs::relative(path, folder.empty() ? "." : folder).string();
  }
  return spec.text();
}

}  // namespace schedcc::python
