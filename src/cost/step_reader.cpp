#include "cost/step_reader.hpp"

#include "machine/lowering.hpp"

namespace schedcc {

void check_size(const Problem& problem, std::uint64_t bytes) {
  for (int i = 0; i < info(problem.collective).blocks; ++i) {
    if (__builtin_mul_overflow(bytes, problem.ranks, &bytes)) refuse_size();
  }
}

StepReader::StepReader(const Source& source, const Machine& machine, const CostModel& model,
                       std::uint64_t bytes, const std::function<void(std::uint64_t)>& progress)
    : rounds_(machine.has_rounds()),
      progress_(progress),
      // Without link times, a link carries its chunks in parallel.
      reader_(ChunkBytes(source.problem.tokens() ? 0 : bytes, source.problem.chunks),
              machine.routed() && !model.of_machine),
      stream_((machine.routed() ? lower(source, machine) : source).open()) {
  reader_.group_by_switches(machine.in_network(), source.problem);
}

bool StepReader::next() {
  do {
    if (!stream_->next(step_)) return false;
    ++rows_;
  } while (step_.transfers.empty());
  if (!rounds_) step_.rounds = 1;
  progress_(seen_ += step_.transfers.size());
  return true;
}

}  // namespace schedcc
