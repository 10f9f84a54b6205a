#include "cli/checking.hpp"

#include <unistd.h>

#include "cli/job.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"

namespace schedcc::cli {

Report check_input(const Input& input, CheckOptions check, const FileOptions& file, bool quiet) {
  Progress progress("checking", !quiet);
  check.strict_format = file.strict_format;
  check.progress = [&](std::uint64_t n) { progress.show(n, "transfers"); };
  return check_together(input.source, input.machine, check);
}

void print_report(const Report& report, const ReportOptions& options) {
  if (options.json) {
    StandardOutput().write(dump(json(report), options));
  } else {
    print_error(to_text(report, Printer(STDERR_FILENO, options.color).colored()));
  }
}

}  // namespace schedcc::cli
