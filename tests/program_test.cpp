// Programs: what schedcc writes as MSCCL XML is proved right, gives the schedule back, and what is
// broken in it is found, by the prover as by an oracle that just runs it.

#include <algorithm>
#include <bit>
#include <random>
#include <tuple>

#include "bases.hpp"
#include "catch.hpp"
#include "frontend/import/text.hpp"
#include "program/lower.hpp"
#include "program/steps.hpp"
#include "program_simulator.hpp"
#include "run.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

using namespace schedcc;

namespace {

class Collected : public Output {
 public:
  void write(std::string_view part) override { text += part; }
  std::string text;
};

std::string written(const Source& source, const Machine& machine, const std::string& spec) {
  const Format& format = find_format("msccl");
  Collected out;
  format.write(source, {Spec::parse(spec).check(format.parameters, spec), machine, "", ""}, out);
  return out.text;
}

Source read_back(const std::string& text) {
  return find_format("msccl").read(InputText::of(text), "program.xml");
}

Report proved(const Source& source, std::uint64_t fifo = 8) {
  CheckOptions options;
  options.fifo = fifo;
  options.max_findings = 3;
  return check(source, make_machine("duplex", source.problem.ranks), options);
}

std::string told(const Report& report) {
  std::string text;
  for (const Finding& f : report.findings) {
    text += std::string(f.check) + ": " + f.message + "\n";
  }
  return text;
}

/// Written, read, proved; and the steps read from it hold, too.
void check_round_trip(const Source& source, const Machine& machine, const std::string& spec) {
  INFO(spec);
  const std::string text = written(source, machine, spec);
  const Source back = read_back(text);
  const Report report = proved(back);
  INFO(told(report));
  const bool silent = back.problem.collective == Collective::custom;
  REQUIRE(report.findings_total == 0);
  REQUIRE(report.verdict() == (silent ? Verdict::unknown : Verdict::holds));
  if (silent) return;
  CHECK(back.problem.collective == source.problem.collective);
  CHECK(back.problem.chunks == source.problem.chunks);
  if (source.problem.rooted()) CHECK(back.problem.root == source.problem.root);
  Source steps = back;
  steps.program = nullptr;
  CheckOptions options;
  options.checks = {"shape", "causality", "delivery", "deadlock"};
  const Report schedule = check(steps, make_machine(back.machine, back.problem.ranks), options);
  INFO(told(schedule));
  CHECK(schedule.verdict() == Verdict::holds);
  written(steps, make_machine(back.machine, back.problem.ranks), spec);  // once more
}

Source source_of(const run::Case& c) {
  const auto [algorithm, request] = run::ready(c);
  return from_algorithm(*algorithm, request, c.spec);
}

Program program_of(const run::Case& c, program::Calls calls = program::Calls::out_of_place,
                   std::uint32_t channels = 1) {
  return program::lower(source_of(c), run::ready(c).request.machine, {calls, channels});
}

Source as_source(Program program) {
  Source source;
  source.name = "program";
  source.problem = program.problem;
  source.program = std::make_shared<Program>(std::move(program));
  return source;
}

bool violates(const Report& report, std::string_view check) {
  return std::ranges::any_of(report.checks, [&](const CheckResult& result) {
    return result.check == check && result.verdict == Verdict::violated;
  });
}

}  // namespace

TEST_CASE("every algorithm comes back from MSCCL XML", "[program]") {
  std::size_t cases = 0;
  for (const Rank ranks : {1, 2, 3, 4, 5, 8}) {
    for (const std::uint32_t chunks : {1u, 2u, 5u}) {
      agreement::for_each_case(ranks, chunks, [&](const agreement::Case& c) {
        if (c.request.problem.ordered || c.algorithm->hops) return;
        if (c.algorithm->nodes(c.request) > ranks) return;
        INFO(c.text());
        const Source source =
            from_algorithm(*c.algorithm, c.request, std::string(c.algorithm->name));
        for (const char* spec : {"msccl", "msccl:place=in", "msccl:channels=3"}) {
          check_round_trip(source, c.request.machine, spec);
        }
        const bool azure = source.problem.collective <= Collective::reduce_scatter;
        if (azure) check_round_trip(source, c.request.machine, "msccl:dialect=azure,place=both");
        ++cases;
      });
    }
  }
  CHECK(cases > 100);
}

