// Lower bounds on steps (LogP: time) and volume.
//
// Ports. Three arguments, of which the best counts:
//   latency    with k ports the ranks that one rank's data has reached grow (k+1)-fold a step, and
//              so do the ranks whose contributions a rank has; a broadcast's last packet leaves the
//              root after ceil(K/(kW)) - 1 steps, and then needs that many steps itself
//   one port   the chunks that the busiest rank must send or receive, at most kW a step
//   all ports  the chunks that must be moved in all, by at most kP messages a step (simplex: P/2)
// A chunk needs P - 1 transfers for a broadcast or reduction, 2 (P - 1) for an allreduce. Volume is
// bounded like steps with W = 1 and no latency, since a step of volume v moves at most v chunks a
// message.
//
// Ports, with switches that copy messages, or combine them. What a rank must send, or receive, must
// still go through its own ports. But with multicast a rank's data may reach all others in a step,
// and with reductions all contributions may reach one: growth counts only where one of the two
// arguments is left (nothing is combined without reductions). Of 2 (P - 1) transfers of a chunk of
// an allreduce each counts at its source if nothing is copied, and at its destination if nothing is
// combined. With both it is only certain that each rank sends its contribution and receives what
// others contribute: P transfers, each way.
//
// LogP. Karp's tree for the last packet of a broadcast, after the root's earlier sends.
//
// Trees of routers, with the ranks at the leaves. Of the packets through the branch of level i
// above R_i leaves (fat trees: 2^(i-1)), c_i a step, take those that go outside the R_j leaves
// below a branch of level j >= i around it: the first needs i - 1 steps to get to the branch, the
// last 2j - i more steps from there. With i = 1, j = 2 this is n + 1 for scatter, gather and
// multinode broadcast. For the total exchange also the distances that packets must go. This is at
// least BFT's Lemma 3 (except for n = 2, where that is wrong), which counts the steps in which a
// leaf receives nothing, and n + 2 log n - 3 on the exponential tree.
//
// Sources: FT, section 2; BFT, Table 1 and section 5; BL, "Lower Bounds" and "Optimal Broadcast
// Runtime".

#include "analysis/bounds.hpp"

#include <algorithm>
#include <map>

#include "analysis/demand.hpp"
#include "analysis/network_bounds.hpp"
#include "core/saturating.hpp"

