// Fractional trees on an a x b hierarchical crossbar: a modules of b PUs, of which few may exchange
// with other modules in the same step.
//
// layout=crossbar. One group of each module is part of a global binary tree of a nodes, and the b -
// r other PUs of the module form a local fractional tree. A global group with one successor in the
// global tree has a link left for its local tree, one without any has two: the first is for its own
// local tree, the second for that of a module whose group has two successors. There is one more
// such link than needed, and the group that begins last does not use it. A group sends at most one
// message a step down and one right, and at most one arrives at the head of the global group and
// one at that of the local tree: two leave a module and two enter it.
//
// layout=crossbar-thin. Two global groups in each module. The first links to one other module and
// to the second, the second to one other module and to the local tree. So only one message enters a
// module. Of the two modules the first is reached after r steps, the second after 2r + 1 rather
// than r + 1: each level of the global tree costs up to r more.
//
// Steps. With M_i the modules that are reached within i steps in the global tree,
//     M_i = 1 + M_{i-near} + M_{i-far},   near = r,   far = r + 1 (thin: 2r + 1),
// and N_i the PUs of a fractional tree (layout.hpp), the last PU has packet 0 after
//     D = min{i : M_i >= a} + g + min{i : N_i >= b - g},   g = r (thin: 2r)
// steps, and without local trees, b = g, after min{i : M_i >= a} + g - 1. In all D + K + ceil(K/r)
// - 2 steps. In the first construction it is one step more if several modules begin last: all but
// one of these feed a local tree by their second link.
//
// The paper takes the additional depth of the second construction to be (r+1) log b. It grows with
// the depth of the global tree, which depends on a: (r+1) log a is enough, and where a is much
// larger than b, (r+1) log b is not.
//
// Another root is exchanged with rank 0, module with module and index with index. In reverse,
// packets that enter a module leave it, and vice versa.
//
// Source: FT, section 4, "Hierarchies of Crossbars".

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "algorithm/fractional_tree/embedding.hpp"
#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "algorithm/fractional_tree/layout.hpp"
#include "algorithm/shapes.hpp"
#include "machine/cluster.hpp"
#include "model/algebra.hpp"

namespace schedcc::crossbar_layout {

namespace {

using fractional::Group;
using fractional::GroupStart;

/// The measures of one of the two constructions.
struct Dimensions {
  std::uint64_t a, b, r;
  bool thin;

  std::uint64_t global() const { return thin ? 2 * r : r; }  ///< PUs of a module in global groups
  std::uint64_t local() const { return b - global(); }
  std::uint64_t near() const { return r; }
  std::uint64_t far() const { return thin ? 2 * r + 1 : r + 1; }
  Group group() const { return {r, 1, r + 1}; }

  /// M_0, M_1, ... up to the first M_i >= a.
  std::vector<std::uint64_t> modules() const {
    std::vector<std::uint64_t> M;
    for (std::uint64_t i = 0; M.empty() || M.back() < a; ++i) {
      M.push_back(1 + (i < near() ? 0 : M[i - near()]) + (i < far() ? 0 : M[i - far()]));
    }
    return M;
  }
  /// N_0, N_1, ... up to the first N_i >= local().
  std::vector<std::uint64_t> local_tree() const {
    return local::tree_sizes(std::max<std::uint64_t>(local(), 1), group());
  }
  /// How many of the modules after the first of `n`, which are to be reached within `budget` steps
  /// after it, its near link leads to.
  std::uint64_t near_modules(const std::vector<std::uint64_t>& M, std::uint64_t n,
                             std::uint64_t budget) const {
    return budget < near() ? 0 : std::min(n - 1, M[budget - near()]);
  }
  /// The modules that begin last: that have no step left.
  std::uint64_t last_modules() const {
    const std::vector<std::uint64_t> M = modules();
    std::uint64_t last = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pending{{a, M.size() - 1}};
    while (!pending.empty()) {
      const auto [n, budget] = pending.back();
      pending.pop_back();
      if (budget == 0) ++last;
      const std::uint64_t near_n = near_modules(M, n, budget);
      if (near_n > 0) pending.emplace_back(near_n, budget - near());
      if (n - 1 > near_n) pending.emplace_back(n - 1 - near_n, budget - far());
    }
    return last;
  }
  /// D.
  std::uint64_t depth() const {
    const std::uint64_t last = modules().size() - 1 + global();
    if (local() == 0) return last - 1;
    return last + local_tree().size() - 1 + (!thin && last_modules() > 1 ? 1 : 0);
  }
};

/// The waves of one tree, module by module. Modules are numbered in preorder.
class Builder {
 public:
  explicit Builder(const Dimensions& dimensions)
      : dimensions_(dimensions),
        M_(dimensions.modules()),
        N_(dimensions.local_tree()),
        layout_(dimensions.group(), N_, dimensions.depth() + 1) {}

