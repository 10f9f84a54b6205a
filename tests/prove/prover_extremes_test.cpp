// The prover on machines with extreme numbers: its answers are those of an exhaustive search, and
// no refutation depends on hints.

#include <random>

#include "breadth.hpp"
#include "catch.hpp"
#include "customs.hpp"
#include "drat.hpp"
#include "proving.hpp"
#include "ranges.hpp"
#include "schedcc/error.hpp"
#include "topologies.hpp"

using namespace proving;

namespace {

/// Numbers with which sums and products of 32, 63 or 64 bits overflow.
template <std::size_t N>
std::uint64_t any_of(std::mt19937& dice, const std::uint64_t (&values)[N]) {
  return values[dice() % N];
}
std::uint64_t capacity(std::mt19937& dice) {
  return any_of(dice, {1, 1, 2, 3, (1ULL << 31) - 1, 1ULL << 31, (1ULL << 32) - 1, 1ULL << 32,
                       1ULL << 61, 1ULL << 62, (1ULL << 63) - 1, 1ULL << 63, UINT64_MAX});
}
std::uint64_t width(std::mt19937& dice) {
  return any_of(dice, {1, 2, (1ULL << 31) - 1, 1ULL << 31, (1ULL << 32) - 1});
}
std::uint64_t ports(std::mt19937& dice) {
  return any_of(dice, {1, 1, 2, 1ULL << 30, (1ULL << 31) - 1});
}

std::string topology(Rank ranks, std::mt19937& dice) {
  std::vector<topologies::Link> links;
  for (Rank u = 0; u < ranks; ++u) {
    for (Rank v = 0; v < ranks; ++v) {
      const bool next = v == (u + 1) % ranks;
      if (u != v && (next || dice() % 2 == 0)) links.push_back({u, v, width(dice)});
    }
  }
  static int number = 0;
  return topologies::machine("extreme" + std::to_string(number++) + "-", ranks, 0, links);
}

/// A mesh or a torus; those of four ranks also in two rows.
std::string grid(Rank ranks, std::mt19937& dice) {
  std::string result = dice() % 2 == 0 ? "mesh:" : "torus:";
  result += ranks == 4 && dice() % 2 == 0 ? "2x2" : "1x" + std::to_string(ranks);
  if (dice() % 2 == 0) result += ",ports=2";
  return result + ",congestion=" + std::to_string(1 + dice() % 2);
}

std::string machine(Rank ranks, std::mt19937& dice) {
  const std::string wide = ",width=" + std::to_string(width(dice));
  switch (dice() % 7) {
    case 0:
      return (dice() % 2 == 0 ? "duplex:" : "simplex:") + wide.substr(1);
    case 1:
      return "kport:k=" + std::to_string(ports(dice)) + wide;
    case 2:
      return "bsp:h=" + std::to_string(ports(dice)) + wide;
    case 3:
      return topology(ranks, dice);
    case 4:
      return grid(ranks, dice) + wide;
    case 5:
      if (ranks != 4) return grid(ranks, dice) + wide;
      return "crossbar:a=2,b=2,in=" + std::to_string(1 + dice() % 2) +
             ",out=" + std::to_string(1 + dice() % 2) + wide;
    default:
      if (ranks == 3) return "duplex:" + wide.substr(1);
      return "fattree:cap=" + std::to_string(capacity(dice)) +
             (ranks == 4 ? "," + std::to_string(capacity(dice)) : "");
  }
}

/// A question that is small enough for an exhaustive search: few nodes, and few chunks.
Question any_question(std::mt19937& dice) {
  for (;;) {
    const auto all = collectives();
    Problem problem;
    problem.collective = all[dice() % all.size()].collective;
    problem.ranks = static_cast<Rank>(2 + dice() % 3);
    problem.chunks = static_cast<std::uint32_t>(1 + dice() % 3);
    if (problem.collective == Collective::custom) continue;
    if (problem.rooted()) problem.root = static_cast<Rank>(dice() % problem.ranks);
    const Question asked = question(problem, machine(problem.ranks, dice));
    const std::uint64_t nodes =
        asked.machine.network() ? asked.machine.network()->nodes() : problem.ranks;
    const std::uint64_t arcs = make_instance(asked).arcs.size();
    const std::uint64_t moves = arcs * problem.total_chunks();
    if (nodes * problem.total_chunks() <= 16 && moves <= (problem.reduction() ? 6U : 12U)) {
      return asked;
    }
  }
}

Answer answer(const Question& asked, const Hints& hints = {}) {
  return decide(asked, first_solver(), {}, hints).answer;
}

int variables(const Question& asked) { return encode(asked, Hints::none()).formula.variables(); }

}  // namespace

