#pragma once

// Programs for tests: made from schedules, written as MSCCL XML, read back and checked.

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "core/input_text.hpp"
#include "format/msccl/reader.hpp"
#include "run.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

namespace programs {

using namespace schedcc;

class CollectedOutput : public Output {
 public:
  void write(std::string_view part) override { text += part; }
  std::string text;
};

inline std::string written(const Source& source, const Machine& machine, const std::string& spec) {
  const Format& format = find_format("msccl");
  CollectedOutput out;
  format.write(source, {Spec::parse(spec).check(format.parameters, spec), machine, "", ""}, out);
  return out.text;
}

inline Source read_back(const std::string& text) {
  return find_format("msccl").read(text, "program.xml");
}

inline Report proved(const Source& source, std::optional<std::uint64_t> fifo = std::nullopt) {
  CheckOptions options;
  options.fifo = fifo;
  options.max_findings = 3;
  return check(source, make_machine("duplex", source.problem.ranks), options);
}

inline std::string findings_text(const Report& report) {
  std::string text;
  for (const Finding& f : report.findings) {
    text += std::string(f.check) + ": " + f.message + "\n";
  }
  return text;
}

/// Writes a program, reads it back and checks it, and also the steps that are read from it.
inline void check_round_trip(const Source& source, const Machine& machine,
                             const std::string& spec) {
  INFO(spec);
  const std::string text = written(source, machine, spec);
  const Source back = read_back(text);
  const Report report = proved(back);
  INFO(findings_text(report));
  const bool silent = back.problem.collective == Collective::custom;
  // Whether all ranks end with the same sum is the schedule's affair, not the program's.
  REQUIRE(std::ranges::all_of(report.findings,
                              [](const Finding& f) { return f.check == "agreement"; }));
  REQUIRE(report.verdict() == (silent ? Verdict::unknown : Verdict::holds));
  if (silent) {  // XML names none of these; scans can be named by an option
    if (source.problem.custom) return;
    const Report named = proved(with_collective(back, source.problem.collective, std::nullopt));
    INFO(findings_text(named));
    CHECK(named.verdict() == Verdict::holds);
    return;
  }
  CHECK(back.problem.collective == source.problem.collective);
  CHECK(back.problem.chunks == source.problem.chunks);
  if (source.problem.rooted()) CHECK(back.problem.root == source.problem.root);
  Source steps = back;
  steps.program = nullptr;
  CheckOptions options;
  options.checks = {"shape", "causality", "delivery", "deadlock"};
  const Report schedule = check(steps, make_machine(back.machine, back.problem.ranks), options);
  INFO(findings_text(schedule));
  CHECK(schedule.verdict() == Verdict::holds);
  written(steps, make_machine(back.machine, back.problem.ranks), spec);
}

inline Source source_of(const run::Case& c) {
  const auto [algorithm, request] = run::ready(c);
  return from_algorithm(*algorithm, request, c.spec);
}

/// Calls `visit` with the schedules and the machines of some cases of every algorithm that programs
/// can be made of (for_some_cases). Of cases with the same schedule on the same machine, as of
/// trees with more successors than there are ranks, only the first.
template <typename Visit>
void for_some_programs(Rank ranks, std::uint32_t chunks, const Visit& visit) {
  std::set<std::string> seen;
  agreement::for_some_cases(ranks, chunks, 3, [&](const agreement::Case& c) {
    if (c.request.problem.ordered || c.request.problem.tokens() || c.algorithm->hops) return;
    if (c.algorithm->nodes(c.request) > ranks) return;
    if (!seen.insert(agreement::text(agreement::plan(c), c.machine)).second) return;
    INFO(c.text());
    visit(from_algorithm(*c.algorithm, c.request, std::string(c.algorithm->name)),
          c.request.machine);
  });
}

inline Program program_of(const run::Case& c, program::Calls calls = program::Calls::out_of_place,
                          std::uint32_t channels = 1) {
  return program::lower(source_of(c), run::ready(c).request.machine, {calls, channels});
}

inline Source as_source(Program program) {
  Source source;
  source.name = "program";
  source.problem = program.problem;
  source.program = std::make_shared<Program>(std::move(program));
  return source;
}

inline bool violates(const Report& report, std::string_view check) {
  return std::ranges::any_of(report.checks, [&](const CheckResult& result) {
    return result.check == check && result.verdict == Verdict::violated;
  });
}

inline Instruction instruction(Op op, Slot src, Slot dst, std::uint32_t chunks = 1) {
  Instruction result;
  result.op = op;
  result.count = chunks;
  result.src = src;
  result.dst = dst;
  return result;
}

/// The all-pairs allreduce of MSCCL: every rank sends its vector to the scratch buffer of every
/// other rank, and the last threadblock of each GPU adds them up.
inline Program all_pairs_through_scratch(Rank P) {
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

}  // namespace programs
