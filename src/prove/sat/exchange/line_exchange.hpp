#pragma once

// Total exchanges on meshes and tori with few rows, or few columns.

#include <cstdint>
#include <memory>
#include <vector>

#include "machine/rank_rows.hpp"
#include "prove/sat/question/instance.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// A schedule for chunks from each rank to each other one, as many for all, on a grid of up to
/// three rows or up to three columns, whose steps are the bound of the channels along these; the
/// checker has yet to check it. nullptr if it would not take fewer than `most` steps, if there is
/// none, or if the instance is not of that kind.
std::shared_ptr<const Schedule> line_exchange(const Instance& instance,
                                              const std::vector<Delivery>& chunks,
                                              const RankRows& rows, std::uint64_t most);

}  // namespace schedcc::prover