TEST_CASE("prove: what was refuted by numbers that wrapped round") {
  if (no_solver()) return;
  CHECK(least_of(Collective::broadcast, 2, 1, "fattree:cap=4611686018427387904") == 2);
  const char* const wide = "kport:k=1073741824,width=2147483648";
  CHECK(least_of(Collective::broadcast, 3, 1, wide) == 1);
  for (std::uint64_t steps = 1; steps <= 32; ++steps) {
    CHECK(answer(question(Collective::broadcast, 3, 1, wide, steps)) == Answer::sat);
  }
  // L + 2o = 2^32 - 1 is a distance like others.
  const Question late = question(Collective::broadcast, 2, 1, "logp:L=4294967293,o=1,g=1", 9);
  CHECK_FALSE(unreachable(late));
  CHECK(answer(late) == Answer::unsat);
  SearchOptions options;
  options.solvers = first_solver();
  const Interval open = least_steps(late, options);  // too many cycles to write down
  CHECK(open.exhausted);
  CHECK_FALSE(open.most);
  CHECK(open.least == 4294967295);
  CHECK(least(question(Collective::broadcast, 2, 1, "logp:L=5000,o=1,g=1")).least == 5002);
}

TEST_CASE("prove: the answers are those of a search through everything") {
  if (no_solver()) return;
  std::mt19937 dice(10);
  std::uint64_t questions = 0, impossible = 0;
  for (int i = 0; i < ranges::part(140, 300); ++i) {
    Question asked = any_question(dice);
    if (asked.machine.has_rounds() && dice() % 2 == 0) {
      asked.rounds = any_of(dice, {3, 4, 6, 1ULL << 31, (1ULL << 32) - 1, 1ULL << 32, 1ULL << 62,
                                   1ULL << 63, UINT64_MAX});
    }
    const std::uint64_t most = asked.problem.reduction() ? 3 : 4;
    const auto least = breadth::Search(asked.problem, asked.machine).least(most, asked.rounds);
    if (least) CHECK(counted_bound(asked).steps.value_or(0) <= *least);
    for (asked.steps = 0; asked.steps <= most; ++asked.steps) {
      if (asked.rounds && *asked.rounds < asked.steps) break;
      INFO(describe(asked));
      ++questions;
      const Answer expected = least && *least <= asked.steps ? Answer::sat : Answer::unsat;
      impossible += expected == Answer::unsat ? 1 : 0;
      CHECK(name(answer(asked)) == name(expected));
      CHECK(name(answer(asked, Hints::none())) == name(expected));
    }
  }
  CHECK(questions > 250);
  CHECK(impossible > 50);
}

TEST_CASE("prove: no refutation needs a hint") {
  if (no_solver()) return;
  std::mt19937 dice(2000);
  std::uint64_t refuted = 0;
  for (int i = 0; i < ranges::part(200, 400); ++i) {
    Question asked;
    if (dice() % 3 == 0) {
      const auto ranks = static_cast<Rank>(2 + dice() % 3);
      asked = question(customs::random(ranks, static_cast<std::uint32_t>(1 + dice() % 3), dice),
                       machine(ranks, dice));
    } else {
      asked = any_question(dice);
    }
    asked.steps = dice() % 6;
    if (asked.machine.has_rounds() && dice() % 2 == 0)
      asked.rounds = asked.steps + capacity(dice) % 7;
    if (answer(asked) != Answer::unsat || variables(asked) > 2000) continue;
    ++refuted;
    INFO(describe(asked));
    CHECK(name(answer(asked, Hints::none())) == name(Answer::unsat));
  }
  CHECK(refuted > 30);
}
