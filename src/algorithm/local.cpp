// Every algorithm with a closed form has an entry: what of src/algorithm/kernel it is made of. The
// same calls make the kernel and its text, so that the two cannot differ.

#include "algorithm/local.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "algorithm/fractional_tree.hpp"
#include "algorithm/kernel/all_pairs.hpp"
#include "algorithm/kernel/butterfly.hpp"
#include "algorithm/kernel/chain.hpp"
#include "algorithm/kernel/circulant.hpp"
#include "algorithm/kernel/circular.hpp"
#include "algorithm/kernel/doubling.hpp"
#include "algorithm/kernel/excess.hpp"
#include "algorithm/kernel/exchange.hpp"
#include "algorithm/kernel/fractional_tree.hpp"
#include "algorithm/kernel/logp_linear.hpp"
#include "algorithm/kernel/ring.hpp"
#include "algorithm/kernel/scan.hpp"
#include "algorithm/kernel/trees.hpp"
#include "algorithm/kernel/two_phase.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"
#include "core/join.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

using namespace local_terms;

/// Throws InputError where a product that is worked out, of what `what` says, is 2^63 or more.
void require_product(std::uint64_t a, std::uint64_t b, std::string_view what) {
  if (a < (std::uint64_t{1} << 63) / std::max<std::uint64_t>(b, 1)) return;
  throw InputError(fmt::format("closed forms reach as far as {} is below 2^63", what));
}

Result linear(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  if (r.problem.in_blocks()) {
    return rooted(r, Term<local::LinearScatter>{{P, K}, "LinearScatter(ranks, chunks)"},
                  {"blocks.hpp", "trees.hpp"});
  }
  return rooted(r, Term<local::LinearBroadcast>{{P, K}, "LinearBroadcast(ranks, chunks)"},
                {"blocks.hpp", "trees.hpp"});
}

Result chain(const LocalRequest& r) {
  const std::uint64_t gap = r.machine.name == "simplex" ? 2 : 1;
  return rooted(r,
                Term<local::Chain>{{r.problem.ranks, r.problem.chunks, gap},
                                   fmt::format("Chain(ranks, chunks, {})", gap)},
                {"chain.hpp"});
}

Result fractional(const LocalRequest& r, std::uint64_t group) {
  if (r.machine.name == "simplex") {
    throw InputError("the closed form of fractional trees is for duplex ranks");
  }
  return rooted(
      r,
      Term<local::FractionalTree>{{r.problem.ranks, r.problem.chunks, group, r.problem.root},
                                  fmt::format("FractionalTree(ranks, chunks, {}, root)", group)},
      {"fractional_tree.hpp"});
}

Result fractional_tree(const LocalRequest& r) {
  if (r.parameters.has("coupled") || r.parameters.has("layout")) {
    throw InputError(
        "the closed form of fractional trees is for those without couples or a layout");
  }
  return fractional(r, r.parameters.has("r") ? r.parameters.integer("r")
                                             : fractional_tree_for(r.machine).best(
                                                   r.problem.ranks, r.problem.chunks));
}

Result knomial(const LocalRequest& r, std::uint64_t k) {
  require_product(k, r.problem.ranks, "k P");
  return rooted(r,
                Term<local::KnomialTree>{{r.problem.ranks, r.problem.chunks, k},
                                         fmt::format("KnomialTree(ranks, chunks, {})", k)},
                {"blocks.hpp", "trees.hpp"});
}

Term<local::TreeScatter> tree_scatter(const LocalRequest& r, std::uint64_t radix,
                                      std::string_view text) {
  const Vector v(r);
  return {{r.problem.ranks, v.total, radix},
          fmt::format("TreeScatter(ranks, {}, {})", v.text, text)};
}

Result binomial_tree(const LocalRequest& r) {
  if (r.problem.in_blocks()) return rooted(r, tree_scatter(r, 2, "2"), {"blocks.hpp", "trees.hpp"});
  return knomial(r, 2);
}

Result butterfly(const LocalRequest& r) {
  return rooted(
      r, Term<local::Butterfly>{{r.problem.ranks, r.problem.chunks}, "Butterfly(ranks, chunks)"},
      {"butterfly.hpp"});
}

Result circulant(const LocalRequest& r) {
  if (r.problem.in_blocks()) {
    throw InputError(
        "its messages carry a chunk of every rank: a rank would need the schedules of all");
  }
  const Headers headers{"circulant_schedule.hpp", "circulant.hpp"};
  const Term<local::Circulant> down{{r.problem.ranks, r.problem.chunks},
                                    "Circulant(ranks, chunks)"};
  if (r.problem.collective == Collective::allreduce) {
    return result(sequence(reversed(down), down), headers);
  }
  return rooted(r, down, headers);
}