namespace {

/// Transfers of a chunk each, with their steps.
using Moves = std::vector<std::tuple<std::uint64_t, Rank, Rank, Chunk, bool>>;

/// Those of a schedule, by step; idle steps are not counted.
Moves moves_of(const Source& source) {
  Moves moves;
  std::uint64_t number = 0;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    for (const Transfer& t : step.transfers) {
      for (std::uint32_t i = 0; i < t.count; ++i) {
        moves.emplace_back(number, t.src, t.dst, t.first + i, t.reduce != 0);
      }
    }
    number += step.transfers.empty() ? 0 : 1;
  }
  std::ranges::sort(moves);
  return moves;
}

/// The same transfers, none of them later.
void check_no_later(Moves moves, Moves than) {
  REQUIRE(moves.size() == than.size());
  for (Moves* all : {&moves, &than}) {
    std::ranges::sort(*all, {}, [](const auto& m) {
      const auto& [step, src, dst, chunk, reduce] = m;
      return std::tuple(src, dst, chunk, reduce, step);
    });
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    CHECK(std::get<0>(moves[i]) <= std::get<0>(than[i]));
    std::get<0>(moves[i]) = std::get<0>(than[i]);
  }
  CHECK(moves == than);
}

}  // namespace

TEST_CASE("the allreduces of MSCCL come back step by step", "[program]") {
  for (const Rank P : {2, 3, 4, 5, 8, 16}) {
    const std::string P_1 = "kport:k=" + std::to_string(P - 1);
    std::vector<run::Case> cases{{"ring", P, P, {}, "allreduce"},
                                 {"ring", P, 1, {}, "reduce-scatter"},
                                 {"ring", P, 2, {}, "allgather"},
                                 {"all-pairs", P, P, P_1},
                                 {"all-pairs", P, 2 * P, P_1},
                                 {"all-pairs", P, 1, P_1, "allgather"},
                                 {"all-pairs", P, 1, P_1, "reduce-scatter"},
                                 {"all-pairs:whole", P, 1, P_1},
                                 {"all-pairs:whole", P, 3, P_1},
                                 {"binomial-allreduce", P, 1},
                                 {"rabenseifner", P, std::bit_floor(P)}};
    if (std::has_single_bit(P)) {
      cases.push_back({"recursive-doubling", P, 1, {}, "allreduce"});
      cases.push_back({"recursive-doubling", P, 1, {}, "allgather"});
      cases.push_back({"recursive-halving", P, 1});
      cases.push_back({"butterfly-allreduce", P, P});
    }
    if (P % 2 == 0) {
      cases.push_back({"hierarchical", P, P, "crossbar:a=2,b=" + std::to_string(P / 2)});
    }
    for (const run::Case& c : cases) {
      const Source source = source_of(c);
      // A program does not say how many ports a GPU has, and nothing waits for one.
      const bool ports_matter = c.spec == "binomial-allreduce" || c.spec == "hierarchical" ||
                                (c.spec == "rabenseifner" && !std::has_single_bit(P));
      for (const char* spec : {"msccl", "msccl:place=in", "msccl:dialect=azure,place=both"}) {
        INFO(c.spec << " " << c.collective << " P " << P << " K " << c.K << " " << spec);
        Source back = read_back(written(source, run::ready(c).request.machine, spec));
        back.program = nullptr;
        CHECK(back.problem.collective == source.problem.collective);
        if (ports_matter) {
          check_no_later(moves_of(back), moves_of(source));
        } else {
          CHECK(moves_of(back) == moves_of(source));
        }
      }
    }
  }
}

