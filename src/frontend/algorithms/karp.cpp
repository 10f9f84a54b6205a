// Karp's optimal LogP broadcast: everybody who has the packet sends it on as fast as it may.
//
// A rank that holds the packet from time t on can have others hold it from t + L + 2o, t + L + 2o +
// s, t + L + 2o + 2s, ... on, with s = max(g, o). The P earliest of all these times make the
// optimal tree, and so P(t) = P(t - s) + P(t - L - 2o) ranks can hold it at time t, P(t) = 1 for 0
// <= t < L + 2o. Ranks are numbered in preorder, so that every subtree is an interval and the
// reversed broadcast, the optimal summation, can keep the order of operands.
//
// Optimal for one packet. More of them use the same tree, each packet a period later, the longest
// time from a rank's first call for a packet to the first moment at which it may begin the next
// one's.
//
// Source: Karp, Sahay, Santos, Schauser 1993; BL, "Optimal Broadcast Runtime"; CC, "Broadcasts in
// the LogP model".

#include <algorithm>
#include <queue>
#include <vector>

#include "frontend/algorithms/shapes.hpp"

namespace schedcc {

namespace {

/// A send of the tree: at `time` (for packet 0) from one rank to another.
struct Send {
  std::uint64_t time;
  Rank from, to;
};

struct Tree {
  std::vector<Send> sends;  ///< by time
  std::uint64_t time = 0;   ///< the last rank holds the packet
  std::uint64_t period = 0;
};

/// A rank's next send would be held by its receiver from `held` on.
struct Offer {
  std::uint64_t held;
  Rank sender;
  friend bool operator>(const Offer& a, const Offer& b) {
    return std::pair(a.held, a.sender) > std::pair(b.held, b.sender);
  }
};

/// New names, in preorder, for ranks 0..P-1 with the given parents (each below its child).
std::vector<Rank> preorder(const std::vector<Rank>& parent) {
  const std::size_t P = parent.size();
  std::vector<Rank> size(P, 1);
  for (std::size_t v = P; v-- > 1;) size[parent[v]] += size[v];
  std::vector<Rank> name(P, 0);
  std::vector<Rank> next(P, 1);  // the name of a rank's next child, relative to its own
  for (std::size_t v = 1; v < P; ++v) {
    name[v] = name[parent[v]] + next[parent[v]];
    next[parent[v]] += size[v];
  }
  return name;
}

Tree karp_tree(std::uint64_t P, const LogP& model) {
  Tree tree;
  std::vector<Rank> parent{0};
  std::vector<std::uint64_t> first_call{0},
      free{0};  // by rank: start of its first call, end of its last
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers;
  offers.push({model.latency(), 0});
  while (parent.size() < P) {
    const auto [held, sender] = offers.top();
    offers.pop();
    const std::uint64_t sent = held - model.latency();
    const auto receiver = static_cast<Rank>(parent.size());
    tree.sends.push_back({sent, sender, receiver});
    tree.time = std::max(tree.time, held);
    parent.push_back(sender);
    free[sender] = sent + model.spacing();
    first_call.push_back(held - model.o);
    free.push_back(held - model.o + model.spacing());
    offers.push({held + model.spacing(), sender});
    offers.push({held + model.latency(), receiver});
  }
  for (std::size_t v = 0; v < P; ++v) tree.period = std::max(tree.period, free[v] - first_call[v]);
  const std::vector<Rank> name = preorder(parent);
  for (Send& send : tree.sends) send = {send.time, name[send.from], name[send.to]};
  std::ranges::stable_sort(tree.sends, {}, &Send::time);
  return tree;
}

Steps broadcast(std::uint64_t P, std::uint64_t K, const LogP& model) {
  const Tree tree = karp_tree(P, model);
  std::vector<std::pair<std::uint64_t, Transfer>> timed;
  for (std::uint64_t p = 0; p < K; ++p) {
    for (const Send& s : tree.sends) {
      timed.emplace_back(s.time + p * tree.period, copy(s.from, s.to, static_cast<Chunk>(p)));
    }
  }
  std::ranges::stable_sort(timed, {}, &std::pair<std::uint64_t, Transfer>::first);
  auto schedule = std::make_shared<Schedule>();
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (i == 0 || timed[i].first != timed[i - 1].first) schedule->begin_step(timed[i].first);
    schedule->add(timed[i].second);
  }
  return as_steps(std::move(schedule));
}

Steps build(const Request& r) {
  return rooted(r.problem, broadcast(r.problem.ranks, r.problem.chunks, *r.machine.logp));
}

}  // namespace

extern const Algorithm karp_algorithm;
const Algorithm karp_algorithm{
    .name = "karp",
    .summary = "the optimal LogP tree: everybody sends on as fast as it may",
    .source = "Karp et al. 1993; BL, Optimal Broadcast Runtime",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"logp"},
    .refuse = [](const Request& r) -> std::optional<std::string> {
      if (r.machine.logp) return std::nullopt;
      return "its tree is made from the L, o and g of a logp machine";
    },
    .order = [](const Request& r) { return trees_in_order(r, build); },
    .build = build,
    .promise =
        [](const Request& r) {
          const Tree tree = karp_tree(r.problem.ranks, *r.machine.logp);
          return Promise{tree.time + (r.problem.chunks - 1) * tree.period};
        },
};

}  // namespace schedcc
