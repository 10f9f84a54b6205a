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
#include <unistd.h>

#include <functional>
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

/// The transfers of a schedule, and the seconds that they take.
struct Rate {
  double transfers, seconds;
};

/// Prints what `work` measures in a process of its own.
void print_rate(const std::string& name, double bandwidth, const std::function<Rate()>& work) {
  const auto child = in_child(work);
  if (!child) {
    fmt::print("{:<52} failed\n", name);
    return;
  }
  const double rate = child->result.transfers / child->result.seconds;
  fmt::print("{:<52} {:7.1f} M transfers/s {:6.0f} MB  {:5.1f} % of memory\n", name, rate / 1e6,
             child->megabytes, 100 * rate * sizeof(Transfer) / bandwidth);
}

/// Makes the schedule of a case by `make`, and checks it.
Rate checked(const Case& c, const std::function<Source()>& make) {
  const Machine machine = request(c).machine;
  Rate rate{};
  rate.seconds = best(3, [&] {
    const Report report = check(make(), machine);
    if (report.verdict() != Verdict::holds) _exit(1);
    rate.transfers = static_cast<double>(report.transfers);
  });
  return rate;
}

void build_and_check(const Case& c, double bandwidth) {
  print_rate(fmt::format("build and check {} P={} K={}", c.spec, c.ranks, c.chunks), bandwidth,
             [&] { return checked(c, [&] { return streamed(c); }); });
}

void check_in_memory(const Case& c, double bandwidth) {
  print_rate(fmt::format("check in memory {} P={} K={}", c.spec, c.ranks, c.chunks), bandwidth,
             [&] {
               const Source source = held(c);
               return checked(c, [&] { return source; });
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
