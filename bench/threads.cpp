// The time of a verdict on a program for GPUs, relative to one execution of it by CPU threads.
//
//     schedcc_bench_threads BYTES FILE...
//
// For each file of MSCCL XML: a thread for each threadblock, FIFOs of 8 messages, calls whose
// longer buffer has about BYTES, as integers of 64 bits, and a comparison of the outputs with what
// the collective defines. That is one order of the many that are possible, one size, and no answer
// where a program does not end; a verdict is for all of them. Both begin with the program in
// memory. Times are the best of three runs, as CPU time of all threads, and by the clock.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/measure.hpp"
#include "program/contents.hpp"
#include "schedcc/check.hpp"
#include "schedcc/format.hpp"
#include "schedcc/program.hpp"
#include "schedcc/units.hpp"

using namespace schedcc;

namespace {

using Data = std::vector<std::uint64_t>;  ///< a chunk

void add(Data& sum, const Data& other) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
}

/// What a rank starts with. Copies of a chunk are the same on all ranks.
Data value(std::size_t length, bool reduces, Rank rank, Chunk chunk) {
  Data data(length);
  for (std::size_t i = 0; i < length; ++i)
    data[i] = (chunk + 1) * 0x9E3779B97F4A7C15U + i + (reduces ? rank * 0xD1B54A32D192ED03U : 0);
  return data;
}

/// Between one sender and one receiver.
class Fifo {
 public:
  void send(std::vector<Data> message) {
    const std::uint32_t at = sent_.load(std::memory_order_relaxed);
    for (std::uint32_t taken = taken_.load(); at - taken == slots_.size(); taken = taken_.load())
      taken_.wait(taken);
    slots_[at % slots_.size()] = std::move(message);
    sent_.store(at + 1);
    sent_.notify_one();
  }
  std::vector<Data> receive() {
    const std::uint32_t at = taken_.load(std::memory_order_relaxed);
    sent_.wait(at);
    std::vector<Data> message = std::move(slots_[at % slots_.size()]);
    taken_.store(at + 1);
    taken_.notify_one();
    return message;
  }

 private:
  std::array<std::vector<Data>, 8> slots_;
  std::atomic<std::uint32_t> sent_ = 0, taken_ = 0;
};

class Execution {
 public:
  Execution(const Program& program, std::size_t bytes) : program_(program), contents_(program) {
    for (Rank r = 0; r < program.gpus.size(); ++r) {
      const Gpu& gpu = program.gpus[r];
      const std::size_t longer = std::max(gpu.input, gpu.output);  // in place, one may be 0
      if (r == 0) length_ = std::max<std::size_t>(1, bytes / sizeof(std::uint64_t) / longer);
      const Data none(length_);
      memory_.push_back(
          {std::vector(longer, none), std::vector(longer, none), std::vector(gpu.scratch, none)});
      for (std::uint32_t i = 0; i < input_chunks(program.problem, r); ++i) {
        if (const auto chunk = contents_.start(r, i))
          slot(r, {BufferKind::input, static_cast<std::int32_t>(i)}) =
              value(length_, reduces(), r, *chunk);
      }
      done_.emplace_back(gpu.blocks.size());
    }
  }

