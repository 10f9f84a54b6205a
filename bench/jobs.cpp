// How much faster several threads check one schedule than one thread does.
//
//     schedcc_bench_jobs [JOBS [RUNS [CASE]]]      2 threads, the best of 3 runs, all cases
//
// Times are by the clock, as threads share the work: so the runs of one thread and of several are
// interleaved, and other work on the machine has an effect. The processor time of one thread, which
// it hardly has an effect on, is printed, too. `streamed` are some 10^8 transfers that an algorithm
// makes on the way, `held` 10^7 in memory, and `file` 10^7 of a binary file. `full` are streamed
// ones, without the shortcuts by symmetry and by excerpts.
//
//     schedcc_bench_jobs large [JOBS]     schedules of 10^6 to 10^9 streamed transfers, each in a
//                                         process of its own: time, memory, and the slope
//
// The last column is the rate relative to the memory bandwidth (copy), which is measured first:
// bytes of transfers (16 each) by processor time of one thread, or by the clock. bench/growth.py
// draws the output of `large`.

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.hpp"
#include "bench/schedules.hpp"
#include "check/threading.hpp"
#include "schedcc/check.hpp"

using namespace schedcc;
using namespace measure;

namespace {

/// What the memory bandwidth is, in bytes per second, measured once.
double bandwidth() {
  static const double result = memory_bandwidth();
  return result;
}

/// So many transfers in that time, in percent of the memory bandwidth.
double percent(double transfers, double seconds) {
  return 100 * transfers * sizeof(Transfer) / seconds / bandwidth();
}

/// The least times of some runs.
struct Times {
  double clock = 1e300, processor = 1e300;
};

/// Checks once more; returns the number of transfers.
double run(const Source& source, const Machine& machine, const Threading& threading, Times& times) {
  const double before = processor_seconds();
  const auto start = std::chrono::steady_clock::now();
  const Report report = check_steps(source, machine, {}, threading);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (report.verdict() != Verdict::holds) std::exit(1);
  times.clock = std::min(times.clock, taken.count());
  times.processor = std::min(times.processor, processor_seconds() - before);
  return static_cast<double>(report.transfers);
}

/// Prints a line; returns the ratio.
double compare(std::string_view kind, const Case& c, const Source& source, unsigned jobs,
               int runs) {
  const Machine machine = request(c).machine;
  const bool full = kind == "full";
  Times one, several;
  double transfers = 0;
  for (int i = 0; i < runs; ++i) {
    transfers = run(source, machine, {.threads = 1, .in_full = full}, one);
    run(source, machine, {.threads = jobs, .in_full = full}, several);
  }
  const double millions = transfers / 1e6;
  fmt::print(
      "{:<9} {:<15} {:<22} P={:<6} K={:<6} {:6.1f}M  {:6.1f} {:6.1f} M/s  {:5.2f}  {:6.1f} {:4.0f} "
      "%\n",
      kind, info(*c.collective).name, c.spec, c.ranks, c.chunks, millions, millions / one.clock,
      millions / several.clock, one.clock / several.clock, millions / one.processor,
      percent(transfers, one.processor));
  std::fflush(stdout);
  return one.clock / several.clock;
}

/// What a child process measured.
struct Large {
  double transfers = 0, seconds = 0, processor = 0;
};

/// Checks a streamed schedule in a process of its own.
InChild<Large> checked(const Case& c, unsigned jobs) {
  const auto child = in_child([&] {
    Times times;
    const double transfers = run(streamed(c), request(c).machine, {.threads = jobs}, times);
    return Large{transfers, times.clock, times.processor};
  });
  if (!child) std::exit(1);
  return *child;
}

/// A family of schedules, the smallest first: prints times, and the slope of the time over the
/// number of transfers, both as logarithms, between the smallest and the largest.
void large(const std::vector<Case>& family, unsigned jobs) {
  std::vector<Large> measured;
  for (const Case& c : family) {
    const auto [it, megabytes] = checked(c, jobs);
    measured.push_back(it);
    fmt::print("{:<10} {:<16} P={:<8} K={:<6} {:8.1f}M {:8.3f} s {:8.3f} s {:6.0f} MB {:4.0f} %\n",
               info(*c.collective).name, c.spec, c.ranks, c.chunks, it.transfers / 1e6, it.seconds,
               it.processor, megabytes, percent(it.transfers, it.seconds));
  }
  const auto slope = [&](double Large::*time) {
    return std::log(measured.back().*time / measured.front().*time) /
           std::log(measured.back().transfers / measured.front().transfers);
  };
  fmt::print("{:<10} slope {:.2f}, of processor time {:.2f}\n\n", "", slope(&Large::seconds),
             slope(&Large::processor));
}

void large(unsigned jobs) {
  using enum Collective;
  fmt::print("{:>56} {:>10} {:>10} {:>9}\n", "transfers", "clock", "processor", "memory");
  large({{"pairwise", 1024, 1, alltoall},
         {"pairwise", 3200, 1, alltoall},
         {"pairwise", 10000, 1, alltoall},
         {"pairwise", 32768, 1, alltoall}},
        jobs);
  large({{"ring", 724, 724, allreduce},
         {"ring", 2300, 2300, allreduce},
         {"ring", 8192, 8192, allreduce},
         {"ring", 22400, 22400, allreduce}},
        jobs);
  large({{"bruck", 512, 1, alltoall},
         {"bruck", 1400, 1, alltoall},
         {"bruck", 4096, 1, alltoall},
         {"bruck", 8192, 1, alltoall},
         {"bruck", 12288, 1, alltoall}},
        jobs);
  large({{"xor", 1024, 1, alltoall},
         {"xor", 4096, 1, alltoall},
         {"xor", 8192, 1, alltoall},
         {"xor", 32768, 1, alltoall}},
        jobs);
  for (const char* spec : {"circulant", "fractional-tree"}) {
    large({{spec, 1 << 10, 1024, broadcast},
           {spec, 1 << 12, 1024, broadcast},
           {spec, 1 << 13, 1024, broadcast},
           {spec, 1 << 17, 1024, broadcast},
           {spec, 1 << 20, 1024, broadcast}},
          jobs);
  }
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("memory bandwidth (copy) {:.1f} GB/s\n\n", bandwidth() / 1e9);
  if (argc > 1 && std::string_view(argv[1]) == "large") {
    large(static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 2));
    return 0;
  }
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
  fmt::print("{:>71}  {:>7} {:>6} {:>11} {:>7}\n", "transfers", "-j 1", fmt::format("-j {}", jobs),
             "ratio", "CPU");
  double product = 0;
  int cases = 0;
  const auto run_all = [&](std::string_view kind, const std::vector<Case>& list,
                           Source (*make)(const Case&)) {
    for (const Case& c : list) {
      if (fmt::format("{} {} {}", kind, info(*c.collective).name, c.spec).find(only) ==
          std::string::npos)
        continue;
      product += std::log(compare(kind, c, make(c), jobs, runs));
      ++cases;
    }
  };
  run_all("streamed", long_ones, streamed);
  run_all("held", short_ones, held);
  run_all("file", short_ones, from_file);
  run_all("full", short_ones, streamed);
  if (cases > 0) fmt::print("geometric mean of the ratios: {:.2f}\n", std::exp(product / cases));
}
