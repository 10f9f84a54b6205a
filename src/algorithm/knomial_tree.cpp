// The k-nomial tree: every holder cuts its part of the ranks into k pieces, keeps the first and
// hands over the others, one a step; so does everybody with the piece that is left.
//
// On level i of m = ceil(log_k P) a part has k^(m-i) ranks; its holder v sends to v + j k^(m-i-1)
// in the level's step j = 1..k-1. On the top level there are but c = ceil(P / k^(m-1)) pieces
// beyond the root's, so one packet takes c + (k-1)(m-1) <= (k-1) ceil(log_k P) steps, in all of
// which the root sends; several packets follow one another. k = 2 is the binomial tree, k >= P the
// linear one.
//
// Source: BL, "Faster Trees?".

#include "algorithm/knomial_tree.hpp"

#include <algorithm>

#include "algorithm/closed_forms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc {

namespace {

/// The levels of the tree, from the top.
struct Levels {
  std::uint64_t piece = 1;  ///< k^(m-1), the ranks of a piece on the top level
  std::uint64_t below = 0;  ///< m - 1, the levels below it
  std::uint64_t c;          ///< pieces that the root hands over on the top level

  Levels(std::uint64_t P, std::uint64_t k) {
    for (; piece < ceil_div(P, k); piece *= k) ++below;
    c = ceil_div(P, piece) - 1;
  }
  std::uint64_t steps(std::uint64_t k) const { return c + (k - 1) * below; }
};

}  // namespace

Steps knomial_tree(std::uint64_t P, std::uint64_t K, std::uint64_t k) {
  const Levels top(P, k);
  const std::uint64_t steps = top.steps(k);
  return every_step(K * steps, [=](std::uint64_t t, Transfers& out) {
    const auto packet = static_cast<Chunk>(closed::serial_packet(t, steps));
    std::uint64_t piece = top.piece;
    std::uint64_t j = closed::serial_place(t, steps);
    for (std::uint64_t pieces = top.c; j >= pieces; pieces = k - 1) {
      j -= pieces;
      piece /= k;
    }
    for (std::uint64_t v = 0, w = (j + 1) * piece; w < P; v += k * piece, w += k * piece) {
      out.push_back(copy(static_cast<Rank>(v), static_cast<Rank>(w), packet));
    }
  });
}

std::uint64_t knomial_tree_steps(std::uint64_t P, std::uint64_t K, std::uint64_t k) {
  return K * Levels(P, k).steps(k);
}

namespace {

Steps build(const Request& r) {
  return rooted(r.problem,
                knomial_tree(r.problem.ranks, r.problem.chunks, r.parameters.integer("k")));
}

}  // namespace

extern const Algorithm knomial_tree_algorithm;
const Algorithm knomial_tree_algorithm{
    .name = "knomial-tree",
    .summary = "every holder hands over k - 1 of k pieces of its part of the ranks",
    .source = "BL, Faster Trees?",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex", "simplex"},
    .parameters = {{.name = "k",
                    .summary = "pieces; the default, the binomial tree, needs the fewest steps",
                    .least = 2,
                    .most = UINT32_MAX,
                    .standard = "2"}},
    .order = [](const Request& r) { return trees_in_order(r, build); },
    .build = build,
    .promise =
        [](const Request& r) {
          return Promise{.steps = knomial_tree_steps(r.problem.ranks, r.problem.chunks,
                                                     r.parameters.integer("k")),
                         .width = 1,
                         .steps_formula = "s (c + (k - 1) (log_k P - 1))"};
        },
};

}  // namespace schedcc