Result ring(const LocalRequest& r) {
  const Vector v(r);
  return from_allgather(r,
                        Term<local::RingAllgather>{{r.problem.ranks, v.total},
                                                   fmt::format("RingAllgather(ranks, {})", v.text)},
                        {"blocks.hpp", "ring.hpp"});
}

Term<local::DoublingAllgather> doubling_allgather(const LocalRequest& r) {
  const Vector v(r);
  return {{r.problem.ranks, v.total}, fmt::format("DoublingAllgather(ranks, {})", v.text)};
}

Result recursive_doubling(const LocalRequest& r) {
  if (r.problem.collective == Collective::allgather) {
    return result(doubling_allgather(r), {"blocks.hpp", "doubling.hpp"});
  }
  return result(Term<local::DoublingAllreduce>{{r.problem.ranks, r.problem.chunks},
                                               "DoublingAllreduce(ranks, chunks)"},
                {"blocks.hpp", "doubling.hpp"});
}

Result recursive_halving(const LocalRequest& r) {
  if (!r.problem.ordered)
    return result(reversed(doubling_allgather(r)), {"blocks.hpp", "doubling.hpp"});
  return result(reversed(Term<local::DoublingFromAfar>{{r.problem.ranks, r.problem.chunks},
                                                       "DoublingFromAfar(ranks, chunks)"}),
                {"blocks.hpp", "doubling.hpp"});
}

/// Of P = 2^h ranks, `text`: recursive halving, then doubling, with the bits of all ranks reversed.
auto butterfly_allreduce(std::uint64_t P, std::uint64_t K, std::string_view text) {
  const local::DoublingAllgather doubling(P, K);
  const Term<local::BitsReversed<local::DoublingAllgather>> renamed{
      {doubling, P}, fmt::format("BitsReversed(DoublingAllgather({0}, chunks), {0})", text)};
  return sequence(reversed(renamed), renamed);
}

Result butterfly_allreduce(const LocalRequest& r) {
  return result(butterfly_allreduce(r.problem.ranks, r.problem.chunks, "ranks"),
                {"blocks.hpp", "doubling.hpp"});
}

Result rabenseifner(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  const auto butterfly = butterfly_allreduce(std::bit_floor(P), K, "std::bit_floor(ranks)");
  const Term<local::Acting<std::remove_const_t<decltype(butterfly.kernel)>>> acting{
      {butterfly.kernel, P}, fmt::format("Acting({}, ranks)", butterfly.text)};
  const Term<local::HandOut> last{{P, K}, "HandOut(ranks, chunks)"};
  return result(sequence(reversed(last), sequence(acting, last)),
                {"blocks.hpp", "doubling.hpp", "excess.hpp"});
}

Result binomial_allreduce(const LocalRequest& r) {
  const Term<local::KnomialTree> down{{r.problem.ranks, r.problem.chunks, 2},
                                      "KnomialTree(ranks, chunks, 2)"};
  return result(sequence(reversed(down), down), {"blocks.hpp", "trees.hpp"});
}

Result all_pairs(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks, ports = ports_of(r.machine);
  const Headers headers{"blocks.hpp", "all_pairs.hpp"};
  if (r.parameters.has("whole")) {
    return result(Term<local::WholeToAll>{{P, r.problem.chunks}, "WholeToAll(ranks, chunks)"},
                  headers);
  }
  const Vector v(r);
  return from_allgather(
      r,
      Term<local::AllPairs>{{P, v.total, ports},
                            fmt::format("AllPairs(ranks, {}, {})", v.text, ports)},
      headers);
}

Result two_phase(const LocalRequest& r) {
  const std::uint64_t ports = ports_of(r.machine);
  return rooted(r,
                Term<local::TwoPhase>{{r.problem.ranks, r.problem.chunks, ports},
                                      fmt::format("TwoPhase(ranks, chunks, {})", ports)},
                {"two_phase.hpp"});
}

/// Its steps are cycles, and receives come later than sends: it is not turned round as steps are.
Result logp_linear(const LocalRequest& r) {
  const WideProblem& p = r.problem;
  const LogP& logp = *r.machine.logp;
  require_product(p.chunks * p.ranks, logp.spacing(), "the number of cycles");
  const bool reduction = p.reduction();
  const local::LogpLinear linear(p.ranks, p.chunks, logp.L, logp.o, logp.g, reduction);
  return result(
      Term<local::Rooted<local::LogpLinear>>{
          {linear, p.ranks, p.root},
          fmt::format("Rooted(LogpLinear(ranks, chunks, {}, {}, {}, {}), ranks, root)", logp.L,
                      logp.o, logp.g, reduction)},
      {"logp_linear.hpp"});
}

