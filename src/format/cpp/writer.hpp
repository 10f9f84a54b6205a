#pragma once

// The C++ table as text, for the formats that contain one.

#include <optional>
#include <string_view>

#include "format/table.hpp"
#include "format/text.hpp"
#include "model/wide_problem.hpp"

namespace schedcc::cpp {

/// Throws InputError for hop-level schedules and more ranks than are listed; `what` ("a C++ table")
/// is named in the message.
void refuse_table(const Source& source, std::string_view what);

/// The table of a schedule that fits into a program. Throws InputError as refuse_table does, and
/// for too many operations.
Table checked_table(const Source& source, const Machine& machine, std::string_view what);

/// The comment at the top: the command, the content, and the order of a rank's operations.
void write_opening(const Source& source, const EmitOptions& options, const Totals& totals,
                   Text& out);

/// The constants that state the problem, the machine and the number of steps; numbers of ranks and
/// chunks are of the type `integer`.
void write_constants(const WideProblem& problem, const Machine& machine, std::uint64_t steps,
                     std::string_view integer, Text& out);

/// The table in its namespace, and what it includes. `rank`: the table is of that rank only.
void write_namespace(const Source& source, const EmitOptions& options, const Table& table,
                     std::string_view space, Text& out, std::optional<std::uint64_t> rank = {});

}  // namespace schedcc::cpp
