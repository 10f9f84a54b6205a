// The time that `prove` takes to decide, compared with other encodings of the same questions.
//
//     schedcc_bench_prove              the rows, by the available solvers, and the searches
//     schedcc_bench_prove SECONDS      also the other encodings, for rows with a figure, each
//                                      limited to SECONDS
//
// The column `figure` is the time of SCCL's encoding on Z3 4.8.12 on another machine (> 120:
// stopped). The other encodings, in this run:
//
//     no hints   our clauses without the hints of docs/prover.md, by the first solver
//     smt        our clauses, by Z3's general solver instead of the one for finite domains
//     int        SCCL's encoding, by Z3: integers for steps, sums of sends
//     bv         the same with bit-vectors
//     pb         the same with a Boolean for each step and pseudo-Boolean constraints
//
// Seconds of wall time, from the question to the checked answer; the best of three if less than one
// second.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "encodings.hpp"
#include "prove/sat/search.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "topologies.hpp"

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
    {"ring 8", "allgather", 4, 4, 1, 0.14},
    {"ring 8", "allgather", 4, 7, 2, 0.39},
    {"ring 8", "alltoall", 4, 8, 1, 7.5},
    {"ring 8", "alltoall", 8, 8, 1, given_up},
    {"DGX-1 8", "allgather", 2, 2, 1, 0.23},
    {"DGX-1 8", "allgather", 2, 4, 3, 1.1},
    {"DGX-1 8", "allgather", 3, 4, 3, 2.3},
    {"DGX-1 8", "allgather", 3, 7, 6, 67},
    {"DGX-1 8", "allgather", 7, 7, 6, 42},
    {"DGX-1 8", "broadcast", 4, 4, 12, 1.4},
    {"DGX-1 8", "alltoall", 2, 2, 1, 3.6},
    {"DGX-1 8", "alltoall", 2, 3, 1, 47},
    {"DGX-1 8", "alltoall", 3, 3, 1, 19},
    {"DGX-1 8", "allreduce", 4, 4, 1, 2.2},
    {"full 8", "alltoall", 1, 1, 1, 17},
    {"full 16", "allgather", 1, 1, 1, given_up},
    {"hub 8", "broadcast", 5, 5, 4, 8.8},
    {"hub 8", "broadcast", 6, 6, 4, 4.4},
    {"hub 8", "broadcast", 9, 9, 8, given_up},
    {"hub 8", "allgather", 6, 6, 1, 78},
    {"hub 16", "broadcast", 3, 3, 1, given_up},
    {"hub 6", "alltoall", 5, 5, 1, given_up},
    {"line 8", "alltoall", 7, 16, 1, 35},
    // Others like them, for which there are no figures.
    {"ring 6", "alltoall", 3, 5, 1, 0},
    {"ring 6", "alltoall", 6, 6, 1, 0},
    {"ring 10", "allgather", 5, 9, 2, 0},
    {"ring 10", "alltoall", 5, 13, 1, 0},
    {"ring 10", "alltoall", 13, 13, 1, 0},
    {"ring 8", "allreduce", 8, 8, 8, 0},
    {"DGX-1 8", "allreduce", 4, 4, 8, 0},
    {"DGX-1 8", "reduce-scatter", 3, 7, 6, 0},
    {"DGX-1 8", "allgather", 2, 8, 6, 0},
    {"DGX-1 8", "allgather", 6, 6, 5, 0},
    {"DGX-1 8", "allgather", 9, 9, 8, 0},
    {"DGX-1 8", "allgather", 4, 14, 12, 0},
    {"DGX-1 8", "broadcast", 5, 5, 18, 0},
    {"DGX-1 8", "scatter", 4, 4, 3, 0},
    {"DGX-1 8", "alltoall", 3, 4, 2, 0},
    {"DGX-1 8", "alltoall", 3, 6, 2, 0},
    {"full 6", "alltoall", 1, 1, 1, 0},
    {"full 6", "allgather", 2, 2, 2, 0},
    {"full 12", "alltoall", 2, 2, 2, 0},
    {"line 6", "alltoall", 5, 9, 1, 0},
    {"line 7", "alltoall", 6, 12, 1, 0},
    {"line 7", "alltoall", 6, 11, 1, 0},
    {"line 8", "allgather", 7, 7, 1, 0},
    {"line 8", "alltoall", 7, 15, 1, 0},
    {"hub 7", "alltoall", 6, 6, 1, 0},
    {"hub 7", "allgather", 5, 5, 1, 0},
    {"hub 7", "allgather", 6, 6, 1, 0},
    {"hub 7", "broadcast", 6, 6, 4, 0},
    {"hub 12", "broadcast", 7, 7, 4, 0},
    {"hub 12", "broadcast", 6, 6, 4, 0},
    {"racks 8", "allgather", 8, 8, 1, 0},
    {"racks 8", "allgather", 9, 9, 1, 0},
    {"racks 8", "alltoall", 11, 11, 1, 0},
    {"racks 8", "alltoall", 12, 12, 1, 0},
    {"modules 8", "allgather", 4, 4, 1, 0},
    {"modules 8", "allgather", 5, 5, 1, 0},
    {"modules 8", "alltoall", 8, 8, 1, 0},
    {"modules 8", "alltoall", 9, 9, 1, 0},
    {"ebft 8", "allgather", 9, 9, 1, 0},
    {"ebft 8", "alltoall", 10, 10, 1, 0},
    {"ebft 8", "alltoall", 11, 11, 1, 0},
    {"ebft 16", "alltoall", 20, 20, 1, 0},
    {"cbft 8", "alltoall", 20, 20, 1, 0},
    {"cbft 8", "alltoall", 21, 21, 1, 0},
};

