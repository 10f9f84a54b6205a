// Programs: the checks find the same defects in mutants as an oracle that executes them.

#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <utility>

#include "program/steps.hpp"
#include "program_simulator.hpp"
#include "programs.hpp"

using namespace schedcc;
using namespace programs;

TEST_CASE("a planted defect of each kind is found", "[program]") {
  const Program good = all_pairs_through_scratch(4);
  const auto found = [&](auto plant) {
    Program program = good;
    plant(program.gpus[1]);
    const Report report = proved(as_source(program));
    INFO(findings_text(report));
    REQUIRE(!report.findings.empty());
    CHECK_THROWS_AS(program::steps(program, "program.xml"), InputError);
    return std::string(report.findings[0].check) + ": " + report.findings[0].message;
  };
  const auto begins = [](const std::string& text, const std::string& with) {
    INFO(text);
    CHECK(text.starts_with(with));
  };
  begins(found([](Gpu& gpu) { gpu.blocks[2].steps[0].count = 2; }), "matching: ");
  begins(found([](Gpu& gpu) {
           gpu.blocks[0].steps[1].block = 3;  // waits for the sum that waits for it
           gpu.blocks[0].steps[1].step = 1;
           gpu.blocks[3].steps[1].awaited = true;
         }),
         "deadlock: these instructions wait for one another: ");
  begins(found([](Gpu& gpu) { gpu.blocks[3].steps[2].block = gpu.blocks[3].steps[2].step = -1; }),
         "races: step 1 of threadblock 1 of GPU 1 writes s[1]");
  begins(
      found([](Gpu& gpu) { gpu.blocks[3].steps.pop_back(); }),
      "delivery: GPU 1 ends with a wrong chunk 0 in o[0]: the contribution of rank 3 is missing");
  begins(
      found([](Gpu& gpu) { gpu.blocks[3].steps[3].src.offset = 0; }),
      "delivery: GPU 1 ends with a wrong chunk 0 in o[0]: the contribution of rank 0 is counted");
}

namespace {

std::vector<Program> subjects() {
  using program::Calls;
  std::vector<Program> result;
  for (const Calls calls : {Calls::out_of_place, Calls::in_place}) {
    result.push_back(program_of({"ring", 3, 3, {}, "allreduce"}, calls));
    result.push_back(program_of({"ring", 4, 1, {}, "allgather"}, calls));
    result.push_back(program_of({"recursive-doubling", 4, 2, {}, "allreduce"}, calls));
    result.push_back(program_of({"pairwise", 3, 2}, calls));
    result.push_back(program_of({"ring", 3, 2, {}, "reduce-scatter"}, calls, 2));
    result.push_back(program_of({"binomial-tree", 5, 2, {}, "reduce", 2}, calls));
    result.push_back(program_of({"binomial-tree", 5, 1, {}, "scatter"}, calls));
    result.push_back(program_of({"fractional-tree:r=2", 6, 4}, calls));
  }
  return result;
}

/// Changes the program at a random place in a random way; empty if nothing came of it.
std::string mutate(Program& program, std::mt19937& random) {
  std::vector<std::pair<Gpu*, Threadblock*>> blocks;
  for (Gpu& gpu : program.gpus) {
    for (Threadblock& block : gpu.blocks) {
      if (!block.steps.empty()) blocks.emplace_back(&gpu, &block);
    }
  }
  const auto [gpu, block] = blocks[random() % blocks.size()];
  auto& steps = block->steps;
  Instruction& step = steps[random() % steps.size()];
  const auto size = [&, gpu = gpu](BufferKind b) {
    return static_cast<std::int32_t>(b == BufferKind::input    ? gpu->input
                                     : b == BufferKind::output ? gpu->output
                                                               : gpu->scratch);
  };
  const auto fits = [&](Slot slot) {
    return slot.offset >= 0 &&
           slot.offset + static_cast<std::int32_t>(step.count) <= size(slot.buffer);
  };
  const auto move = [&](Slot& slot) {
    slot.buffer = static_cast<BufferKind>(random() % 3);
    slot.offset = static_cast<std::int32_t>(random() % 4);
    return fits(slot);
  };
  switch (random() % 8) {
    case 0:
      if (step.block < 0) return {};
      step.block = step.step = -1;
      return "drop a dependency";
    case 1: {
      const auto other = random() % gpu->blocks.size();
      if (gpu->blocks[other].steps.empty()) return {};
      Instruction& target = gpu->blocks[other].steps[random() % gpu->blocks[other].steps.size()];
      target.awaited = true;
      step.block = static_cast<std::int32_t>(other);
      step.step = static_cast<std::int32_t>(&target - gpu->blocks[other].steps.data());
      return "wait for another";
    }
    case 2:
      return effects(step.op).reads_src && move(step.src) ? "read from elsewhere" : "";
    case 3:
      return effects(step.op).writes_dst && move(step.dst) ? "write to elsewhere" : "";
    case 4: {
      const std::size_t i = random() % steps.size();
      if (i + 1 == steps.size()) return {};
      std::swap(steps[i], steps[i + 1]);
      return "swap two steps";
    }
    case 5: {
      const Op ops[] = {Op::recv, Op::recv_reduce_copy};
      if (step.op != ops[0] && step.op != ops[1]) return {};
      step.op = step.op == ops[0] ? ops[1] : ops[0];
      if (!fits(step.src)) return {};
      return "combine, or do not";
    }
    case 6:
      if (step.op == Op::nop || step.count < 2) return {};
      --step.count;
      return "move less";
    default: {
      // Replaced by a nop, so that later steps keep their numbers.
      if (step.op == Op::nop) return {};
      step.op = Op::nop;
      return "leave out";
    }
  }
}

}  // namespace

