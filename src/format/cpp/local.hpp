#pragma once

// C++ by rank: a table of one rank's operations, or a program that computes any rank's.

#include <memory>
#include <string_view>

#include "algorithm/local.hpp"
#include "format/table.hpp"
#include "schedcc/format.hpp"

namespace schedcc::cpp {

/// The kernel of an algorithm's source. Throws InputError if there is none.
std::shared_ptr<const LocalSchedule> local_schedule(const Source& source, const Machine& machine);

/// The operations of one rank, as by_rank() orders them: from the kernel if there is one, else from
/// the whole schedule, which is read only in that case.
Table of_rank(const Source& source, const Machine& machine, Rank rank);

/// The content of a header: a problem, which may be too large for a table, and its kernel.
struct KernelHeader {
  WideProblem problem;
  std::shared_ptr<const LocalSchedule> schedule;
};

/// Writes the header that computes the operations of any rank.
void write_local(const KernelHeader& computed, const EmitOptions& options, Output& output);
/// The same for a source.
void write_local(const Source& source, const EmitOptions& options, Output& output);

/// The text of a header of src/algorithm/kernel, as it was when schedcc was built.
std::string_view local_header(std::string_view name);

}  // namespace schedcc::cpp