Question question(const char* collective, Rank ranks, std::uint32_t chunks,
                  const std::string& machine) {
  Question result;
  result.problem.collective = find_collective(collective);
  result.problem.ranks = ranks;
  result.problem.chunks = chunks;
  result.machine = with_width(make_machine(machine, ranks), result.problem);
  return result;
}

/// A topology by its name in the table of rows.
std::string topology(const std::string& name, Rank ranks) {
  if (name == "DGX-1" || name == "racks") {
    return fmt::format("topology:{}/{}.json", SCHEDCC_TOPOLOGIES,
                       name == "DGX-1" ? "dgx1" : "cluster");
  }
  std::vector<topologies::Link> links;
  if (name == "modules") {  // two, all linked inside, and each rank with its partner
    for (Rank u = 0; u < ranks; ++u) {
      for (Rank v = 0; v < ranks; ++v) {
        const bool partner = u % (ranks / 2) == v % (ranks / 2);
        const bool inside = u / (ranks / 2) == v / (ranks / 2);
        if (u != v && (partner || inside)) links.push_back({u, v, 1});
      }
    }
    return topologies::machine(name, ranks, 0, links);
  }
  for (Rank u = 0; u < ranks; ++u) {
    for (Rank v = 0; v < ranks; ++v) {
      const Rank apart = u < v ? v - u : u - v;
      const bool linked = name == "full" || apart == 1 || (name == "ring" && apart == ranks - 1);
      if (u != v && linked) links.push_back({u, v, 1});
    }
  }
  return topologies::machine(name, ranks, 0, links);
}

Question question(const Row& row) {
  const std::string text = row.topology;
  const std::size_t space = text.find(' ');
  const std::string name = text.substr(0, space);
  const auto ranks = static_cast<Rank>(std::stoul(text.substr(space + 1)));
  const bool tree = name.ends_with("bft");
  const std::string machine = name == "hub" ? "duplex" : tree ? name : topology(name, ranks);
  Question result = question(row.collective, ranks, row.chunks, machine);
  result.steps = row.steps;
  if (result.machine.has_rounds()) result.rounds = row.rounds;
  return result;
}

struct Measurement {
  Answer answer = Answer::unknown;
  double seconds = 1e300;
};

template <typename F>
Measurement measure(double limit, F ask) {
  Measurement result;
  for (int i = 0; i < 3 && (i == 0 || result.seconds < 1); ++i) {
    const auto start = SolverLimits::Clock::now();
    SolverLimits limits;
    limits.deadline = start + std::chrono::duration_cast<SolverLimits::Clock::duration>(
                                  std::chrono::duration<double>(limit));
    result.answer = ask(limits);
    const std::chrono::duration<double> taken = SolverLimits::Clock::now() - start;
    result.seconds = std::min(result.seconds, taken.count());
  }
  return result;
}

std::string shown(const Measurement& m) {
  return m.answer == Answer::unknown ? fmt::format("> {:.0f}", m.seconds)
                                     : fmt::format("{:.3f}", m.seconds);
}

/// Another encoding, asked within `limit` seconds; it must not contradict ours.
Measurement other(const Measurement& ours, double limit, const std::string& logic,
                  const std::string& query) {
  const Measurement m =
      measure(limit, [&](const SolverLimits& l) { return solve_with_z3(query, logic, l); });
  if (m.answer != Answer::unknown && m.answer != ours.answer) {
    throw InternalError("another encoding has another answer");
  }
  return m;
}