namespace {

Instruction instruction(Op op, Slot src, Slot dst) {
  Instruction result;
  result.op = op;
  result.count = 1;
  result.src = src;
  result.dst = dst;
  return result;
}

/// MSCCL's own way of all pairs: everybody's vector goes to everybody's scratch, and a threadblock
/// of each GPU, its last, adds up what is there.
Program all_pairs_through_scratch(Rank P) {
  const Slot in{BufferKind::input, 0}, out{BufferKind::output, 0};
  const auto scratch = [](Rank at, Rank of) {
    return Slot{BufferKind::scratch, static_cast<std::int32_t>(of < at ? of : of - 1)};
  };
  Program program;
  program.problem = {Collective::allreduce, P, 0, 1, false, nullptr};
  program.channels = 1;
  program.chunks_per_loop = 1;
  for (Rank r = 0; r < P; ++r) {
    Gpu gpu{1, 1, P - 1, {}};
    Threadblock sum{-1, -1, 0, {instruction(Op::copy, in, out)}};
    for (Rank q = 0; q < P; ++q) {
      if (q == r) continue;
      const auto peer = static_cast<std::int32_t>(q);
      Threadblock block{
          peer,
          peer,
          0,
          {instruction(Op::send, in, scratch(q, r)), instruction(Op::recv, in, scratch(r, q))}};
      block.steps[1].awaited = true;
      sum.steps.push_back(instruction(Op::reduce, scratch(r, q), out));
      sum.steps.back().block = static_cast<std::int32_t>(gpu.blocks.size());
      sum.steps.back().step = 1;
      gpu.blocks.push_back(block);
    }
    gpu.blocks.push_back(sum);
    program.gpus.push_back(gpu);
  }
  return program;
}

}  // namespace

TEST_CASE("sums that are kept apart until they are added are one step", "[program]") {
  for (const Rank P : {2, 3, 5, 9}) {
    const Program program = all_pairs_through_scratch(P);
    CHECK(proved(as_source(program)).verdict() == Verdict::holds);
    const auto steps = program::steps(program, "program.xml");
    CHECK(steps->size() == 1);
    CHECK(steps->transfers() == std::uint64_t{P} * (P - 1));
    for (const Transfer& t : (*steps)[0].transfers) CHECK(t.reduce == 1);
  }
}

TEST_CASE("a planted defect of each kind is found", "[program]") {
  const Program good = all_pairs_through_scratch(4);
  const auto found = [&](auto plant) {
    Program program = good;
    plant(program.gpus[1]);
    const Report report = proved(as_source(program));
    INFO(told(report));
    REQUIRE(!report.findings.empty());
    CHECK_THROWS_AS(program::steps(program, "program.xml"), InputError);
    return std::string(report.findings[0].check) + ": " + report.findings[0].message;
  };
  const auto begins = [](const std::string& text, const std::string& with) {
    INFO(text);
    CHECK(text.starts_with(with));
  };
  begins(found([](Gpu& gpu) { gpu.blocks[2].steps[0].dst.offset = 0; }), "matching: ");
  begins(found([](Gpu& gpu) {
           gpu.blocks[0].steps[1].block = 3;  // waits for the sum that waits for it
           gpu.blocks[0].steps[1].step = 1;
           gpu.blocks[3].steps[1].awaited = true;
         }),
         "deadlock: these wait for one another: ");
  begins(found([](Gpu& gpu) { gpu.blocks[3].steps[2].block = gpu.blocks[3].steps[2].step = -1; }),
         "races: step 1 of threadblock 1 of GPU 1 writes s[1]");
  begins(
      found([](Gpu& gpu) { gpu.blocks[3].steps.pop_back(); }),
      "delivery: GPU 1 ends with a wrong chunk 0 in o[0]: the contribution of rank 3 is missing");
  begins(
      found([](Gpu& gpu) { gpu.blocks[3].steps[3].src.offset = 0; }),
      "delivery: GPU 1 ends with a wrong chunk 0 in o[0]: the contribution of rank 0 is counted");
}

TEST_CASE("the rings and trees of MSCCL come back at larger sizes", "[program]") {
  for (const Rank P : {6, 16, 24}) {
    for (const std::uint32_t K : {1u, 3u, 16u}) {
      std::vector<run::Case> cases{
          {"ring", P, K * P, {}, "allreduce"},
          {"ring", P, K, {}, "allgather"},
          {"ring", P, K, {}, "reduce-scatter"},
          {"pairwise", P, K},
          {"binomial-tree", P, K},
          {"binomial-tree", P, K, {}, "reduce", P - 1},
          {"binomial-tree", P, K, {}, "scatter"},
          {"binomial-tree", P, K, {}, "gather"},
          {"rabenseifner", P, K * P},
          {"hierarchical", P, K * P, "crossbar:a=2,b=" + std::to_string(P / 2)}};
      if (P == 16) {
        cases.push_back({"recursive-doubling", P, K, {}, "allreduce"});
        cases.push_back({"recursive-halving", P, K});
        cases.push_back({"butterfly-allreduce", P, K * P});
      }
      for (const run::Case& c : cases) {
        INFO(c.spec << " " << c.collective << " P " << P << " K " << K);
        check_round_trip(source_of(c), run::ready(c).request.machine, "msccl");
      }
    }
  }
}

