// How long `prove` takes to decide, beside other ways to ask the same.
//
//     schedcc_bench_prove              the rows, by the solvers that there are
//     schedcc_bench_prove SECONDS      ... and by the other encodings, with so much time for each
//
// The column `figure` is what the encoding of SCCL took on Z3 4.8.12 on another machine (> 120: given
// up); `ratio` is that over the first solver. The other encodings, each on Z3 in this run:
//
//     smt     our clauses, by Z3's general solver rather than that for finite domains
//     int     SCCL's: an integer for the step at which a chunk arrives, sums of sends
//     bv      the same with bit-vectors
//
// Seconds of wall time, the best of three where that is less than one second.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "prover/decide.hpp"
#include "schedcc/error.hpp"
#include "schedcc/registry.hpp"

using namespace schedcc;
using namespace schedcc::prover;

namespace {

struct Row {
  const char* topology;
  const char* collective;
  std::uint64_t steps, rounds;
  std::uint32_t chunks;
  double figure;  ///< seconds; more than 120: it was given up then
};

constexpr double given_up = 121;

constexpr Row rows[] = {
    {"ring 8", "allgather", 4, 4, 1, 0.14},      {"ring 8", "allgather", 4, 7, 2, 0.39},
    {"ring 8", "alltoall", 4, 8, 1, 7.5},        {"ring 8", "alltoall", 8, 8, 1, given_up},
    {"DGX-1 8", "allgather", 2, 2, 1, 0.23},     {"DGX-1 8", "allgather", 2, 4, 3, 1.1},
    {"DGX-1 8", "allgather", 3, 4, 3, 2.3},      {"DGX-1 8", "allgather", 3, 7, 6, 67},
    {"DGX-1 8", "allgather", 7, 7, 6, 42},       {"DGX-1 8", "broadcast", 4, 4, 12, 1.4},
    {"DGX-1 8", "alltoall", 2, 2, 1, 3.6},       {"DGX-1 8", "alltoall", 2, 3, 1, 47},
    {"DGX-1 8", "alltoall", 3, 3, 1, 19},        {"DGX-1 8", "allreduce", 4, 4, 1, 2.2},
    {"full 8", "alltoall", 1, 1, 1, 17},         {"full 16", "allgather", 1, 1, 1, given_up},
    {"hub 8", "broadcast", 5, 5, 4, 8.8},        {"hub 8", "broadcast", 6, 6, 4, 4.4},
    {"hub 8", "broadcast", 9, 9, 8, given_up},   {"hub 8", "allgather", 6, 6, 1, 78},
    {"hub 16", "broadcast", 3, 3, 1, given_up},  {"hub 6", "alltoall", 5, 5, 1, given_up},
    {"line 8", "alltoall", 7, 16, 1, 35},
    // Others like them, for which there are no figures.
    {"ring 8", "allreduce", 8, 8, 8, 0},         {"DGX-1 8", "allreduce", 4, 4, 8, 0},
    {"DGX-1 8", "reduce-scatter", 3, 7, 6, 0},   {"DGX-1 8", "allgather", 2, 8, 6, 0},
    {"DGX-1 8", "alltoall", 3, 4, 2, 0},         {"line 8", "allgather", 7, 7, 1, 0},
    {"line 8", "alltoall", 7, 15, 1, 0},         {"hub 7", "alltoall", 6, 6, 1, 0},
    {"hub 7", "allgather", 6, 6, 1, 0},          {"hub 12", "broadcast", 7, 7, 4, 0},
    {"hub 12", "broadcast", 6, 6, 4, 0},         {"ebft 8", "alltoall", 10, 10, 1, 0},
    {"ebft 8", "alltoall", 11, 11, 1, 0},
};

Question question(const Row& row) {
  const std::string topology = row.topology;
  const std::size_t space = topology.find(' ');
  const std::string name = topology.substr(0, space), ranks = topology.substr(space + 1);
  Question result;
  result.problem.collective = find_collective(row.collective);
  result.problem.ranks = static_cast<Rank>(std::stoul(ranks));
  result.problem.chunks = row.chunks;
  result.steps = row.steps;
  std::string machine;
  if (name == "hub") {
    machine = "duplex:width=1";
  } else if (name == "ebft") {
    machine = name;
  } else {
    machine = fmt::format("topology:{}/{}.json", SCHEDCC_TOPOLOGIES,
                          name == "DGX-1" ? "dgx1" : name + ranks);
    result.rounds = row.rounds;
  }
  result.machine = make_machine(machine, result.problem.ranks);
  return result;
}

struct Measured {
  Answer answer = Answer::unknown;
  double seconds = 1e300;
};

template <typename F>
Measured measure(double limit, F ask) {
  Measured result;
  for (int i = 0; i < 3 && (i == 0 || result.seconds < 1); ++i) {
    const auto start = Limits::Clock::now();
    Limits limits;
    limits.deadline = start + std::chrono::duration_cast<Limits::Clock::duration>(
                                  std::chrono::duration<double>(limit));
    result.answer = ask(limits);
    const std::chrono::duration<double> taken = Limits::Clock::now() - start;
    result.seconds = std::min(result.seconds, taken.count());
  }
  return result;
}

/// Integers of a kind, as SMT-LIB writes them.
struct Numbers {
  bool vectors;

