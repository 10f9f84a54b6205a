// Programs whose collective is `custom`, and a file that states their problem.

#include <random>

#include <fmt/core.h>

#include "customs.hpp"
#include "program/steps.hpp"
#include "program_simulator.hpp"
#include "programs.hpp"

using namespace schedcc;
using namespace programs;

namespace {

Source stating(const Problem& problem) {
  Source source;
  source.problem = problem;
  source.nodes = problem.ranks;
  source.file = source.name = "problem.sched";
  return source;
}

/// The program with `custom` for its collective, as a file would have it.
Source nameless(Program program) {
  Problem& problem = program.problem;
  problem.collective = Collective::custom;
  problem.root = 0;
  problem.chunks = program.chunks_per_loop;
  problem.custom = std::make_shared<const Custom>(std::vector<Holding>(), std::vector<Holding>());
  return as_source(std::move(program));
}

std::string refusal(const Source& program, const Problem& problem) {
  try {
    with_stated_problem(program, stating(problem));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

/// The steps hold as those of a schedule, too.
bool holds_as_steps(const Source& source) {
  Source steps = source;
  steps.program = nullptr;
  const auto& program = source.program;
  steps.open = [program] { return stream(program::steps(*program, "program.xml")); };
  const Report report =
      check(steps, make_machine("kport:k=8", steps.problem.ranks), CheckOptions());
  INFO(findings_text(report));
  return report.verdict() == Verdict::holds;
}

const std::vector<run::Case> standard = {
    {"ring", 4, 2, {}, "allreduce"},          {"ring", 4, 2, {}, "allgather"},
    {"ring", 3, 2, {}, "reduce-scatter"},     {"pairwise", 3, 2},
    {"binomial-tree", 5, 2, {}, "reduce", 2}, {"binomial-tree", 5, 2, {}, "scatter", 1},
    {"binomial-tree", 5, 1, {}, "gather", 3}, {"chain", 4, 3, {}, "broadcast", 2},
    {"kogge-stone", 5, 2, {}, "scan"}};

}  // namespace

TEST_CASE("a custom program is decided by the problem that it was made from", "[program]") {
  std::mt19937 dice(1);
  unsigned decided = 0;
  for (const Rank P : {2u, 3u, 5u}) {
    std::vector<Problem> problems = customs::kinds(P);
    for (unsigned i = 0; i < 20; ++i) problems.push_back(customs::random(P, 3, dice));
    for (const Problem& problem : problems) {
      // Ranks that start with a chunk send it to the ranks that must end with it and do not have
      // it.
      auto schedule = std::make_shared<Schedule>();
      bool possible = true;
      schedule->begin_step(0);
      for (Rank to = 0; to < P; ++to) {
        for (const Run run : problem.goal(to)) {
          for (Chunk c = run.first; c < run.first + run.count; ++c) {
            const bool reduced = problem.reduced(c), has = problem.starts_with(to, c);
            std::optional<Rank> first;
            for (Rank from = 0; from < P; ++from) {
              if (!problem.starts_with(from, c)) continue;
              if (!first) first = from;
              if (from == to || (!reduced && (has || from != *first))) continue;
              Transfer t = copy(from, to, c);
              t.reduce = reduced ? 1 : 0;
              schedule->add(t);
            }
            possible &= first.has_value();
          }
        }
      }
      if (!possible) continue;
      const Source source = from_schedule(problem, schedule);
      INFO(describe(problem));
      const std::string text = written(source, make_machine("kport:k=8", P), "msccl");
      const Source back = read_back(text);
      CHECK(proved(back).verdict() == Verdict::unknown);
      const Source known = with_stated_problem(back, stating(problem));
      const Report report = proved(known);
      INFO(findings_text(report) << text);
      CHECK(report.verdict() == Verdict::holds);
      CHECK(known.program->custom_places == CustomLayout::by_number);
      CHECK(holds_as_steps(known));
      ++decided;
      // Without one of its steps it does not hold.
      for (std::size_t g = 0; g < P; ++g) {
        Program broken = *known.program;
        if (broken.gpus[g].blocks.empty() || broken.gpus[g].blocks[0].steps.empty()) continue;
        Instruction& step = broken.gpus[g].blocks[0].steps[0];
        if (step.op == Op::nop) continue;
        step.op = Op::nop;
        CHECK(proved(as_source(broken)).verdict() == Verdict::violated);
      }
    }
  }
  CHECK(decided > 30);
}

TEST_CASE("a standard collective stated in pre and post lines decides its programs", "[program]") {
  for (const run::Case& c : standard) {
    const Problem problem = run::ready(c).request.problem;
    if (problem.collective == Collective::scan) continue;  // pre and post lines have none
    const Program program = program_of(c);
    const Source known =
        with_stated_problem(nameless(program), stating(customs::restated(problem)));
    INFO(describe(problem));
    const Report report = proved(known);
    INFO(findings_text(report));
    CHECK(report.verdict() == Verdict::holds);
    CHECK(holds_as_steps(known));
    // What is broken in one is broken in the other; and the oracle agrees.
    std::mt19937 dice(1);
    for (std::size_t g = 0; g < program.gpus.size(); ++g) {
      for (std::size_t b = 0; b < program.gpus[g].blocks.size(); ++b) {
        Program broken = program;
        for (Instruction& step : broken.gpus[g].blocks[b].steps) {
          if (step.op == Op::recv_reduce_copy) step.op = Op::recv;
          if (effects(step.op).reads_src && step.src.offset > 0) --step.src.offset;
        }
        const Report restated =
            proved(with_stated_problem(nameless(broken), stating(customs::restated(problem))));
        INFO("gpu " << g << " threadblock " << b << "\n" << findings_text(restated));
        const bool wrong = violates(restated, "delivery");
        CHECK(wrong == violates(proved(as_source(broken)), "delivery"));
        if (wrong || violates(restated, "races")) continue;
        CHECK(naive::run_program(broken, 8, false, dice).complete);
      }
    }
  }
}

TEST_CASE("a standard collective named in a file is the one of --collective", "[program]") {
  for (const run::Case& c : standard) {
    const Problem problem = run::ready(c).request.problem;
    INFO(describe(problem));
    const Source program = nameless(program_of(c));
    const Source known = with_stated_problem(program, stating(problem));
    CHECK(describe(known.problem) == describe(problem));
    CHECK(proved(known).verdict() == Verdict::holds);
    Problem other = problem;
    ++other.ranks;
    CHECK(refusal(program, other).starts_with("'ngpus' is "));
    other = problem;
    ++other.chunks;
    CHECK(refusal(program, other).starts_with("'nchunksperloop' gives "));
    CHECK(refusal(known, problem).starts_with("the file already names its collective"));
  }
}

TEST_CASE("a problem that does not fit the buffers is refused", "[program]") {
  const Source program = nameless(program_of({"ring", 4, 2, {}, "allgather"}));
  const Problem fits =
      customs::restated(run::ready({"ring", 4, 2, {}, "allgather"}).request.problem);
  CHECK(refusal(program, fits) == "none");
  for (const std::uint32_t K : {1u, 3u}) {
    const Problem other =
        customs::restated(run::ready({"ring", 4, K, {}, "allgather"}).request.problem);
    CHECK(
        refusal(program, other) ==
        fmt::format("the problem of problem.sched does not fit the buffers: 'nchunksperloop' is "
                    "8; the problem has {} chunks, of which a rank starts or ends with at most {}",
                    4 * K, 4 * K));
  }
  CHECK(refusal(as_source(program_of({"ring", 4, 2, {}, "allgather"})), fits)
            .starts_with("the file already names its collective"));
  Problem ordered = run::ready({"kogge-stone", 5, 2, {}, "scan"}).request.problem;
  ordered.ordered = true;
  const Source scan = with_stated_problem(nameless(program_of({"kogge-stone", 5, 2, {}, "scan"})),
                                          stating(ordered));
  CHECK(proved(scan).verdict() == Verdict::unknown);  // a program guarantees no order
}
