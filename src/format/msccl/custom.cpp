// A program whose XML calls its collective `custom` does not state its end. The user does: by a
// name, or by a problem that another file states.
//
// The chunks in the buffers then follow from the buffers' sizes. schedcc writes chunk c as number c
// of both. Programs of msccl-tools (Pipeline, which is AllToNext, and others) have in each buffer
// exactly the chunks that its rank starts with, or ends with.

#include <algorithm>
#include <memory>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "format/msccl/problem.hpp"
#include "format/msccl/reader.hpp"
#include "model/problem_text.hpp"
#include "model/runs.hpp"
#include "schedcc/error.hpp"
#include "schedcc/program.hpp"

namespace schedcc {

namespace {

/// The program of a source that does not name its collective. Throws InputError if it does.
std::shared_ptr<Program> program_without_collective(const Source& custom) {
  if (custom.program && custom.program->problem.declared()) {
    return std::make_shared<Program>(*custom.program);
  }
  const SourceLocation location =
      custom.program ? SourceLocation{custom.file, custom.program->line, custom.program->column}
                     : SourceLocation{custom.file, 0, 0};
  throw InputError(
      location, fmt::format("the file already names its collective: {}", describe(custom.problem)));
}

/// With the notes on the file.
Source source_of(const Source& custom, const std::shared_ptr<const Program>& program) {
  Source source = program_source(program, custom.file);
  source.notes = custom.notes;
  return source;
}

/// The chunks of one rank at the start, or at the end, and the size of their buffer: 0 if unknown.
struct BufferContents {
  Runs runs;
  std::uint32_t size;

  bool fits_by_number() const {
    return size == 0 || runs.empty() || end(runs[runs.size() - 1]) <= size;
  }
  bool fits_packed() const { return size == 0 || runs.chunks() <= size; }
};

std::vector<BufferContents> buffer_contents(const Program& program) {
  std::vector<BufferContents> result;
  program.problem.for_each_start([&](Rank rank, const Runs& runs) {
    result.push_back({runs, program.gpus[rank].input});
  });
  program.problem.for_each_goal([&](Rank rank, const Runs& runs) {
    result.push_back({runs, program.gpus[rank].output});
  });
  return result;
}

CustomLayout layout_of_custom(const Program& program, const std::string& file,
                              const std::string& problem_file) {
  const std::vector<BufferContents> all = buffer_contents(program);
  const std::uint32_t length = program.chunks_per_loop;
  if (program.problem.chunks == length &&
      std::ranges::all_of(all, &BufferContents::fits_by_number)) {
    return CustomLayout::by_number;
  }
  std::uint64_t most = 0;
  for (const BufferContents& contents : all) most = std::max(most, contents.runs.chunks());
  const bool one_is_full = std::ranges::any_of(all, [&](const BufferContents& contents) {
    return contents.runs.chunks() == most && (most == contents.size || most == length);
  });
  if (one_is_full && std::ranges::all_of(all, &BufferContents::fits_packed))
    return CustomLayout::packed;
  throw InputError(
      {file, program.line, program.column},
      fmt::format("the problem of {} does not fit the buffers: 'nchunksperloop' is {}; the problem "
                  "has {}, of which a rank starts or ends with at most {}",
                  problem_file, length, counted(program.problem.chunks, "chunk"), most));
}

}  // namespace

Source with_collective(const Source& custom, Collective collective, std::optional<Rank> root) {
  const auto program = program_without_collective(custom);
  Problem& problem = program->problem;
  problem.collective = collective;
  problem.custom.reset();
  if (root && !problem.rooted()) {
    throw InputError(has_no_root(collective));
  }
  find_problem(*program, custom.file, root);
  return source_of(custom, program);
}

Source with_stated_problem(const Source& custom, const Source& stated) {
  const auto program = program_without_collective(custom);
  const Problem& problem = stated.problem;
  if (stated.program) {
    throw InputError({stated.file, 0, 0}, "--problem needs a schedule, not a program");
  }
  const SourceLocation location{custom.file, program->line, program->column};
  if (problem.ranks != program->problem.ranks) {
    throw InputError(
        location, fmt::format("'ngpus' is {}, but the problem of {} has {}", program->problem.ranks,
                              stated.file, counted(problem.ranks, "rank")));
  }
  program->problem = problem;
  program->problem.ordered = false;  // programs have no order of operands
  if (problem.declared()) {
    program->custom_places = layout_of_custom(*program, custom.file, stated.file);
  } else {
    std::optional<Rank> root;
    if (problem.rooted()) root = problem.root;
    find_problem(*program, custom.file, root);
    if (program->problem.chunks != problem.chunks) {
      throw InputError(location, fmt::format("'nchunksperloop' gives {}; the problem of {} has {}",
                                             counted(program->problem.chunks, "chunk"), stated.file,
                                             counted(problem.chunks, "chunk")));
    }
  }
  Source source = source_of(custom, program);
  source.problem.ordered = problem.ordered;
  return source;
}

}  // namespace schedcc
