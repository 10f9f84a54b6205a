#include "program/plan/location.hpp"

namespace schedcc::program {

ProgramLocation location(const Plan& plan, std::uint32_t gpu, std::uint32_t block,
                         std::uint32_t step) {
  ProgramLocation result{.line = plan.line, .column = plan.column};
  const auto enter = [&](std::uint32_t ProgramLocation::*number, std::uint32_t i,
                         const auto& elements) {
    if (i >= elements.size()) return false;
    result.*number = i;
    result.line = elements[i].line;
    result.column = elements[i].column;
    return true;
  };
  if (enter(&ProgramLocation::gpu, gpu, plan.gpus) &&
      enter(&ProgramLocation::block, block, plan.gpus[gpu].blocks)) {
    enter(&ProgramLocation::step, step, plan.gpus[gpu].blocks[block].steps);
  }
  return result;
}

}  // namespace schedcc::program
