// Programs: FIFOs as deep as the protocol makes them, in calls of every size.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "program/execution.hpp"
#include "program_simulator.hpp"
#include "programs.hpp"

using namespace schedcc;
using namespace programs;

namespace {

struct Protocol {
  const char* name;
  std::uint64_t depth;  ///< messages of a connection
  std::uint64_t bytes;  ///< of a message, at least
};

/// By hand, from the sources of the runtimes.
constexpr Protocol protocols[] = {{"Simple", 2, 524288}, {"LL", 8, 16384}, {"LL128", 8, 50176}};

/// Two GPUs send each other `messages` messages of `count` chunks before they receive any.
Program exchange(const char* protocol, std::int32_t messages, std::int32_t count) {
  Program program;
  const std::int32_t K = messages * count;
  program.protocol = protocol;
  program.problem = {Collective::alltoall, 2, 0, static_cast<std::uint32_t>(K), false, nullptr};
  program.channels = 1;
  program.chunks_per_loop = static_cast<std::uint32_t>(2 * K);
  for (std::int32_t r = 0; r < 2; ++r) {
    Threadblock block;
    block.send = block.recv = 1 - r;
    for (const Op op : {Op::send, Op::recv, Op::copy}) {
      for (std::int32_t j = 0; j < messages; ++j) {
        const std::int32_t from = op == Op::send ? 1 - r : r, to = op == Op::recv ? 1 - r : r;
        block.steps.push_back(instruction(op, {BufferKind::input, from * K + j * count},
                                          {BufferKind::output, to * K + j * count}));
        block.steps.back().count = static_cast<std::uint32_t>(count);
      }
    }
    const auto size = static_cast<std::uint32_t>(2 * K);
    program.gpus.push_back({size, size, 0, {block}});
  }
  return program;
}

Report proved_deadlock(const Program& program, std::optional<std::uint64_t> fifo = std::nullopt) {
  return proved(as_source(program), fifo);
}

}  // namespace

TEST_CASE("a FIFO holds what the protocol puts into it", "[program]") {
  for (const auto& [protocol, depth, bytes] : protocols) {
    for (std::int32_t messages = 1; messages <= 10; ++messages) {
      for (const std::int32_t count : {1, 2, 5}) {
        INFO(protocol << ": " << messages << " messages of " << count);
        const Program program = exchange(protocol, messages, count);
        // In large calls a chunk is a message.
        const bool fits = static_cast<std::uint64_t>(messages * count) <= depth;
        const Report report = proved_deadlock(program);
        CHECK(report.machine == "msccl:fifo=" + std::to_string(depth));
        CHECK(violates(report, "deadlock") == !fits);
        CHECK(report.verdict() == (fits ? Verdict::holds : Verdict::violated));
        // --fifo N: a FIFO holds N instructions of any size.
        for (const std::uint64_t fifo : {1, 3, 9}) {
          CHECK(violates(proved_deadlock(program, fifo), "deadlock") ==
                (static_cast<std::uint64_t>(messages) > fifo));
        }
      }
    }
  }
}

TEST_CASE("a program that completes up to some size says up to which", "[program]") {
  for (const auto& [protocol, depth, bytes] : protocols) {
    for (const std::int32_t messages : {1, 2, 3}) {
      for (const std::int32_t count : {2, 5, 30, 71}) {
        Program program = exchange(protocol, messages, count);
        const std::uint64_t chunks = program.chunks_per_loop;
        // The least number of chunks a message with which all messages fit.
        std::optional<std::uint64_t> least;
        for (std::uint64_t c = 71; c > 0; --c) {
          const std::uint64_t parts = (static_cast<std::uint64_t>(count) + c - 1) / c;
          if (static_cast<std::uint64_t>(messages) * parts <= depth) least = c;
        }
        INFO(protocol << ": " << messages << " messages of " << count);
        const auto holds = [&](std::uint64_t max_bytes) {
          program.max_bytes = max_bytes;
          return !violates(proved_deadlock(program), "deadlock");
        };
        CHECK(holds(0) == (least == 1U));
        if (!least) {
          CHECK_FALSE(holds(1));
          continue;
        }
        if (least == 1U) continue;
        const std::uint64_t largest = chunks * (bytes / *least);
        const std::string stated_size = "calls of up to " + std::to_string(largest) + " bytes";
        CHECK(findings_text(proved_deadlock(program)).find(stated_size) != std::string::npos);
        CHECK(holds(largest));
        CHECK_FALSE(holds(largest + 1));
        CHECK(
            proved_deadlock(program).machine.ends_with(",maxBytes=" + std::to_string(largest + 1)));
      }
    }
  }
}

