// Trees that grow as fast as the LogP model allows.
//
// A rank that holds the packet at time t can have others hold it at the times t + L + 2o,
// t + L + 2o + s, t + L + 2o + 2s, ..., with s = max(g, o), as many as its kind of tree allows; the
// P earliest of all these times make the tree. Sends are processed in the order of time, so a
// rank's first send (in the order in which ranks are reached) and the others' next ones (in the
// order in which they sent before) wait in two queues, each in order, and a tree takes O(P).
//
// More packets use the same tree, one period after another. A rank with c children receives once
// and sends c times in a period: the receive keeps two of its sends 2o apart, the others are s
// apart, and no period below (c-1) s + max(s, 2o) is possible (the root, which receives nothing: c
// s; a leaf: s). This one is enough, since a rank's last call for a packet ends as the next one
// arrives.
//
// Source: Karp, Sahay, Santos, Schauser 1993; BL, "Example: Broadcasts".

#include "algorithm/logp_shapes.hpp"

#include <algorithm>
#include <limits>
#include <queue>

#include <fmt/core.h>

#include "algorithm/from_kernel.hpp"
#include "algorithm/kernel/growing_tree.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"
#include "core/saturating.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// A rank of a tree, in the order in which the packet reaches them.
struct Member {
  Rank parent;
  std::uint32_t level;  ///< its level, for `child_level`
  std::uint64_t held;   ///< the time from which it holds the packet
  std::uint64_t children = 0;
};

/// New names, in preorder, for members with the given parents (each before its children).
std::vector<Rank> preorder(const std::vector<Member>& members) {
  const std::size_t P = members.size();
  std::vector<Rank> size(P, 1);
  for (std::size_t v = P; v-- > 1;) size[members[v].parent] += size[v];
  std::vector<Rank> name(P, 0);
  std::vector<Rank> next(P, 1);  // the name of a member's next child, relative to its own
  for (std::size_t v = 1; v < P; ++v) {
    const Rank parent = members[v].parent;
    name[v] = name[parent] + next[parent];
    next[parent] += size[v];
  }
  return name;
}

std::uint64_t least_period(const std::vector<Member>& members, const LogP& model) {
  const std::uint64_t s = model.spacing();
  std::uint64_t period = std::max(s, members.front().children * s);
  for (std::size_t v = 1; v < members.size(); ++v) {
    const std::uint64_t c = members[v].children;
    if (c > 0) period = std::max(period, (c - 1) * s + std::max(s, 2 * model.o));
  }
  return period;
}

/// The P earliest ranks of the tree in which child number q of a rank of level l has the level
/// `child_level(l, q)`, and there is no such child if that is none.
template <typename F>
LogPTree grow(std::uint64_t P, const LogP& model, std::uint32_t root_level, F child_level) {
  struct Turn {
    std::uint64_t time;
    Rank sender;
  };
  require_memory_for_ranks(P, sizeof(Send) + sizeof(Member), "a tree");
  LogPTree tree;
  tree.sends.reserve(P - 1);
  std::vector<Member> members{{0, root_level, 0}};
  members.reserve(P);
  std::queue<Turn> again;  // of those that have sent before; the others are members[first...]
  for (Rank first = 0; members.size() < P;) {
    Turn turn{};
    if (again.empty() || (first < members.size() && members[first].held < again.front().time)) {
      turn = {members[first].held, first};
      ++first;
    } else {
      turn = again.front();
      again.pop();
    }
    Member& sender = members[turn.sender];
    const std::optional<std::uint32_t> level = child_level(sender.level, sender.children);
    if (!level) continue;
    ++sender.children;
    tree.sends.push_back({turn.time, turn.sender, static_cast<Rank>(members.size())});
    tree.time = turn.time + model.latency();
    members.push_back({turn.sender, *level, tree.time});
    again.push({turn.time + model.spacing(), turn.sender});
  }
  tree.period = least_period(members, model);
  const std::vector<Rank> name = preorder(members);
  for (Send& send : tree.sends) send = {send.time, name[send.from], name[send.to]};
  return tree;
}

}  // namespace

Steps from_kernel(const local::GrowingTree& kernel, std::uint64_t P) {
  const local::Growth& growth = kernel.growth();
  const LogP model{.L = growth.latency, .o = 0, .g = growth.spacing};
  const LogPTree tree =
      growth.knomial() ? logp_knomial_tree(P, growth.k, model) : logp_kary_tree(P, growth.k, model);
  return pipelined(tree.sends, kernel.period(), kernel.packets());
}

LogPTree logp_kary_tree(std::uint64_t P, std::uint64_t k, const LogP& model) {
  return grow(P, model, 0, [k](std::uint32_t, std::uint64_t q) {
    return q < k ? std::optional<std::uint32_t>(0) : std::nullopt;
  });
}