/// What circular.hpp has for the collective, with radix `radix`, `text`.
Result circular(const LocalRequest& r, std::uint64_t radix, const std::string& text) {
  const Headers headers{"blocks.hpp", "trees.hpp", "circular.hpp"};
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  const Vector v(r);
  require_product(radix, P, "(h + 1) P");
  switch (r.problem.collective) {
    case Collective::scatter:
    case Collective::gather:
      return rooted(r, tree_scatter(r, radix, text), headers);
    case Collective::broadcast:
    case Collective::reduce:
      return rooted(r,
                    Term<local::ScatterAllgather>{
                        {P, K, radix}, fmt::format("ScatterAllgather(ranks, chunks, {})", text)},
                    headers);
    case Collective::alltoall:
      return result(Term<local::DigitExchange>{{P, K, radix},
                                               fmt::format("DigitExchange(ranks, "
                                                           "chunks, {})",
                                                           text)},
                    headers);
    default:
      return from_allgather(
          r,
          Term<local::CircularAllgather>{
              {P, v.total, radix}, fmt::format("CircularAllgather(ranks, {}, {})", v.text, text)},
          headers);
  }
}

Result bsp_butterfly(const LocalRequest& r) {
  const std::uint64_t of_machine = r.machine.ports ? r.machine.ports->send : 1;
  const std::uint64_t h = r.parameters.has("h") ? r.parameters.integer("h") : of_machine;
  return circular(r, std::min<std::uint64_t>(h + 1, r.problem.ranks),
                  fmt::format("std::min<std::uint64_t>({}, ranks)", h + 1));
}

Result pairwise(const LocalRequest& r) {
  return result(
      Term<local::Pairwise>{{r.problem.ranks, r.problem.chunks}, "Pairwise(ranks, chunks)"},
      {"exchange.hpp"});
}

Result exclusive_or(const LocalRequest& r) {
  return result(Term<local::Xor>{{r.problem.ranks, r.problem.chunks}, "Xor(ranks, chunks)"},
                {"exchange.hpp"});
}

Result kogge_stone(const LocalRequest& r) {
  const bool exclusive = r.problem.collective == Collective::exscan;
  return result(Term<local::Scan>{{r.problem.ranks, r.problem.chunks, exclusive},
                                  fmt::format("Scan(ranks, chunks, {})", exclusive)},
                {"scan.hpp"});
}

struct Entry {
  std::string_view algorithm;
  Result (*make)(const LocalRequest& request);
};

constexpr std::array entries{
    Entry{"linear", linear},
    Entry{"chain", chain},
    Entry{"binary-tree", [](const LocalRequest& r) { return fractional(r, 1); }},
    Entry{"fractional-tree", fractional_tree},
    Entry{"binomial-tree", binomial_tree},
    Entry{"knomial-tree",
          [](const LocalRequest& r) { return knomial(r, r.parameters.integer("k")); }},
    Entry{"butterfly", butterfly},
    Entry{"circulant", circulant},
    Entry{"ring", ring},
    Entry{"recursive-doubling", recursive_doubling},
    Entry{"recursive-halving", recursive_halving},
    Entry{"butterfly-allreduce", [](const LocalRequest& r) { return butterfly_allreduce(r); }},
    Entry{"bruck", [](const LocalRequest& r) { return circular(r, 2, "2"); }},
    Entry{"pairwise", pairwise},
    Entry{"kogge-stone", kogge_stone},
    Entry{"scatter-allgather", [](const LocalRequest& r) { return circular(r, 2, "2"); }},
    Entry{"bsp-butterfly", bsp_butterfly},
    Entry{"xor", exclusive_or},
    Entry{"all-pairs", all_pairs},
    Entry{"binomial-allreduce", binomial_allreduce},
    Entry{"rabenseifner", rabenseifner},
    Entry{"two-phase", two_phase},
    Entry{"logp-linear", logp_linear},
};

}  // namespace

Result local_schedule(const Algorithm& algorithm, const LocalRequest& request) {
  const auto* const entry = std::ranges::find(entries, algorithm.name, &Entry::algorithm);
  std::string why;
  if (entry == entries.end()) {
    why = fmt::format("schedcc has no closed form of it; it has those of {}",
                      join(local_algorithms(), ", "));
  } else {
    try {
      return entry->make(request);
    } catch (const InputError& error) {
      why = error.what();
    }
  }
  throw InputError(fmt::format("'{}' cannot be computed rank by rank: {}", algorithm.name, why));
}

std::vector<std::string_view> local_algorithms() {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const Entry& entry : entries) names.push_back(entry.algorithm);
  return names;
}

}  // namespace schedcc
