// `nchunksperloop` is the length of the longer buffer; where the collective has a block for each
// rank in it, the block is shorter by that factor. XML does not name the root: it is the one rank
// with an input (an output), or else the one that never receives (sends).

#include "format/msccl/problem.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

#include <fmt/core.h>

#include "format/gpu_source.hpp"
#include "program/steps.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

[[noreturn]] void fail(const std::string& file, std::uint32_t line, std::uint32_t column,
                       const std::string& message) {
  throw InputError({file, line, column}, message);
}

/// The most chunks of a buffer that a GPU has.
std::uint32_t largest(const Program& program, std::uint32_t Gpu::*size) {
  return (*std::ranges::max_element(program.gpus, {}, size)).*size;
}

bool has_blocks(Collective collective) {
  return collective == Collective::allgather || collective == Collective::reduce_scatter ||
         collective == Collective::alltoall;
}

void find_chunks(Program& program, const std::string& file) {
  Problem& problem = program.problem;
  problem.chunks = program.chunks_per_loop;
  if (problem.declared()) problem = custom_problem(problem.ranks, problem.chunks);
  switch (problem.collective) {
    case Collective::allgather:
    case Collective::reduce_scatter:
    case Collective::alltoall:
      if (const std::string mismatch = unequal_blocks(program); !mismatch.empty())
        fail(file, program.line, program.column, mismatch);
      problem.chunks /= problem.ranks;
      break;
    case Collective::scatter:
    case Collective::gather: {
      // The runtime's size is that of a block; msccl-tools counts the whole buffer.
      const bool scatters = problem.collective == Collective::scatter;
      const std::uint32_t block = largest(program, scatters ? &Gpu::output : &Gpu::input);
      if (block > 0 && std::uint64_t{block} * problem.ranks == problem.chunks) {
        problem.chunks = block;
      }
      break;
    }
    default:
      break;
  }
}

void find_root(Program& program) {
  if (!program.problem.rooted()) return;
  const bool from_root = program.problem.collective == Collective::broadcast ||
                         program.problem.collective == Collective::scatter;
  const auto only = [&](auto is_root) {
    const auto first = std::ranges::find_if(program.gpus, is_root);
    if (first == program.gpus.end()) return false;
    if (std::find_if(first + 1, program.gpus.end(), is_root) != program.gpus.end()) return false;
    program.problem.root = static_cast<Rank>(first - program.gpus.begin());
    return true;
  };
  if (only([&](const Gpu& gpu) { return (from_root ? gpu.input : gpu.output) > 0; })) return;
  only([&](const Gpu& gpu) {
    return std::ranges::all_of(gpu.blocks, [&](const Threadblock& block) {
      return std::ranges::none_of(block.steps, [&](const Instruction& step) {
        return from_root ? effects(step.op).receives : effects(step.op).sends;
      });
    });
  });
}

void check_sizes(const Program& program, Rank rank, const std::string& file) {
  // A buffer that belongs to the root may be declared elsewhere, too.
  Problem problem = program.problem;
  problem.root = rank;
  const Gpu& gpu = program.gpus[rank];
  for (const auto& [stated, right, name] :
       {std::tuple(gpu.input, input_chunks(problem, rank), "i_chunks"),
        std::tuple(gpu.output, output_chunks(problem, rank), "o_chunks")}) {
    if (stated == 0 || stated == right) continue;
    if (problem.declared()) {  // the used part of the buffers, whose sizes the file does not state
      if (stated < right) continue;
      fail(file, gpu.line, gpu.column,
           fmt::format("'{}' is {}; with this 'nchunksperloop' it must be at most {}", name, stated,
                       right));
    }
    fail(file, gpu.line, gpu.column,
         fmt::format("'{}' is {}; with this 'nchunksperloop' it must be {} (or 0) for {}", name,
                     stated, right, info(problem.collective).name));
  }
}

}  // namespace

std::string unequal_blocks(const Program& program) {
  const Problem& problem = program.problem;
  if (!has_blocks(problem.collective) || program.chunks_per_loop % problem.ranks == 0) return "";
  return fmt::format("'nchunksperloop' is {}, which is not divisible by the number of blocks, {}",
                     program.chunks_per_loop, problem.ranks);
}

void find_problem(Program& program, const std::string& file, std::optional<Rank> root) {
  find_chunks(program, file);
  if (root) {
    program.problem.root = *root;
  } else {
    find_root(program);
  }
  try {
    program.problem.validate();
  } catch (const InputError& error) {
    fail(file, program.line, program.column, error.what());
  }
  for (Rank rank = 0; rank < program.gpus.size(); ++rank) check_sizes(program, rank, file);
}

Source program_source(const std::shared_ptr<const Program>& program, const std::string& file) {
  Source source = gpu_source(program->name, file, program->problem);
  source.program = program;
  source.open = [program, file] { return stream(program::steps(*program, file)); };
  return source;
}

}  // namespace schedcc
