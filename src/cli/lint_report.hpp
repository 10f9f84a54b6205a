#pragma once

// What `lint` found, and how it is written.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "core/json.hpp"
#include "lint/programs.hpp"
#include "lint/tables.hpp"

namespace schedcc::cli {

/// A table, and its rules; these are of that table.
struct LintedTable {
  TuningTable table;
  std::vector<LintedRule> rules;
};

/// The result for all files.
struct LintResult {
  MscclLoader loader = MscclLoader::rccl;
  std::vector<LintedProgram> programs;
  std::vector<std::unique_ptr<LintedTable>> tables;
  std::vector<LintFinding> findings;
  bool unreadable = false, undecided = false;

  std::size_t count(Severity severity) const;
  Status status() const;
};

/// The findings, tables of what is chosen, and a line with the verdict.
std::string lint_text(const LintResult& result, const LintOptions& options);
/// As docs/lint.schema.json describes it.
Json lint_json(const LintResult& result, const LintOptions& options);

}  // namespace schedcc::cli
