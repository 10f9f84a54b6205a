#pragma once

// The excerpt that was checked last: for schedules of which the same part is enough.
//
// A pipeline has other steps for each number of packets, but often the same excerpt: two packets of
// it, or those that are under way at a time. The report of an excerpt alone follows from its
// problem, its steps, the machine and the options; what was cut out is added to it afterwards, for
// each schedule by itself (Checker). So where these are the same, so is the report.

#include <cstdint>
#include <optional>
#include <string>

#include "check/period/period.hpp"

namespace schedcc {

/// Of sources that have no more than a problem and steps. The options have to be the same in each
/// call.
class CheckedExcerpt {
 public:
  /// The report of the excerpt that is kept, without what was cut out; nullptr: of another one.
  const Report* find(const Excerpt& excerpt, const Machine& machine);
  /// `report`: of the excerpt alone, in which there is nothing to report.
  void keep(Excerpt excerpt, const Machine& machine, Report report);
  /// How many excerpts were found.
  std::uint64_t found() const { return found_; }

 private:
  struct Kept {
    Excerpt excerpt;
    std::string machine;
    Report report;
  };
  std::optional<Kept> kept_;
  std::uint64_t found_ = 0;
};

}  // namespace schedcc
