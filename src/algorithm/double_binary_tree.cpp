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
#include <bit>
#include <map>
#include <utility>
#include <vector>

#include "algorithm/pipelined.hpp"
#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"

namespace schedcc::double_binary_tree_algorithm {

namespace {

/// The ranks of one of the trees, tree 0 or 1, by their numbers in the first tree.
class Tree {
 public:
  Tree(std::uint64_t P, int tree) : P_(P), tree_(tree) {}

  Rank rank(std::uint64_t number) const {
    if (tree_ == 0) return static_cast<Rank>(number);
    return static_cast<Rank>(P_ % 2 == 0 ? P_ - 1 - number : (number + 1) % P_);
  }
  /// Calls f(parent, child, depth of the child) for all edges, parents first.
  template <typename F>
  void each_edge(F f) const {
    visit(0, std::bit_floor(P_ - 1), 1, f);
  }

 private:
  template <typename F>
  void visit(std::uint64_t parent, std::uint64_t number, std::uint64_t depth, F& f) const {
    f(rank(parent), rank(number), depth);
    std::uint64_t s = (number & (~number + 1)) / 2;
    if (s == 0) return;
    visit(number, number - s, depth + 1, f);
    while (s > 0 && number + s >= P_) s /= 2;
    if (s > 0) visit(number, number + s, depth + 1, f);
  }

  std::uint64_t P_;
  int tree_;
};

/// The sends of a tree's packet 0: up to the root, then down from it.
struct Sends {
  std::vector<Send> up, down;
};

Sends allreduce_sends(std::uint64_t P, int tree) {
  const std::uint64_t lg = ceil_log2(P);
  Sends result;
  Tree(P, tree).each_edge([&](Rank parent, Rank child, std::uint64_t depth) {
    result.up.push_back({lg - depth, child, parent});
    result.down.push_back({lg + depth - 1, parent, child});
  });
  return result;
}

/// Down from rank 0, which has all packets.
Sends broadcast_sends(std::uint64_t P, int tree) {
  std::vector<std::uint64_t> held(P);
  Sends result;
  const auto serve = [&](Rank parent, Rank child) {
    if (child == 0) return;
    result.down.push_back({held[parent], parent, child});
    held[child] = held[parent] + 1;
  };
  const Tree numbers(P, tree);
  serve(0, numbers.rank(0));
  numbers.each_edge([&](Rank parent, Rank child, std::uint64_t) { serve(parent, child); });
  return result;
}

bool is_allreduce(const Request& r) { return r.problem.collective == Collective::allreduce; }

Sends sends(const Request& r, int tree) {
  return is_allreduce(r) ? allreduce_sends(r.problem.ranks, tree)
                         : broadcast_sends(r.problem.ranks, tree);
}

/// The packets of a tree.
std::uint64_t packets(const Request& r, int tree) {
  const std::uint64_t K = r.problem.chunks;
  return tree == 0 ? ceil_div(K, 2) : K / 2;
}

Steps build(const Request& r) {
  require_memory_for_ranks(r.problem.ranks, 4 * sizeof(Send), "a pair of trees");
  std::vector<Steps> trees;
  for (const int tree : {0, 1}) {
    const Sends all = sends(r, tree);
    const std::uint64_t K = packets(r, tree);
    trees.push_back(
        parallel({each_transfer(pipelined(all.up, 1, K), [](Transfer& t) { t.reduce = 1; }),
                  pipelined(all.down, 1, K)}));
  }
  Steps both = split(std::move(trees));
  return is_allreduce(r) ? both : rooted(r.problem, std::move(both));
}

/// For a broadcast or an allreduce; the reverse of a broadcast has the same.
std::uint64_t steps(const Request& r) {
  const std::uint64_t P = r.problem.ranks, lg = ceil_log2(P);
  const std::uint64_t first = packets(r, 0), second = packets(r, 1);
  if (is_allreduce(r)) return 2 * lg + first - 1;
  // For P = 2^j + 1 rank 0 serves the top of the second tree, below its root.
  const bool served = P > 2 && std::has_single_bit(P - 1);
  const std::uint64_t depth = P == 2 ? 1 : served ? lg - 1 : lg + 1;
  return std::max(lg + first, second == 0 ? 0 : depth + second) - 1;
}

/// The steps in which a rank sends a packet of each tree to the same rank.
std::uint64_t double_steps(const Request& r) {
  std::map<std::pair<Rank, Rank>, std::uint64_t> first;  // the step of packet 0 by its edge
  const auto both = [](const Sends& all) {
    std::vector<Send> result = all.up;
    result.insert(result.end(), all.down.begin(), all.down.end());
    return result;
  };
  for (const Send& s : both(sends(r, 0))) first.emplace(std::pair(s.from, s.to), s.time);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> common;
  for (const Send& s : both(sends(r, 1))) {
    const auto found = first.find({s.from, s.to});
    if (found == first.end()) continue;
    const std::uint64_t begin = std::max(found->second, s.time);
    const std::uint64_t end = std::min(found->second + packets(r, 0), s.time + packets(r, 1));
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
  const std::uint64_t all = steps(r);
  const bool twice = is_allreduce(r);
  return {.steps = all,
          .volume = r.problem.ranks <= max_counted ? all + double_steps(r) : 0,
          .steps_formula = twice ? "2 lg - 1 + ceil(s/2)" : "lg + s/2, or less",
          .volume_formula = twice ? "(2 lg - 1 + ceil(s/2) + steps with two packets) / s"
                                  : "(lg + s/2 + steps with two packets) / s, or less"};
}

std::optional<std::string> order(const Request& r) {
  if (!is_allreduce(r)) return trees_in_order(r, build);
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
    .build = build,
    .claim = claim,
};

}  // namespace schedcc::double_binary_tree_algorithm
