// NCCL's double binary tree: two binary trees at once, each for half of the message, in which a
// rank that has children in one of them is a leaf in the other.
//
// First tree. With l the lowest bit of rank r > 0, its parent is (r - l) | 2l, or r - l if there is
// no such rank. So r has the child r - l/2, and r + s for the largest s = l/2, l/4, ..., 1 with r +
// s < P; rank 0, the root, has one child, the largest power of two below P. Every rank is at a
// depth of at most lg, and every subtree is an interval of ranks, in which r is between its
// children's. Second tree. For even P the mirror image, r replaced by P - 1 - r; for odd P the
// first tree moved by one rank, r replaced by r + 1 modulo P. Rank 0 has children in both trees
// then.
//
// Allreduce. Even packets go up the first tree and down again, odd ones the second; in every step
// every edge carries a packet in each direction at most. A packet at depth d goes up in step lg - d
// after its own beginning, and down to depth d in step lg + d - 1: 2 lg - 1 + ceil(K/2) steps, on
// four ports. The busiest rank sends two messages' worth. The root of each tree adds up, so that
// all ranks have the same sums. Operands keep their order in the first tree, and in the second one
// of an even P; in that of an odd one rank 0 comes after rank P - 1.
//
// Broadcast. Rank 0 serves the root of the second tree, and all that would be its own children in
// it. The reduction is the reverse.
//
// (NCCL's trees are trees of nodes; a chain of the ranks of a node hangs on each. `two-tree` takes
// one port: its trees are coloured.)
//
// Source: NCCL, src/graph/trees.cc (the trees); Sanders, Speck, Träff 2009 (two trees).

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "algorithm/kernel/double_binary_tree.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/pipelined.hpp"
#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"

namespace schedcc::double_binary_tree_algorithm {

namespace {

using local::DoubleBinaryTree, local::NumberedTree;

/// Calls f(parent, child, depth of the child), by numbers, for all edges below a number at a depth,
/// parents first.
template <typename F>
void each_edge(const NumberedTree& tree, std::uint64_t number, std::uint64_t depth, F& f) {
  tree.each_child(number, [&](std::uint64_t child) {
    f(number, child, depth + 1);
    each_edge(tree, child, depth + 1, f);
  });
}

/// The sends of a tree's packet 0: up to the root, then down from it.
struct Sends {
  std::vector<Send> up, down;
};

Sends allreduce_sends(const NumberedTree& tree) {
  Sends result;
  const auto add = [&](std::uint64_t parent, std::uint64_t child, std::uint64_t depth) {
    const auto above = static_cast<Rank>(tree.rank(parent));
    const auto below = static_cast<Rank>(tree.rank(child));
    result.up.push_back({tree.up(depth), below, above});
    result.down.push_back({tree.down(depth), above, below});
  };
  each_edge(tree, 0, 0, add);
  return result;
}

/// Down from rank 0, which has all packets.
Sends broadcast_sends(const NumberedTree& tree) {
  Sends result;
  const auto serve = [&](std::uint64_t from, std::uint64_t child, std::uint64_t /*depth*/) {
    if (child == tree.of_rank_zero()) return;
    result.down.push_back({tree.broadcast(child), static_cast<Rank>(tree.rank(from)),
                           static_cast<Rank>(tree.rank(child))});
  };
  serve(tree.of_rank_zero(), 0, 0);
  each_edge(tree, 0, 0, serve);
  return result;
}

Sends sends(const DoubleBinaryTree& kernel, std::uint64_t P, std::uint64_t tree) {
  const NumberedTree numbers(P, tree);
  return kernel.is_allreduce() ? allreduce_sends(numbers) : broadcast_sends(numbers);
}

}  // namespace

}  // namespace schedcc::double_binary_tree_algorithm

