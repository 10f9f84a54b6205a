#pragma once

// A folder of MSCCL XML as a loader sees it: which call takes which file.

#include <memory>
#include <string>
#include <vector>

#include "analysis/lint_finding.hpp"
#include "format/msccl/loader.hpp"
#include "schedcc/program.hpp"
#include "schedcc/report.hpp"

namespace schedcc {

class InputText;

/// A program, and the verdict of its checks.
struct LintedProgram {
  std::string file;
  MscclHead head;
  Verdict verdict = Verdict::unknown;
  std::shared_ptr<const Program> program = nullptr;
};

/// Reads and checks a program for the runtime of the loader; appends what is found. Throws
/// InputError if it cannot be read, LimitError if it cannot be checked.
LintedProgram lint_program(const InputText& text, const std::string& file, MscclLoader loader,
                           std::vector<LintFinding>& findings);

/// Sizes of calls that none or several of the programs serve, and whether those of one collective
/// add in the same order. The programs are in the order in which the loader looks at them. Appends
/// what is found.
void lint_sizes(const std::vector<LintedProgram>& programs, MscclLoader loader,
                std::vector<LintFinding>& findings);

}  // namespace schedcc
