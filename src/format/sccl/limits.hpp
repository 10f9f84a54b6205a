#pragma once

// The limits of SCCL, and the maps of a schedule.

#include <cstdint>
#include <vector>

#include "schedcc/format.hpp"

namespace schedcc::sccl {

/// Chunks of each rank: merged, ascending.
using Rows = std::vector<std::vector<Run>>;
/// Those that it holds at the start.
Rows starts(const Problem& problem);
/// Those that it wants.
Rows goals(const Problem& problem);
/// The chunks of all ranks, merged.
std::vector<Run> all(const Rows& rows);

/// Throws InputError for problems and machines that SCCL cannot express.
void refuse(const Source& source, const EmitOptions& options);

struct Totals {
  std::uint64_t steps = 0, rounds = 0, sends = 0, width = 1;
};
/// Throws InputError, with the step, for sends that SCCL cannot express. The steps are well-formed.
Totals count(const Source& source, const Machine& machine);

}  // namespace schedcc::sccl