/// Geometric means of ratios.
class Mean {
 public:
  void add(double ratio) {
    logs_ += std::log(ratio);
    least_ = std::min(least_, ratio);
    ++count_;
  }
  void print(const char* of) const {
    if (count_ == 0) return;
    fmt::print("ratio to {}: geometric mean {:.0f}, least {:.0f} ({} rows)\n", of,
               std::exp(logs_ / count_), least_, count_);
  }

 private:
  double logs_ = 0, least_ = 1e300;
  int count_ = 0;
};

/// The rows; with `limit` > 0 also by other encodings.
void print_rows(double limit) {
  fmt::print("{:8} {:14} {:>5} {:>6} {:>6}  {:6} {:>7}", "topology", "collective", "steps",
             "rounds", "chunks", "answer", "figure");
  for (const SolverEntry* solver : solvers()) fmt::print(" {:>8}", solver->name);
  if (limit > 0) {
    for (const char* name : {"no hints", "smt", "int", "bv", "pb"}) fmt::print(" {:>8}", name);
  }
  fmt::print("\n");
  Mean of_figures, of_sccl;
  double slowest = 0;
  for (const Row& row : rows) {
    const Question asked = question(row);
    std::vector<Measurement> all;
    for (const SolverEntry* solver : solvers()) {
      all.push_back(measure(all.empty() ? 600 : 60, [&](const SolverLimits& limits) {
        return decide(asked, {solver}, limits).answer;
      }));
    }
    const Measurement best = all.front();
    slowest = std::max(slowest, best.seconds);
    if (row.figure > 0) of_figures.add(std::min(row.figure, 120.0) / best.seconds);
    if (limit > 0 && row.figure > 0) {
      all.push_back(measure(limit, [&](const SolverLimits& limits) {
        return decide(asked, {solvers().front()}, limits, Hints::none()).answer;
      }));
      all.push_back(other(best, limit, "", smtlib(asked)));
      if (!asked.problem.reduction()) {
        all.push_back(other(best, limit, "", encodings::integers(asked)));
        of_sccl.add(all.back().seconds / best.seconds);
        all.push_back(other(best, limit, "QF_BV", encodings::bit_vectors(asked)));
        all.push_back(other(best, limit, "QF_FD", encodings::pseudo_boolean(asked)));
      }
    }
    fmt::print("{:8} {:14} {:5} {:6} {:6}  {:6} {:>7}", row.topology, row.collective, row.steps,
               row.rounds, row.chunks, name(best.answer),
               row.figure == 0    ? "-"
               : row.figure > 120 ? "> 120"
                                  : fmt::format("{:.2f}", row.figure));
    for (const Measurement& m : all) fmt::print(" {:>8}", shown(m));
    fmt::print("\n");
    std::fflush(stdout);
  }
  of_figures.print("the figures");
  of_sccl.print("SCCL's encoding in this run (int)");
  fmt::print("the slowest row takes {:.1f} s\n", slowest);
}

/// Prints how long something takes, and what came of it.
void print_time(const std::string& what, const std::function<std::string()>& work) {
  const auto start = SolverLimits::Clock::now();
  const std::string found = work();
  const std::chrono::duration<double> taken = SolverLimits::Clock::now() - start;
  fmt::print("{}: {} ({:.2f} s)\n", what, found, taken.count());
  std::fflush(stdout);
}

std::string all_broadcasts(const SearchOptions& options) {
  int proved = 0;
  for (Rank P = 1; P <= 8; ++P) {
    for (std::uint32_t K = 1; K <= 4; ++K) {
      proved += least_steps(question("broadcast", P, K, "duplex"), options).decided() ? 1 : 0;
    }
  }
  return fmt::format("{} of 32 proved optimal", proved);
}

std::string whole_frontier(const Question& asked, const SearchOptions& options) {
  const Frontier found = frontier(asked, options);
  std::string text = found.complete() ? "complete:" : "INCOMPLETE:";
  for (const Optimum& o : found.optima) {
    text += fmt::format(" ({}, {}, {})", o.chunks, o.steps, o.rounds);
  }
  return text;
}

std::string interval(const Question& asked, const SearchOptions& options) {
  const Interval found = least_steps(asked, options);
  if (found.decided()) return fmt::format("{} steps, proved", found.least);
  return fmt::format("at least {} steps{}", found.least,
                     found.most ? fmt::format(", at most {}", *found.most) : "");
}

/// A search for the least number of steps, on machines with ports.
struct LeastSteps {
  const char* collective;
  Rank ranks;
  std::uint32_t chunks;
  const char* machine;
};