TEST_CASE("the prover agrees with the oracle on programs and their mutants", "[program]") {
  std::mt19937 random(1);
  const std::vector<Program> programs = subjects();
  std::map<std::string, std::array<unsigned, 2>> kinds;  // held, violated
  for (unsigned round = 0; round < 6000; ++round) {
    Program program = programs[random() % programs.size()];
    std::string what = round < 100 ? "nothing" : mutate(program, random);
    if (what.empty()) continue;
    const std::uint64_t depth = random() % 4 == 0 ? 1 : 8;
    const bool in_place = program.in_place;
    const Report report = proved(as_source(program), depth);
    INFO(what << " in round " << round << "\n" << findings_text(report));
    const bool violated = violates(report, "matching") || violates(report, "deadlock") ||
                          violates(report, "races") || violates(report, "delivery");
    ++kinds[what][violated];
    bool ended = true, fits = true, complete = true;
    for (int i = 0; i < 4; ++i) {
      const naive::ProgramRun run = naive::run_program(program, depth, in_place, random);
      CHECK((i == 0 || ended == run.ended));  // who goes first does not matter
      ended = run.ended;
      fits &= run.fits;
      complete &= run.complete;
    }
    if (!violated) {
      CHECK(ended);
      CHECK(fits);
      CHECK(complete);
      CHECK_FALSE(naive::has_race(program, in_place));
    }
    CHECK(violates(report, "deadlock") == !ended);
    if (!fits) CHECK(violates(report, "matching"));
    if (!ended) continue;
    if (!violates(report, "matching"))
      CHECK(violates(report, "races") == naive::has_race(program, in_place));
    if (!violates(report, "matching")) CHECK(report.steps == naive::longest_chain(program));
    if (!violates(report, "races")) CHECK(violates(report, "delivery") != complete);
  }
  CHECK(kinds.size() == 9);
  for (const auto& [what, count] : kinds) {
    INFO(what);
    if (what == "nothing") {
      CHECK(count[1] <= count[0]);  // some have FIFOs of one slot
    } else {
      CHECK(count[1] > 0);
    }
  }
}

TEST_CASE("whatever is left out of a program is found", "[program]") {
  for (const Program& whole : subjects()) {
    for (std::size_t g = 0; g < whole.gpus.size(); ++g) {
      for (std::size_t b = 0; b < whole.gpus[g].blocks.size(); ++b) {
        for (std::size_t s = 0; s < whole.gpus[g].blocks[b].steps.size(); ++s) {
          Program program = whole;
          Instruction& step = program.gpus[g].blocks[b].steps[s];
          if (step.op == Op::nop) continue;
          step.op = Op::nop;
          INFO("gpu " << g << " threadblock " << b << " step " << s);
          CHECK(proved(as_source(program)).verdict() == Verdict::violated);
        }
      }
    }
  }
}

TEST_CASE("more messages than a FIFO holds stop a program", "[program]") {
  // Two GPUs send each other n chunks before they receive any.
  for (const std::uint32_t n : {1u, 8u, 9u, 20u}) {
    Program program;
    program.problem = {Collective::alltoall, 2, 0, n, false, nullptr};
    program.channels = 1;
    for (std::int32_t r = 0; r < 2; ++r) {
      const auto N = static_cast<std::int32_t>(n);
      Threadblock block;
      block.send = block.recv = 1 - r;
      for (const Op op : {Op::send, Op::recv, Op::copy}) {
        for (std::int32_t j = 0; j < N; ++j) {
          Instruction step;
          step.op = op;
          step.count = 1;
          const std::int32_t from = op == Op::send ? 1 - r : r, to = op == Op::recv ? 1 - r : r;
          step.src = {BufferKind::input, from * N + j};
          step.dst = {BufferKind::output, to * N + j};
          block.steps.push_back(step);
        }
      }
      program.gpus.push_back({2 * n, 2 * n, 0, {block}});
    }
    const Source source = as_source(program);
    for (const std::uint64_t fifo : {1, 7, 8, 9, 19, 20}) {
      const Report report = proved(source, fifo);
      INFO(n << " messages, " << fifo << " slots: " << findings_text(report));
      CHECK(violates(report, "deadlock") == (n > fifo));
      CHECK(report.verdict() == (n > fifo ? Verdict::violated : Verdict::holds));
    }
  }
}

