// The speed of schedcc, relative to the machine's memory bandwidth measured in the same run.
//
//     build and check   the steps of an algorithm, generated and checked by all checks
//     check             the same schedule held in memory
//     circulant         the send and receive schedule of one rank
//     sched             writing and reading the text format
//
// Each figure is the best of several runs in CPU time of the one thread, so that other work on the
// machine has little effect. Every case of the first two runs in its own process, whose peak memory
// is printed. The last column is relative to the bandwidth: bytes of transfers (16 each) or of
// text, over the bytes that memory could have moved in the time.

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "algorithm/kernel/circulant_schedule.hpp"
#include "bench/measure.hpp"
#include "bench/schedules.hpp"
#include "format/sched/reader.hpp"
#include "schedcc/check.hpp"
#include "schedcc/format.hpp"

using namespace schedcc;
using namespace measure;

namespace {

/// Runs `measure` in a child process; prints its seconds per unit and the child's peak memory.
void in_child(const std::string& name, double bandwidth,
              const std::function<double(double&)>& measure) {
  int ends[2];
  if (pipe(ends) != 0) return;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    double result[2];
    result[1] = measure(result[0]);
    const ssize_t written = write(ends[1], result, sizeof result);
    _exit(written == sizeof result ? 0 : 1);
  }
  close(ends[1]);
  double result[2] = {0, 1};
  const ssize_t got = read(ends[0], result, sizeof result);
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (got != sizeof result || status != 0) {
    fmt::print("{:<52} failed\n", name);
    return;
  }
  const double rate = result[0] / result[1];
  fmt::print("{:<52} {:7.1f} M transfers/s {:6} MB  {:5.1f} % of memory\n", name, rate / 1e6,
             usage.ru_maxrss / 1024, 100 * rate * sizeof(Transfer) / bandwidth);
}

void check_holds(const Source& source, const Machine& machine, double& transfers) {
  const Report report = check(source, machine);
  if (report.verdict() != Verdict::holds) _exit(1);
  transfers = static_cast<double>(report.transfers);
}

void build_and_check(const Case& c, double bandwidth) {
  in_child(fmt::format("build and check {} P={} K={}", c.spec, c.ranks, c.chunks), bandwidth,
           [&](double& transfers) {
             const Machine machine = request(c).machine;
             return best(3, [&] { check_holds(streamed(c), machine, transfers); });
           });
}

void check_in_memory(const Case& c, double bandwidth) {
  in_child(fmt::format("check in memory {} P={} K={}", c.spec, c.ranks, c.chunks), bandwidth,
           [&](double& transfers) {
             const Source source = held(c);
             const Machine machine = request(c).machine;
             return best(3, [&] { check_holds(source, machine, transfers); });
           });
}

void circulant(std::uint64_t P) {
  const local::CirculantGraph graph(P);
  int sum = 0;
  const double seconds = best(3, [&] {
    for (std::uint64_t r = 0; r < P; ++r) sum += graph.schedule(r).send[0];
  });
  fmt::print("circulant schedule of a rank, P={:<19} {:7.3f} us{}\n", P,
             1e6 * seconds / static_cast<double>(P), sum == 1 << 30 ? "!" : "");
}

void sched(const Case& c, double bandwidth) {
  const Source source = held(c);
  Buffer buffer;
  const double writing = best(3, [&] {
    buffer.text.clear();
    find_format("sched").write(source, {}, buffer);
  });
  const auto bytes = static_cast<double>(buffer.text.size());
  const Source read = read_sched(InputText::of(buffer.text), "bench");
  const double reading = best(3, [&] {
    const auto stream = read.open();
    for (Step step; stream->next(step);) {
    }
  });
  for (const auto& [what, seconds] : {std::pair("write", writing), std::pair("read", reading)}) {
    fmt::print("{:<52} {:7.1f} MB/s {:24.1f} % of memory\n",
               fmt::format("{} .sched {} P={} K={}", what, c.spec, c.ranks, c.chunks),
               bytes / seconds / 1e6, 100 * bytes / seconds / bandwidth);
  }
}

}  // namespace

int main() {
  const double bandwidth = memory_bandwidth();
  fmt::print("memory bandwidth (copy) {:.1f} GB/s\n\n", bandwidth / 1e9);
  const std::vector<Case> cases{
      {"fractional-tree:r=8", 4096, 4096},
      {"fractional-tree:r=8", 4095, 4096},
      {"fractional-tree:r=8", 4097, 4096},
      {"fractional-tree:r=7", 4096, 4096},
      {"circulant", 4096, 4096},
      {"circulant", 4095, 4096},
      {"circulant", 4097, 4096},
      {"pairwise", 4096, 1},
      {"pairwise", 4095, 1},
      {"pairwise", 4097, 1},
  };
  for (const Case& c : cases) build_and_check(c, bandwidth);
  fmt::print("\n");
  for (const Case& c : cases) check_in_memory(c, bandwidth);
  fmt::print("\n");
  circulant(std::uint64_t{1} << 20);
  circulant(1000003);
  fmt::print("\n");
  sched({"fractional-tree:r=8", 1024, 1024}, bandwidth);
  sched({"pairwise", 1024, 1}, bandwidth);
  sched({"ring", 512, 3}, bandwidth);
}
