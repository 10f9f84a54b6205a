// The relaxation of reductions: it refutes nothing that a search through all schedules finds, nor
// what a solver does; and it refutes what counting leaves open.

#include <random>

#include "algorithm_cases.hpp"
#include "breadth.hpp"
#include "catch.hpp"
#include "customs.hpp"
#include "proving.hpp"
#include "ranges.hpp"
#include "topologies.hpp"

using namespace proving;

namespace {

/// Does the relaxation refute the question? All reductions are asked for as sums of contributions,
/// none as the reverse of a broadcast.
bool refuted(const Question& asked) {
  Hints hints;
  hints.dual = false;
  const Encoding encoding = encode(asked, hints);
  REQUIRE(encoding.relaxation);
  const auto query = encoding.relaxation(nullptr);
  if (!query) return false;  // there is none without links
  const Answer answer = solve_with_z3(*query, "QF_LRA", {});
  REQUIRE(answer != Answer::unknown);
  return answer == Answer::unsat;
}

/// The network of three nodes, `ranks` of which are ranks, with those of the six links whose bits
/// are set in `some`, the first with a capacity of its own. None where a switch has no links into
/// or out of it.
std::optional<std::string> network(Rank ranks, unsigned some, std::uint64_t capacity) {
  using topologies::Link;
  std::vector<Link> links;
  unsigned bit = 1;
  for (Rank u = 0; u < 3; ++u) {
    for (Rank v = 0; v < 3; ++v) {
      if (u == v) continue;
      if ((some & bit) != 0) links.push_back({u, v, links.empty() ? capacity : 1});
      bit *= 2;
    }
  }
  const auto ends = [&](Rank v, Rank Link::*end) { return std::ranges::count(links, v, end); };
  for (Rank v = 0; v < 3; ++v) {
    const auto out = ends(v, &Link::from), in = ends(v, &Link::to);
    if (v < ranks ? out + in == 0 : out == 0 || in == 0) return std::nullopt;
  }
  const std::string name = "relaxed" + std::to_string(some) + "-" + std::to_string(capacity) + "-";
  return topologies::machine(name, ranks, 3 - static_cast<int>(ranks), links);
}

constexpr Collective sums[] = {Collective::reduce, Collective::reduce_scatter,
                               Collective::allreduce, Collective::scan, Collective::exscan};

/// Compares the relaxation with the answers of an oracle.
class Comparison {
 public:
  /// `least`: the least number of steps, up to `most`; none if they are not enough.
  void compare(Question asked, std::optional<std::uint64_t> least, std::uint64_t most) {
    for (asked.steps = 0; asked.steps <= most; ++asked.steps) {
      if (asked.rounds && *asked.rounds < asked.steps) break;
      INFO(describe(asked));
      const bool exists = least && *least <= asked.steps, impossible = refuted(asked);
      CHECK_FALSE((exists && impossible));
      existing_ += exists ? 1 : 0;
      refuted_ += impossible ? 1 : 0;
    }
  }
  std::uint64_t existing() const { return existing_; }
  std::uint64_t refutations() const { return refuted_; }

 private:
  std::uint64_t existing_ = 0, refuted_ = 0;
};

}  // namespace

