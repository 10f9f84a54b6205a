#pragma once

// How blocks get around: three ways to hand them on, of which scatters, allgathers and, reversed
// and put together, most other collectives are made.
//
// A vector of `total` chunks is cut into a block for each rank (`vector_block`): K chunks each
// where total = P K; parts of a message of K chunks where total = K, of which some are empty if
// K < P.

#include <cstdint>
#include <optional>
#include <string>

#include "algorithm/shapes.hpp"

namespace schedcc {

/// A scatter from rank 0 down a tree: a rank that has the blocks of r^m ranks, its own the first,
/// hands r - 1 parts of r^(m-1) over, each to the part's first rank, and keeps one. ceil(log_r P)
/// steps of r - 1 messages a rank.
Steps tree_scatter(std::uint64_t P, std::uint64_t total, std::uint64_t r);

/// The same from somebody else, `root`, who has them all and hands r parts over, one to rank 0. For
/// one rank it takes a step.
Steps forest_scatter(std::uint64_t P, std::uint64_t total, std::uint64_t r, std::uint64_t root);

/// What a rank v has before an allgather.
enum class Held : std::uint8_t {
  own_block,     ///< block v
  tree_blocks,   ///< block v and those that tree_scatter left at v on their way to other ranks
  forest_blocks  ///< and those that forest_scatter left there
};

/// An allgather round the ring of ranks: before step i rank v has the r^i blocks from v on, modulo
/// P, and r - 1 others have just those that come next; they send them. ceil(log_r P) steps of r - 1
/// messages a rank, for any P. What `held` says is there already is not sent.
Steps circular_allgather(std::uint64_t P, std::uint64_t total, std::uint64_t r, Held held);

/// Why the reduce-scatter that is the reverse of circular_allgather breaks the order of operands;
/// nothing if it does not.
std::optional<std::string> circular_order(std::uint64_t P, std::uint64_t r);

/// Broadcast from rank 0 of a message of K chunks: tree_scatter, then circular_allgather of what is
/// not there yet, so that every rank receives every chunk once.
Steps scatter_allgather(std::uint64_t P, std::uint64_t K, std::uint64_t r);
std::uint64_t scatter_allgather_steps(std::uint64_t P, std::uint64_t K, std::uint64_t r);

/// The request with no more chunks than ranks: the chunks of a block take the same way, so that
/// trees_in_order need not look at more than one of each.
Request at_most_one_each(Request request);

/// A total exchange of K chunks a block round the ring: the block of rank o for rank d goes as many
/// ranks further in step i as the i-th digit of d - o (modulo P), to base r, says. ceil(log_r P)
/// steps of r - 1 messages a rank.
Steps digit_exchange(std::uint64_t P, std::uint64_t K, std::uint64_t r);

/// An allgather by exchanges, P = 2^h: before step i rank v has the 2^i blocks of the ranks that
/// differ from it in the lowest i bits only, an aligned interval, and partner v xor 2^i has the
/// neighbouring one. h steps.
Steps doubling_allgather(std::uint64_t P, std::uint64_t total);

/// The largest messages of the steps, added up, in blocks: of tree_scatter and of
/// circular_allgather, P - 1 for r = 2; and of digit_exchange.
std::uint64_t allgather_volume(std::uint64_t P, std::uint64_t r);
std::uint64_t exchange_volume(std::uint64_t P, std::uint64_t r);

/// r^e, for powers below 2^64.
constexpr std::uint64_t power(std::uint64_t r, std::uint64_t e) {
  return e == 0 ? 1 : r * power(r, e - 1);
}

}  // namespace schedcc
