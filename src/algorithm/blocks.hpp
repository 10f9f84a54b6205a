#pragma once

// How blocks get around: scatters down a tree, allgathers and total exchanges round the ring of
// ranks, of which, reversed and put together, most other collectives are made.
//
// A vector of `total` chunks is cut into a block for each rank (`vector_block`): K chunks each
// where total = P K; parts of a message of K chunks where total = K, of which some are empty if
// K < P. With radix r everything takes ceil(log_r P) steps, in which ranks send r - 1 messages.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "algorithm/kernel/circular.hpp"
#include "algorithm/kernel/trees.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc {

/// A scatter from rank 0 down a tree of radix `radix`, the expression `text`.
local_terms::Term<local::TreeScatter> tree_scatter(const LocalRequest& request, std::uint64_t radix,
                                                   std::string_view text);

/// What the request's collective is on trees and the ring, with radix `radix`, the expression
/// `text`: of kernel/circular.hpp and kernel/trees.hpp. A broadcast is a scatter, then an
/// allgather.
local_terms::Result circular(const LocalRequest& request, std::uint64_t radix,
                             std::string_view text);

/// The scatter of kernel/trees.hpp from somebody else, `root`, who has all blocks and hands r parts
/// over, one to rank 0. For one rank it takes a step.
Steps forest_scatter(std::uint64_t P, std::uint64_t total, std::uint64_t r, std::uint64_t root);

/// Why the reduce-scatter that is the reverse of the allgather round the ring breaks the order of
/// operands; nothing if it does not.
std::optional<std::string> circular_order(std::uint64_t P, std::uint64_t r);

/// The request with no more chunks than ranks: the chunks of a block take the same way, so that
/// trees_in_order need not look at more than one of each.
Request at_most_one_each(Request request);

/// The largest messages of the steps, added up, in blocks: of scatter and
/// allgather, P - 1 for r = 2; and of the total exchange.
std::uint64_t allgather_volume(std::uint64_t P, std::uint64_t r);
std::uint64_t exchange_volume(std::uint64_t P, std::uint64_t r);

}  // namespace schedcc