namespace schedcc {

namespace {

/// Simplex, with few messages in the first steps: the least T with sum over t < T of min(2^t, P/2)
/// >= messages.
Saturating simplex_start(std::uint64_t P, Saturating messages) {
  std::uint64_t T = 0;
  for (std::uint64_t holders = 1; messages > 0; ++T) {
    if (holders >= P / 2) return ceil_div(messages, P / 2) + T;
    messages = remaining(messages, holders);
    holders *= 2;
  }
  return T;
}

LowerBound port_bound(const Problem& problem, const Machine& machine, std::uint64_t W,
                      const Demand* known) {
  const PortLimits& ports = *machine.ports();
  const std::uint64_t P = problem.ranks;
  const std::uint64_t k = ports.send;
  const bool simplex = ports.both < 2 * k;
  const std::uint64_t messages = simplex ? P / 2 : k * P;  // of a step
  const Demand need = demand(known != nullptr ? *known : demand(problem), problem, machine);
  const Saturating busiest = ceil_div(need.busiest, Saturating(k) * W);

  Saturating steps = ceil_log(k + 1, need.reach);
  if (need.pipeline) {
    steps += remaining(busiest, 1);
    if (simplex) steps = std::max(steps, simplex_start(P, ceil_div(need.all, W)));
  }
  steps = std::max({steps, busiest, Saturating(ceil_div(ceil_div(need.all, W), messages))});
  const std::uint64_t volume = std::max(ceil_div(need.busiest, k), ceil_div(need.all, messages));
  return {steps.value(), volume,
          need.pipeline ? "FT, section 2: the last packet, and all chunks to be moved"
                        : "latency, the busiest port, and all chunks to be moved"};
}

/// The least time in which a packet can get from one rank to all (Karp et al.): sends start at
/// times that are sums of spacings and latencies; the number that start at each is counted. None if
/// there are too many.
std::optional<Saturating> karp_time(std::uint64_t P, const LogP& model) {
  std::map<Saturating, std::uint64_t> sends{{0, 1}};
  std::uint64_t reached = 1;
  for (int visited = 0; visited < 1'000'000; ++visited) {
    const auto [time, count] = *sends.begin();
    sends.erase(sends.begin());
    if (P - reached <= count) return time + model.latency();
    reached += count;
    for (const std::uint64_t later : {model.spacing(), model.latency()}) {
      std::uint64_t& more = sends[time + later];
      more = std::min(more + count, P);
    }
  }
  return std::nullopt;
}

LowerBound logp_bound(const Problem& problem, const LogP& model, std::uint64_t W) {
  if (!demand(problem).pipeline) return {std::nullopt, std::nullopt, "no bound is known"};
  const Saturating earlier = remaining(ceil_div(problem.chunks, W), 1);
  const auto tree = karp_time(problem.ranks, model);
  if (!tree) return {std::nullopt, std::nullopt, "Karp et al. 1993, but too large to compute"};
  return {(earlier * model.spacing() + *tree).value(), std::nullopt,
          "Karp et al. 1993: the optimal tree for the last packet"};
}

/// Packets that must go between a subtree of `inner` leaves and the leaves outside the subtree of
/// `outer` leaves around it, in one direction.
Saturating leaving(const Problem& problem, std::uint64_t inner, std::uint64_t outer) {
  const Saturating K = problem.chunks;
  const std::uint64_t n = problem.ranks;
  switch (problem.collective) {
    case Collective::scatter:
    case Collective::gather:
    case Collective::allgather:
    case Collective::barrier:
    case Collective::reduce_scatter:
      return K * (n - outer);
    case Collective::alltoall:
      return K * inner * (n - outer);
    default:  // one rank's data, or sums, that concern the farthest leaf
      return K;
  }
}

/// Of N packets that leave through one branch, c of them a step, and enter through another one,
/// summed over t = 1..T-1: how many can have left in the first t of T steps, but not entered.
Saturating under_way(std::uint64_t T, std::uint64_t c, std::uint64_t N) {
  // At any time: c t have left, N - c (T - t) have entered.
  const Saturating most = remaining(Saturating(c) * T, N);
  if (most >= Saturating(c) * (T / 2)) return Saturating(c) * (T / 2) * ((T + 1) / 2);
  const std::uint64_t ramp = most.value() / c;
  return Saturating(c) * ramp * (ramp + 1) + most * (T - 1 - 2 * ramp);
}

/// Total exchange, by distances. A packet whose ends meet at level i crosses the branches of level
/// j <= i at least 2 (i-j) + 1 steps apart, upwards and downwards: in that many steps it is under
/// way between them. Over all packets of such a branch of a fat tree this comes to K 4^(j-1)
/// ((2h'-3) n' + 3) with h' = h-j+1, n' = 2^h'. But with c_j packets a step in and out, on the
/// average of all branches only a limited number can be under way; and the first j-1 steps, and the
/// last, do not count. For c_1 = 1, j = 1 and n >= 8 this makes K (n-1) + 2h - 2 steps.
Saturating distance_bound(const Problem& problem, std::span<const Network::Level> levels) {
  Saturating least = 0;
  for (std::size_t j = 0; j < levels.size(); ++j) {
    // An alltoall has fewer than 2^32 chunks, K P^2 of them.
    const std::uint64_t packets = problem.chunks * levels[j].ranks;  // to each rank outside
    const std::uint64_t N = packets * (problem.ranks - levels[j].ranks);
    std::uint64_t distances = 0;
    for (std::size_t i = j; i < levels.size(); ++i) {
      const std::uint64_t around = i + 1 < levels.size() ? levels[i + 1].ranks : problem.ranks;
      distances += packets * (around - levels[i].ranks) * (2 * (i - j) + 1);
    }
    const std::uint64_t capacity = std::min(levels[j].capacity, N);
    std::uint64_t T = ceil_div(N, capacity);
    while (under_way(T, capacity, N) < distances) ++T;
    least = std::max(least, Saturating(T) + 2 * j);
  }
  return least;
}

LowerBound tree_bound(const Problem& problem, std::span<const Network::Level> levels) {
  Saturating steps = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    for (std::size_t j = i; j < levels.size(); ++j) {
      const Saturating packets = leaving(problem, levels[i].ranks, levels[j].ranks);
      steps = std::max(steps, ceil_div(packets, levels[i].capacity) + (2 * j + 1));
    }
  }
  std::string source = "BFT, Table 1: the busiest branch";
  if (problem.collective == Collective::alltoall) {
    const Saturating distances = distance_bound(problem, levels);
    if (distances > steps) {
      steps = distances;
      source = "distances: the total time in flight of all packets";
    }
  }
  return {steps.value(), std::nullopt, source};
}

/// May the ranks that have data of one rank, or whose data one rank has, be more after a step than
/// k + 1 times as many, for any k? If not, one of the two counts.
bool grow_in_a_step(const Problem& problem, const SwitchRules& rules) {
  switch (problem.collective) {
    case Collective::broadcast:
    case Collective::scatter:
      return rules.multicast;
    case Collective::reduce:
      return rules.reduces;
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::scan:
    case Collective::exscan:
      return rules.multicast && rules.reduces;
    case Collective::custom:
      return rules.any();
    default:  // each rank gets data of all, and nothing is combined
      return false;
  }
}

}  // namespace

