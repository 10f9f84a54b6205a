// Fractional trees on an A x B mesh: groups are submeshes, and form an H-tree.
//
// Let r = r_1 r_2 with A/r_1 = B/r_2 = m, a power of two. The mesh is partitioned into m x m
// submeshes of r_1 x r_2 ranks, each a group, its PUs in boustrophedon order, row by row. A block
// of 2^k x 2^k groups holds a complete binary tree of all its groups but one, the spare group,
// which is in a corner: of four blocks half as large, three spare groups become the tree's root and
// its two successors, these get the four trees as theirs, and the fourth group is spare again. (k =
// 0: no tree, and a spare group.) The spare group of the whole mesh serves the tree, and rank 0 is
// its head. So the tree has 2k levels after the first group.
//
// The reflections of the quarters, and the assignment of the spare groups and the trees, determine
// the congestion. The rules below were found by search, so that with r_1 = 1, r_2 = 2 no edge
// carries two messages in a step on meshes up to 8 x 16, the paper's example. All larger blocks
// follow the last rule. See docs/embeddings.md for what is measured elsewhere.
//
// Steps: the last PU has packet 0 after D = r + (2k-1)(r+1) + r - 1 = (2k+1) r + 2k - 2 steps, k >=
// 1, in all D + K + ceil(K/r) - 2. One group alone is a chain.
//
// A root in another corner: the mesh is reflected. Any other root is exchanged with the head in the
// nearest corner, with the congestion that is then measured.
//
// Source: FT, section 4, "Meshes", and figure 4.

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <vector>

#include <fmt/core.h>

#include "algorithm/fractional_tree/embedding.hpp"
#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "algorithm/fractional_tree/layout.hpp"
#include "algorithm/shapes.hpp"
#include "machine/mesh.hpp"
#include "model/algebra.hpp"

namespace schedcc::mesh_layout {

namespace {

using fractional::GroupStart;

// Reflections: bit 0 exchanges left and right, bit 1 top and bottom. Quarters: 0 and 1 are the
// upper ones, 2 and 3 the lower ones.

/// The composition of four blocks. Its own spare group is that of quarter 0.
struct Rule {
  std::array<unsigned, 4> turned;  ///< the reflections of the quarters
  std::array<unsigned, 3> spares;  ///< the quarters whose spare groups are root, down, right
  std::array<unsigned, 3> snakes;  ///< how the snakes in these three are reflected
  std::array<unsigned, 4> trees;   ///< the quarters whose trees are below: down's two, right's two
};

/// Blocks of 2 x 2 groups, of 4 x 4, by the quarter of the block of 8 x 8 in which they lie, and
/// larger ones.
constexpr std::array<Rule, 4> two{{{{0, 0, 0, 0}, {3, 2, 1}, {1, 1, 1}, {}},
                                   {{0, 0, 0, 0}, {1, 2, 3}, {1, 1, 0}, {}},
                                   {{0, 0, 0, 0}, {3, 2, 1}, {1, 0, 1}, {}},
                                   {{0, 0, 0, 0}, {3, 1, 2}, {0, 1, 1}, {}}}};
constexpr std::array<Rule, 4> four{{{{0, 2, 3, 1}, {1, 2, 3}, {1, 1, 0}, {2, 0, 1, 3}},
                                    {{0, 3, 1, 2}, {3, 2, 1}, {0, 1, 1}, {2, 0, 1, 3}},
                                    {{0, 0, 3, 3}, {1, 2, 3}, {0, 1, 0}, {3, 2, 0, 1}},
                                    {{0, 3, 3, 0}, {3, 2, 1}, {1, 1, 1}, {0, 2, 3, 1}}}};
constexpr Rule eight{{0, 2, 1, 0}, {3, 1, 2}, {1, 0, 1}, {2, 3, 0, 1}};

const Rule& rule(unsigned k, unsigned kind) {
  return k == 1 ? two[kind] : k == 2 ? four[kind] : eight;
}

constexpr std::uint32_t none = UINT32_MAX;

/// A block of 2^k x 2^k groups, numbered row by row.
struct Block {
  struct Node {
    std::uint32_t down = none, right = none;
    unsigned snake = 0;  ///< its reflection
  };
  unsigned k;
  std::uint32_t root = none, spare = 0;
  std::vector<Node> groups;

