// Programs: parts that the runtimes ignore are reported as notes, which change no verdict;
// --strict-format refuses them.

#include <array>
#include <random>
#include <regex>

#include "program/steps.hpp"
#include "program_simulator.hpp"
#include "programs.hpp"

using namespace schedcc;
using namespace programs;

namespace {

/// The fields that the interpreters of microsoft/msccl, Azure/msccl-executor-nccl and ROCm/rccl
/// hand to the primitive that carries out an operation: send(src), recv(dst), recvCopySend(dst),
/// recvReduceSend(src), recvReduceCopy(src, dst), recvReduceCopySend(src, dst).
struct Fields {
  Op op;
  bool src, dst;
};
constexpr auto fields = std::to_array<Fields>({{Op::send, true, false},
                                               {Op::recv, false, true},
                                               {Op::recv_copy_send, false, true},
                                               {Op::recv_reduce_send, true, false},
                                               {Op::recv_reduce_copy, true, true},
                                               {Op::recv_reduce_copy_send, true, true},
                                               {Op::copy, true, true},
                                               {Op::reduce, true, true},
                                               {Op::nop, false, false}});

const Fields& fields_of(Op op) { return *std::ranges::find(fields, op, &Fields::op); }

std::vector<run::Case> cases() {
  return {{"ring", 4, 4, {}, "allreduce"},          {"ring", 4, 1, {}, "allgather"},
          {"ring", 3, 2, {}, "reduce-scatter"},     {"pairwise", 3, 2},
          {"binomial-tree", 5, 2, {}, "reduce", 2}, {"fractional-tree:r=2", 6, 4}};
}

Report report_of(const Source& source, bool strict_format = false) {
  CheckOptions options;
  options.strict_format = strict_format;
  return check(source, make_machine("duplex", source.problem.ranks), options);
}

/// Only notes, or warnings of the check `agreement`.
bool only_notes(const Report& report) {
  return std::ranges::all_of(report.findings, [](const Finding& f) {
    return f.severity == Severity::note || f.check == "agreement";
  });
}

}  // namespace

TEST_CASE("labels that no runtime reads change no verdict", "[program]") {
  std::mt19937 dice(1);
  for (const run::Case& c : cases()) {
    const Program good = program_of(c);
    unsigned changed = 0;
    for (unsigned round = 0; round < 20; ++round) {
      Program program = good;
      for (Gpu& gpu : program.gpus) {
        for (Threadblock& block : gpu.blocks) {
          for (Instruction& step : block.steps) {
            const auto overwrite = [&](Slot& slot) {
              slot = {static_cast<BufferKind>(dice() % 3), static_cast<std::int32_t>(dice() % 9)};
              ++changed;
            };
            if (!fields_of(step.op).src && dice() % 4 == 0) overwrite(step.src);
            if (!fields_of(step.op).dst && dice() % 4 == 0) overwrite(step.dst);
          }
        }
      }
      INFO(c.spec << " in round " << round);
      const naive::ProgramRun run = naive::run_program(program, 8, false, dice);
      CHECK((run.ended && run.fits && run.complete));
      const Report report = report_of(as_source(program));
      CHECK(report.verdict() == Verdict::holds);
      CHECK(only_notes(report));
      CHECK(report.findings_total <= 2);  // sources, destinations
      CHECK(violates(report_of(as_source(program), true), "matching") ==
            (report.findings_total > 0));
      CHECK_NOTHROW(program::steps(program, "program.xml"));
    }
    CHECK(changed > 0);
  }
}

TEST_CASE("a count that differs between sender and receiver is not a label", "[program]") {
  Program program = program_of({"ring", 4, 8, {}, "allreduce"});
  const auto& steps = program.gpus[1].blocks[0].steps;
  const auto step = std::ranges::find_if(steps, [](const Instruction& s) {
    return effects(s.op).receives && s.src.offset < 30 && s.dst.offset < 30;
  });
  REQUIRE(step != steps.end());
  ++program.gpus[1].blocks[0].steps[static_cast<std::size_t>(step - steps.begin())].count;
  CHECK(violates(report_of(as_source(program)), "matching"));
}