Demand demand(Demand need, const Problem& problem, const Machine& machine) {
  const SwitchRules rules = machine.in_network();
  if (grow_in_a_step(problem, rules)) {
    need.reach = std::min<std::uint64_t>(need.reach, 2);  // a step, if there is anything to do
    need.pipeline = false;
  }
  if (problem.collective == Collective::allreduce && rules.multicast && rules.reduces)
    need.all = problem.chunks * problem.ranks;
  return need;
}

Demand demand(const Problem& problem) {
  if (problem.declared()) return custom_demand(problem);
  const std::uint64_t P = problem.ranks, K = problem.chunks;
  switch (problem.collective) {
    case Collective::broadcast:
    case Collective::reduce:
      return {K, K * (P - 1), P, true};
    case Collective::scatter:
    case Collective::gather:
      return {K * (P - 1), K * (P - 1), P};
    case Collective::allgather:
    case Collective::reduce_scatter:
    case Collective::alltoall:
      return {K * (P - 1), P * K * (P - 1), P};
    case Collective::allreduce:
      return {K, 2 * K * (P - 1), P};
    case Collective::barrier:  // tokens take no room
      return {0, 0, P};
    default:  // scans
      return {K, K * (P - 1), P};
  }
}

LowerBound lower_bound(const Problem& problem, const Machine& machine, std::uint64_t width,
                       std::uint64_t rounds, const Demand* known) {
  const PortLimits* ports = machine.ports();
  if (problem.declared() && ports == nullptr)
    return {std::nullopt, std::nullopt, "no bound is known"};
  if (problem.ranks == 1)
    return {0, ports ? std::optional<std::uint64_t>(0) : std::nullopt, "one rank"};
  if (ports != nullptr) {
    const LowerBound bound = port_bound(problem, machine, width, known);
    return machine.channels()
               ? raised_by_cuts(bound, problem, *machine.channels(), width, ports->send)
               : bound;
  }
  if (machine.timing() != nullptr) return logp_bound(problem, *machine.timing(), width);
  if (const Network* network = machine.network()) {
    const auto levels = network->levels();
    return levels.empty() ? network_bound(problem, *network, rounds) : tree_bound(problem, levels);
  }
  return {std::nullopt, std::nullopt, "no bound is known"};
}

}  // namespace schedcc
