#pragma once

// Formats: how schedules are written and read.

#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"
#include "schedcc/spec.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

class InputText;

/// Where output goes, in large pieces. Throws OutputError when it cannot be written.
class Output {
 public:
  virtual ~Output() = default;
  virtual void write(std::string_view text) = 0;
  /// For what is several files: from here on text goes to one of its own, `name`, that is kept with
  /// the others in a folder beside the main file; with an empty name, to the main file again.
  /// Returns what the main file may call it: its path, as seen from where the main one's path is.
  /// Empty where there is but one stream, into which everything goes.
  virtual std::string begin_part(std::string_view name) {
    (void)name;
    return {};
  }
};

/// What a writer may know beside the source itself.
struct EmitOptions {
  Parameters parameters;
  Machine machine;      ///< the machine that the schedule was checked on
  std::string command;  ///< a command that makes the same output again
  std::string stem;     ///< the output file's name without folder and extension; "schedule" if none
  /// Takes what whoever asked for the output should know of it.
  std::function<void(const std::string&)> note = {};
};

/// A format: the last lines of its file.
struct Format {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> extensions;  ///< with the dot
  std::vector<Parameter> parameters = {};
  /// Throws InputError for parameters that contradict one another; nullptr: these cannot.
  void (*check)(const Parameters& parameters) = nullptr;
  /// Throws InputError for what can be refused without looking at a step: a problem that the format
  /// has no words for, a parameter that does not fit it. So nobody waits for a schedule that is
  /// refused in the end. `write` refuses the same; nullptr: there is nothing to refuse.
  void (*refuse)(const Source& source, const EmitOptions& options) = nullptr;
  /// Writes the source; nullptr if the format is only read. Throws InputError, with the step and
  /// the transfer, for what the format cannot say, or what its own reader would not take.
  void (*write)(const Source& source, const EmitOptions& options, Output& out) = nullptr;
  /// Reads a schedule from a text; `file` is its name for messages. Throws InputError with the
  /// place. nullptr if the format is only written.
  Source (*read)(const InputText& text, const std::string& file) = nullptr;
  /// Does a text look like this format? A quick look at its beginning. Of formats that are only
  /// written it tells why they are not read, and may be nullptr.
  bool (*recognises)(std::string_view text) = nullptr;
};

/// The format of which `path` has the extension, the longest that it has and the first format that
/// has that; nullptr if there is none.
const Format* format_by_extension(std::string_view path);

/// Reads a schedule from a file ("-": standard input). The format is the one that is named, else
/// the one that has the file's extension, else the one that its content looks like. Throws
/// InputError with the place.
Source read_file(const std::string& path, std::string_view format = {});
/// Reads the problem that a file states for a program over `ranks` ranks: a schedule, of which only
/// the header matters, or lines `pre` and `post` alone, which state a custom collective. Throws
/// InputError with the place.
Source read_problem(const std::string& path, Rank ranks);

/// All formats, in the order in which they are listed.
std::span<const Format* const> formats();
/// The format of this name. Throws InputError with the nearest names if there is none.
const Format& find_format(std::string_view name);

}  // namespace schedcc

#pragma GCC visibility pop