  std::vector<fractional::Wave> waves() && {
    pending_.push_back({0, dimensions_.a, M_.size() - 1, {}});
    while (!pending_.empty()) {
      const ModuleRange part = pending_.back();
      pending_.pop_back();
      dimensions_.thin ? place_thin(part) : place(part);
    }
    link_across();
    return std::move(layout_).waves();
  }

 private:
  /// The modules first .. first+n-1, to be reached within `budget` steps after the first of them.
  struct ModuleRange {
    std::uint64_t first, n, budget;
    GroupStart position;
  };
  struct Link {
    std::uint64_t head;
    GroupStart position;
  };

  std::uint64_t head(std::uint64_t module) const { return module * dimensions_.b; }
  std::uint64_t local_head(std::uint64_t module) const {
    return head(module) + dimensions_.global();
  }

  std::uint64_t near_modules(const ModuleRange& part) const {
    return dimensions_.near_modules(M_, part.n, part.budget);
  }

  void add(const ModuleRange& above, std::uint64_t first, std::uint64_t n,
           const GroupStart& position) {
    pending_.push_back(
        {first, n, above.budget - (position.start - above.position.start), position});
  }

  void local(std::uint64_t module, const GroupStart& position) {
    layout_.tree(local_head(module), dimensions_.local(), position, N_.size() - 1);
  }

  void place(const ModuleRange& part) {
    const std::uint64_t own = head(part.first), near = near_modules(part);
    const std::uint64_t far = part.n - 1 - near, local_to = local_head(part.first);
    const bool has_local = dimensions_.local() > 0;
    layout_.chain(own, dimensions_.r, part.position);
    if (near == 0) {
      if (!has_local) return;
      local(part.first, layout_.link_down(own, part.position, local_to));
      free_.push_back({own, part.position});
      return;
    }
    const std::uint64_t down = part.first + 1, right = down + near;
    add(part, down, near, layout_.link_down(own, part.position, head(down)));
    if (far > 0) {
      add(part, right, far, layout_.link_right(own, part.position, 0, head(right)));
      if (has_local) waiting_.push_back(part.first);
    } else if (has_local) {
      local(part.first, layout_.link_right(own, part.position, 0, local_to));
    }
  }

  /// The second links of groups without successors, those that begin early first, go to the local
  /// trees of groups with two.
  void link_across() {
    std::ranges::stable_sort(free_, {}, [](const Link& link) { return link.position.start; });
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const auto& [from, position] = free_[i];
      local(waiting_[i], layout_.link_right(from, position, 0, local_head(waiting_[i])));
    }
  }

  void place_thin(const ModuleRange& part) {
    const std::uint64_t first = head(part.first), second = first + dimensions_.r;
    const std::uint64_t near = near_modules(part), far = part.n - 1 - near;
    const std::uint64_t down = part.first + 1, right = down + near;
    layout_.chain(first, dimensions_.r, part.position);
    if (near > 0) add(part, down, near, layout_.link_down(first, part.position, head(down)));
    const GroupStart position = near > 0 ? layout_.link_right(first, part.position, 0, second)
                                         : layout_.link_down(first, part.position, second);
    layout_.chain(second, dimensions_.r, position);
    if (far > 0) add(part, right, far, layout_.link_down(second, position, head(right)));
    if (dimensions_.local() == 0) return;
    const std::uint64_t to = local_head(part.first);
    local(part.first, far > 0 ? layout_.link_right(second, position, 0, to)
                              : layout_.link_down(second, position, to));
  }

