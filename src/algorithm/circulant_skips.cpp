// Whole blocks in a circulant graph: reduce-scatter, allgather, allreduce and total exchange in
// ceil(log2 P) rounds each (the allreduce in twice as many), for every P.
//
// Skips s_0 = P > s_1 > ... > s_n = 1 are given, by default s_{k+1} = ceil(s_k / 2), so that n =
// lg. With s' = s_k and s = s_{k+1}:
//
//   Reduce-scatter   in round k rank r sends its sums for the blocks r+s .. r+s'-1 to r+s, which
//                    has the same blocks left, and adds them.
//   Allgather        the rounds backwards: r, which has the blocks r .. r+s-1, sends r ..
//                    r+s'-s-1 to r-s.
//   Total exchange   the rounds forwards: r sends to r+s whatever has to go s .. s'-1 ranks
//                    further.
//
// Any descending skips will do in which s_k - s_{k+1} <= s_{k+1}. With the powers of two the
// allgather is Bruck's; with P-1, P-2, ..., 1 every block goes straight to its rank.
//
// Each rank sends P - 1 blocks in all, the least possible, through one port; in the total
// exchange a block is sent once for every skip that its distance is made of. One rank computes a
// sum, so that those of an allreduce are the same everywhere.
//
// Order of operands: unless all skips differ by 1 some s_k - s_{k+1} is 2 or more, and then rank
// b - 1 gets the contributions of rank b - 1 - s_{k+1} to block b and passes them on with its own,
// never with those of rank b - 2.
//
// The algorithm `circulant` sends chunks of blocks, and messages, in pipelines through the same
// graph.
//
// Source: Träff 2024, arXiv 2410.14234.

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/kernel/skips.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"
#include "core/join.hpp"
#include "schedcc/error.hpp"

namespace schedcc::circulant_skips_algorithm {

namespace {

using namespace local_terms;

enum class SkipRule : std::uint8_t { halving, doubling, listed };

SkipRule skip_rule(const Parameters& given) {
  const std::string& first = given.list("skips").front();
  return first == "halving"    ? SkipRule::halving
         : first == "doubling" ? SkipRule::doubling
                               : SkipRule::listed;
}

/// s_0 = P, s_1, ..., 1. Throws InputError if those that are listed are not numbers.
local::Skips skips_of(const Parameters& given, std::uint64_t P) {
  if (skip_rule(given) == SkipRule::halving) return local::halved_skips(P);
  if (skip_rule(given) == SkipRule::doubling) return local::doubled_skips(P);
  local::Skips skips{P};
  if (P == 1) return skips;
  for (const std::string& skip : given.list("skips"))
    skips.push_back(parse_number(skip, "a skip", 1));
  return skips;
}

/// The same as an expression.
std::string text_of(const Parameters& given, std::uint64_t P) {
  if (skip_rule(given) == SkipRule::halving) return "halved_skips(ranks)";
  if (skip_rule(given) == SkipRule::doubling) return "doubled_skips(ranks)";
  return P == 1 ? "{ranks}" : fmt::format("{{ranks, {}}}", join(given.list("skips"), ", "));
}

std::optional<std::string> reason(const Request& r) {
  const std::uint64_t P = r.problem.ranks;
  if (P == 1) return std::nullopt;
  local::Skips skips;
  try {
    skips = skips_of(r.parameters, P);
  } catch (const InputError& error) {
    return fmt::format("skips= must be halving, doubling, or a list of numbers ({})", error.what());
  }
  for (std::size_t k = 0; k + 1 < skips.size(); ++k) {
    const std::uint64_t above = skips[k], skip = skips[k + 1];
    if (skip >= above)
      return fmt::format("skips must decrease, starting below P = {}: {} follows {}", P, skip,
                         above);
    if (above - skip > skip)
      return fmt::format("the skip after {} must be at least {}, not {}", above, ceil_div(above, 2),
                         skip);
  }
  if (skips.back() == 1) return std::nullopt;
  return fmt::format("the last skip must be 1, not {}", skips.back());
}

/// The blocks that a rank sends in a total exchange; 0, unknown, for so many ranks that this would
/// take long.
std::uint64_t exchange_volume(const local::Skips& skips) {
  if (skips.front() > std::uint64_t{1} << 22) return 0;
  // held[o]: how many of a rank's blocks have to go o ranks further
  std::vector<std::uint64_t> held(skips.front(), 1);
  std::uint64_t sum = 0;
  for (std::size_t k = 1; k < skips.size(); ++k) {
    for (std::uint64_t o = skips[k]; o < skips[k - 1]; ++o) {
      sum += held[o];
      held[o - skips[k]] += held[o];
    }
  }
  return sum;
}

Result kernel(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks;
  const Headers headers{"blocks.hpp", "skips.hpp"};
  const local::Skips skips = skips_of(r.parameters, P);
  const std::string text = text_of(r.parameters, P);
  if (r.problem.collective == Collective::alltoall) {
    return result(r,
                  Term<local::SkipExchange>{{P, r.problem.chunks, skips},
                                            fmt::format("SkipExchange(ranks, chunks, {})", text)},
                  headers);
  }
  const Vector v(r);
  return from_allgather(
      r,
      Term<local::SkipAllgather>{{P, v.total, skips},
                                 fmt::format("SkipAllgather(ranks, {}, {})", v.text, text)},
      headers);
}

std::optional<std::string> order(const Request& r) {
  const local::Skips skips = skips_of(r.parameters, r.problem.ranks);
  if (skips.size() == skips.front()) return std::nullopt;
  return "a rank adds up contributions of ranks that are not neighbours, unless the skips are P-1, "
         "P-2, ..., 1";
}

CostClaim claim(const Request& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  const bool listed = skip_rule(r.parameters) == SkipRule::listed;
  const std::uint64_t once = listed ? r.parameters.list("skips").size() : ceil_log2(P);
  switch (r.problem.collective) {
    case Collective::allreduce:
      return {.steps = 2 * once,
              .volume = allreduce_volume(K, P),
              .steps_formula = listed ? "2 skips" : "2 lg",
              .volume_formula = "2 (1 - 1/P)"};
    case Collective::alltoall:
      return {.steps = once,
              .volume = K * exchange_volume(skips_of(r.parameters, P)),
              .steps_formula = listed ? "skips" : "lg",
              .volume_formula = "number of skips in the decompositions of 1..P-1"};
    default:
      return all_blocks_once(r.problem, once, listed ? "skips" : "lg");
  }
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "circulant-skips",
    .summary = "whole blocks over distances that halve, for every P",
    .source = "Träff 2024, arXiv 2410.14234",
    .collectives = {Collective::allreduce, Collective::reduce_scatter, Collective::allgather,
                    Collective::alltoall},
    .machines = {"duplex"},
    .parameters = {{.name = "skips",
                    .summary = "distances: halving, doubling (powers of two), or a list down to 1",
                    .kind = Parameter::Kind::list,
                    .default_value = "halving"}},
    .reason = reason,
    .order = order,
    .kernel = kernel,
    .scaling = larger_blocks,
    .build = stream_of<kernel>,
    .claim = claim,
};

}  // namespace schedcc::circulant_skips_algorithm