constexpr LeastSteps least_steps_rows[] = {
    {"broadcast", 16, 8, "duplex"},           {"broadcast", 64, 4, "duplex"},
    {"broadcast", 64, 8, "duplex"},           {"broadcast", 16, 8, "kport:k=2"},
    {"broadcast", 64, 8, "kport:k=2"},        {"broadcast", 16, 8, "torus:4x4"},
    {"broadcast", 64, 8, "torus:8x8"},        {"broadcast", 16, 8, "mesh:4x4"},
    {"broadcast", 64, 8, "mesh:8x8"},         {"broadcast", 16, 8, "crossbar:a=4,b=4"},
    {"broadcast", 64, 8, "crossbar:a=8,b=8"}, {"broadcast", 32, 8, "torus:4x8"},
    {"broadcast", 32, 8, "mesh:4x8"},         {"broadcast", 36, 8, "mesh:6x6"},
    {"broadcast", 36, 8, "crossbar:a=6,b=6"}, {"broadcast", 24, 7, "kport:k=2"},
    {"broadcast", 27, 5, "kport:k=2"},        {"broadcast", 64, 7, "kport:k=3"},
    {"reduce", 16, 8, "torus:4x4"},           {"allgather", 16, 1, "duplex"},
    {"allgather", 16, 4, "duplex"},           {"allgather", 16, 1, "kport:k=2"},
    {"allgather", 16, 1, "torus:4x4"},        {"allgather", 16, 1, "mesh:4x4"},
    {"allgather", 16, 1, "crossbar:a=4,b=4"}, {"alltoall", 16, 1, "duplex"},
    {"alltoall", 16, 1, "kport:k=2"},         {"alltoall", 16, 1, "torus:4x4"},
    {"alltoall", 16, 1, "mesh:4x4"},          {"alltoall", 16, 1, "crossbar:a=4,b=4"},
    {"alltoall", 16, 1, "torus:1x16"},        {"alltoall", 16, 1, "torus:2x8"},
    {"alltoall", 13, 1, "mesh:1x13"},         {"allreduce", 8, 8, "duplex"},
    {"allreduce", 8, 8, "torus:2x4"},         {"allreduce", 8, 8, "mesh:2x4"},
    {"allreduce", 8, 8, "simplex"},           {"allreduce", 8, 8, "kport:k=2"},
    {"allreduce", 8, 8, "kport:k=3"},
};

/// Those, each within 60 s.
void print_least_steps() {
  for (const LeastSteps& row : least_steps_rows) {
    SearchOptions options;
    options.solvers = {solvers().front()};
    options.constructions = true;
    options.limits.deadline = SolverLimits::Clock::now() + std::chrono::seconds(60);
    const Question asked = question(row.collective, row.ranks, row.chunks, row.machine);
    print_time(subject(asked), [&] { return interval(asked, options); });
  }
}

/// Searches for optima.
void print_searches() {
  SearchOptions options;
  options.solvers = {solvers().front()};
  const std::string dgx1 = fmt::format("topology:{}/dgx1.json", SCHEDCC_TOPOLOGIES);
  print_time("duplex broadcast, P <= 8, K <= 4", [&] { return all_broadcasts(options); });
  for (const char* collective : {"allgather", "broadcast"}) {
    for (const std::uint32_t chunks : {6U, 12U}) {
      print_time(fmt::format("DGX-1 {}, frontier of (chunks, steps, rounds) to {} chunks",
                             collective, chunks),
                 [&] { return whole_frontier(question(collective, 8, chunks, dgx1), options); });
    }
  }
  for (const char* machine : {"ebft", "cbft", "fattree:cap=1,2,2"}) {
    for (const Rank n : {4U, 8U}) {
      if (n == 4 && std::string(machine).find(',') != std::string::npos) continue;
      for (const bool waiting : {true, false}) {
        if (!waiting && std::string(machine) != "ebft") continue;
        Question asked = question("alltoall", n, 1, machine);
        asked.waiting = waiting;
        print_time(fmt::format("total exchange, n = {}, {}{}", n, machine,
                               waiting ? "" : ", without waiting"),
                   [&] { return interval(asked, options); });
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (solvers().empty()) throw InputError("schedcc was built without a solver");
    print_rows(argc > 1 ? std::atof(argv[1]) : 0);
    print_least_steps();
    print_searches();
  } catch (const std::exception& error) {
    fmt::print(stderr, "schedcc_bench_prove: {}\n", error.what());
    return 1;
  }
}
