// The time to prove a symbolic schedule for every K: `schedcc prove ALGORITHM --all-chunks`.
//
//     schedcc_bench_symbolic
//
// Seconds of wall time, including the listing of ranks. The column K = 64 has the time of compiling
// and checking the schedule for that K, if it has at most 10^8 transfers.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include <fmt/core.h>

#include "prove/symbolic/symbolic.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;
using namespace schedcc::prover;

namespace {

struct Row {
  const char* spec;
  std::uint64_t ranks;
};

constexpr std::uint64_t two_to(int h) { return std::uint64_t{1} << h; }

constexpr Row rows[] = {
    {"chain", 4096},
    {"binary-tree", 4096},
    {"fractional-tree:r=3", 4096},
    {"fractional-tree:r=8", 4096},
    {"fractional-tree:r=8", two_to(22)},
    {"fractional-tree:r=1000", 100000},
    {"binomial-tree", 4096},
    {"knomial-tree:k=5", two_to(20)},
    {"linear", 4096},
    {"circulant", 4096},
    {"circulant", 100000},
    {"circulant", two_to(20)},
    {"butterfly", 4096},
    {"butterfly", two_to(20)},
    {"butterfly", two_to(40)},
    {"butterfly", two_to(60)},
    {"xor", 256},
    {"xor", two_to(20)},
    {"xor", two_to(40)},
    {"xor", two_to(60)},
    {"ring", two_to(60)},
    {"pairwise", two_to(60)},
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The seconds that compiling and checking the schedule for K = 64 takes; "-" if it is too large.
std::string check_one_size(const Algorithm& algorithm, Request request) {
  request.problem.chunks = 64;
  const std::uint64_t P = request.problem.ranks;
  const bool pairs = request.problem.collective == Collective::alltoall;
  if (P > 1'000'000 || P * (pairs ? P : 1) * request.problem.chunks > 100'000'000) return "-";
  const auto start = std::chrono::steady_clock::now();
  const Report report =
      check(from_algorithm(algorithm, request, std::string(algorithm.name)), request.machine);
  return fmt::format("{:.2f}{}", seconds_since(start),
                     report.verdict() == Verdict::holds ? "" : " fails");
}

}  // namespace

int main() {
  fmt::print("{:<22} {:>20} {:>6} {:>8} {:>9} {:>8}  {}\n", "algorithm", "ranks", "kinds",
             "queries", "seconds", "K = 64", "verdict");
  for (const Row& row : rows) {
    const Spec spec = Spec::parse(row.spec);
    const Algorithm& algorithm = find_algorithm(spec.name);
    Request request;
    request.parameters = spec.check(algorithm.parameters, row.spec);
    request.problem.collective = algorithm.collectives.front();
    request.problem.ranks = static_cast<Rank>(std::min<std::uint64_t>(row.ranks, two_to(31)));
    request.machine = make_machine(algorithm.machines.front(),
                                   static_cast<Rank>(std::min<std::uint64_t>(row.ranks, 4096)));
    for (const SymbolicScheduleEntry& entry : symbolic_schedules()) {
      if (entry.algorithm != spec.name) continue;
      const auto start = std::chrono::steady_clock::now();
      const SymbolicSchedule schedule = entry.make(algorithm, request, row.ranks, nullptr);
      const SymbolicProof proof = prove(schedule, {});
      const double seconds = seconds_since(start);
      fmt::print("{:<22} {:>20} {:>6} {:>8} {:>9.2f} {:>8}  {}\n", row.spec, row.ranks, proof.cases,
                 proof.queries, seconds, check_one_size(algorithm, request), name(proof.verdict));
    }
  }
}
