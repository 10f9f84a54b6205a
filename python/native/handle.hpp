#pragma once

// A schedule as Python holds it, and how one is opened: by an algorithm, from a file, from a text,
// or from steps that were made in Python. Nothing here knows Python.

#include <cstdint>
#include <optional>
#include <string>

#include <schedcc/schedcc.hpp>

namespace schedcc::python {

/// A schedule, or a program, with what it was made from.
struct Handle {
  Source source;
  std::string spec = {};  ///< the algorithm, with its parameters; empty: of another origin
};

/// A problem as users state it; what is left out has a default.
struct ProblemArguments {
  std::optional<std::string> collective = {};
  std::optional<std::uint64_t> ranks = {}, chunks = {}, root = {};
  std::optional<std::string> machine = {};
  bool ordered = false;
  std::optional<BlockSizes> block_sizes = {};
};

/// The problem that is asked for, of `fallback` if it names no collective. Throws InputError.
Problem problem_of(const ProblemArguments& asked, Collective fallback);

/// The schedule of an algorithm or of a composition. Throws InputError.
Handle open_algorithm(const std::string& text, const ProblemArguments& asked);
/// A file; the format is the one named, or found out if that is empty. Throws InputError, also if
/// more is asked for than a machine and an order.
Handle open_file(const std::string& path, const std::string& format, const ProblemArguments& asked);
/// The same for a text; `name` stands for the file in messages.
Handle open_text(std::string text, const std::string& name, const std::string& format,
                 const ProblemArguments& asked);
/// Steps in memory. Throws InputError for a problem that is not valid, and for a machine that does
/// not exist.
Handle open_steps(Problem problem, std::shared_ptr<const Schedule> schedule, std::uint64_t nodes,
                  const std::string& machine, const std::string& name);

/// The source on a machine: that of `machine`, or the one that it names. On another machine the
/// steps of a program are checked. Throws InputError.
OtherSchedule on_machine(const Handle& handle, const std::optional<std::string>& machine);

/// The machine's specification as it must be written in a file of the folder: relative paths in it
/// become relative to that.
std::string machine_for_folder(const std::string& machine, const std::string& folder);

}  // namespace schedcc::python