namespace schedcc {

Steps from_kernel(const local::DoubleBinaryTree& kernel, std::uint64_t P) {
  require_memory_for_ranks(P, 4 * sizeof(Send), "a pair of trees");
  std::vector<Steps> trees;
  for (const std::uint64_t tree : {0, 1}) {
    const auto all = double_binary_tree_algorithm::sends(kernel, P, tree);
    const std::uint64_t K = kernel.packets(tree);
    trees.push_back(
        parallel({each_transfer(pipelined(all.up, 1, K), [](Transfer& t) { t.reduce = 1; }),
                  pipelined(all.down, 1, K)}));
  }
  return split(std::move(trees));
}

}  // namespace schedcc

namespace schedcc::double_binary_tree_algorithm {

namespace {

using namespace local_terms;

/// For a broadcast or an allreduce; a reduction is the reverse of a broadcast.
Result kernel(const LocalRequest& r) {
  const bool allreduce = r.problem.collective == Collective::allreduce;
  const Term<DoubleBinaryTree> term{{r.problem.ranks, r.problem.chunks, allreduce},
                                    fmt::format("DoubleBinaryTree(ranks, chunks, {})", allreduce)};
  const Headers headers{"flows.hpp", "double_binary_tree.hpp"};
  return allreduce ? result(r, term, headers) : rooted(r, term, headers);
}

DoubleBinaryTree trees_of(const Request& r) {
  return {r.problem.ranks, r.problem.chunks, r.problem.collective == Collective::allreduce};
}

/// The steps in which a rank sends a packet of each tree to the same rank.
std::uint64_t double_steps(const DoubleBinaryTree& kernel, std::uint64_t P) {
  std::map<std::pair<Rank, Rank>, std::uint64_t> first;  // the step of packet 0 by its edge
  const auto both = [](const Sends& all) {
    std::vector<Send> result = all.up;
    result.insert(result.end(), all.down.begin(), all.down.end());
    return result;
  };
  for (const Send& s : both(sends(kernel, P, 0))) first.emplace(std::pair(s.from, s.to), s.time);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> common;
  for (const Send& s : both(sends(kernel, P, 1))) {
    const auto found = first.find({s.from, s.to});
    if (found == first.end()) continue;
    const std::uint64_t begin = std::max(found->second, s.time);
    const std::uint64_t end =
        std::min(found->second + kernel.packets(0), s.time + kernel.packets(1));
    if (begin < end) common.emplace_back(begin, end);
  }
  std::ranges::sort(common);
  std::uint64_t sum = 0, covered = 0;
  for (const auto& [begin, end] : common) {
    if (end <= covered) continue;
    sum += end - std::max(begin, covered);
    covered = end;
  }
  return sum;
}

/// The trees are only built for claims on few ranks.
constexpr Rank max_counted = 1 << 12;

CostClaim claim(const Request& r) {
  const DoubleBinaryTree kernel = trees_of(r);
  const std::uint64_t P = r.problem.ranks, all = kernel.steps();
  const bool twice = kernel.is_allreduce();
  return {.steps = all,
          .volume = P <= max_counted ? all + double_steps(kernel, P) : 0,
          .steps_formula = twice ? "2 lg - 1 + ceil(s/2)" : "lg + s/2, or less",
          .volume_formula = twice ? "(2 lg - 1 + ceil(s/2) + steps with two packets) / s"
                                  : "(lg + s/2 + steps with two packets) / s, or less"};
}

std::optional<std::string> order(const Request& r) {
  if (r.problem.collective != Collective::allreduce) return trees_in_order(r, stream_of<kernel>);
  if (r.problem.ranks % 2 == 0 || r.problem.chunks == 1) return std::nullopt;
  return "for odd P the second tree has rank 0 after rank P - 1";
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "double-binary-tree",
    .summary = "NCCL's two binary trees at once, a packet a step on each edge",
    .source = "NCCL, src/graph/trees.cc; Sanders, Speck, Träff 2009",
    .collectives = {Collective::allreduce, Collective::broadcast, Collective::reduce},
    .machines = {"kport:k=4"},
    .order = order,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim = claim,
};

}  // namespace schedcc::double_binary_tree_algorithm