namespace {

struct Kind {
  std::string pattern, replacement, note;
};

const std::vector<Kind> kinds = {
    {"<algo ", "<algo maxcount=\"1\" ", "unknown attribute of <algo> 'maxcount'"},
    {"<algo ", "<algo redop=\"nop\" ", "unknown attribute of <algo> 'redop'"},
    {"<algo ", "<algo nthreadblocks=\"4\" ", "unknown attribute of <algo> 'nthreadblocks'"},
    {"<gpu ", "<gpu host=\"a\" ", "unknown attribute of <gpu> 'host'"},
    {"<tb ", "<tb weight=\"2\" ", "unknown attribute of <tb> 'weight'"},
    {"<step ", "<step algostep=\"0\" ", "unknown attribute of <step> 'algostep'"},
    {"  <gpu ", "<copy id=\"0\"><step/></copy><gpu ", "there is no <copy> in <algo>"},
    {"    <tb ", "<copy/><tb ", "there is no <copy> in <gpu>"},
    {"      <step ", "<copy><copy/></copy><step ", "there is no <copy> in <tb>"},
    {"      <step ", "<tb/><step ", "there is no <tb> in <tb>"},
    {"deps=\"-1\"", "deps=\"7\"", "'deps' is 7 here, which the runtimes ignore"},
    {"<step s=\"0\"", "<step s=\"3\"", "'s' is 3 here; the runtimes ignore it"},
    {"^", "<?xml version=\"1.0\"?>", "the parsers of the runtimes do not read an XML declaration"},
    {"^", "\xef\xbb\xbf", "the parsers of the runtimes do not read a byte order mark"},
    {"  <tb ", "\t<tb ", "the parsers of the runtimes do not read a tab"},
    {" chan=", "\tchan=", "the parsers of the runtimes do not read a tab"},
    {" chan=", "\nchan=", "the parsers of the runtimes do not read the end of a line within"},
    {" chan=\"0\"", " chan='0'", "the parsers of the runtimes do not read single quotes"},
    {" chan=\"0\"", " chan = \"0\"", "the parsers of the runtimes do not read a blank beside"},
    {" chan=\"0\"", " chan=\"&#48;\"",
     "the parsers of the runtimes do not read a character reference"},
    {" name=\"", " name=\"&lt;", "the parsers of the runtimes do not read an entity reference"},
    {"</algo>", "</algo>\n<algo name=\"b\"><gpu/></algo> <!-- --> <other/>",
     "there is data after </algo>"},
    {" name=\"[^\"]*\"", "", "<algo> has no attribute 'name'"},
    {" name=\"[^\"]*\"", " name=\"" + std::string(255, 'a') + "\"",
     "the parsers of the runtimes do not read a value of more than 254 characters"},
};

}  // namespace

TEST_CASE("what runtimes do not look for in a file is noted once for each kind", "[program]") {
  for (const run::Case& c : cases()) {
    const auto ready = run::ready(c);
    const std::string text = written(source_of(c), ready.request.machine, "msccl");
    const Report plain = report_of(read_back(text));
    CHECK(plain.verdict() == Verdict::holds);
    CHECK(plain.findings_total == 0);
    for (const Kind& kind : kinds) {
      INFO(c.spec << ": " << kind.note);
      const std::regex pattern(kind.pattern);
      const bool once = kind.pattern == "^";
      const std::string odd = std::regex_replace(
          text, pattern, kind.replacement,
          once ? std::regex_constants::format_first_only : std::regex_constants::format_default);
      REQUIRE(odd != text);
      const Source source = read_back(odd);
      const Report report = report_of(source);
      INFO(findings_text(report));
      CHECK(report.verdict() == plain.verdict());
      CHECK(report.steps == plain.steps);
      CHECK(report.volume == plain.volume);
      REQUIRE(report.findings_total == 1);
      const Finding& note = report.findings[0];
      CHECK(note.severity == Severity::note);
      CHECK(note.check == "format");
      CHECK(note.message.starts_with(kind.note));
      CHECK(note.line > 0);
      // The schedule alone gets the same note.
      Source steps = source;
      steps.program = nullptr;
      const Report schedule = check(steps, make_machine(steps.machine, steps.problem.ranks), {});
      CHECK(std::ranges::count(schedule.findings, Severity::note, &Finding::severity) == 1);
    }
  }
}