TEST_CASE("messages order what threadblocks share", "[program]") {
  // GPU 0: threadblock 0 writes scratch and sends; GPU 1 sends back to threadblock 1, which reads
  // it.
  const Slot in{BufferKind::input, 0}, out{BufferKind::output, 0}, scratch{BufferKind::scratch, 0};
  Program program;
  program.problem = {Collective::broadcast, 2, 0, 1, false, nullptr};
  program.channels = 2;
  Threadblock writer{
      1, -1, 0, {instruction(Op::copy, in, scratch), instruction(Op::send, in, out)}};
  Threadblock reader{
      -1,
      1,
      1,
      {instruction(Op::recv, out, {BufferKind::scratch, 1}), instruction(Op::copy, scratch, out)}};
  Threadblock there{-1, 0, 0, {instruction(Op::recv, in, out)}};
  Threadblock back{0, -1, 1, {instruction(Op::send, out, {BufferKind::scratch, 1})}};
  there.steps[0].awaited = true;
  back.steps[0].block = back.steps[0].step = 0;
  program.gpus = {{1, 1, 2, {writer, reader}}, {0, 1, 0, {there, back}}};
  CHECK_FALSE(naive::has_race(program, false));
  CHECK(proved(as_source(program)).verdict() == Verdict::holds);
  // Sent before it is written, the message says nothing of it.
  std::swap(program.gpus[0].blocks[0].steps[0], program.gpus[0].blocks[0].steps[1]);
  CHECK(naive::has_race(program, false));
  CHECK(violates(proved(as_source(program)), "races"));
}

namespace {

/// A broadcast of so many chunks from GPU 0 to GPU 1, over one channel; without GPUs yet.
Program broadcast_to_one(std::uint32_t chunks) {
  Program program;
  program.problem = {Collective::broadcast, 2, 0, chunks, false, nullptr};
  program.channels = 1;
  return program;
}

/// Some chunks, and a place of the scratch buffer that is `shift` chunks behind another one.
struct Shifted {
  std::uint32_t chunks;
  std::int32_t shift;
  Slot in{BufferKind::input, 0}, out{BufferKind::output, 0}, from{BufferKind::scratch, 3};
  Slot to{BufferKind::scratch, from.offset + shift};
};

template <typename F>
void each_shift(F f) {
  for (const std::uint32_t chunks : {1, 2, 3}) {
    for (const std::int32_t shift : {-3, -2, -1, 0, 1, 2, 3}) f(Shifted{chunks, shift});
  }
}

}  // namespace

TEST_CASE("a chunk that comes back may overtake those after it", "[program]") {
  // GPU 0 sends n chunks to GPU 1, which passes them on, or receives them before it sends them
  // back, to a place that is `shift` chunks further.
  for (const bool passes : {true, false}) {
    each_shift([&](const Shifted& shifted) {
      const auto& [chunks, shift, in, out, from, to] = shifted;
      Program program = broadcast_to_one(chunks);
      const Threadblock sender{
          1,
          -1,
          0,
          {instruction(Op::copy, in, out, chunks), instruction(Op::copy, in, from, chunks),
           instruction(Op::send, from, out, chunks)}};
      const Threadblock receiver{-1, 1, 0, {instruction(Op::recv, out, to, chunks)}};
      Threadblock there{0, 0, 0, {instruction(Op::recv_copy_send, from, out, chunks)}};
      if (!passes)
        there.steps = {instruction(Op::recv, from, out, chunks),
                       instruction(Op::send, out, to, chunks)};
      program.gpus = {{chunks, chunks, 9, {sender, receiver}}, {0, chunks, 0, {there}}};
      INFO(chunks << " chunks by " << shift << (passes ? ", passed on" : ""));
      const bool overtakes = passes && shift > 0 && std::cmp_less(shift, chunks);
      CHECK(violates(proved(as_source(program)), "races") == overtakes);
      CHECK(naive::has_race(program, false) == overtakes);
    });
  }
}

TEST_CASE("an instruction that overlaps itself races with itself", "[program]") {
  // GPU 0 copies n of its scratch's chunks by `shift`, and sends them to GPU 1.
  each_shift([](const Shifted& shifted) {
    const auto& [chunks, shift, in, out, from, to] = shifted;
    Program program = broadcast_to_one(chunks);
    const Threadblock first{
        1,
        -1,
        0,
        {instruction(Op::copy, in, from, chunks), instruction(Op::copy, from, to, chunks),
         instruction(Op::send, to, out, chunks), instruction(Op::copy, in, out, chunks)}};
    const Threadblock second{-1, 0, 0, {instruction(Op::recv, to, out, chunks)}};
    program.gpus = {{chunks, chunks, 9, {first}}, {0, chunks, 0, {second}}};
    INFO(chunks << " chunks by " << shift);
    const bool overlaps = shift != 0 && std::cmp_less(std::abs(shift), chunks);
    CHECK(violates(proved(as_source(program)), "races") == overlaps);
    CHECK(naive::has_race(program, false) == overlaps);
  });
}
