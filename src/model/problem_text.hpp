#pragma once

// What messages say about problems and schedules, whatever the width of their numbers and whatever
// they are read from.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schedcc/problem.hpp"

namespace schedcc {

/// "root 4 does not exist; ranks are 0..3"; `what`: "root" or "rank".
std::string no_such_rank(std::string_view what, std::uint64_t number, std::uint64_t ranks);
/// "node 9 does not exist; nodes are 0..8"; `kind`: "node", or "rank" where all nodes are ranks.
std::string no_such_node(std::string_view kind, std::uint64_t number, std::uint64_t nodes);
/// "chunk 8 does not exist; chunks are 0..7".
std::string no_such_chunk(std::uint64_t number, std::uint64_t chunks);
/// "allgather has no root".
std::string has_no_root(Collective collective);
/// "only reductions can be ordered; broadcast is not a reduction".
std::string cannot_be_ordered(std::string_view name);
/// "broadcast, 8 ranks, root 0, 3 chunks".
std::string problem_text(std::string_view name, std::uint64_t ranks,
                         std::optional<std::uint64_t> root, std::uint64_t chunks);
/// "step 3 comes after step 5; step numbers rise".
std::string step_out_of_order(std::uint64_t step, std::uint64_t last);

}  // namespace schedcc