TEST_CASE("numbers are read as the runtimes read them", "[program]") {
  const run::Case c{"linear", 9, 1, {}, "broadcast"};
  const std::string text = written(source_of(c), run::ready(c).request.machine, "msccl");
  const auto with = [&](const std::string& ranks) {
    return std::regex_replace(text, std::regex("ngpus=\"9\""), "ngpus=\"" + ranks + "\"");
  };
  for (const char* nine : {"9", "011", "0x9", "0X09", "+9", " 9"}) {
    CHECK(read_back(with(nine)).problem.ranks == 9);
  }
  for (const char* none : {"", "09", "9a", "0x", "--9", "nine", "4611686018427387913",
                           "18446744073709551625", "340282366920938463463374607431768211465"}) {
    INFO(none);
    CHECK_THROWS_AS(read_back(with(none)), InputError);
  }
}

TEST_CASE("a nop that has no effect is noted, one that has is an error", "[program]") {
  const auto nop = [] {
    Instruction step;
    step.op = Op::nop;
    step.src = step.dst = {BufferKind::input, -1};
    return step;
  };
  const Program good = all_pairs_through_scratch(4);
  const auto verdict = [&](auto plant) {
    Program program = good;
    plant(program.gpus[1].blocks);
    const Report report = report_of(as_source(program));
    INFO(findings_text(report));
    CHECK((report.verdict() == Verdict::holds) == only_notes(report));
    CHECK(report.findings_total > 0);
    CHECK(violates(report_of(as_source(program), true), "limits"));
    return report.verdict();
  };
  using Blocks = std::vector<Threadblock>;
  // A nop after the last awaited instruction.
  CHECK(verdict([&](Blocks& b) { b[0].steps.push_back(nop()); }) == Verdict::holds);
  CHECK(verdict([&](Blocks& b) { b[3].steps.insert(b[3].steps.begin(), nop()); }) ==
        Verdict::holds);
  CHECK(verdict([&](Blocks& b) {
          b[0].steps.push_back(nop());
          b[0].steps.back().awaited = true;
        }) == Verdict::holds);
  CHECK(verdict([&](Blocks& b) {
          b[3].steps.push_back(nop());
          b[3].steps.back().block = 0;
          b[3].steps.back().step = 1;
        }) == Verdict::holds);
  // Before a step that is waited for by its number.
  CHECK(verdict([&](Blocks& b) {
          b[0].steps.insert(b[0].steps.begin(), nop());
          for (Instruction& step : b[3].steps) step.step += step.block == 0 ? 1 : 0;
        }) == Verdict::violated);
  // What it waits for is added to a step that waits for nothing itself.
  CHECK(verdict([&](Blocks& b) {
          Instruction waits = nop();
          waits.block = 0;
          waits.step = 1;
          b[3].steps.insert(b[3].steps.begin(), waits);
        }) == Verdict::violated);
  // The nop itself is awaited.
  CHECK(verdict([&](Blocks& b) {
          b[0].steps.push_back(nop());
          b[0].steps.back().awaited = true;
          b[3].steps[1].step = 2;
        }) == Verdict::violated);
}

TEST_CASE("notes leave no error out", "[program]") {
  Program program = program_of({"ring", 4, 4, {}, "allreduce"});
  for (Gpu& gpu : program.gpus) {
    for (Threadblock& block : gpu.blocks) {
      for (Instruction& step : block.steps) {
        if (!fields_of(step.op).src) step.src.offset = 77;
      }
    }
  }
  program.gpus[2].blocks[0].steps.pop_back();
  CheckOptions options;
  options.max_findings = 1;
  const Report report = check(as_source(program), make_machine("duplex", 4), options);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].severity == Severity::error);
  CHECK(report.findings_total > 1);
}
