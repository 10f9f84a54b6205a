#pragma once

// Processes that check one schedule together.

#include <cstddef>
#include <exception>
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
  /// What all processes give, by their numbers. Process 0 may throw, for one that gives nothing;
  /// then the others throw TeamEnded.
  virtual std::vector<std::string> exchange(std::string own) = 0;
};

/// Process 0 goes on without the others.
class TeamEnded : public std::exception {};

/// As `check`, by all processes of a team, each with the same arguments: process 0 gets the report,
/// the others one without checks. As several threads do, they only show that there is nothing to
/// report: if one of them has a finding, or fails, process 0 checks all again by itself. Of an
/// algorithm's schedule of which a part is enough (threading.hpp) they compare the rows together,
/// and each checks the part. Of others, or if all transfers are to be seen, `in_full`, each keeps
/// the state for its share alone (Share). Programs are checked by process 0.
Report check_together(const Source& source, const Machine& machine, const CheckOptions& options,
                      Team& team, bool in_full = false);

}  // namespace schedcc
