#pragma once

// The page of a schedule, also with its time.

#include "schedcc/cost.hpp"
#include "schedcc/format.hpp"

namespace schedcc::html {

/// Writes a page. `cost`: the time of the schedule, with its critical path if there is one;
/// nullptr: it is not known. Throws InputError as the format `html` does.
void write_page(const Source& source, const EmitOptions& options, const CostReport* cost,
                Output& out);

}  // namespace schedcc::html
