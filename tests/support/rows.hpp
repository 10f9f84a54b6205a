#pragma once

// The transfers of schedules by step, to be changed.

#include <cstddef>
#include <memory>
#include <vector>

#include "schedcc/source.hpp"

namespace step_rows {

using namespace schedcc;

/// By the number of the step.
using Rows = std::vector<Transfers>;

inline Rows rows_of(const Source& source) {
  Rows rows;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    rows.resize(step.number + 1);
    rows.back().assign(step.transfers.begin(), step.transfers.end());
  }
  return rows;
}

inline Source source_of_rows(const Problem& problem, const Rows& rows) {
  auto schedule = std::make_shared<Schedule>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].empty()) continue;
    schedule->begin_step(i);
    for (const Transfer& t : rows[i]) schedule->add(t);
  }
  return from_schedule(problem, schedule);
}

}  // namespace step_rows
