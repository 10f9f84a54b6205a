#pragma once

// Schedules of blocks: scatters down a tree, allgathers and total exchanges around the ring of
// ranks; reversed and composed, they implement most other collectives.
//
// A vector of `total` chunks is cut into a block for each rank (`vector_block`): K chunks each
// where total = P K; parts of a message of K chunks where total = K, of which some are empty if
// K < P. With radix r each takes ceil(log_r P) steps, in which ranks send r - 1 messages.

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

/// The request's collective on trees and the ring, with radix `radix`, the expression `text`: from
/// kernel/circular.hpp and kernel/trees.hpp. A broadcast is a scatter, then an allgather.
local_terms::Result circular(const LocalRequest& request, std::uint64_t radix,
                             std::string_view text);

/// Why the reduce-scatter that is the reverse of the allgather around the ring breaks the order of
/// operands; none if it does not.
std::optional<std::string> circular_order(std::uint64_t P, std::uint64_t r);

/// The request with no more chunks than ranks: the chunks of a block take the same path, so that
/// trees_in_order needs only one of each.
Request at_most_one_each(Request request);

/// The steps of a scatter, then an allgather, of K chunks: 2 ceil(log_r P), or one less if K = 1
/// and P = r^i + 1 (see scatter_allgather.cpp). For claims.
std::uint64_t scatter_allgather_steps(std::uint64_t P, std::uint64_t K, std::uint64_t r);

/// The sum over the steps of the largest messages, in blocks: of scatter and allgather, P - 1 for r
/// = 2; and of the total exchange.
std::uint64_t allgather_volume(std::uint64_t P, std::uint64_t r);
std::uint64_t exchange_volume(std::uint64_t P, std::uint64_t r);

}  // namespace schedcc
