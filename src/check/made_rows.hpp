#pragma once

// Rows of a schedule that processes make of its rows, each of its own part.

#include <cstdint>
#include <memory>
#include <vector>

#include "check/crew.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

struct MadeRow {
  std::uint64_t number = 0;  ///< of the step
  std::uint32_t rounds = 1;
  std::uint64_t read = 0;  ///< transfers of which it is made
  Transfers transfers;
};

/// Takes from each process the rows that it has by `Crew::has`. All have as many.
void exchange(std::vector<MadeRow>& rows, const Crew& crew);

std::shared_ptr<const Schedule> schedule_of(const std::vector<MadeRow>& rows);

/// The transfers of which all rows are made.
std::uint64_t transfers_read(const std::vector<MadeRow>& rows);

}  // namespace schedcc
