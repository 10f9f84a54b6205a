#include "check/symmetry/symmetry.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "check/coverage.hpp"
#include "check/symmetry/orbits.hpp"
#include "check/symmetry/torus.hpp"
#include "check/symmetry/tree_exchange.hpp"

namespace schedcc {

Symmetry::Symmetry(Group group, Rank ranks, unsigned coordinates, std::uint32_t block, Rank columns)
    : group_(group),
      ranks_(ranks),
      columns_(columns),
      coordinates_(coordinates),
      block_(block),
      chunks_(block) {
  for (unsigned i = 0; i < coordinates; ++i) chunks_ *= ranks;
}

bool Symmetry::keeps(const Run& run) const {
  if (coordinates_ == 0 || run.first / block_ == (end(run) - 1) / block_) return true;
  if (group_ != Group::exclusive_ors || run.first % block_ != 0 || run.count % block_ != 0)
    return false;
  const std::uint32_t blocks = run.count / block_;
  return std::has_single_bit(blocks) && run.first / block_ % blocks == 0;
}

Run Symmetry::rename(Rank by, const Run& run) const {
  if (coordinates_ == 0) return run;
  const std::uint64_t block = run.first / block_;
  std::uint64_t renamed = rename(by, static_cast<Rank>(block % ranks_));
  if (coordinates_ == 2)
    renamed += std::uint64_t{rename(by, static_cast<Rank>(block / ranks_))} * ranks_;
  // Of several blocks, the first after renaming is not that of the first one.
  if (run.count > block_) renamed &= ~std::uint64_t{run.count / block_ - 1};
  return {static_cast<Chunk>(renamed * block_ + run.first % block_), run.count};
}

namespace {

/// Are all ranks alike?
bool symmetric(const Problem& problem) {
  using enum Collective;
  constexpr std::array alike{allgather, reduce_scatter, allreduce, alltoall, barrier};
  return std::ranges::find(alike, problem.collective) != alike.end() && !problem.ordered &&
         problem.ranks >= 2 && problem.ranks < Rank{1} << 31;
}

bool symmetric(const Machine& machine) {
  return machine.ports() != nullptr && (machine.channels() == nullptr || torus_columns(machine));
}

/// The symmetries of a problem whose ranks are alike, and of a torus with so many columns, if any.
std::vector<Symmetry> symmetries(const Problem& problem, std::optional<Rank> columns) {
  std::vector<Symmetry> result;
  const auto add = [&](unsigned coordinates, std::uint32_t block) {
    if (columns) {
      if (coordinates < 2)
        result.emplace_back(Symmetry::Group::translations, problem.ranks, coordinates, block,
                            *columns);
      return;
    }
    if (std::has_single_bit(problem.ranks))
      result.emplace_back(Symmetry::Group::exclusive_ors, problem.ranks, coordinates, block);
    result.emplace_back(Symmetry::Group::rotations, problem.ranks, coordinates, block);
    if (problem.ranks % 2 == 0 && problem.ranks > 2)
      result.emplace_back(Symmetry::Group::reflections, problem.ranks, coordinates, block);
  };
  const int blocks = info(problem.collective).blocks;
  add(static_cast<unsigned>(blocks), problem.chunks);
  // An allreduce may cut its vector into P blocks.
  if (blocks == 0 && problem.chunks % problem.ranks == 0) add(1, problem.chunks / problem.ranks);
  return result;
}

/// Those that the first two ranks show in the first row of a schedule, if it can be divided by
/// ranks.
std::vector<Symmetry> seen_at_two_ranks(const std::vector<Symmetry>& symmetries,
                                        const Steps& rows) {
  std::vector<Symmetry> result;
  Transfers one, two;
  for (const Symmetry& symmetry : symmetries) {
    const Rank P = symmetry.ranks();
    if (rows.size() == 0 || !rows.divides(P)) break;
    Orbits orbits(symmetry);
    if (orbits.read_seeds(rows.read(0, {0, 1, P}, one).transfers) && orbits.seeds() > 0 &&
        orbits.are_images(rows.read(0, {0, 2, P}, two).transfers, 0, 2))
      result.push_back(symmetry);
  }
  return result;
}

/// Those that the first step that is not empty has.
std::vector<Symmetry> seen_in_first_step(std::vector<Symmetry> symmetries, StepStream& stream) {
  Step step;
  while (stream.next(step) && step.transfers.empty()) {
  }
  std::erase_if(symmetries, [&](const Symmetry& s) { return !Orbits(s).read(step.transfers); });
  return symmetries;
}

}  // namespace

std::optional<Problem> of_one_block(const Problem& problem, Rank block) {
  const bool gathers = problem.collective == Collective::allgather;
  if (!gathers && problem.collective != Collective::reduce_scatter) return std::nullopt;
  Problem result = problem;
  result.collective = gathers ? Collective::broadcast : Collective::reduce;
  result.root = block;
  return result;
}

bool made_by(const Symmetry& symmetry, const Steps& rows) {
  const Steps::Rotations* const made = rows.rotated();
  return made != nullptr && symmetry.group() == Symmetry::Group::rotations &&
         symmetry.coordinates() == 1 && symmetry.ranks() == made->ranks &&
         symmetry.block() == made->block;
}

std::vector<Symmetry> likely_symmetries(const Source& source, const Machine& machine,
                                        const CheckOptions& options) {
  const bool on_tree = is_tree_exchange(source.problem, machine);
  if (!symmetric(source.problem) || (!symmetric(machine) && !on_tree) || source.hop_level() ||
      !decides_without_order(options))
    return {};
  std::vector<Symmetry> all = symmetries(source.problem, torus_columns(machine));
  if (on_tree) {
    std::erase_if(all,
                  [](const Symmetry& s) { return s.group() != Symmetry::Group::exclusive_ors; });
  }
  const auto stream = source.open();
  if (const auto rows = stream->rows()) {
    const auto by = std::ranges::find_if(all, [&](const auto& s) { return made_by(s, *rows); });
    if (by != all.end()) return {*by};
    if (auto seen = seen_at_two_ranks(all, *rows); !seen.empty()) return seen;
  }
  return seen_in_first_step(all, *stream);
}

}  // namespace schedcc