TEST_CASE("relaxation of reductions: a search through everything contradicts no refutation") {
  if (!has_z3()) return;
  Comparison comparison;
  std::vector<std::pair<Rank, std::string>> machines{
      {3, "duplex"},   {3, "simplex"},   {3, "kport:k=2"},
      {3, "mesh:1x3"}, {3, "torus:1x3"}, {2, "duplex:width=2"},
  };
  for (unsigned some = 1; some < 64; some += ranges::part(2u, 1u)) {
    for (const Rank ranks : {Rank{2}, Rank{3}}) {
      if (const auto machine = network(ranks, some, 1 + some % 2)) {
        machines.emplace_back(ranks, *machine);
      }
    }
  }
  constexpr std::uint64_t most = 3;
  for (const auto& [ranks, machine] : machines) {
    for (const Collective collective : sums) {
      for (std::uint32_t K = 1; K <= 2; ++K) {
        Question asked = question(collective, ranks, K, machine);
        const std::uint64_t chunks = asked.problem.total_chunks();
        if (make_instance(asked).arcs.size() * chunks > (ranges::whole() ? 6 : 4)) continue;
        breadth::Search search(asked.problem, asked.machine);
        comparison.compare(asked, search.least(most), most);
        if (!asked.machine.has_rounds()) continue;
        asked.rounds = most + 1;
        comparison.compare(asked, search.least(most, asked.rounds), most);
      }
    }
  }
  CHECK(comparison.existing() > 200);
  CHECK(comparison.refutations() > 200);
}

TEST_CASE("relaxation of reductions: nor does a solver, for sums of some contributions too") {
  if (!has_z3() || no_solver()) return;
  Comparison comparison;
  std::mt19937 dice(11);
  const std::string machines[] = {"duplex",
                                  "simplex",
                                  "kport:k=2,width=2",
                                  "mesh:2x2",
                                  "torus:1x4",
                                  "crossbar:a=2,b=2,in=1,out=1",
                                  "cbft",
                                  topologies::ring(4),
                                  topologies::star(4),
                                  topologies::line(4)};
  const auto compare = [&](const Problem& problem, const std::string& machine) {
    constexpr std::uint64_t most = 4;
    Question asked = question(problem, machine);
    if (!problem.reduction()) return;
    std::optional<std::uint64_t> least;
    for (asked.steps = 0; asked.steps <= most && !least; ++asked.steps) {
      if (decide(asked, first_solver(), {}).answer == Answer::sat) least = asked.steps;
    }
    comparison.compare(asked, least, most);
    if (!asked.machine.network()) return;
    asked.waiting = false;
    for (asked.steps = 0; asked.steps <= most; ++asked.steps) {
      if (!refuted(asked)) break;
      CHECK(decide(asked, first_solver(), {}).answer == Answer::unsat);
    }
  };
  for (const std::string& machine : machines) {
    for (const Collective collective : sums) {
      for (const bool ordered : {false, true}) {
        compare({collective, 4, 0, 1 + static_cast<std::uint32_t>(dice() % 2), ordered, nullptr},
                machine);
      }
    }
    for (const Problem& problem : customs::kinds(4)) {
      if (agreement::chosen()) compare(problem, machine);
    }
    for (int i = 0; i < ranges::part(2, 12); ++i) compare(customs::random(4, 2, dice), machine);
  }
  CHECK(comparison.existing() > 100);
  CHECK(comparison.refutations() > 100);
}

TEST_CASE("relaxation of reductions: it refutes what counting leaves open, and no more") {
  if (!has_z3()) return;
  struct Row {
    Collective collective;
    Rank ranks;
    std::uint32_t chunks;
    std::string machine;
    std::uint64_t steps;
  };
  const std::string one_way =
      topologies::machine("one-way", 4, 0, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 0, 1}});
  const Row rows[] = {
      // Each sum takes six transfers, and four links carry four a step.
      {Collective::allreduce, 4, 4, one_way, 5},
      // Contributions leave together, but not those that their destinations do not want.
      {Collective::scan, 4, 3, "duplex", 3},
      {Collective::scan, 4, 3, "mesh:1x4", 3},
      // Three modules, out of each of which a step takes one message.
      {Collective::exscan, 6, 2, "crossbar:a=3,b=2,in=1,out=1", 3},
  };
  for (const Row& row : rows) {
    Question asked = question(row.collective, row.ranks, row.chunks, row.machine, row.steps);
    INFO(describe(asked));
    CHECK_FALSE(encode(asked).formula.refuted());
    CHECK(refuted(asked));
    ++asked.steps;
    CHECK_FALSE(refuted(asked));
  }
}
