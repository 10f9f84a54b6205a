// 3D matrix multiplication: C = A B on a grid of p x q x r ranks, in which every rank multiplies
// once.
//
// Rank (i, j, k), number (i q + j) r + k, computes A_ik B_kj. A is cut into p x r blocks, B into r
// x q, and C into p x q; they lie on three faces of the grid, A_ik with rank (i, 0, k), B_kj with
// rank (0, j, k), C_ij with rank (i, j, 0). First A_ik is broadcast along its row (i, *, k), then
// B_kj along its column (*, j, k), and the products are summed through the layers (i, j, *) to
// C_ij.
//
// The collective is custom. A_ik is block i r + k; the blocks of B follow, B_kj the (j r + k)-th of
// them, then those of C, C_ij the (i q + j)-th. A rank ends with the two blocks that it multiplies,
// and the ranks (i, j, 0) with the sums; a product is a contribution.
//
// Cost: two broadcasts and a reduction, by the algorithm that a parameter names. On a cube with
// CC's pipelined broadcast it is CC's formula.
//
// Source: CC, 3D Matrix multiplication algorithm (Agarwal et al. 1995).

#include "algorithm/grid.hpp"

namespace schedcc::matmul_3d_algorithm {

namespace {

std::uint64_t blocks(const Grid& grid) {
  return std::uint64_t{grid.fibres(0)} + grid.fibres(1) + grid.fibres(2);
}

GridProgram program(const Request& request) {
  const Grid grid = grid_of(request, 3);
  const std::uint64_t of_A = grid.fibres(1), of_B = grid.fibres(0);
  return {grid,
          blocks(grid),
          {{Collective::broadcast, 1, 0, 0},
           {Collective::broadcast, 0, 0, of_A},
           {Collective::reduce, 2, 0, of_A + of_B}}};
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "matmul-3d",
    .summary = "matrix product on a grid with layers: two broadcasts and a reduction",
    .source = "CC, 3D Matrix multiplication algorithm",
    .machines = {"duplex", "simplex"},
    .parameters = {grid_parameter(
                       "rows x columns x layers, such as 2x2x4 (default: nearest to a cube)"),
                   broadcast_parameter(), reduce_parameter()},
    .own_problem = [](const Request& r) { return own_problem(r, program(r)); },
    .reason =
        [](const Request& r) {
          const Grid grid = grid_of(r, 3);
          const auto why = reason_against_grid(r, grid, blocks(grid));
          return why ? why : reason(r, program(r));
        },
    .order = [](const Request& r) { return order(r, program(r)); },
    .whole_only = "it joins whole schedules of broadcasts and reductions on the lines of the grid",
    .scaling = [](const Request& r) { return scaling(r, program(r)); },
    .phases = [](const Request& r) { return phases(r, program(r)); },
    .build = [](const Request& r) { return build(r, program(r)); },
    .claim = [](const Request& r) { return claim(r, program(r)); },
    .choose = [](const Request& r) { return choose_grid(r, 3); },
};

}  // namespace schedcc::matmul_3d_algorithm
