// The collective of a plan, by the words of its language; the runtime only reads `allgather`. All
// chunks have one size, so both buffers of every GPU follow from the collective. A root is not
// stated in plans; here it is the field `root`, which the runtime ignores.

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "format/gpu_source.hpp"
#include "format/mscclpp/reader.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

struct Word {
  std::string_view word;
  Collective collective;
};

constexpr std::array<Word, 11> words{{{"allreduce", Collective::allreduce},
                                      {"allgather", Collective::allgather},
                                      {"reducescatter", Collective::reduce_scatter},
                                      {"reduce_scatter", Collective::reduce_scatter},
                                      {"alltoall", Collective::alltoall},
                                      {"broadcast", Collective::broadcast},
                                      {"reduce", Collective::reduce},
                                      {"scatter", Collective::scatter},
                                      {"gather", Collective::gather},
                                      {"scan", Collective::scan},
                                      {"exscan", Collective::exscan}}};

/// Blocks of K chunks in the input and in the output, all GPUs having buffers of the same length.
struct Blocks {
  std::uint64_t input, output;
};

Blocks blocks(Collective collective, Rank ranks) {
  switch (collective) {
    case Collective::allgather:
    case Collective::gather:
      return {1, ranks};
    case Collective::reduce_scatter:
    case Collective::scatter:
      return {ranks, 1};
    case Collective::alltoall:
      return {ranks, ranks};
    default:
      return {1, 1};
  }
}

}  // namespace

std::string_view plan_word(Collective collective) {
  const auto found = std::ranges::find(words, collective, &Word::collective);
  return found == words.end() ? std::string_view("") : found->word;
}

void find_problem(Plan& plan, const std::string& file) {
  Problem& problem = plan.problem;
  problem.ranks = static_cast<Rank>(plan.gpus.size());
  const auto found = std::ranges::find(words, plan.collective, &Word::word);
  if (found == words.end()) {
    problem = custom_problem(problem.ranks, problem.chunks);
    return;
  }
  problem.collective = found->collective;
  if (!problem.rooted()) problem.root = 0;
  const PlanGpu& first = plan.gpus.front();
  const Blocks sizes = blocks(problem.collective, problem.ranks);
  // A buffer of 0 chunks is reported by the checks.
  const std::uint64_t chunks =
      first.input > 0 ? first.input / sizes.input : first.output / sizes.output;
  problem.chunks = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, chunks));
  for (const PlanGpu& gpu : plan.gpus) {
    for (const auto& [has, of, field] : {std::tuple(gpu.input, sizes.input, "input_chunks"),
                                         std::tuple(gpu.output, sizes.output, "output_chunks")}) {
      if (has == 0 || has == of * problem.chunks) continue;
      throw InputError(
          {file, gpu.line, gpu.column},
          fmt::format("'{}' is {}, and {} of {} GPUs with {} chunks a block has {}", field, has,
                      plan.collective, problem.ranks, problem.chunks, of * problem.chunks));
    }
  }
  try {
    problem.validate();
  } catch (const InputError& error) {
    throw InputError({file, plan.line, plan.column}, error.what());
  }
}

Source plan_source(std::shared_ptr<const Plan> plan, const std::string& file) {
  Source source = gpu_source(plan->name, file, plan->problem);
  source.plan = std::move(plan);
  source.open = [file]() -> std::unique_ptr<StepStream> {
    throw InputError({file, 0, 0},
                     "an execution plan of MSCCL++ has no steps: 'verify' checks it, and "
                     "'show -o FILE.html' draws it");
  };
  return source;
}

}  // namespace schedcc
