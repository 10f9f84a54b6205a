#pragma once

// Formats: how schedules are written and read.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"
#include "schedcc/spec.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// The destination of output, in large pieces. Throws an exception of its own kind when it cannot
/// be written.
class Output {
 public:
  virtual ~Output() = default;
  /// Writes text, all of it.
  virtual void write(std::string_view text) = 0;
  /// For output of several files: from here on text goes to the file `name`, in a folder next to
  /// the main file; with an empty name, to the main file again. Returns its path relative to the
  /// folder of the main file; empty if there is only one stream, to which all text goes.
  virtual std::string begin_part(std::string_view name) {
    (void)name;
    return {};
  }
};

struct Report;

/// The input of a writer besides the source.
struct EmitOptions {
  Parameters parameters = {};  ///< as Spec::check returns them; empty: the defaults
  /// The machine that the schedule was checked on, which decides the order of a rank's operations;
  /// none: the one that the source names, or duplex.
  std::optional<Machine> machine = {};
  std::string command = {};  ///< a command that reproduces the output
  std::string stem =
      {};  ///< the output file's name without folder and extension; "schedule" if none
  /// Called with notes for the user.
  std::function<void(const std::string&)> note = {};
  /// The outcome of the schedule's checks, for formats that show it; nullptr: it is not known.
  std::shared_ptr<const Report> report = nullptr;
};

/// The functions of a format; internal to the library.
struct FormatEntry;

/// A format of the registry. Others are added to the sources of schedcc (docs/extending.md).
class Format {
 public:
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> extensions;  ///< with the dot
  std::vector<Parameter> parameters;
  bool readable, writable;

  /// Throws InputError for parameters that contradict one another.
  void check(const Parameters& parameters) const;
  /// Throws InputError for a source that `write` would refuse before it reads a step, so that
  /// callers need not compute a schedule first, and for a machine that does not exist for its
  /// ranks.
  void refuse(const Source& source, const EmitOptions& options) const;
  /// Writes the source. Throws InputError, with the step and the transfer, for steps that the
  /// format cannot express or that its own reader would refuse, as `refuse` does, and if the format
  /// is not writable.
  void write(const Source& source, const EmitOptions& options, Output& out) const;
  /// Reads a schedule from a text; `file` is its name for messages. Throws InputError with the
  /// location, and if the format is not readable.
  Source read(std::string text, const std::string& file) const;
  /// Does a text look like this format? Reads only its beginning.
  bool recognises(std::string_view text) const;

 private:
  friend struct FormatEntry;
  explicit Format(const FormatEntry& entry);

  const FormatEntry* entry_;
};

/// The format with the longest extension that `path` ends with, the first such format in the list;
/// nullptr if there is none.
const Format* format_by_extension(std::string_view path);

/// Reads a schedule from a file ("-": standard input). The format is the one named, else the one
/// with the file's extension, else the one that its content looks like. Throws InputError with the
/// location.
Source read_file(const std::string& path, std::string_view format = {});
/// The same for the text of a file, which `name` stands for in messages.
Source read_text(std::string text, const std::string& name, std::string_view format = {});
/// Is it the name of a file, where an algorithm can be named, too: "-", or a name with a slash,
/// with the extension of a format, or with a dot before its first colon? (docs/composition.md,
/// "Grammar")
bool names_file(std::string_view name);

/// All formats, in the order in which they are listed.
std::span<const Format* const> formats();
/// The format of this name. Throws InputError with the nearest names if there is none.
const Format& find_format(std::string_view name);

}  // namespace schedcc

#pragma GCC visibility pop
