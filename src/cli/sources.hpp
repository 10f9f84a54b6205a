#pragma once

// From options to a source and the machine that it runs on.

#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "model/wide_problem.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

namespace schedcc::cli {

/// A source, and its machine.
struct Input {
  Source source;
  Machine machine;
  bool made_for_machine = false;   ///< an algorithm of schedcc on a machine that it was made for
  std::string command;             ///< that reproduces it: "schedcc compile ..."
  std::vector<std::string> notes;  ///< that it is for another machine, or for more chunks
};

/// Is it a file rather than an algorithm: "-", or a name with a slash, or with a dot before its
/// first colon? The generator in use is none.
bool is_file(const std::string& name);
/// The same, given --from, which is for files only.
bool is_file(const std::string& name, const FileOptions& options);

/// The one SOURCE that `command` takes. Throws UsageError if there is none, or more than one.
const std::string& only_source(const GeneralOptions& options, std::string_view command);

/// The algorithm, generator or file that `name` denotes. Throws UsageError and InputError.
Input open_input(const std::string& name, const SourceOptions& options);
/// The same for a file, whatever its name.
Input open_file(const std::string& path, const ProblemOptions& options, const FileOptions& file);

/// The schedule that --same-as names: a file, read with the same options as `input`, or an
/// algorithm for the problem and the machine of that.
OtherSchedule open_other(const std::string& name, const Input& input, const ProblemOptions& options,
                         const FileOptions& file);

/// The source; if it is a program that has no steps, the error says how to look at it.
Source with_advice(Source source);

/// The command of the input, with another name than compile.
std::string as_command(std::string_view name, const Input& input);

/// "SOURCE: note: ...\n" for each of the notes on the input.
std::string notes_text(const Input& input, bool colored);

/// The options that were given for a file, to read it in the same way: " --from FORMAT --root R".
std::string reading_options(const ProblemOptions& options, const FileOptions& file);

/// Throws UsageError if the source is an algorithm, which has no format, and the option is given.
void refuse_strict_format(const FileOptions& options);

/// Throws InputError for an option of the checks that does not apply to the input: --fifo if its
/// steps are checked, --blocking, --eager and --max-buffer if it is a program.
void require_fitting(const CheckOptions& check, const Input& input, const ProblemOptions& options);

}  // namespace schedcc::cli
