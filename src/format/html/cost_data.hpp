#pragma once

// The time of a schedule, as a page shows it: figures, and the critical path.

#include "format/text.hpp"
#include "schedcc/cost.hpp"

namespace schedcc::html {

/// A JSON object: what was timed, rows of figures, and the messages of the critical path as
/// [step, src, dst, start, end], or null if there is none.
void write_cost(const CostReport& cost, Text& out);

}  // namespace schedcc::html
