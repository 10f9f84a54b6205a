#pragma once

// What a sweep found out of some cases.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/file_error.hpp"

namespace schedcc::cli {

/// The figures of an algorithm, or of a part of its cases.
struct Tally {
  static constexpr std::size_t max_failed = 3;

  std::uint64_t cases = 0, transfers = 0, failures = 0, skipped = 0;
  std::uint64_t above = 0;          ///< the largest excess of a case's steps over its bound
  std::set<std::string> reasons;    ///< why cases were skipped
  std::vector<std::string> failed;  ///< the first failures, `max_failed` at most

  void add(const Tally& other);

  /// Calls f with each number, in a fixed order.
  template <typename F>
  void each_number(F f) {
    for (auto* number : {&cases, &transfers, &failures, &skipped, &above}) f(*number);
  }
  template <typename F>
  void each_number(F f) const {
    for (auto* number : {&cases, &transfers, &failures, &skipped, &above}) f(*number);
  }
};

/// The tallies of the tasks of one process of a job, by their numbers, and the error that ended it.
struct SweepShare {
  struct Error {
    std::size_t task;
    FileError error;
  };
  std::vector<std::pair<std::size_t, Tally>> tallies;
  std::optional<Error> error;

  /// As bytes, and back.
  std::string pack() const;
  static SweepShare unpack(const std::string& bytes);
};

}  // namespace schedcc::cli
