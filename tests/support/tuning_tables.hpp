#pragma once

// Tables from which libraries choose, for tests: read and checked, and the places of findings.

#include <string>
#include <vector>

#include "format/tuning/table.hpp"
#include "lint/tables.hpp"

namespace tuning_tables {

using namespace schedcc;

inline TuningTable linted(const std::string& text, TuningFormat format) {
  TuningTable table = read_tuning_table(text, "table", format);
  lint_rules(table);
  return table;
}

/// "RULE LINE:COLUMN" of all findings that are not notes.
inline std::vector<std::string> places(const TuningTable& table) {
  std::vector<std::string> result;
  for (const LintFinding& f : table.findings) {
    if (f.severity == Severity::note) continue;
    result.push_back(std::string(f.rule) + " " + std::to_string(f.location.line) + ":" +
                     std::to_string(f.location.column));
  }
  return result;
}

}  // namespace tuning_tables