LogPTree logp_knomial_tree(std::uint64_t P, std::uint64_t k, const LogP& model) {
  std::uint32_t h = 0;
  for (std::uint64_t reached = 1; reached < P; reached *= k) ++h;
  return grow(P, model, h, [k](std::uint32_t level, std::uint64_t q) {
    const std::uint64_t round = q / (k - 1);
    return round < level ? std::optional(static_cast<std::uint32_t>(level - 1 - round))
                         : std::nullopt;
  });
}

std::optional<std::string> logp_only(const Request& request) {
  if (!request.machine.timing()) return "its tree is made from the L, o and g of a logp machine";
  // An upper bound on all times: every send of every packet after the previous one.
  const LogP& model = *request.machine.timing();
  const std::uint64_t sends = std::uint64_t{request.problem.ranks} * request.problem.chunks;
  if (sends > std::numeric_limits<std::uint64_t>::max() / (model.latency() + model.spacing())) {
    return "its times might not be below 2^64 cycles";
  }
  return std::nullopt;
}

Steps logp_steps(const Request& request, const LogPTree& tree) {
  return rooted(request.problem, pipelined(tree.sends, tree.period, request.problem.chunks));
}

namespace {

/// Counts for each cycle, and number of levels, take 32 bytes.
constexpr std::uint64_t most_counts = std::uint64_t{1} << 20;

/// Throws InputError if o is 0.
void require_overhead(const LogP& logp) {
  if (logp.o > 0) return;
  throw InputError(
      "with o = 0 a rank receives a packet and sends it on in one cycle, in which its operations "
      "would have no order");
}

/// Throws InputError if the last time of K packets is too large, with so many children of a rank.
void require_cycles(std::uint64_t K, std::uint64_t children, const LogP& logp) {
  local_terms::require_product(K,
                               (std::min(children, most_counts) + 1) * logp.spacing() + 2 * logp.o,
                               "the number of cycles");
}

/// K packets on such a tree; `growing` is the text of `growth`.
local_terms::Result growing_tree(const LocalRequest& r, const local::Growth& growth,
                                 std::string_view growing) {
  const LogP& logp = *r.machine.timing();
  local_terms::Term<local::GrowingTree> tree{
      local::GrowingTree::on_logp(r.problem.ranks, r.problem.chunks, growth, logp.o),
      fmt::format("GrowingTree::on_logp(ranks, chunks, {{{}}}, {})", growing, logp.o)};
  return rooted(r.problem, std::move(tree), [&](auto term) {
    return local_terms::result(
        r, local_terms::delayed(std::move(term), logp.receive_delay(), logp.latency()),
        {"flows.hpp", "growing_tree.hpp"});
  });
}

}  // namespace

std::shared_ptr<const LocalSchedule> logp_kary_kernel(const LocalRequest& r, std::uint64_t k) {
  const std::uint64_t P = r.problem.ranks;
  const LogP& logp = *r.machine.timing();
  const std::uint64_t l = logp.latency(), s = logp.spacing();
  require_overhead(logp);
  if (k == 1) {
    local_terms::require_product(P, l, "the number of cycles");
  } else if ((Saturating(l) + s) * ceil_log2(P) > most_counts) {
    throw InputError(fmt::format(
        "the ranks that its tree reaches are counted for each cycle, for at most {} cycles",
        most_counts));
  }
  require_cycles(r.problem.chunks, k, logp);
  const std::string children =
      k == any_arity ? "ranks" : fmt::format("std::min<std::uint64_t>({}, ranks)", k);
  return growing_tree(r, {std::min(k, P), l, s}, fmt::format("{}, {}, {}", children, l, s));
}

std::shared_ptr<const LocalSchedule> logp_knomial_kernel(const LocalRequest& r, std::uint64_t k) {
  const std::uint64_t P = r.problem.ranks, h = ceil_log(k, P);
  const LogP& logp = *r.machine.timing();
  const std::uint64_t l = logp.latency(), s = logp.spacing();
  require_overhead(logp);
  // A level takes no longer than its last child's send and that child's first one.
  const std::uint64_t capped = std::min(k, std::max<std::uint64_t>(P, 2));
  if ((Saturating(capped - 1) * s + l) * h * (h + 1) > most_counts) {
    throw InputError(
        fmt::format("the ranks that its tree reaches are counted for each cycle and "
                    "number of levels, with at most {} counts",
                    most_counts));
  }
  require_cycles(r.problem.chunks, h * (capped - 1), logp);
  return growing_tree(
      r, {capped, l, s, h},
      fmt::format("std::min<std::uint64_t>({0}, std::max<std::uint64_t>(ranks, 2)), "
                  "{1}, {2}, ::schedcc::ceil_log({0}, ranks)",
                  k, l, s));
}

CostClaim logp_time(const Request& request, const LogPTree& tree) {
  const std::uint64_t K = request.problem.chunks;
  const auto children = static_cast<std::uint64_t>(std::ranges::count(tree.sends, 0, &Send::from));
  return {.steps = tree.time + (K - 1) * tree.period,
          .width = 1,
          .idle = true,
          .busiest = children * K};  // the root has the most
}

}  // namespace schedcc
