#include "analysis/well_formed.hpp"

#include <fmt/core.h>

#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

void require_well_formed(const Source& source, std::string_view who) {
  Source steps = source;
  steps.program = nullptr;
  CheckOptions options;
  options.checks = {"shape"};
  options.max_findings = 1;
  const Report report = check(steps, Machine(), options);
  if (report.findings.empty()) return;
  const Finding& f = report.findings.front();
  throw InputError({source.file, f.line, f.column},
                   fmt::format("{} needs a well-formed schedule; in step {}, {}", who,
                               f.step.value_or(0), f.message));
}

}  // namespace schedcc
