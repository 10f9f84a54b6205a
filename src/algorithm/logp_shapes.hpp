#pragma once

// Trees that grow as fast as the LogP model allows, and code that the algorithms on them share.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/entry.hpp"
#include "algorithm/local.hpp"
#include "algorithm/pipelined.hpp"
#include "algorithm/shapes.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

/// The sends of one packet from rank 0 to all others. Ranks are in preorder, so that every subtree
/// is an interval of ranks.
struct LogPTree {
  std::vector<Send> sends;   ///< by time
  std::uint64_t time = 0;    ///< the time from which the last rank holds the packet
  std::uint64_t period = 1;  ///< the least distance of packets on this tree
};

/// The k-ary tree: a rank sends to k >= 1 others. N(t) ranks can hold the packet at time t,
///     N(t) = 1 + N(t - l) + N(t - l - s) + ... + N(t - l - (k-1) s),   N(t) = 0 for t < 0,
/// with l = L + 2o, s = max(g, o). For k >= P - 1 it is Karp's tree.
LogPTree logp_kary_tree(std::uint64_t P, std::uint64_t k, const LogP& model);

/// The k-nomial tree, k >= 2, of h = ceil(log_k P) levels: of a tree of h levels the root sends to
/// k - 1 roots of trees of h - 1 levels, then to k - 1 roots of trees of h - 2 levels, and so on.
LogPTree logp_knomial_tree(std::uint64_t P, std::uint64_t k, const LogP& model);

/// For `AlgorithmEntry::reason` of algorithms on a LogP model.
std::optional<std::string> logp_only(const Request& request);
/// The request's broadcast or reduction on a tree made for its machine.
Steps logp_steps(const Request& request, const LogPTree& tree);
/// Its time.
CostClaim logp_time(const Request& request, const LogPTree& tree);

/// Of a tree in which a rank may have any number of children.
inline constexpr std::uint64_t any_arity = std::numeric_limits<std::uint64_t>::max();

/// The same as a kernel, on the k-ary tree. Throws InputError if the tree is too deep to be counted
/// by cycles, or if o is 0: a rank then sends a packet on in the cycle in which it receives it, and
/// a kernel does not say in which order.
std::shared_ptr<const LocalSchedule> logp_kary_kernel(const LocalRequest& request, std::uint64_t k);
/// The same on the k-nomial tree.
std::shared_ptr<const LocalSchedule> logp_knomial_kernel(const LocalRequest& request,
                                                         std::uint64_t k);

/// The kinds of trees with a parameter k.
struct LogpKary {
  static constexpr auto tree = logp_kary_tree;
  static constexpr auto kernel = logp_kary_kernel;
};
struct LogpKnomial {
  static constexpr auto tree = logp_knomial_tree;
  static constexpr auto kernel = logp_knomial_kernel;
};

/// The tree of a kind, with the k that `arity` finds for a request.
template <typename Kind, std::uint64_t (*arity)(const LocalRequest&)>
LogPTree logp_tree(const Request& request) {
  return Kind::tree(request.problem.ranks, arity(LocalRequest(request)), *request.machine.timing());
}
template <typename Kind, std::uint64_t (*arity)(const LocalRequest&)>
Steps steps_on(const Request& request) {
  return logp_steps(request, logp_tree<Kind, arity>(request));
}

/// Broadcast and reduction on it.
template <typename Kind, std::uint64_t (*arity)(const LocalRequest&)>
AlgorithmEntry on_logp_tree(std::string_view name, std::string_view summary,
                            std::string_view source,
                            const std::vector<Parameter>& parameters = {}) {
  return {
      .name = name,
      .summary = summary,
      .source = source,
      .collectives = {Collective::broadcast, Collective::reduce},
      .machines = {"logp"},
      .parameters = parameters,
      .reason = logp_only,
      .order = in_tree_order<steps_on<Kind, arity>>,
      .kernel = [](const LocalRequest& r) { return Kind::kernel(r, arity(r)); },
      .build = steps_on<Kind, arity>,
      .claim = [](const Request& r) { return logp_time(r, logp_tree<Kind, arity>(r)); },
  };
}

}  // namespace schedcc