  std::string sort() const { return vectors ? "(_ BitVec 10)" : "Int"; }
  std::string value(std::uint64_t n) const {
    return vectors ? fmt::format("(_ bv{} 10)", n) : fmt::format("{}", n);
  }
  std::string less(const std::string& a, const std::string& b) const {
    return fmt::format("({} {} {})", vectors ? "bvult" : "<", a, b);
  }
  std::string at_most(const std::string& a, const std::string& b) const {
    return fmt::format("({} {} {})", vectors ? "bvule" : "<=", a, b);
  }
  std::string times(std::uint64_t n, const std::string& a) const {
    return fmt::format("({} {} {})", vectors ? "bvmul" : "*", value(n), a);
  }
  std::string sum(const std::vector<std::string>& terms) const {
    if (terms.empty()) return value(0);
    std::string result = terms.front();
    for (std::size_t i = 1; i < terms.size(); ++i) {
      result = fmt::format("({} {} {})", vectors ? "bvadd" : "+", result, terms[i]);
    }
    return result;
  }
};

/// SCCL's encoding (Cai et al. 2021, section 3): who sends a chunk to a node, and when it is there.
std::string sccl(const Question& asked, const Numbers& numbers) {
  const Instance instance = make_instance(asked, false);
  const std::vector<Delivery> chunks = deliveries(asked.problem);
  const std::uint64_t S = asked.steps, R = asked.rounds.value_or(S);
  std::string text;
  const auto assert_that = [&](const std::string& what) { text += "(assert " + what + ")\n"; };
  const auto time = [](std::size_t c, Rank v) { return fmt::format("time_{}_{}", c, v); };
  const auto snd = [](std::size_t c, Rank u, Rank v) { return fmt::format("snd_{}_{}_{}", c, u, v); };
  const auto counted = [&](const std::string& what) {
    return fmt::format("(ite {} {} {})", what, numbers.value(1), numbers.value(0));
  };
  std::vector<std::string> rounds;
  for (std::uint64_t s = 0; s < S; ++s) {
    rounds.push_back(fmt::format("rounds_{}", s));
    text += fmt::format("(declare-const {} {})\n", rounds.back(), numbers.sort());
    assert_that(numbers.at_most(numbers.value(1), rounds.back()));
    assert_that(numbers.at_most(rounds.back(), numbers.value(R)));
  }
  assert_that(fmt::format("(= {} {})", numbers.sum(rounds), numbers.value(R)));
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (Rank v = 0; v < instance.nodes; ++v) {
      text += fmt::format("(declare-const {} {})\n", time(c, v), numbers.sort());
      for (const std::size_t a : instance.in[v]) {
        text += fmt::format("(declare-const {} Bool)\n", snd(c, instance.arcs[a].from, v));
      }
    }
    for (Rank v = 0; v < instance.nodes; ++v) {
      assert_that(numbers.at_most(numbers.value(0), time(c, v)));
      assert_that(numbers.at_most(time(c, v), numbers.value(S + 1)));
      const bool wanted = std::ranges::binary_search(chunks[c].goals, v);
      if (wanted) assert_that(numbers.at_most(time(c, v), numbers.value(S)));
      if (chunks[c].sources.front() == v) {
        assert_that(fmt::format("(= {} {})", time(c, v), numbers.value(0)));
        continue;
      }
      std::vector<std::string> senders;
      for (const std::size_t a : instance.in[v]) {
        const Rank u = instance.arcs[a].from;
        senders.push_back(counted(snd(c, u, v)));
        assert_that(fmt::format("(=> {} {})", snd(c, u, v), numbers.less(time(c, u), time(c, v))));
      }
      assert_that(fmt::format("(=> {} (= {} {}))",
                              numbers.at_most(time(c, v), numbers.value(S)),
                              numbers.sum(senders), numbers.value(1)));
    }
  }
  const auto bounded = [&](const std::vector<std::size_t>& arcs, std::uint64_t capacity) {
    for (std::uint64_t s = 1; s <= S; ++s) {
      std::vector<std::string> load;
      for (const std::size_t a : arcs) {
        const Arc& arc = instance.arcs[a];
        for (std::size_t c = 0; c < chunks.size(); ++c) {
          load.push_back(counted(fmt::format("(and {} (= {} {}))", snd(c, arc.from, arc.to),
                                             time(c, arc.to), numbers.value(s))));
        }
      }
      assert_that(numbers.at_most(numbers.sum(load), numbers.times(capacity, rounds[s - 1])));
    }
  };
  for (std::size_t a = 0; a < instance.arcs.size(); ++a) bounded({a}, instance.arcs[a].capacity);
  for (Rank v = 0; v < instance.nodes && instance.ports; ++v) {
    bounded(instance.out[v], instance.ports->send);
    bounded(instance.in[v], instance.ports->receive);
  }
  return text;
}