  std::uint32_t side() const { return std::uint32_t{1} << k; }
};

/// Places a reflected quarter; its `root` and `spare` are still to be connected.
Block put_quarter(const Block& small, unsigned quarter, unsigned turned, Block& large) {
  const std::uint32_t m = small.side();
  const auto place = [&](std::uint32_t group) {
    if (group == none) return none;
    std::uint32_t row = group / m, column = group % m;
    if ((turned & 1) != 0) column = m - 1 - column;
    if ((turned & 2) != 0) row = m - 1 - row;
    return (row + quarter / 2 * m) * 2 * m + column + quarter % 2 * m;
  };
  for (std::uint32_t g = 0; g < small.groups.size(); ++g) {
    const Block::Node& node = small.groups[g];
    large.groups[place(g)] = {place(node.down), place(node.right), node.snake ^ turned};
  }
  return {small.k, place(small.root), place(small.spare), {}};
}

Block block(unsigned k, unsigned kind) {
  if (k == 0) return {0, none, 0, std::vector<Block::Node>(1)};
  const Rule& how = rule(k, kind);
  Block result{k, none, 0, std::vector<Block::Node>(std::size_t{1} << 2 * k)};
  std::array<Block, 4> quarters;
  for (unsigned q = 0; q < 4; ++q) {
    quarters[q] = put_quarter(block(k - 1, k == 3 ? q : kind), q, how.turned[q], result);
  }
  const auto spare = [&](unsigned i) { return quarters[how.spares[i]].spare; };
  const auto tree = [&](unsigned i) { return quarters[how.trees[i]].root; };
  result.spare = quarters[0].spare;
  result.root = spare(0);
  result.groups[spare(0)] = {spare(1), spare(2), how.snakes[0]};
  result.groups[spare(1)] = {tree(0), tree(1), how.snakes[1]};
  result.groups[spare(2)] = {tree(2), tree(3), how.snakes[2]};
  return result;
}

/// The measures of an embedding: k, and the sides of a group.
struct Dimensions {
  std::uint64_t rows, columns;
  unsigned k;
  std::uint64_t r1, r2;

