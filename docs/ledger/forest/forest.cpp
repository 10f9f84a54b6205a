// Packed trees on networks of links, and breadth-first broadcasts.

#include <numeric>
#include <string>
#include <vector>

#include "algorithm/forest/bfb_fractions.hpp"
#include "ledger.hpp"
#include "machine/link_graph.hpp"
#include "measure.hpp"
#include "networks_of_links.hpp"

namespace ledger {

namespace {

using namespace networks_of_links;

std::vector<Rank> all_ranks(Rank P) {
  std::vector<Rank> all(P);
  std::iota(all.begin(), all.end(), Rank{0});
  return all;
}

/// Symmetric networks, all of whose links have capacity 1 but for those of pairs in a torus.
std::vector<LinkNetwork> symmetric() {
  return {circulant(5, {1}, "ledger-ring"),   circulant(8, {1}, "ledger-ring"),
          torus({3, 3}, "ledger33-"),         torus({4, 4}, "ledger44-"),
          torus({3, 5}, "ledger35-"),         torus({4, 6}, "ledger46-"),
          torus({3, 3, 3}, "ledger333-"),     hypercube(3, "ledger-cube"),
          hypercube(4, "ledger-cube"),        circulant(12, {1, 3}, "ledger13-"),
          circulant(12, {2, 3}, "ledger23-"), circulant(11, {2, 3}, "ledger23-"),
          circulant(16, {1, 4}, "ledger14-")};
}

U64 degree(const LinkNetwork& n) {
  U64 result = 0;
  for (const auto& link : n.links) result += link.from == 0 ? link.capacity : 0;
  return result;
}

/// The loads of all phases together.
Fraction load(const LinkNetwork& n) {
  U64 a = 0, b = 1;
  const BreadthFirst search(n.graph());
  for (const Fraction& f : search.loads()) {
    const Fraction sum = fraction(a * f.denominator + f.numerator * b, b * f.denominator);
    a = sum.numerator;
    b = sum.denominator;
  }
  return {a, b};
}

const Section trees_section{
    "Spanning trees",
    {{"optimum",
      "an allgather at the bandwidth of the narrowest cut, 1/x* = p/q: K p/q steps, and a "
      "constant number more for any K",
      "13 symmetric networks; K = 10 q and 20 q",
      [](Found& f) {
        for (const LinkNetwork& n : symmetric()) {
          const Fraction ratio = *bottleneck(n.graph(), all_ranks(n.ranks));
          const auto with = [&](U64 m) {
            const auto K = static_cast<std::uint32_t>(m * ratio.denominator);
            return steps({"forest", n.ranks, K, n.machine(), "allgather"});
          };
          f.equal(10 * ratio.numerator, with(20) - with(10), "{}{}", n.name, n.ranks);
        }
        f.shows("28 steps (bound 28)");
      },
      "schedcc compile forest --ranks 8 --chunks 8 --machine "
      "topology:schedules/topologies/ring8.json >/dev/null"},
     {"allreduce", "by a reduce-scatter and an allgather: twice that",
      "the same; K = 10 q P and 20 q P",
      [](Found& f) {
        for (const LinkNetwork& n : symmetric()) {
          const Fraction ratio = *bottleneck(n.graph(), all_ranks(n.ranks));
          const auto with = [&](U64 m) {
            const auto K = static_cast<std::uint32_t>(m * ratio.denominator * n.ranks);
            return steps({"forest", n.ranks, K, n.machine(), "allreduce"});
          };
          f.equal(20 * ratio.numerator, with(20) - with(10), "{}{}", n.name, n.ranks);
        }
        f.say("no bound for other allreduces, whose blocks need not be equal");
        f.shows("holds");
      },
      "schedcc compile forest --collective allreduce --ranks 8 --chunks 16 --machine "
      "topology:schedules/topologies/ring8.json >/dev/null"}}};

const Section bfb_section{
    "Breadth-first broadcasts",
    {{"symmetric graphs", "as many steps as the diameter, and (N - 1)/degree of a block's time",
      "rings, tori, hypercubes, circulants",
      [](Found& f) {
        for (const LinkNetwork& n : symmetric())
          f.holds(load(n) == fraction(n.ranks - 1, degree(n)), "{}{}", n.name, n.ranks);
        f.shows("7 steps (bound 7)");
      },
      "schedcc compile bfb --ranks 8 --chunks 2 --machine "
      "topology:schedules/topologies/ring8.json >/dev/null"},
     {"symmetric graphs",
      "not the optimum for the torus 2x4 with two links between pairs: 2, "
      "against 7/4",
      "",
      [](Found& f) {
        const LinkNetwork n = torus({2, 4}, "ledger24-", 2);
        const Fraction best = *bottleneck(n.graph(), all_ranks(n.ranks));
        f.holds(load(n) == fraction(2, 1), "it is {}/{}", load(n).numerator, load(n).denominator);
        f.holds(best == fraction(7, 4), "the optimum is {}/{}", best.numerator, best.denominator);
        f.shows("8 steps (bound 7)");
      },
      "schedcc compile bfb --ranks 8 --chunks 4 --machine "
      "topology:schedules/topologies/torus2x4.json >/dev/null"}}};

}  // namespace

Paper forest() {
  return {"Forest",
          "ForestColl, arXiv 2402.06787 and 2305.18461; BFB, arXiv 2202.03356",
          {trees_section, bfb_section},
          {"Trees of a fixed number for capacities rounded down, and networks in which capacities "
           "into and out of a switch differ: not implemented."}};
}

}  // namespace ledger
