// A header that computes any rank's operations: the kernels of src/algorithm/kernel, copied out in
// full, each with its include guard, and a namespace that instantiates them for the problem.

#include "format/cpp/local.hpp"

#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "algorithm/kernel/program.hpp"
#include "core/memory.hpp"
#include "format/cpp/names.hpp"
#include "format/cpp/writer.hpp"
#include "format/text.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/version.hpp"

namespace schedcc::cpp {

std::shared_ptr<const LocalSchedule> local_schedule(const Source& source, const Machine& machine) {
  if (!source.file.empty()) {
    throw InputError("cpp:local is for algorithms, not for files");
  }
  const Spec spec = algorithm_spec(source.name);
  const auto algorithm = named_algorithm(spec);
  if (source.problem.declared()) {
    throw InputError(
        fmt::format("cpp:local cannot compute '{}': kernels are for standard collectives with "
                    "blocks of one size",
                    spec.name));
  }
  return local_schedule(
      *algorithm, {WideProblem(source.problem), machine,
                   spec.check(algorithm->parameters, fmt::format("algorithm '{}'", spec.name))});
}

namespace {

Table computed(const LocalSchedule& schedule, Rank rank) {
  Table table;
  table.totals.steps = schedule.steps();
  const auto own = schedule.at(rank);
  std::vector<local::Operation> step;
  for (std::uint64_t t = own->next(0); t != local::never; t = own->next(t + 1)) {
    local::read_step(*own, t, step);
    for (const local::Operation& o : step) {
      require_room(table.operations, "a table of a rank's operations");
      table.operations.push_back({t, o.kind, static_cast<Rank>(o.peer), static_cast<Chunk>(o.first),
                                  static_cast<std::uint32_t>(o.count), o.mode});
    }
  }
  return table;
}

/// The header without the lines that include others of its kind.
void write_header_text(std::string_view name, Text& out) {
  std::string_view text = local_header(name);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    if (!line.starts_with("#include \"")) out.put(line);
    text.remove_prefix(end);
  }
  out.put("\n");
}

void write_opening(const WideProblem& problem, const EmitOptions& options, Text& out) {
  out.print(
      "// A communication schedule that every rank computes for itself, made by schedcc {} with\n"
      "//\n//   {}\n//\n",
      SCHEDCC_VERSION, comment(options.command));
  out.print("// {}{}; machine {}. C++20.\n//\n", describe(problem),
            problem.ordered ? ", ordered" : "", comment(options.machine->spec()));
  out.put(
      "// program(rank) is a range of the rank's operations, in the order in which it carries "
      "them\n"
      "// out: in each step first its sends, then its receives. Operations with the same step,\n"
      "// kind and peer are one message. schedule(ranks, root, chunks) serves other sizes.\n");
  if (options.machine->timing()) out.put("// `step` is the cycle in which the call starts.\n");
  out.put("\n");
}

void write_functions(const LocalSchedule& schedule, Text& out) {
  out.put(
      "/// The kernel of the schedule, for any number of ranks that the algorithm serves.\n"
      "inline auto schedule([[maybe_unused]] std::uint64_t ranks, [[maybe_unused]] std::uint64_t "
      "root,\n"
      "                     [[maybe_unused]] std::uint64_t chunks) {\n"
      "  using namespace schedcc::local;\n");
  out.print("  return {};\n}}\n\n", schedule.expression);
  out.put(
      "/// The operations of rank `rank` < ranks.\n"
      "inline auto program(std::uint64_t rank) {\n"
      "  static const auto own = schedule(ranks, root, chunks);\n"
      "  return schedcc::local::Program(own, rank);\n"
      "}\n\n");
}

}  // namespace

Table of_rank(const Source& source, const Machine& machine, Rank rank) {
  try {
    Table table = computed(*local_schedule(source, machine), rank);
    table.totals.operations = table.operations.size();
    return table;
  } catch (const InputError&) {  // it has none
    return by_rank(source, machine, rank);
  }
}

void write_local(const KernelHeader& what, const EmitOptions& options, Output& output) {
  const std::string space = namespace_of(options);
  const std::string guard = guard_of(space);
  Text out(output);
  write_opening(what.problem, options, out);
  out.print("#ifndef {0}\n#define {0}\n\n#include <cstdint>\n#include <string_view>\n\n", guard);
  write_header_text("integers.hpp", out);
  write_header_text("step_sets.hpp", out);
  write_header_text("base.hpp", out);
  for (const std::string_view header : what.schedule->headers) write_header_text(header, out);
  write_header_text("operation.hpp", out);
  write_header_text("program.hpp", out);
  out.print("namespace {} {{\n\n", space);
  out.put(
      "using schedcc::local::Operation;\n"
      "using schedcc::local::send, schedcc::local::receive;  // Operation::kind\n"
      "using schedcc::local::copy, schedcc::local::reduce;   // Operation::mode\n\n");
  write_constants(what.problem, *options.machine, what.schedule->steps(), "std::uint64_t", out);
  write_functions(*what.schedule, out);
  out.print("}}  // namespace {}\n\n#endif  // {}\n", space, guard);
  out.flush();
}

void write_local(const Source& source, const EmitOptions& options, Output& output) {
  write_local({WideProblem(source.problem), local_schedule(source, *options.machine)}, options,
              output);
}

}  // namespace schedcc::cpp
