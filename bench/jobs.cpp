// How much faster several threads check one schedule than one thread does.
//
//     schedcc_bench_jobs [JOBS [RUNS [CASE]]]      2 threads, the best of 3 runs, all cases
//
// Times are by the clock, as threads share the work: so the runs of one thread and of several are
// interleaved, and other work on the machine has an effect. `streamed` are some 10^8 transfers that
// an algorithm makes on the way, `held` 10^7 in memory.

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bench/schedules.hpp"
#include "schedcc/check.hpp"

using namespace schedcc;
using namespace measure;

namespace {

double seconds(const Source& source, const Machine& machine, unsigned jobs, double& transfers) {
  CheckOptions options;
  options.jobs = jobs;
  const auto start = std::chrono::steady_clock::now();
  const Report report = check(source, machine, options);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (report.verdict() != Verdict::holds) std::exit(1);
  transfers = static_cast<double>(report.transfers);
  return taken.count();
}

/// Prints a line; returns the ratio.
double compare(std::string_view kind, const Case& c, const Source& source, unsigned jobs,
               int runs) {
  const Machine machine = request(c).machine;
  double one = 1e300, several = 1e300, transfers = 0;
  for (int i = 0; i < runs; ++i) {
    one = std::min(one, seconds(source, machine, 1, transfers));
    several = std::min(several, seconds(source, machine, jobs, transfers));
  }
  fmt::print("{:<9} {:<15} {:<22} P={:<6} K={:<6} {:6.1f}M  {:6.1f} {:6.1f} M/s  {:5.2f}\n", kind,
             info(*c.collective).name, c.spec, c.ranks, c.chunks, transfers / 1e6,
             transfers / one / 1e6, transfers / several / 1e6, one / several);
  std::fflush(stdout);
  return one / several;
}

}  // namespace

int main(int argc, char** argv) {
  const auto jobs = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 2);
  const int runs = argc > 2 ? std::atoi(argv[2]) : 3;
  const std::string_view only = argc > 3 ? argv[3] : "";
  using enum Collective;
  const std::vector<Case> long_ones{
      {"circulant", 10000, 10000, broadcast}, {"ring", 10000, 1, allgather},
      {"pairwise", 10000, 1, alltoall},       {"bruck", 4096, 1, alltoall},
      {"ring", 7000, 7000, allreduce},        {"recursive-doubling", 1 << 21, 1, allreduce},
      {"circulant", 8000, 8000, allreduce},
  };
  const std::vector<Case> short_ones{
      {"circulant", 3162, 3162, broadcast}, {"ring", 3162, 1, allgather},
      {"pairwise", 3162, 1, alltoall},      {"bruck", 1340, 1, alltoall},
      {"ring", 2236, 2236, allreduce},      {"recursive-doubling", 1 << 19, 1, allreduce},
      {"circulant", 2236, 2236, allreduce},
  };
  fmt::print("{:>71}  {:>7} {:>6}\n", "transfers", "-j 1", fmt::format("-j {}", jobs));
  double product = 0;
  int cases = 0;
  const auto run = [&](std::string_view kind, const std::vector<Case>& list,
                       Source (*make)(const Case&)) {
    for (const Case& c : list) {
      if (fmt::format("{} {} {}", kind, info(*c.collective).name, c.spec).find(only) ==
          std::string::npos)
        continue;
      product += std::log(compare(kind, c, make(c), jobs, runs));
      ++cases;
    }
  };
  run("streamed", long_ones, streamed);
  run("held", short_ones, held);
  if (cases > 0) fmt::print("geometric mean of the ratios: {:.2f}\n", std::exp(product / cases));
}
