#pragma once

// Helpers of several algorithms: roots and duals, blocks, and the order of operands.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "algorithm/entry.hpp"
#include "core/integers.hpp"
#include "model/algebra.hpp"
#include "model/wide_problem.hpp"

namespace schedcc {

/// A copy or a reduction.
constexpr Transfer transfer(Rank src, Rank dst, Chunk first, std::uint32_t count, bool reduce) {
  return {src, dst, first, count & max_transfer_count, reduce};
}

/// Converts a broadcast (scatter) schedule for root 0 into one for `problem`: ranks, and blocks if
/// there are any, rotated so that 0 becomes `problem.root`; reversed for reduce (gather). A
/// schedule is Steps, or a kernel (local_terms.hpp); the result is passed to `done`, since
/// compositions of kernels have different types.
template <typename Schedule, typename Done>
auto rooted(const WideProblem& problem, Schedule from_zero, Done done) {
  const std::uint64_t K = problem.in_blocks() ? problem.chunks : 0;
  auto there = reroot(std::move(from_zero), problem.ranks, problem.root, problem.root * K,
                      problem.ranks * K);
  const bool backwards =
      problem.collective == Collective::reduce || problem.collective == Collective::gather;
  return backwards ? done(reverse(std::move(there), problem.reduction())) : done(std::move(there));
}

/// Converts an allgather of a vector of total_chunks() into a schedule for `problem`: itself;
/// reversed, a reduce-scatter; or both, an allreduce. Schedules and `done` as above.
template <typename Schedule, typename Done>
auto from_allgather(const WideProblem& problem, Schedule allgather, Done done) {
  if (problem.collective == Collective::allgather) return done(std::move(allgather));
  auto reduce_scatter = reverse_reducing(allgather);
  if (problem.collective == Collective::reduce_scatter) return done(std::move(reduce_scatter));
  return done(sequence(std::move(reduce_scatter), std::move(allgather)));
}

/// The same for steps.
inline Steps rooted(const Problem& problem, Steps from_zero) {
  return rooted(WideProblem(problem), std::move(from_zero), std::identity());
}
inline Steps from_allgather(const Problem& problem, Steps allgather) {
  return from_allgather(WideProblem(problem), std::move(allgather), std::identity());
}

/// Blocks b .. b+count-1 of a vector of K chunks cut into P blocks whose sizes differ by at most 1.
Run vector_block(std::uint64_t K, std::uint64_t P, std::uint64_t b, std::uint64_t count = 1);

/// The claim of schedules in which a rank sends or receives all blocks of K chunks but one, once.
CostClaim all_blocks_once(const Problem& problem, std::uint64_t steps,
                          std::string_view steps_formula);
/// The same in P - 1 steps, one block in each.
CostClaim one_block_a_step(const Problem& problem);

/// The volume of schedules in which each rank sends and receives all blocks of a message of K
/// chunks but one, twice; 0, none is claimed, if K is not a multiple of P.
constexpr std::uint64_t allreduce_volume(std::uint64_t K, std::uint64_t P) {
  return K % P == 0 ? 2 * (P - 1) * (K / P) : 0;
}

/// The volume in chunks that a claim implies: of messages of one chunk, and a message in every
/// step, the number of steps. 0: unknown.
constexpr std::uint64_t claimed_volume(const CostClaim& claim) {
  return claim.width == 1 && !claim.idle ? claim.steps : claim.volume;
}

/// Appends a copy of a run of chunks, unless it is empty.
inline void send_run(Transfers& out, std::uint64_t src, std::uint64_t dst, const Run& run) {
  if (run.count == 0) return;
  out.push_back(copy(static_cast<Rank>(src), static_cast<Rank>(dst), run.first, run.count));
}

/// Before the making of something with an entry of `bytes` for each of `ranks` ranks: throws
/// LimitError where that takes more memory than there is; `what`: "a tree".
void require_memory_for_ranks(std::uint64_t ranks, std::uint64_t bytes, std::string_view what);

/// The number of messages that a rank can both send and receive in a step; at least 1.
std::uint64_t ports_of(const Machine& machine);
inline std::uint64_t ports_of(const Request& request) { return ports_of(request.machine); }

/// The steps from one packet to the next along a chain of such ranks: 2 if a rank cannot send while
/// it receives.
std::uint64_t chain_gap(const Machine& machine);

/// Why P ranks are not a power of two; none if they are.
std::optional<std::string> power_of_two_refusal(std::uint64_t P);
/// For `AlgorithmEntry::reason`: P must be a power of two.
std::optional<std::string> powers_of_two_only(const Request& request);

/// For `AlgorithmEntry::choose`: the value of a parameter, where the request leaves it open.
ChosenParameters chosen_if_open(const Request& request, std::string name, std::string value);
inline ChosenParameters chosen_if_open(const Request& request, std::string name,
                                       std::uint64_t value) {
  return chosen_if_open(request, std::move(name), std::to_string(value));
}

/// For `AlgorithmEntry::order`: every set of contributions that is sent is an interval, for any P.
std::optional<std::string> always_in_order(const Request& request);
/// The contributions in a sum: those of the ranks between `low` and `high`, if they are so many.
struct Contributions {
  Rank low = UINT32_MAX, high = 0;
  std::uint32_t count = 0;

  bool is_interval() const { return high - low + 1 == count; }
  void add(const Contributions& others) {
    low = std::min(low, others.low);
    high = std::max(high, others.high);
    count += others.count;
  }
};
/// Why the reduction that is the reverse of these steps, which bring each of so many chunks to all
/// ranks, would break the order of operands: it keeps it exactly if in the tree of every chunk each
/// subtree below the root is an interval of ranks. Reads every transfer.
std::optional<std::string> backwards_in_order(const Steps& steps, std::uint64_t ranks,
                                              std::uint64_t chunks);
/// The same for `AlgorithmEntry::order` of the reverse of the broadcast by `build`.
std::optional<std::string> trees_in_order(const Request& request,
                                          const std::function<Steps(const Request&)>& build);
template <Steps (*build)(const Request&)>
std::optional<std::string> in_tree_order(const Request& request) {
  return trees_in_order(request, build);
}

}  // namespace schedcc
