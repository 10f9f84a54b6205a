// Dependencies of programs that are written: none of them follows from messages and others.

#include <memory>

#include "program/steps.hpp"
#include "programs.hpp"

using namespace schedcc;
using namespace programs;

namespace {

bool races(const Source& source, const Machine& machine) {
  CheckOptions options;
  options.checks = {"races"};
  return check(source, machine, options).verdict() == Verdict::violated;
}

/// Calls `visit` with the program without each of its dependencies.
template <typename Visit>
void without_each(const Program& program, const Visit& visit) {
  for (std::size_t gpu = 0; gpu < program.gpus.size(); ++gpu) {
    for (std::size_t b = 0; b < program.gpus[gpu].blocks.size(); ++b) {
      for (std::size_t i = 0; i < program.gpus[gpu].blocks[b].steps.size(); ++i) {
        auto other = std::make_shared<Program>(program);
        Instruction& step = other->gpus[gpu].blocks[b].steps[i];
        if (step.block < 0) continue;
        step.block = step.step = -1;
        visit(std::move(other));
      }
    }
  }
}

}  // namespace

TEST_CASE("programs are written without dependencies that they do not need", "[program]") {
  std::size_t dependencies = 0;
  for (const Rank ranks : {2, 4, 5}) {
    for_some_programs(ranks, 4, [&](const Source& source, const Machine& machine) {
      if (source.problem.collective == Collective::custom) return;
      for (const std::string spec : {"msccl:place=out", "msccl:place=in"}) {
        INFO(spec);
        Source back = read_back(written(source, machine, spec));
        CHECK_FALSE(races(back, machine));
        without_each(Program(*back.program), [&](std::shared_ptr<const Program> other) {
          back.program = std::move(other);
          CHECK(races(back, machine));
          ++dependencies;
        });
      }
    });
  }
  CHECK(dependencies > 1000);
}