TEST_CASE("longer messages stop no program that shorter ones do not", "[program]") {
  // Two or three GPUs in a row or a ring, whose threadblocks do something at random; partners have
  // the same counts. Many of them stop.
  std::mt19937 random(7);
  unsigned stopped = 0, completed = 0;
  for (unsigned round = 0; round < 1500; ++round) {
    const auto P = static_cast<Rank>(2 + random() % 2);
    Program program;
    program.problem = {Collective::custom, P, 0, 1, false, nullptr};
    program.channels = 1;
    program.gpus.resize(P);
    std::vector<std::vector<std::uint32_t>> counts(P);  // of what goes from each GPU to the next
    for (auto& list : counts) {
      list.resize(1 + random() % 4);
      for (std::uint32_t& count : list) count = static_cast<std::uint32_t>(1 + random() % 6);
    }
    for (Rank r = 0; r < P; ++r) {
      Threadblock block;
      block.send = static_cast<std::int32_t>((r + 1) % P);
      block.recv = static_cast<std::int32_t>((r + P - 1) % P);
      const auto& out = counts[r];
      const auto& in = counts[(r + P - 1) % P];
      for (std::size_t i = 0, j = 0; i < out.size() || j < in.size();) {
        Instruction step = instruction(Op::nop, {BufferKind::scratch, 0}, {BufferKind::scratch, 8});
        const bool both = i < out.size() && j < in.size() && out[i] == in[j];
        if (both && random() % 2 == 0) {
          step.op = Op::recv_copy_send;
          step.count = out[i];
          ++i, ++j;
        } else if (i < out.size() && (j == in.size() || random() % 2 == 0)) {
          step.op = Op::send;
          step.count = out[i++];
        } else {
          step.op = Op::recv;
          step.count = in[j++];
        }
        block.steps.push_back(step);
      }
      program.gpus[r] = {1, 1, 16, {block}};
    }
    const program::Wiring wiring(program);
    const std::uint64_t depth = 1 + random() % 4;
    std::optional<std::uint32_t> least;
    for (std::uint32_t chunks = 7; chunks > 0; --chunks) {
      const bool ended = naive::run_program(program, depth, false, random, chunks).ended;
      INFO("round " << round << ", " << depth << " messages of " << chunks);
      CHECK(program::execute(wiring, {depth, chunks}).complete() == ended);
      if (ended) CHECK((chunks == 7 || least == chunks + 1));  // and so with all above
      if (ended) least = chunks;
    }
    CHECK(program::least_chunks(wiring, depth) == least);
    ++(least ? completed : stopped);
  }
  CHECK(stopped > 100);
  CHECK(completed > 100);
}

namespace {

/// Whatever is written holds in calls of every size, by the prover and by the oracle.
void check_never_stops(const Source& source, const Machine& machine, const std::string& spec,
                       const Protocol& protocol) {
  INFO(spec);
  const std::string text =
      written(source, machine, spec + ",protocol=" + std::string(protocol.name));
  const Source back = read_back(text);
  const Program& program = *back.program;
  CHECK(program.max_bytes == 0);
  CheckOptions options;
  options.checks = {"limits", "matching", "deadlock", "races"};
  const Report report = check(back, machine, options);
  INFO(findings_text(report));
  CHECK(report.verdict() == Verdict::holds);
  std::mt19937 random(3);
  const naive::ProgramRun run =
      naive::run_program(program, protocol.depth, program.in_place, random, 1);
  CHECK(run.ended);
  CHECK(run.fits);
  if (program.problem.collective != Collective::custom) CHECK(run.complete);
}

}  // namespace