TEST_CASE("a ring is told in fused steps, and its steps come back as they were", "[program]") {
  const run::Case c{"ring", 8, 1, {}, "allgather"};
  const std::string text = written(source_of(c), run::ready(c).request.machine, "msccl");
  CHECK(text.find("type=\"rcs\"") != std::string::npos);
  const Source back = read_back(text);
  const auto before = stream(run::ready(c).algorithm->steps(run::ready(c).request));
  const auto after = back.open();
  for (Step a, b; before->next(a);) {
    REQUIRE(after->next(b));
    std::vector<std::tuple<Rank, Rank, Chunk>> first, second;
    for (const Transfer& t : a.transfers) first.emplace_back(t.src, t.dst, t.first);
    for (const Transfer& t : b.transfers) second.emplace_back(t.src, t.dst, t.first);
    std::ranges::sort(first);
    CHECK(first == second);
    CHECK(a.number == b.number);
  }
  const run::Case sum{"ring", 4, 4, {}, "allreduce"};
  const std::string all = written(source_of(sum), run::ready(sum).request.machine, "msccl");
  CHECK(all.find("type=\"rrs\"") != std::string::npos);
  const run::Case doubling{"recursive-doubling", 4, 1, {}, "allreduce"};
  const std::string both =
      written(source_of(doubling), run::ready(doubling).request.machine, "msccl");
  CHECK(both.find("type=\"rrcs\"") != std::string::npos);
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
      // The steps behind it keep their numbers: what is left of it does nothing.
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
    INFO(what << " in round " << round << "\n" << told(report));
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
    CHECK(violates(report, "races") == naive::has_race(program, in_place));
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
      INFO(n << " messages, " << fifo << " slots: " << told(report));
      CHECK(violates(report, "deadlock") == (n > fifo));
      CHECK(report.verdict() == (n > fifo ? Verdict::violated : Verdict::holds));
    }
  }
}

TEST_CASE("messages order what threadblocks share", "[program]") {
  // GPU 0: threadblock 0 writes scratch and sends; GPU 1 sends back to threadblock 1, which reads
  // it.
  const auto step = instruction;
  const Slot in{BufferKind::input, 0}, out{BufferKind::output, 0}, scratch{BufferKind::scratch, 0};
  Program program;
  program.problem = {Collective::broadcast, 2, 0, 1, false, nullptr};
  program.channels = 2;
  Threadblock writer{1, -1, 0, {step(Op::copy, in, scratch), step(Op::send, in, out)}};
  Threadblock reader{
      -1, 1, 1, {step(Op::recv, out, {BufferKind::scratch, 1}), step(Op::copy, scratch, out)}};
  Threadblock there{-1, 0, 0, {step(Op::recv, in, out)}};
  Threadblock back{0, -1, 1, {step(Op::send, out, {BufferKind::scratch, 1})}};
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

TEST_CASE("what does not fit MSCCL is refused, with the limit", "[program]") {
  const auto refusal = [](const run::Case& c, const std::string& spec) {
    try {
      written(source_of(c), run::ready(c).request.machine, spec);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  contains(refusal({"pairwise", 200, 1}, "msccl"), "ids are below 128");
  contains(refusal({"linear", 1500, 1}, "msccl"), "at most 1024 GPUs");
  contains(refusal({"chain", 3, 40000}, "msccl"), "offsets");
  contains(refusal({"chain", 3, 9000}, "msccl"), "4095");
  contains(refusal({"kogge-stone", 4, 1}, "msccl:dialect=azure"), "has no scan");
  contains(refusal({"linear", 4, 1, {}, "scatter"}, "msccl:dialect=msccl"), "has no scatter");
  contains(refusal({"ring", 4, 1, {}, "allgather"}, "msccl:dialect=msccl,place=both"), "not both");
  run::Case ordered{"binomial-tree", 4, 1, {}, "reduce"};
  ordered.ordered = true;
  contains(refusal(ordered, "msccl"), "ordered");
  CHECK(refusal({"pairwise", 64, 1}, "msccl").empty());
  CHECK(refusal({"pairwise", 100, 1}, "msccl").empty());  // over several channels
  CHECK(refusal({"chain", 3, 1000}, "msccl").empty());
}
