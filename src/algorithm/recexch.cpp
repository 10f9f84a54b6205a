// Recursive exchange: recursive doubling with k partners at a time, for any number of ranks.
//
// Q = k^h, the largest power that is not above P, ranks are active (k is P where that is less). The
// others are passive, and have an active rank next to them, which acts for up to k - 1 of them: the
// first ranks are groups of k, in which the last rank is active. First passive ranks send to their
// active ones; then these exchange in h steps, in step i those whose numbers differ in digit i to
// base k; finally they send the passive ones the result. That is h steps, or h + 2 if there are
// passive ranks, with k - 1 ports.
//
// Allreduce. Whole vectors, to which every rank adds those that it gets. An active rank and its
// passive ones are an interval of ranks, so that operands keep their order. For k = 2 all ranks
// have the same sums; for more, a rank adds up k vectors in an order that the schedule does not
// determine.
//
// Allgather. What is known at an active rank is an interval of blocks. The passive ranks get all of
// them but their own in the last step, which may be more than in all others together.
//
// Reduce-scatter. The reverse of it; if the order of operands matters, contributions of the nearest
// ranks are combined first, and blocks are sent that are not next to one another.
//
// Source: MPICH, recexch_algo.c (which ranks act for others; the algorithm recexch).

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/kernel/recexch.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::recexch_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks, k = r.parameters.integer("k");
  const Headers headers{"blocks.hpp", "recexch.hpp"};
  if (r.problem.collective == Collective::allreduce) {
    return result(r,
                  Term<local::RecexchAllreduce>{
                      {P, K, k}, fmt::format("RecexchAllreduce(ranks, chunks, {})", k)},
                  headers);
  }
  if (r.problem.ordered) {
    return result(r,
                  Term<local::RecexchReduceScatter>{
                      {P, K, k}, fmt::format("RecexchReduceScatter(ranks, chunks, {})", k)},
                  headers);
  }
  const Vector v(r);
  return from_allgather(
      r,
      Term<local::RecexchAllgather>{{P, v.total, k},
                                    fmt::format("RecexchAllgather(ranks, {}, {})", v.text, k)},
      headers);
}

std::optional<std::string> reason(const Request& r) {
  if (!r.problem.in_blocks() || r.problem.total_chunks() <= max_transfer_count) return std::nullopt;
  return fmt::format("it sends nearly all blocks in one message, which has at most {} chunks",
                     max_transfer_count);
}

/// The largest messages of all steps together, in blocks. Of the numbers the first ones have the
/// most ranks.
std::uint64_t gathered(const local::ActiveRanks& ranks, std::uint64_t P) {
  std::uint64_t sum = ranks.folds() ? 1 + (P - 1) : 0;
  for (std::uint64_t unit = 1; unit < ranks.Q(); unit *= ranks.k()) sum += ranks.rank(unit - 1) + 1;
  return sum;
}

/// The same of the reduce-scatter in order.
std::uint64_t scattered(const local::ActiveRanks& ranks, std::uint64_t P) {
  std::uint64_t sum = ranks.folds() ? P + 1 : 0;
  for (std::uint64_t next = ranks.k(); next <= ranks.Q(); next *= ranks.k()) {
    for (std::uint64_t w = 0; w < ranks.Q(); w += next) {
      if (ranks.weight(w) == 1) {  // and so have all that follow
        sum += (ranks.Q() - w) / next;
        break;
      }
      sum += ranks.weight(w);
    }
  }
  return sum;
}

CostClaim claim(const Request& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  const std::uint64_t k = std::min(r.parameters.integer("k"), P), levels = ceil_log(k, P);
  const bool folds = power(k, levels) > P;  // Q = k^(levels - 1)
  const std::uint64_t steps = folds ? levels - 1 + 2 : levels;
  const std::string_view formula = folds ? "log_k Q + 2" : "log_k Q";
  if (r.problem.collective == Collective::allreduce)
    return {
        .steps = steps, .volume = steps * K, .steps_formula = formula, .volume_formula = formula};
  const local::ActiveRanks ranks(P, k);
  const std::uint64_t blocks = r.problem.ordered ? scattered(ranks, P) : gathered(ranks, P);
  return {.steps = steps,
          .volume = K * blocks,
          .steps_formula = formula,
          .volume_formula = folds ? "P + those of the levels" : "sum of k^i < P"};
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "recexch",
    .summary = "recursive exchange: k ranks at a time, some acting for their neighbours",
    .source = "MPICH, recexch_algo.c",
    .collectives = {Collective::allreduce, Collective::allgather, Collective::reduce_scatter},
    .machines = {"duplex", "kport:k={k-1}"},
    .parameters = {{.name = "k",
                    .summary = "ranks that exchange at a time, through k - 1 ports",
                    .min = 2,
                    .max = (std::uint64_t{1} << 31) - 1,
                    .default_value = "2"}},
    .reason = reason,
    .order = always_in_order,
    .agrees =
        [](const Request& r) { return r.parameters.integer("k") == 2 || r.problem.ranks == 2; },
    .disagreement = "with k > 2 and more than 2 ranks",
    .kernel = kernel,
    .scaling = larger_blocks,
    .build = stream_of<kernel>,
    .claim = claim,
};

}  // namespace schedcc::recexch_algorithm