  Dimensions dimensions_;
  std::vector<std::uint64_t> M_, N_;
  fractional::Layout layout_;
  std::vector<ModuleRange> pending_;
  std::vector<Link> free_;              ///< groups that can feed another module's local tree
  std::vector<std::uint64_t> waiting_;  ///< modules whose local tree is to be fed by another
};

Dimensions dimensions(const Request& request, std::uint64_t r, bool thin) {
  const Crossbar crossbar = crossbar_of(request.machine).value();
  return {crossbar.a, crossbar.b, r, thin};
}

std::optional<std::string> reason(const Request& request, std::uint64_t r, bool thin) {
  const auto crossbar = crossbar_of(request.machine);
  if (!crossbar) {
    return fmt::format(
        "layout={} needs a crossbar, or a cluster without rails and oversubscription, not {}",
        thin ? "crossbar-thin" : "crossbar", request.machine.spec());
  }
  auto [a, b, in, out] = *crossbar;
  const std::uint64_t needed = thin ? 2 * r : r;
  if (b < needed) {
    return fmt::format("a module of b = {} ranks is too small for {} of r = {}", b,
                       thin ? "two groups" : "a group", r);
  }
  if (a == 1) return std::nullopt;
  if (request.problem.collective == Collective::reduce) std::swap(in, out);
  const std::uint64_t entering = thin ? 1 : 2;
  if (in >= entering && out >= 2) return std::nullopt;
  if (request.problem.collective == Collective::reduce) {
    return fmt::format("in a reduction {} messages a step enter a module and {} leave{} it", 2,
                       entering, entering == 1 ? "s" : "");
  }
  return fmt::format("{} message{} a step enter{} a module and 2 leave it", entering,
                     entering == 1 ? "" : "s", entering == 1 ? "s" : "");
}

Steps build(const Request& request, std::uint64_t r, bool thin) {
  Problem problem = request.problem;
  const auto [a, b, in, out] = crossbar_of(request.machine).value();
  if (a == 1) return rooted(problem, fractional_tree(b, problem.chunks, r));
  const Dimensions s = dimensions(request, r, thin);
  const Rank module = problem.root / static_cast<Rank>(b),
             index = problem.root % static_cast<Rank>(b);
  const auto swapped = [](std::uint64_t v, Rank with) -> std::uint64_t {
    return v == 0 ? with : v == with ? 0 : v;
  };
  Steps steps = relabel(
      fractional_broadcast(Builder(s).waves(), embedded_claim(s.depth(), problem.chunks, r).steps,
                           problem.chunks, r),
      [swapped, module, index, b = b](Rank v) {
        return static_cast<Rank>(swapped(v / b, module) * b + swapped(v % b, index));
      });
  problem.root = 0;
  return rooted(problem, std::move(steps));
}

CostClaim claim(const Request& request, std::uint64_t r, bool thin) {
  const Dimensions s = dimensions(request, r, thin);
  const std::uint64_t K = request.problem.chunks;
  if (s.a == 1) return fractional_tree_for(Machine{}).claim(s.b, K, r);
  return embedded_claim(s.depth(), K, r);
}

/// Does it fit the machine? `reason` refuses the crossbars that it does not fit.
bool fits(const Request& request, std::uint64_t) {
  return crossbar_of(request.machine).has_value();
}

/// 0 on other machines.
std::uint64_t module_size(const Request& request) {
  const auto crossbar = crossbar_of(request.machine);
  return crossbar ? crossbar->b : 0;
}

}  // namespace

extern const Embedding embedding, thin_embedding;

const Embedding embedding{
    .name = "crossbar",
    .reason = [](const Request& q, std::uint64_t r) { return reason(q, r, false); },
    .largest = [](const Request& q) { return module_size(q); },
    .build = [](const Request& q, std::uint64_t r) { return build(q, r, false); },
    .claim = [](const Request& q, std::uint64_t r) { return claim(q, r, false); },
    .fits = fits,
};

const Embedding thin_embedding{
    .name = "crossbar-thin",
    .reason = [](const Request& q, std::uint64_t r) { return reason(q, r, true); },
    .largest = [](const Request& q) { return module_size(q) / 2; },
    .build = [](const Request& q, std::uint64_t r) { return build(q, r, true); },
    .claim = [](const Request& q, std::uint64_t r) { return claim(q, r, true); },
    .fits = fits,
};

}  // namespace schedcc::crossbar_layout