  std::uint64_t m() const { return std::uint64_t{1} << k; }
  std::uint64_t r() const { return r1 * r2; }
  /// D, k >= 1.
  std::uint64_t depth() const { return (2 * k + 1) * r() + 2 * k - 2; }
};

/// A/r_1 = B/r_2 = m and r = r_1 r_2 mean m^2 = A B / r.
std::optional<Dimensions> dimensions(const Mesh& mesh, std::uint64_t r) {
  for (unsigned k = 0; k < 16; ++k) {
    const std::uint64_t m = std::uint64_t{1} << k;
    if (mesh.rows % m != 0 || mesh.columns % m != 0) return std::nullopt;
    const Dimensions found{mesh.rows, mesh.columns, k, mesh.rows / m, mesh.columns / m};
    if (found.r() == r) return found;
  }
  return std::nullopt;
}

/// The PU at place i of a group's snake.
std::uint64_t snake(const Dimensions& s, std::uint64_t group, unsigned reflected, std::uint64_t i) {
  std::uint64_t row = i / s.r2, column = i % s.r2;
  if ((row % 2 == 1) != ((reflected & 1) != 0)) column = s.r2 - 1 - column;
  if ((reflected & 2) != 0) row = s.r1 - 1 - row;
  return (group / s.m() * s.r1 + row) * s.columns + group % s.m() * s.r2 + column;
}

/// The tree on PUs numbered group by group, each along its snake.
std::vector<fractional::Wave> waves(const Dimensions& s, const Block& all) {
  const std::uint64_t r = s.r();
  fractional::Layout layout({r, 1, r + 1}, {}, s.depth() + 1);
  std::vector<std::pair<std::uint32_t, GroupStart>> pending{{all.spare, {}}};
  while (!pending.empty()) {
    const auto [group, position] = pending.back();
    pending.pop_back();
    const auto& [down, right, reflected] = all.groups[group];
    layout.chain(group * r, r, position);
    if (down != none) pending.emplace_back(down, layout.link_down(group * r, position, down * r));
    if (right != none)
      pending.emplace_back(right, layout.link_right(group * r, position, 0, right * r));
  }
  return std::move(layout).waves();
}

/// The tree from rank 0, the head of the group in the first corner.
Steps from_corner(const Dimensions& s, std::uint64_t K) {
  Block all = block(s.k, 0);
  all.groups[all.spare].down = all.root;
  const std::uint64_t r = s.r();
  std::vector<Rank> pus;
  for (std::uint64_t group = 0; group < all.groups.size(); ++group) {
    for (std::uint64_t i = 0; i < r; ++i) {
      pus.push_back(static_cast<Rank>(snake(s, group, all.groups[group].snake, i)));
    }
  }
  Steps steps =
      s.k == 0 ? fractional_tree(r, K, r)
               : fractional_broadcast(waves(s, all), embedded_claim(s.depth(), K, r).steps, K, r);
  return relabel(std::move(steps), [pus = std::make_shared<const std::vector<Rank>>(
                                        std::move(pus))](Rank v) { return (*pus)[v]; });
}

/// The corner nearest to a PU.
Rank nearest_corner(const Dimensions& s, Rank pu) {
  const bool lower = pu / s.columns * 2 >= s.rows, right = pu % s.columns * 2 >= s.columns;
  return static_cast<Rank>((lower ? (s.rows - 1) * s.columns : 0) + (right ? s.columns - 1 : 0));
}

Steps build(const Request& request, std::uint64_t r) {
  const Dimensions s = *dimensions(*request.machine.shape<Mesh>(), r);
  Problem problem = request.problem;
  const Rank root = problem.root, corner = nearest_corner(s, root);
  const std::uint64_t flip_row = corner / s.columns, flip_column = corner % s.columns;
  Steps steps = relabel(from_corner(s, problem.chunks), [=, columns = s.columns](Rank v) {
    const std::uint64_t row = v / columns, column = v % columns;
    const auto reflected = static_cast<Rank>((flip_row > 0 ? flip_row - row : row) * columns +
                                             (flip_column > 0 ? flip_column - column : column));
    return reflected == corner ? root : reflected == root ? corner : reflected;
  });
  problem.root = 0;  // the steps are those for the root already
  return rooted(problem, std::move(steps));
}

std::optional<std::string> reason(const Request& request, std::uint64_t r) {
  const auto* mesh = request.machine.shape<Mesh>();
  if (mesh == nullptr || mesh->torus) {
    return fmt::format("layout=mesh needs a machine mesh:AxB, not {}", request.machine.spec());
  }
  if (dimensions(*mesh, r)) return std::nullopt;
  return fmt::format(
      "a {}x{} mesh has no submeshes of r_1 x r_2 ranks, r_1 r_2 = {}, with {}/r_1 = {}/r_2 a "
      "power of two",
      mesh->rows, mesh->columns, r, mesh->rows, mesh->columns);
}

/// The known congestion: 1 in the paper's example and on smaller meshes of its kind.
bool fits(const Request& request, std::uint64_t r) {
  const auto* mesh = request.machine.shape<Mesh>();
  const auto s = mesh != nullptr ? dimensions(*mesh, r) : std::nullopt;
  return s && request.problem.collective == Collective::broadcast &&
         nearest_corner(*s, request.problem.root) == request.problem.root &&
         (s->k == 0 || (s->r1 == 1 && s->r2 == 2 && s->k <= 3));
}

}  // namespace

extern const Embedding embedding;
const Embedding embedding{
    .name = "mesh",
    .reason = reason,
    .largest = [](const Request& q) -> std::uint64_t { return q.problem.ranks; },
    .build = build,
    .claim =
        [](const Request& q, std::uint64_t r) {
          const Dimensions s = *dimensions(*q.machine.shape<Mesh>(), r);
          const std::uint64_t K = q.problem.chunks;
          if (s.k > 0) return embedded_claim(s.depth(), K, r);
          return CostClaim{
              .steps = fractional_tree_steps(r, K, r), .width = 1, .steps_formula = "P - 2 + s"};
        },
    .fits = fits,
};

}  // namespace schedcc::mesh_layout