  void run() {
    std::vector<std::thread> threads;
    for (Rank r = 0; r < program_.gpus.size(); ++r) {
      const auto& blocks = program_.gpus[r].blocks;
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        // Before any of them runs: the map must not change then.
        if (blocks[b].send >= 0) fifo(r, static_cast<Rank>(blocks[b].send), blocks[b].channel);
        if (blocks[b].recv >= 0) fifo(static_cast<Rank>(blocks[b].recv), r, blocks[b].channel);
      }
    }
    for (Rank r = 0; r < program_.gpus.size(); ++r) {
      for (std::size_t b = 0; b < program_.gpus[r].blocks.size(); ++b)
        threads.emplace_back([this, r, b] { execute(r, b); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  bool right() {
    bool result = true;
    for (Rank r = 0; r < program_.gpus.size(); ++r) {
      contents_.for_each_goal(r, [&](std::uint32_t offset, Chunk chunk) {
        Data expected = value(length_, reduces(), 0, chunk);
        for (Rank q = 1; reduces() && q < program_.gpus.size(); ++q)
          add(expected, value(length_, true, q, chunk));
        result &= slot(r, {BufferKind::output, static_cast<std::int32_t>(offset)}) == expected;
      });
    }
    return result;
  }

 private:
  bool reduces() const { return info(program_.problem.collective).reduction; }
  Fifo& fifo(Rank from, Rank to, std::uint32_t channel) { return fifos_[{from, to, channel}]; }

  Data& slot(Rank r, Slot at) {
    if (!program_.out_of_place) at = in_place(program_.problem, r, at);
    auto& [input, output, scratch] = memory_[r];
    auto& buffer = at.buffer == BufferKind::input    ? input
                   : at.buffer == BufferKind::output ? output
                                                     : scratch;
    return buffer.at(static_cast<std::size_t>(at.offset));
  }

  void execute(Rank r, std::size_t b) {
    const Threadblock& block = program_.gpus[r].blocks[b];
    std::uint32_t completed = 0;
    for (const Instruction& step : block.steps) {
      if (step.block >= 0) {
        auto& other = done_[r][static_cast<std::size_t>(step.block)];
        const auto needed = static_cast<std::uint32_t>(step.step);
        for (std::uint32_t seen = other.load(); seen <= needed; seen = other.load())
          other.wait(seen);
      }
      const OpEffects does = effects(step.op);
      std::vector<Data> data(step.count, Data(length_));
      if (does.receives)
        data = fifos_.at({static_cast<Rank>(block.recv), r, block.channel}).receive();
      for (std::uint32_t i = 0; i < step.count; ++i) {
        const auto at = [&](Slot first) -> Data& {
          return slot(r, {first.buffer, first.offset + static_cast<std::int32_t>(i)});
        };
        if (does.reads_src) add(data[i], at(step.src));
        if (does.reads_dst) add(data[i], at(step.dst));
        if (does.writes_dst) at(step.dst) = data[i];
      }
      if (does.sends)
        fifos_.at({r, static_cast<Rank>(block.send), block.channel}).send(std::move(data));
      done_[r][b].store(++completed);
      done_[r][b].notify_all();
    }
  }

  const Program& program_;
  program::Contents contents_;
  std::size_t length_ = 0;  ///< of a chunk
  std::vector<std::tuple<std::vector<Data>, std::vector<Data>, std::vector<Data>>> memory_;
  std::map<std::tuple<Rank, Rank, std::uint32_t>, Fifo> fifos_;
  std::vector<std::vector<std::atomic<std::uint32_t>>> done_;  ///< by GPU and block: instructions
};

struct Seconds {
  double processor = std::numeric_limits<double>::infinity(), clock = processor;
};
Seconds best_of_three(const std::function<void()>& work) {
  Seconds best;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    best.processor = std::min(best.processor, measure::best(1, work));
    best.clock =
        std::min(best.clock,
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) try {
  fmt::print("{:>8}{:>11}{:>11}{:>10}{:>10}  {}\n", "threads", "verdict", "execution", "CPU time",
             "by clock", "file");
  const std::size_t bytes = argc > 1 ? parse_bytes(argv[1], "BYTES") : 0;
  double logarithms = 0;
  int programs = 0;
  for (int i = 2; i < argc; ++i) {
    const Source source = read_file(argv[i], "msccl");
    const Program& program = *source.program;
    std::size_t threads = 0;
    for (const Gpu& gpu : program.gpus) threads += gpu.blocks.size();
    CheckOptions options;
    if (check(source, Machine(), options).verdict() != Verdict::holds) {
      fmt::print("{} does not hold\n", argv[i]);
      continue;
    }
    bool right = true;
    const Seconds verdict = best_of_three([&] { check(source, Machine(), options); });
    const Seconds execution = best_of_three([&] {
      Execution run(program, bytes);
      run.run();
      right &= run.right();
    });
    fmt::print("{:8}{:9.2f}ms{:9.2f}ms{:9.1f}x{:9.1f}x  {}{}\n", threads, 1e3 * verdict.processor,
               1e3 * execution.processor, execution.processor / verdict.processor,
               execution.clock / verdict.clock, argv[i], right ? "" : " (wrong result)");
    logarithms += std::log(execution.processor / verdict.processor);
    ++programs;
  }
  if (programs > 0)
    fmt::print("geometric mean of the ratios of CPU time: {:.1f}\n",
               std::exp(logarithms / programs));
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
