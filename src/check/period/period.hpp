#pragma once

// Checks of pipelines by an excerpt: where a schedule repeats itself packet by packet, a part of it
// shows all that happens.
//
// Theory. The rows of a schedule are its steps that are not empty. Let q rows be a period: in a
// region, a <= i < b, row i + q consists of the transfers of row i with s added to each chunk, and
// their steps are the same number of steps apart. Let the chunks of the problem be alike, as those
// of a broadcast, a reduction or an allreduce: what ranks start and end with is the same for each.
// The life of a chunk is the list of the transfers that carry it, with their steps. What ranks hold
// of a chunk depends on its life only, and if the lives of two chunks are alike, the same but for a
// shift in time, so are causality, delivery, redundancy and the expressions of sums.
//
// Cut out n periods: keep the rows before x, and those from y = x + nq on, where a < x < y < b; in
// the excerpt chunk c is before x what it was, and after the cut what c + ns was. Let first(c) and
// last(c) be the first and the last row of its life. Every chunk c of the excerpt has to be
//
//   early   last(c) < x, and c + ns is in no row from y on: its life is that of c;
//   late    first(c + ns) >= y, and c in no row before x: its life is that of c + ns;
//   or in the region: a <= first(c), last(c) < b - (n-1)q, and the same of c + ns, n periods later.
//           By repetition the lives of c and c + ns are alike, and the excerpt has it.
//
// And every chunk d that is in a row from x - q to y - 1 has to be in the region, with d + s, and,
// if it is in a row from x on, with d - s: then it is alike with both. So every chunk of the
// schedule is alike with one of the excerpt, by steps of s. Every row is one of the excerpt, or the
// repetition of one, with the same messages. And the queue of a rank is as long in row t of x..y-1
// as in row t - q, as the chunks in them are in one-to-one correspondence; before x and from y on,
// the queues are those of the excerpt. So nothing is to be reported of the schedule if nothing is
// of the excerpt; the longest queue is the same; and sums over steps are those of the excerpt and n
// times those of a period. Else all is done again, with all rows (Abandoned).
//
// Rows are read three times at most where they are compared, and in the excerpt: that takes a
// fraction of the time that their checks would take.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "schedcc/check.hpp"

namespace schedcc {

/// What was cut out of a schedule.
struct CutOut {
  std::uint64_t steps = 0, transfers = 0, messages = 0, volume = 0;
};

/// A part of a schedule that shows all that happens, as a source for a problem with fewer chunks.
struct Excerpt {
  Source source;
  CutOut rest;
};

/// None if the schedule is not seen to repeat itself for most of its steps, or if a check that the
/// options ask for, or the machine, depends on more than the lives of chunks. The rows are compared
/// by so many threads; `progress` is called by the caller's with the number of transfers read.
std::optional<Excerpt> excerpt(const Source& source, const Machine& machine,
                               const CheckOptions& options, std::size_t threads,
                               const std::function<void(std::uint64_t)>& progress);

}  // namespace schedcc
