// Compositions: reverse(X). Every message goes back, the last one first.
//
// Broadcast becomes reduce, scatter gather, allgather reduce-scatter, and alltoall stays what it
// is, with the chunks of (o, d) and (d, o) exchanged (CC, "Duality"). It is a schedule for its
// collective if X brings every chunk to a rank once; the checks decide.
//
// The reverse of a reverse is the original, also where an order of operands is asked for: a rule
// for reductions may have another schedule then, while that for their reverse knows of no order. So
// a reduction that is made of a rule for copies keeps the order if its trees happen to.

#include <memory>
#include <utility>

#include <fmt/core.h>

#include "algorithm/composition/parts.hpp"
#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

using namespace compositions;

/// For a collective that has a reverse.
Request reversed_request(const Request& r) {
  Request result = r;
  result.problem.collective = reversed(r.problem.collective).value();
  result.problem.ordered = r.problem.ordered && info(result.problem.collective).reduction;
  return result;
}

/// Block (o, d) renamed to (d, o).
Steps with_pairs_exchanged(Steps steps, std::uint64_t P, std::uint64_t K) {
  const std::uint64_t rows = steps.size();
  return Steps(rows, [steps = std::move(steps), P, K](std::uint64_t row, Transfers& out) {
    Transfers whole;
    const std::uint64_t number = steps.fill(row, whole);
    for (const Transfer& run : whole) {
      for_each_piece(
          run, [K](Chunk chunk) { return end_of_block(chunk, K); },
          [&](Transfer t) {
            t.first = pair_exchanged(t.first, P, K);
            out.push_back(t);
          });
    }
    return number;
  });
}

/// Why the reverse of a part, whose operands are to be in order, has them in another one. What has
/// more chunks than it is worth to look at before it is checked is left to the checks.
std::optional<std::string> out_of_order(AlgorithmPart part) {
  Problem& problem = part.request.problem;
  if (part.algorithm.whole_blocks) problem.chunks = 1;  // all chunks of a block go one way
  constexpr std::uint64_t most = std::uint64_t{1} << 22;
  const std::uint64_t chunks = problem.total_chunks();
  if (chunks > most / problem.ranks) return std::nullopt;
  return backwards_in_order(part.algorithm.steps(part.request), problem.ranks, chunks);
}

}  // namespace

std::optional<Collective> reversed(Collective collective) {
  switch (collective) {
    case Collective::broadcast:
      return Collective::reduce;
    case Collective::reduce:
      return Collective::broadcast;
    case Collective::scatter:
      return Collective::gather;
    case Collective::gather:
      return Collective::scatter;
    case Collective::allgather:
      return Collective::reduce_scatter;
    case Collective::reduce_scatter:
      return Collective::allgather;
    case Collective::alltoall:
      return Collective::alltoall;
    default:
      return std::nullopt;
  }
}

Algorithm reverse(const Algorithm& x) {
  if (const auto& original = AlgorithmEntry::of(x).reverse_of) return *original;
  std::vector<Collective> collectives;
  for (const Collective c : x.collectives) {
    if (const auto other = reversed(c)) collectives.push_back(*other);
  }
  if (collectives.empty()) {
    throw InputError(
        fmt::format("'{}' ({}) has no reverse; broadcast, reduce, scatter, gather, allgather, "
                    "reduce-scatter and alltoall have one, and sequences of them",
                    x.name, names_of(x.collectives)));
  }
  const auto parts = [x](const Request& r) {
    return std::vector<AlgorithmPart>{{x, reversed_request(r)}};
  };
  AlgorithmEntry entry{
      .collectives = std::move(collectives),
      .fits = [](const Request&) { return false; },
      .whole_blocks = x.whole_blocks,
      .reason = [parts](const Request& r) { return first_refusal(parts(r)); },
      .order = [parts](const Request& r) { return out_of_order(parts(r).front()); },
      .build =
          [parts](const Request& r) {
            const AlgorithmPart part = parts(r).front();
            Steps steps = part.algorithm.steps(part.request);
            if (r.problem.collective == Collective::alltoall)
              steps = with_pairs_exchanged(std::move(steps), r.problem.ranks, r.problem.chunks);
            return reverse(std::move(steps), info(r.problem.collective).reduction);
          },
      .claim =
          [parts](const Request& r) {
            const AlgorithmPart part = parts(r).front();
            return part.algorithm.claim(part.request);
          },
      .hops = x.hops,
      .parts = parts,
      .reverse_of = std::make_shared<const Algorithm>(x),
  };
  return composed(fmt::format("reverse({})", x.name), std::string(x.source), machines_of(x),
                  std::move(entry));
}

}  // namespace schedcc
