#pragma once

// Pipelines whose packets are all alike, from the first to the last: a few of them show all that
// happens.
//
// Theory. Let q rows and s chunks be the period of period.hpp, and let every row i + q be row i
// with s added to each chunk, but for the chunks that only one of the two can have; here i is any
// number, rows before the first and after the last one being empty. Let each transfer have one
// chunk. Call |s| neighbouring chunks a generation, the first that are sent generation 0; only the
// last one may have fewer. A transfer of a chunk c in row j has an image, of c - s in row j - q, if
// there is such a chunk, and one of c + s in row j + q. So what is done with generation m is what
// is done with generation 0, m q rows later (if it has fewer chunks, what is done with these), and
// causality, delivery, redundancy and sums are those of generation 0.
//
// What a rank does in a row, and what it has to keep after it, depends on the generations that are
// at the rank then: those of which it has transfers in that row, or before and after it. If it has
// no transfers of generation 0 but in w rows or fewer from the first to the last, these are g = w/q
// consecutive ones at most, rounded up. Keep the first g generations that are whole, and the chunks
// of the last one as those of the next: the same schedule with fewer packets. Let G be the number
// of all whole ones. A rank has in some row
//
//   generations among the first g, or g others, of which none is the last: the same with their
//           numbers lowered by as much as possible is a row of the rank in the excerpt;
//   or the last one, and some of the g - 1 before it: so it has G - g generations earlier there.
//
// And each row of a rank in the excerpt is one of the schedule, either the same or G - g
// generations later. So ports, the longest queue, and with single transfers as messages all figures
// follow from the excerpt. It does not matter how long a packet is under way, only how long it is
// at one rank: an excerpt by rows (period.hpp) shows each row as a whole, and is as long as lives.
//
// That a rank's rows are enough holds for ports, but not for channels that ranks share, and not for
// the order of blocking calls.

#include <cstdint>
#include <optional>

#include "check/period/repetition.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// Generations that need not be followed.
struct SpareGenerations {
  std::uint64_t number;
  std::uint64_t transfers;  ///< of each
};

/// None if not all packets are alike, or if a transfer has several chunks.
std::optional<SpareGenerations> spare_generations(const Steps& rows, const Repetition& repetition,
                                                  const Problem& problem);

/// The rows of the schedule of `chunks` chunks with so many generations less.
Steps without_generations(const Steps& rows, const Repetition& repetition, std::uint64_t spare,
                          std::uint64_t chunks);

}  // namespace schedcc
