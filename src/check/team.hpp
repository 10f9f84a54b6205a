#pragma once

// Processes that check one schedule together.

#include <cstddef>
#include <string>
#include <vector>

#include "schedcc/check.hpp"

namespace schedcc {

class Team {
 public:
  virtual ~Team() = default;

  /// The number of this process, 0..size()-1; process 0 reports.
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  /// What all processes give, by their numbers, for process 0; nothing for the others. Process 0
  /// may throw, for one that gives nothing.
  virtual std::vector<std::string> gather(std::string own) = 0;
};

/// As `check`, by all processes of a team, each with the same arguments: process 0 gets the report,
/// the others one without checks. Each keeps the state for its share alone (Share). As several
/// threads do, they only show that there is nothing to report: if one of them has a finding, or
/// fails, process 0 checks all again by itself. Programs are checked by process 0. Of an
/// algorithm's schedule of which a part is enough (threading.hpp) nothing is shared, unless all
/// transfers are to be seen, `in_full`: each process checks the part, in little memory.
Report check_together(const Source& source, const Machine& machine, const CheckOptions& options,
                      Team& team, bool in_full = false);

}  // namespace schedcc
