#include "algorithm/grid.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include <fmt/core.h>

#include "algorithm/shapes.hpp"
#include "core/join.hpp"
#include "model/algebra.hpp"
#include "model/runs.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

std::uint64_t Grid::ranks() const {
  std::uint64_t product = 1;
  for (const Rank side : sides_) {
    if (__builtin_mul_overflow(product, std::uint64_t{side}, &product)) return UINT64_MAX;
  }
  return product;
}

Grid::Fibre Grid::fibre(std::size_t axis, Rank number) const {
  Rank stride = 1;
  for (std::size_t a = axis + 1; a < sides_.size(); ++a) stride *= sides_[a];
  return {number / stride * stride * sides_[axis] + number % stride, stride};
}

std::string Grid::text() const { return join(sides_, "x"); }

Parameter grid_parameter(std::string_view summary) {
  return {.name = "grid", .summary = summary, .kind = Parameter::Kind::text};
}

Parameter broadcast_parameter() {
  return {.name = "broadcast",
          .summary = "the algorithm of the broadcasts, with its parameters",
          .kind = Parameter::Kind::text,
          .default_value = "binomial-tree"};
}

Parameter reduce_parameter() {
  return {.name = "reduce",
          .summary = "the algorithm of the reductions, with its parameters",
          .kind = Parameter::Kind::text,
          .default_value = "binomial-tree"};
}

namespace {

/// The largest divisor of P whose power `axes` is at most P.
Rank divisor(Rank P, std::size_t axes) {
  Rank best = 1;
  for (Rank side = 2;; ++side) {
    std::uint64_t power = 1;
    for (std::size_t i = 0; i < axes && power <= P; ++i) power *= side;
    if (power > P) return best;
    if (P % side == 0) best = side;
  }
}

/// The sides of a grid near a square or a cube, the smallest first.
std::vector<Rank> near_cube(Rank P, std::size_t axes) {
  std::vector<Rank> sides;
  for (; axes > 1; --axes) {
    sides.push_back(divisor(P, axes));
    P /= sides.back();
  }
  sides.push_back(P);
  std::ranges::sort(sides);
  return sides;
}

}  // namespace

Grid grid_of(const Request& request, std::size_t axes) {
  if (!request.parameters.has("grid")) return Grid(near_cube(request.problem.ranks, axes));
  const std::string& text = request.parameters.text("grid");
  std::vector<Rank> sides;
  std::string_view rest = text;
  while (true) {
    Rank side = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), side);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (error != std::errc{} || side == 0) break;
    sides.push_back(side);
    if (rest.empty() && sides.size() == axes) return Grid(sides);
    if (!rest.starts_with('x')) break;
    rest.remove_prefix(1);
  }
  throw InputError(fmt::format("parameter 'grid': '{}' is not a grid of {} sides, like {}", text,
                               axes, axes == 2 ? "4x8" : "2x2x4"));
}

std::optional<std::string> reason_against_grid(const Request& request, const Grid& grid,
                                               std::uint64_t blocks) {
  const Problem& problem = request.problem;
  if (grid.ranks() != problem.ranks) {
    return fmt::format("a grid of {} has {} ranks, not {}", grid.text(), grid.ranks(),
                       problem.ranks);
  }
  std::uint64_t chunks = 0;
  if (__builtin_mul_overflow(blocks, std::uint64_t{problem.chunks}, &chunks) ||
      chunks > UINT32_MAX) {
    return fmt::format("the blocks that move on a grid of {} have more than 2^32 - 1 chunks",
                       grid.text());
  }
  return std::nullopt;
}

namespace {

/// The operation of a collective in each of its fibres: a broadcast or reduction by another
/// algorithm.
struct FibreOperation {
  const Algorithm& algorithm;
  Request request;