std::string shown(const Measured& m) {
  return m.answer == Answer::unknown ? fmt::format("> {:.0f}", m.seconds)
                                     : fmt::format("{:.3f}", m.seconds);
}

/// Another encoding's column; "-" where it has no rules.
std::string other(const Measured& ours, double limit, const std::string& logic,
                  const std::string& query) {
  const Measured m = measure(limit, [&](const Limits& l) { return ask_z3(query, logic, l); });
  if (m.answer != Answer::unknown && m.answer != ours.answer) return "WRONG";
  return shown(m);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const double limit = argc > 1 ? std::atof(argv[1]) : 0;
    fmt::print("{:8} {:14} {:>5} {:>6} {:>6}  {:6} {:>8} {:>8}", "topology", "collective", "steps",
               "rounds", "chunks", "answer", "figure", "ratio");
    for (const SolverEntry* solver : solvers()) fmt::print(" {:>9}", solver->name);
    if (limit > 0) fmt::print(" {:>9} {:>9} {:>9}", "smt", "int", "bv");
    fmt::print("\n");
    double logs = 0;
    int compared = 0;
    for (const Row& row : rows) {
      const Question asked = question(row);
      std::vector<Measured> measured;
      for (const SolverEntry* solver : solvers()) {
        measured.push_back(measure(measured.empty() ? 600 : std::max(limit, 60.0),
                                   [&](const Limits& limits) {
                                     return decide(asked, {solver}, limits).answer;
                                   }));
      }
      const Measured& best = measured.front();
      std::string figure = "-", ratio = "-";
      if (row.figure > 0) {
        figure = row.figure > 120 ? "> 120" : fmt::format("{:.2f}", row.figure);
        const double times = std::min(row.figure, 120.0) / best.seconds;
        ratio = fmt::format("{:.0f}", times);
        logs += std::log(times);
        ++compared;
      }
      fmt::print("{:8} {:14} {:5} {:6} {:6}  {:6} {:>8} {:>8}", row.topology, row.collective,
                 row.steps, row.rounds, row.chunks, name(best.answer), figure, ratio);
      for (const Measured& m : measured) fmt::print(" {:>9}", shown(m));
      if (limit > 0) {
        const bool copies = !asked.problem.reduction();
        fmt::print(" {:>9}", other(best, limit, "", smtlib(asked)));
        for (const bool vectors : {false, true}) {
          fmt::print(" {:>9}", copies ? other(best, limit, vectors ? "QF_BV" : "",
                                              sccl(asked, Numbers{vectors}))
                                      : "-");
        }
      }
      fmt::print("\n");
      std::fflush(stdout);
    }
    fmt::print("geometric mean of the ratios: {:.0f}\n", std::exp(logs / compared));
  } catch (const std::exception& error) {
    fmt::print(stderr, "schedcc_bench_prove: {}\n", error.what());
    return 1;
  }
}
