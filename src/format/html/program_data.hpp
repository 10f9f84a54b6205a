#pragma once

// A program for GPUs as the data of a page: a track for each threadblock, on it its instructions,
// and from one to the other messages and dependencies.

#include "format/selection.hpp"
#include "format/text.hpp"
#include "schedcc/program.hpp"
#include "schedcc/report.hpp"

namespace schedcc::html {

/// The members of the page's data from "ranks" to "steps". Times are the longest chains of
/// instructions that wait for one another; those of a deadlock, which never start, follow all
/// others. `selection`: GPUs, and times. `report` may be nullptr. Throws InputError for more
/// instructions than a page can hold.
void write_program(const Program& program, const Selection& selection, const Report* report,
                   Text& out);

}  // namespace schedcc::html
