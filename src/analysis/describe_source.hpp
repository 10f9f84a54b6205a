#pragma once

// The lines of a report that say what it is about.

#include "schedcc/source.hpp"

namespace schedcc {

/// Fills in the source, and the problem that it solves, in a Report or a CostReport.
template <typename Report>
void describe_source(const Source& source, const Problem& problem, Report& report) {
  report.schedule = source.name;
  report.file = source.file;
  report.collective = info(problem.collective).name;
  report.title = problem.title();
  report.ranks = problem.ranks;
  report.chunks = problem.chunks;
  if (problem.rooted()) report.root = problem.root;
}

}  // namespace schedcc
