#pragma once

// The rows of a file in any order.
//
// A file is a stream: its steps come one after the other, and excerpts are cut out of rows that can
// be read in any order. A pipeline repeats itself, packet by packet, so that few of its rows have
// to be kept in memory for that: each of the others is one of those with a number added to its
// chunks, from which it is made anew whenever it is read.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// All rows of a stream. None if too many repeat none of those shortly before them, as they would
/// take as much memory as the schedule, or if a step takes several rounds. So many threads read
/// ahead; `progress` is called with the number of transfers read.
std::optional<Steps> folded_rows(std::unique_ptr<StepStream> stream, std::size_t threads,
                                 const std::function<void(std::uint64_t)>& progress);

}  // namespace schedcc
