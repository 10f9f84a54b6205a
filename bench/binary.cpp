// The speed of the binary format, relative to the machine's memory bandwidth measured in the same
// run, and to the text of the same schedules.
//
// For each schedule, held in memory: the lengths of its text and of its binary file; the rates at
// which either is written and read, in bytes of the text and in transfers. The last column is the
// rate in bytes of text over the bytes a second that a copy in memory reads and writes. Each figure
// is the best of several runs in CPU time of the one thread.
//
//     schedcc_bench_binary growth     broadcasts of 10^3 to 10^7 transfers, which bench/growth.py
//                                     draws

#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.hpp"
#include "bench/schedules.hpp"
#include "core/crc32c.hpp"
#include "core/input_text.hpp"
#include "format/entry.hpp"

using namespace schedcc;
using namespace measure;

namespace {

Source named(const Case& c) {
  Source result = held(c);
  result.name = fmt::format("{} {} P={} K={}", c.spec, info(result.problem.collective).name,
                            c.ranks, c.chunks);
  return result;
}

/// In each step a random permutation of the ranks, and for each message a random run of chunks:
/// nothing repeats.
Source irregular(Rank ranks, std::uint64_t steps) {
  std::uint64_t state = 1;
  const auto random = [&](std::uint64_t below) {  // xorshift64*
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return static_cast<std::uint32_t>(((state * 0x2545F4914F6CDD1DU) >> 32) * below >> 32);
  };
  constexpr std::uint32_t chunks = 1 << 20;
  auto schedule = std::make_shared<Schedule>();
  std::vector<Rank> receivers(ranks);
  std::iota(receivers.begin(), receivers.end(), Rank{0});
  for (std::uint64_t t = 0; t < steps; ++t) {
    for (std::size_t i = ranks; i > 1; --i) std::swap(receivers[i - 1], receivers[random(i)]);
    schedule->begin_step(t);
    for (Rank r = 0; r < ranks; ++r)
      schedule->add(copy(r, receivers[r], random(chunks - 64), 1 + random(64)));
  }
  Source result = from_schedule(custom_problem(ranks, chunks), schedule);
  result.name = fmt::format("irregular P={} steps={}", ranks, steps);
  return result;
}

std::uint64_t transfers_of(const Source& source) {
  std::uint64_t result = 0;
  const auto stream = source.open();
  for (Step step; stream->next(step);) result += step.transfers.size();
  return result;
}

void print_rate(std::string_view what, double seconds, std::size_t text, std::uint64_t transfers,
                double bandwidth) {
  const double rate = static_cast<double>(text) / seconds;
  fmt::print("  {:<14} {:7.2f} GB of text/s {:8.1f} M transfers/s {:7.1f} % of memory\n", what,
             rate / 1e9, static_cast<double>(transfers) / seconds / 1e6, 100 * rate / bandwidth);
}

/// Writes and reads the schedule in a format. Returns the bytes.
std::string measure_format(const Source& source, std::string_view format, std::size_t text,
                           std::uint64_t transfers, double bandwidth) {
  Buffer out;
  const auto write = [&] {
    out.text.clear();
    find_format(format).write(source, {}, out);
  };
  write();  // the first one allocates the buffer
  if (text == 0) text = out.text.size();
  print_rate(fmt::format("write {}", format), best(3, write), text, transfers, bandwidth);
  const InputText bytes = InputText::of(out.text);
  const FormatEntry& entry = FormatEntry::of(find_format(format));
  std::uint64_t read = 0;
  const double reading = best(3, [&] { read = transfers_of(entry.read(bytes, "bench")); });
  print_rate(fmt::format("read {}", format), reading, text, read, bandwidth);
  return out.text;
}

void measure_all(const Source& source, double bandwidth) {
  const std::uint64_t transfers = transfers_of(source);
  fmt::print("{}, {} transfers\n", source.name, transfers);
  const std::size_t text = measure_format(source, "sched", 0, transfers, bandwidth).size();
  const std::size_t bytes = measure_format(source, "binary", text, transfers, bandwidth).size();
  fmt::print("  {} bytes of text, {} binary: 1/{:.1f}\n\n", text, bytes,
             static_cast<double>(text) / static_cast<double>(bytes));
}

void checksums(double bandwidth) {
  const std::string bytes(std::size_t{1} << 26, 'x');
  std::uint32_t sum = 0;
  for (const auto& [name, function] :
       {std::pair("crc32c", &crc32c), std::pair("crc32c by tables", &crc32c_by_tables)}) {
    const double seconds = best(3, [&, f = function] { sum ^= f(bytes, 0); });
    const double rate = static_cast<double>(bytes.size()) / seconds;
    fmt::print("{:<16} {:7.2f} GB/s {:50.1f} % of memory\n", name, rate / 1e9,
               100 * rate / bandwidth);
  }
  if (sum == 1) fmt::print("\n");  // the sums are used
}

}  // namespace

int main(int argc, char** argv) {
  const double bandwidth = memory_bandwidth();
  fmt::print("memory bandwidth (copy) {:.1f} GB/s\n\n", bandwidth / 1e9);
  if (argc > 1 && std::string_view(argv[1]) == "growth") {
    for (std::uint32_t chunks = 2; chunks <= 8192; chunks *= 4)
      measure_all(named({"circulant", 1024, chunks}), bandwidth);
    return 0;
  }
  measure_all(named({"ring", 1024, 1024, Collective::allreduce}), bandwidth);
  measure_all(named({"circulant", 1024, 4096}), bandwidth);
  measure_all(named({"pairwise", 2048, 1}), bandwidth);
  measure_all(named({"xor", 1024, 1}), bandwidth);
  measure_all(named({"binomial-tree", 1 << 20, 1}), bandwidth);
  measure_all(named({"circulant", 1 << 17, 32}), bandwidth);
  measure_all(named({"double-binary-tree", 1 << 17, 16}), bandwidth);
  measure_all(irregular(1024, 2048), bandwidth);
  checksums(bandwidth);
}