  /// The steps of one fibre, in positions of the fibre.
  Steps steps() const { return algorithm.steps(request); }
  std::optional<std::string> reason() const {
    if (!algorithm.made_for(request)) {
      return fmt::format("it is for {}, not {}",
                         join(algorithm.machines_for(request.parameters), ", "),
                         request.machine.name());
    }
    return algorithm.reason(request);
  }
  /// "'butterfly' does not serve the broadcasts to 3 ranks".
  std::string failure() const {
    const bool reduces = request.problem.collective == Collective::reduce;
    return fmt::format("'{}' does not serve the {} {} ranks", algorithm.name,
                       reduces ? "reductions over" : "broadcasts to", request.problem.ranks);
  }
};

/// Moves that differ only in their blocks have the same operation.
auto operation_kind(const FibreCollective& operation) {
  return std::tuple(operation.collective, operation.axis, operation.root);
}
using MoveKind = decltype(operation_kind({}));

FibreOperation part(const Request& request, const Grid& grid, const FibreCollective& operation) {
  const bool reduces = operation.collective == Collective::reduce;
  const Spec spec = Spec::parse(request.parameters.text(reduces ? "reduce" : "broadcast"));
  const Algorithm& algorithm = find_algorithm(spec.name);
  Request part;
  part.problem.collective = operation.collective;
  part.problem.ranks = grid.side(operation.axis);
  part.problem.root = operation.root;
  part.problem.chunks = request.problem.chunks;
  part.problem.ordered = reduces && request.problem.ordered;
  // The operations need one port only; machines with more are only checked.
  if (request.machine.simplex()) part.machine = make_machine("simplex", part.problem.ranks);
  part.parameters = spec.check(algorithm.parameters, fmt::format("algorithm '{}'", spec.name));
  return {algorithm, std::move(part)};
}

/// The operation of each kind of collective, except along a side of 1, where nothing needs to move.
std::map<MoveKind, FibreOperation> parts(const Request& request, const GridProgram& program) {
  std::map<MoveKind, FibreOperation> result;
  for (const FibreCollective& operation : program.collectives) {
    if (program.grid.side(operation.axis) == 1 || result.contains(operation_kind(operation)))
      continue;
    result.emplace(operation_kind(operation), part(request, program.grid, operation));
  }
  return result;
}

/// Why an operation is not served; none if all are.
std::optional<std::string> first_reason(const Request& request, const GridProgram& program) {
  for (const auto& [kind, part] : parts(request, program)) {
    if (const auto why = part.reason()) return fmt::format("{}: {}", part.failure(), *why);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> reason(const Request& request, const GridProgram& program) {
  Request any_order = request;
  any_order.problem.ordered = false;
  return first_reason(any_order, program);
}

std::optional<std::string> order(const Request& request, const GridProgram& program) {
  return first_reason(request, program);
}

Problem own_problem(const Request& request, const GridProgram& program) {
  const auto [P, K] = std::pair(request.problem.ranks, request.problem.chunks);
  const Grid& grid = program.grid;
  require_memory_for_ranks(P, 3 * sizeof(std::vector<Run>) + sizeof(Holding), "a matrix product");
  std::vector<std::vector<Run>> starts(P), copies(P), sums(P);
  std::vector<FibreCollective> in_order = program.collectives;  // runs are found in order, too
  std::ranges::stable_sort(in_order, {}, &FibreCollective::first);
  for (const FibreCollective& operation : in_order) {
    const bool reduces = operation.collective == Collective::reduce;
    for (Rank f = 0; f < grid.fibres(operation.axis); ++f) {
      const Grid::Fibre fibre = grid.fibre(operation.axis, f);
      const Run block{static_cast<Chunk>((operation.first + f) * K), K};
      for (Rank place = 0; place < grid.side(operation.axis); ++place) {
        const Rank rank = fibre.rank(place);
        if (reduces || place == operation.root) starts[rank].push_back(block);
        if (!reduces) copies[rank].push_back(block);
        if (reduces && place == operation.root) sums[rank].push_back(block);
      }
    }
  }
  std::vector<Holding> pre, post;
  const auto add = [](std::vector<Holding>& lines, Rank rank, const std::vector<Run>& runs,
                      bool reduced) {
    if (!runs.empty()) lines.push_back({rank, joined_neighbours(runs), reduced});
  };
  for (Rank rank = 0; rank < P; ++rank) {
    add(pre, rank, starts[rank], false);
    add(post, rank, copies[rank], false);
    add(post, rank, sums[rank], true);
  }
  Problem problem = custom_problem(P, static_cast<std::uint32_t>(program.blocks * K),
                                   std::move(pre), std::move(post));
  problem.ordered = request.problem.ordered;
  return problem;
}

std::vector<SchedulePhase> phases(const Request& request, const GridProgram& program) {
  std::map<MoveKind, SchedulePhase> of_one_fibre;
  for (const auto& [kind, part] : parts(request, program)) {
    of_one_fibre.emplace(kind, SchedulePhase{part.steps(), scaling(part.algorithm, part.request)});
  }
  const Rank K = request.problem.chunks;
  std::vector<SchedulePhase> result;
  for (const FibreCollective& operation : program.collectives) {
    const auto found = of_one_fibre.find(operation_kind(operation));
    if (found == of_one_fibre.end()) continue;
    const auto in_fibre = [grid = program.grid, operation, K](std::uint64_t f, Transfer& t) {
      const Grid::Fibre fibre = grid.fibre(operation.axis, static_cast<Rank>(f));
      t.src = fibre.rank(t.src);
      t.dst = fibre.rank(t.dst);
      t.first += static_cast<Chunk>((operation.first + f) * K);
    };
    const auto& [steps, scaling] = found->second;
    result.push_back({replicate(steps, program.grid.fibres(operation.axis), in_fibre), scaling});
  }
  return result;
}

Scaling scaling(const Request& request, const GridProgram& program) {
  std::optional<Scaling> first;
  for (const auto& [kind, part] : parts(request, program)) {
    const Scaling its = scaling(part.algorithm, part.request);
    if (!first) first = its;
    if (its == Scaling::none || by_packets(its) != by_packets(*first)) return Scaling::none;
  }
  return first.value_or(Scaling::none);
}

Steps build(const Request& request, const GridProgram& program) {
  std::vector<Steps> steps;
  for (SchedulePhase& phase : phases(request, program)) steps.push_back(std::move(phase.steps));
  return sequence(std::move(steps));
}

CostClaim claim(const Request& request, const GridProgram& program) {
  const std::map<MoveKind, FibreOperation> all = parts(request, program);
  CostClaim sum{.steps = 0,
                .steps_formula = "the steps of all parts",
                .volume_formula = "the volumes of all parts"};
  bool known = true;
  for (const FibreCollective& operation : program.collectives) {
    const auto found = all.find(operation_kind(operation));
    if (found == all.end()) continue;
    const CostClaim one = found->second.algorithm.claim(found->second.request);
    sum.steps += one.steps;
    sum.exact &= one.exact;
    sum.idle |= one.idle;
    known &= claimed_volume(one) > 0;
    sum.volume += claimed_volume(one);
  }
  if (!known) sum.volume = 0;
  return sum;
}

ChosenParameters choose_grid(const Request& request, std::size_t axes) {
  return chosen_if_open(request, "grid", grid_of(request, axes).text());
}

}  // namespace schedcc
