// schedcc convert: read a schedule in one format, write it in another.

#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "analysis/report_text.hpp"
#include "cli/checking.hpp"
#include "cli/commands.hpp"
#include "cli/destination.hpp"
#include "cli/print.hpp"
#include "cli/sources.hpp"
#include "core/shell_word.hpp"
#include "format/entry.hpp"
#include "format/losses.hpp"

namespace schedcc::cli {

namespace {

/// Passes text on, and keeps it.
class KeptOutput : public Output {
 public:
  explicit KeptOutput(Output& out) : out_(out) {}
  void write(std::string_view text) override {
    out_.write(text);
    if (!in_part_) kept_ += text;
  }
  std::string begin_part(std::string_view name) override {
    in_part_ = !name.empty();
    return out_.begin_part(name);
  }
  std::string take() { return std::move(kept_); }

 private:
  Output& out_;
  bool in_part_ = false;
  std::string kept_;
};

const std::string& only_file(const ConvertOptions& options) {
  const std::vector<std::string>& names = options.arguments;
  if (names.empty()) throw UsageError("convert needs a FILE; '-' is standard input");
  if (names.size() > 1)
    throw UsageError(fmt::format("convert takes one FILE; '{}' is a second one", names[1]));
  if (!options.output && !options.emit)
    throw UsageError("convert needs -o FILE, or --emit FORMAT for standard output");
  return names.front();
}

/// What is written, how, and where to.
struct Conversion {
  const Format& format;
  Source source;
  EmitOptions options;
  std::string file;
};

/// Writes it, and returns what the format loses of `source`. Formats that keep all are
/// streamed; the text of others is read again, which they hold in memory anyhow.
std::vector<std::string> write_conversion(const Conversion& writing, const Source& source,
                                          Output& out) {
  std::vector<std::string> lost = losses_of_program(source);
  const Format& format = writing.format;
  if (!format.readable || FormatEntry::of(format).keeps_all) {
    format.write(writing.source, writing.options, out);
    return lost;
  }
  KeptOutput kept(out);
  format.write(writing.source, writing.options, kept);
  for (std::string& loss : losses(source, format.read(kept.take(), writing.file)))
    lost.push_back(std::move(loss));
  return lost;
}

/// The parts of the file that have no effect.
std::string notes_on_file(const Source& source, const Style& style) {
  std::string result;
  for (const Note& note : source.notes) {
    Finding finding;
    finding.severity = Severity::note;
    finding.line = note.line;
    finding.column = note.column;
    finding.message = note.message;
    if (note.more > 0) finding.message += fmt::format(" (and {} more)", note.more);
    result += text(style, finding, source.file, source.name);
  }
  return result;
}

Conversion converted(const Input& input, const Emission& emission, const std::string& path,
                     const ConvertOptions& options) {
  const std::string command =
      fmt::format("schedcc convert {}{}", shell_word(path), reading_options(options, options));
  Conversion result{*emission.format, input.source,
                    emit_options(emission, input.machine, command, options, options.quiet), path};
  if (is_file_output(options)) {
    result.file = *options.output;
    name_machine_for(result.file, result.source, result.options);
  }
  return result;
}

}  // namespace

Status convert(const ConvertOptions& options) {
  const std::string& path = only_file(options);
  const Emission output = emission(options, false);
  const Input input = open_file(path, options, options);
  Conversion writing = converted(input, output, path, options);
  refuse(output, writing.source, writing.options);
  Destination destination(options);
  if (options.verify) {
    const auto report =
        std::make_shared<const Report>(check_input(input, {.jobs = 0}, options, options.quiet));
    if (!options.quiet || report->verdict() != Verdict::holds)
      print_error(to_text(*report, Printer(STDERR_FILENO, options.color).colored()));
    if (const Status status = status_of(*report); status != ok) return status;
    writing.options.report = report;
  } else if (!options.quiet) {
    print_error(notes_on_file(input.source, Printer(STDERR_FILENO, options.color)));
  }
  const std::vector<std::string> lost =
      write_conversion(writing, input.source, destination.output());
  destination.commit();
  if (options.quiet) return ok;
  for (const std::string& loss : lost)
    print_error(fmt::format("schedcc: note: {} loses {}\n", output.format->name, loss));
  return ok;
}

}  // namespace schedcc::cli
