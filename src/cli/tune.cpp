// schedcc tune: the fastest algorithm, parameters and chunks for a size, or for a range of sizes;
// tables by which libraries choose.

#include <unistd.h>

#include <filesystem>
#include <memory>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/tune_report.hpp"
#include "cli/tune_table.hpp"

namespace schedcc::cli {

namespace {

/// Is a plot requested? Throws UsageError for a file with another extension, also with --emit svg.
bool plots(const OutputOptions& options) {
  if (!options.emit && !options.output) return false;
  if (!options.output || *options.output == "-" || options.output->ends_with(".svg")) return true;
  const bool other = std::filesystem::path(*options.output).has_extension();
  if (options.emit && !other) return true;
  throw UsageError(
      fmt::format("'{}' is not an .svg file: tune draws SVG only; it prints figures to standard "
                  "output, with --csv or --json for programs",
                  *options.output));
}

}  // namespace

Status tune(const TuneOptions& options) {
  if (!options.arguments.empty()) {
    throw UsageError(fmt::format(
        "unexpected argument '{}': tune takes options only, --collective for what is to be done, "
        "and --algorithms for algorithms",
        options.arguments.front()));
  }
  if (emits_table(options)) return tune_table(options);
  if (options.csv && options.json) throw UsageError("--csv and --json exclude each other");
  const bool plot = plots(options);
  std::unique_ptr<FileOutput> file;
  if (plot && options.output && *options.output != "-") {
    file = std::make_unique<FileOutput>(*options.output);
  } else if (plot && (options.csv || options.json)) {
    throw UsageError("the plot would share standard output with --csv or --json; use -o FILE.svg");
  }
  // The table of several sizes has the best choices alone, but for an improvement on others.
  const bool best_only = !plot && !options.csv && !options.json && !options.improvement;
  const TuneReport report = tune_report(options, best_only);
  StandardOutput standard;
  if (plot) tune_plot(report, options, file ? static_cast<Output&>(*file) : standard);
  if (file) file->commit();
  if (plot && !file) return ok;
  if (options.quiet && plot) return ok;
  standard.write(options.json  ? to_json(report)
                 : options.csv ? to_csv(report)
                               : to_text(report, Printer(STDOUT_FILENO, options.color).colored()));
  return ok;
}

}  // namespace schedcc::cli