TEST_CASE("no program that is written ever stops", "[program]") {
  std::size_t cases = 0;
  for (const Rank ranks : {2, 3, 4}) {
    for (const std::uint32_t chunks : {1u, 4u}) {
      for_some_programs(ranks, chunks, [&](const Source& source, const Machine& machine) {
        for (const Protocol& protocol : protocols) {
          check_never_stops(source, machine, "msccl:place=in", protocol);
          if (source.problem.collective > Collective::reduce_scatter) continue;
          check_never_stops(source, machine, "msccl:dialect=azure,place=out", protocol);
        }
        ++cases;
      });
    }
  }
  CHECK(cases > 100);
}

TEST_CASE("rings and exchanges of many chunks never stop", "[program]") {
  for (const Rank P : {4, 8}) {
    for (const std::uint32_t K : {4u, 9u, 32u}) {
      const std::vector<run::Case> cases{{"ring", P, K, {}, "allgather"},
                                         {"ring", P, K, {}, "reduce-scatter"},
                                         {"ring", P, K * P, {}, "allreduce"},
                                         {"recursive-doubling", P, K, {}, "allreduce"},
                                         {"recursive-doubling", P, K, {}, "allgather"},
                                         {"pairwise", P, K}};
      for (const run::Case& c : cases) {
        INFO(c.spec << " " << c.collective << " P " << P << " K " << K);
        for (const Protocol& protocol : protocols) {
          check_never_stops(source_of(c), run::ready(c).request.machine, "msccl", protocol);
        }
      }
    }
  }
}

TEST_CASE("what fits only in small calls is for these", "[program]") {
  // Each rank has 4000 chunks for the other, which are too many instructions one by one.
  const run::Case c{"recursive-doubling", 2, 4000, {}, "allreduce"};
  for (const char* dialect : {"msccl", "azure"}) {
    const Source back = read_back(written(source_of(c), run::ready(c).request.machine,
                                          "msccl:dialect=" + std::string(dialect)));
    Program program = *back.program;
    // A step of 71 chunks is two messages where a message has 36.
    CHECK(program.max_bytes == 4000 * (std::uint64_t{524288} / 36));
    CHECK(proved(back).verdict() == Verdict::holds);
    ++program.max_bytes;
    CHECK(violates(proved(as_source(program)), "deadlock"));
    program.max_bytes = 0;
    CHECK(violates(proved(as_source(program)), "deadlock"));
  }
}

TEST_CASE("the runtimes count the reductions of a threadblock", "[program]") {
  // A chain of `first` reductions into one place, and one of `second` into another.
  for (const auto& [protocol, depth, bytes] : protocols) {
    for (std::uint32_t first = 0; first <= 34; ++first) {
      for (std::uint32_t second = 0; second <= 20; ++second) {
        Threadblock block;
        for (std::uint32_t i = 0; i < first + second; ++i) {
          block.steps.push_back(instruction(Op::reduce,
                                            {BufferKind::scratch, static_cast<std::int32_t>(i)},
                                            {BufferKind::output, i < first ? 0 : 1}));
        }
        Program program;
        program.protocol = protocol;
        program.problem = {Collective::allreduce, 1, 0, 2, false, nullptr};
        program.channels = 1;
        program.chunks_per_loop = 2;
        program.gpus = {{2, 2, 64, {block}}};
        // One reduction after the other: the 16th of the threadblock ends its chain.
        std::uint32_t longest = 0, length = 0;
        for (std::uint32_t i = 0; i < first + second; ++i) {
          length = i == 0 || i == first || i == 16 ? 1 : length + 1;
          longest = std::max(longest, length);
        }
        INFO(protocol << ": " << first << " and " << second);
        const bool beyond = longest > (std::string(protocol) == "Simple" ? 15u : 16u);
        CHECK(violates(proved(as_source(program)), "limits") == beyond);
      }
    }
  }
}
