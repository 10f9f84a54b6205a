// SUMMA: C = A B on a grid of R x C ranks, as a program of broadcasts and reductions.
//
// Rank (l, m), number l C + m, is in row l and column m. One matrix does not move, block (l, m)
// being at rank (l, m); the other two are cut into L = lcm(R, C) panels, which move one after
// another, so that every panel is within one row or column of the grid:
//
//   C stays  panel k: broadcast A_ik along row i from column k C/L, B_kj along column j from row
//            k R/L; rank (i, j) adds A_ik B_kj to its C_ij
//   A stays  panel j: broadcast B_kj along column k from row j R/L; rank (i, k) multiplies A_ik
//            B_kj; the products are summed along row i to C_ij in column j C/L
//   B stays  panel i: broadcast A_ik along row k from column i C/L; rank (k, j) multiplies A_ik
//            B_kj; the products are summed along column j to C_ij in row i R/L
//
// So if A stays B_kj is in column k of the grid, and if B stays A_ik is in row k: transposed.
//
// The collective is the program's own. Only the blocks of the two matrices that move are numbered,
// those of the first move (a panel of A, or of B) before those of the second, panel by panel, and
// within a panel by row or column of the grid. A rank ends with the blocks of A and B that its
// products need, and with the sums that are its blocks of C; a product's part of a sum is a
// contribution.
//
// Cost: L broadcasts along rows and L along columns (or reductions) by the algorithms that
// parameters select. On a square grid with CC's pipelined broadcast it is CC's formula.
//
// Source: CC, Matrix multiplication (variant 1, C stays); van de Geijn and Watts 1997.

#include <numeric>

#include "algorithm/grid.hpp"

namespace schedcc::summa_algorithm {

namespace {

constexpr std::size_t down_columns = 0, along_rows = 1;  // axes

std::uint64_t panels(const Grid& grid) {
  return std::lcm(std::uint64_t{grid.side(0)}, std::uint64_t{grid.side(1)});
}

std::uint64_t blocks(const Grid& grid) {
  return panels(grid) * (std::uint64_t{grid.fibres(0)} + grid.fibres(1));
}

/// A variant's two moves of a panel.
struct Phase {
  Collective collective;
  std::size_t axis;
};
std::pair<Phase, Phase> phases(const std::string& variant) {
  const Phase rows{Collective::broadcast, along_rows}, columns{Collective::broadcast, down_columns};
  if (variant == "A") return {columns, {Collective::reduce, along_rows}};
  if (variant == "B") return {rows, {Collective::reduce, down_columns}};
  return {rows, columns};
}

GridProgram program(const Request& request) {
  const Grid grid = grid_of(request, 2);
  const std::uint64_t L = panels(grid);
  const auto [first, second] = phases(request.parameters.text("variant"));
  GridProgram result{grid, blocks(grid), {}};
  const auto operation = [&](const Phase& phase, std::uint64_t panel, std::uint64_t offset) {
    result.collectives.push_back({phase.collective, phase.axis,
                                  static_cast<Rank>(panel * grid.side(phase.axis) / L),
                                  offset + panel * grid.fibres(phase.axis)});
  };
  for (std::uint64_t panel = 0; panel < L; ++panel) {
    operation(first, panel, 0);
    operation(second, panel, L * grid.fibres(first.axis));
  }
  return result;
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "summa",
    .summary = "matrix product on a grid: panels move along its rows and columns",
    .source = "CC, Matrix multiplication",
    .machines = {"duplex", "simplex"},
    .parameters = {grid_parameter("rows x columns, such as 4x8 (default: the squarest)"),
                   {.name = "variant",
                    .summary = "the matrix that does not move: C, A or B",
                    .kind = Parameter::Kind::text,
                    .choices = {"C", "A", "B"},
                    .default_value = "C"},
                   broadcast_parameter(),
                   reduce_parameter()},
    .own_problem = [](const Request& r) { return own_problem(r, program(r)); },
    .reason =
        [](const Request& r) {
          const Grid grid = grid_of(r, 2);
          const auto why = reason_against_grid(r, grid, blocks(grid));
          return why ? why : reason(r, program(r));
        },
    .order = [](const Request& r) { return order(r, program(r)); },
    .whole_only =
        "it joins whole schedules of broadcasts and reductions on the rows and columns of the grid",
    .scaling = [](const Request& r) { return scaling(r, program(r)); },
    .phases = [](const Request& r) { return phases(r, program(r)); },
    .build = [](const Request& r) { return build(r, program(r)); },
    .claim = [](const Request& r) { return claim(r, program(r)); },
    .choose = [](const Request& r) { return choose_grid(r, 2); },
};

}  // namespace schedcc::summa_algorithm
