// Lower bounds on time.
//
// Alpha-beta, broadcast and reduce, any messages at any times: the last byte leaves the root when k
// bytes have left it, in at least one message; then k' + 1 ranks have it for k' ports, and their
// number grows at most (k' + 1)-fold in every further alpha. On one port that is FT (4), with
// ceil(log2 P) for log P.
//
// Alpha-beta and BSP, synchronous steps: the bound on steps, each with a start-up, and the bound on
// the volume, in bytes, add up.
//
// Alpha-beta, packets of one size, one in a message: FT (6) with the best number of packets, which
// is sqrt(k (lg - 1) / t); FT prints the fraction upside down, and the bound that it derives, with
// lg for lg - 1, is above the time of the circulant schedule.
//
// LogP and LogGP: Karp's tree, in which as many ranks as possible have heard of one rank after any
// time, also by messages that bring other data. So in every schedule there is a rank to which
// nothing that depends on the first one is sent before the last send of the tree. If the whole
// message must come to all ranks from one (broadcast; by its contribution also allreduce, scans),
// that rank receives all of it from then on: packets max(g, o) apart; in LogGP n bytes at least
// max(o, g + (n - 1) G) after the receive before, or as long as the least value of that per byte,
// over all n. Reversed in time this is the bound for data of all ranks that must come to one. In
// LogGP the same holds, without the tree, for all that a rank must send, or receive.
//
// Machines whose ranks are busy with calls, for o_s a send and o_r a receive: the same tree, for
// sends of a rank are o_s apart, its receives o_r, and no message takes less than the least alpha,
// in which both are. A rank waits for all messages of a step, so that the bytes that the last rank
// receives take their beta one after the other.
//
// Levels: the first two with the least alpha and the least beta of all levels, and
// level_bounds.cpp. Models with the times of the machine's links: the same with the least of those.
// If messages share links, a step takes at least as long as the bytes on any of its links: n
// messages with B bytes have one of B / n or more, which is charged min(n B / n, B). So the bound
// of the narrowest cut is one on synchronous steps, too.
//
// Sources: FT (4), (5), (6); BL, "Lower Bounds" and "Optimal Broadcast Runtime"; CC, "BSP model
// definition".

#include "cost/bounds.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "analysis/bounds.hpp"
#include "analysis/demand.hpp"
#include "analysis/network_bounds.hpp"
#include "core/integers.hpp"
#include "cost/level_bounds.hpp"
#include "cost/reals.hpp"
#include "machine/overheads.hpp"
#include "schedcc/cost.hpp"

namespace schedcc {

namespace {

using enum BoundedSchedules;

/// The demand of the problem in bytes. Custom problems have one message for all chunks.
struct ByteDemand {
  double busiest, all;  ///< of a rank, and of all
  std::uint64_t reach;
  bool pipeline;
};

ByteDemand byte_demand(Problem problem, const Machine& machine, std::uint64_t bytes) {
  double chunk = to_double(bytes);
  if (problem.declared()) {
    chunk = to_double(bytes / problem.chunks);
  } else {
    problem.chunks = 1;
  }
  const Demand need = demand(demand(problem), problem, machine);
  return {to_double(need.busiest) * chunk, to_double(need.all) * chunk, need.reach, need.pipeline};
}

bool is_simplex(const PortLimits& ports) { return ports.both < 2 * ports.send; }

std::vector<TimeBound> port_bounds(const Problem& problem, const Machine& machine,
                                   const CostModel& model, std::uint64_t bytes,
                                   std::uint64_t width) {
  const PortLimits& ports = *machine.ports();
  const double alpha = model.alpha, k_beta = model.beta * to_double(bytes);
  const double P = problem.ranks;
  const ByteDemand need = byte_demand(problem, machine, bytes);
  const bool simplex = is_simplex(ports);
  const double volume = least_volume(problem, machine, bytes) * model.beta;
  const double lg = to_double(ceil_log(std::uint64_t{ports.send} + 1, need.reach));

  std::vector<TimeBound> bounds;
  if (need.pipeline) {
    bounds.push_back({ports.send == 1 ? "k + t log P"
                                      : fmt::format("k / {0} + t log_{1} P", ports.send,
                                                    std::uint64_t{ports.send} + 1),
                      "FT (4)", any, k_beta / ports.send + alpha * lg});
  } else {
    bounds.push_back({"the busiest port, or latency", "BL, Lower Bounds", any,
                      std::max(alpha * lg, std::min(1.0, lg) * alpha + volume)});
  }
  bounds.push_back({"alpha steps + beta volume", "the bounds on steps and volume", synchronous,
                    alpha * lg + volume});
  // For P < 16 and small messages FT's bound is below 0.
  const double all_sent = 2 * (1 - 1 / P) * k_beta + alpha * (std::log2(P) - 4);
  if (need.pipeline && simplex && all_sent > 0) {
    bounds.push_back({"2 (1 - 1/P) k + t (log P - 4)", "FT (5)", any, all_sent});
  }
  if (need.pipeline && !simplex && ports.send == 1 && width == 1) {
    bounds.push_back({"k (1 + sqrt(t (log P - 1) / k))^2", "FT (6), corrected", one_packet_size,
                      square(std::sqrt(k_beta) + std::sqrt(alpha * (lg - 1)))});
  }
  return bounds;
}

/// Every message takes the least alpha and beta of the model, or more; and the groups' bounds.
std::vector<TimeBound> bounds_by_levels(const Problem& problem, const Machine& machine,
                                        const CostModel& model, std::uint64_t bytes) {
  std::vector<TimeBound> bounds = port_bounds(problem, machine, model, bytes, 0);
  for (TimeBound& b : level_bounds(problem, machine, model, bytes)) bounds.push_back(std::move(b));
  return bounds;
}

/// The time in which the links pass what must cross the narrowest cut; none if messages do not
/// share them.
std::optional<TimeBound> link_cut_bound(const Problem& problem, const Machine& machine,
                                        std::uint64_t bytes) {
  constexpr std::uint64_t max_links = 4096;
  if (problem.tokens()) return std::nullopt;  // they have no bytes
  if (machine.channels() == nullptr || !machine.channels()->shared()) return std::nullopt;
  const auto graph = link_graph(machine, problem.ranks, max_links);
  const auto cut = graph ? cut_bound(problem, *graph) : std::nullopt;
  if (!cut) return std::nullopt;
  double unit = 0;                               // bytes per second for a unit of capacity, at most
  const auto& times = machine.link_times()->of;  // of the same links, in the same order
  for (std::size_t i = 0; i < times.size(); ++i)
    unit = std::max(unit, 1 / (times[i].beta * to_double(graph->links[i].capacity)));
  return TimeBound{"bytes over links", std::string(cut->source), synchronous,
                   to_double(bytes) * to_double(cut->time.numerator) /
                       (to_double(cut->time.denominator) * unit)};
}

/// Karp's tree with the overheads of the machine's ranks, `least` being a message's least times;
/// none if they state no overheads of both kinds. The lesser of the two spaces the calls of a rank:
/// the tree may be of sends or, reversed, of receives.
std::optional<TimeBound> overhead_bound(const Problem& problem, const Machine& machine,
                                        const CostModel& least, std::uint64_t bytes) {
  const Overheads overheads = overheads_of(machine);
  CostModel calls;
  calls.o = std::min(overheads.send, overheads.receive);
  calls.L = std::max(least.alpha - 2 * calls.o, 0.0);
  const auto tree = karp_seconds(byte_demand(problem, machine, bytes).reach, calls);
  if (!tree) return std::nullopt;
  const double volume = whole_message(problem) ? to_double(bytes) / machine.ports()->send : 0;
  return TimeBound{"Karp's tree and k", "Karp et al. 1993", any, *tree + least.beta * volume};
}

/// The times of the machine's links: a message takes the least of them, or more, and all that a
/// rank sends, or receives, at least as long as all of its links together.
std::vector<TimeBound> bounds_by_links(const Problem& problem, const Machine& machine,
                                       const CostModel& model, std::uint64_t bytes) {
  if (!machine.ports() || !machine.link_times()) return {};
  CostModel least = model;
  const LinkTime link = least_link(model, machine);
  least.alpha = link.alpha;
  least.beta = link.beta;
  std::vector<TimeBound> bounds = port_bounds(problem, machine, least, bytes, 0);
  if (auto cut = link_cut_bound(problem, machine, bytes)) bounds.push_back(std::move(*cut));
  if (auto tree = overhead_bound(problem, machine, least, bytes))
    bounds.push_back(std::move(*tree));
  if (!model.synchronous())
    std::erase_if(bounds, [](const TimeBound& bound) { return bound.holds_for == synchronous; });
  return bounds;
}

std::vector<TimeBound> bsp_bounds(const Problem& problem, const Machine& machine,
                                  const CostModel& model, std::uint64_t bytes) {
  const ByteDemand need = byte_demand(problem, machine, bytes);
  const std::uint64_t radix = model.h == 0 ? std::max<std::uint64_t>(need.reach, 2) : model.h + 1;
  const double supersteps = to_double(ceil_log(radix, need.reach));
  const double busiest = std::max(need.busiest, need.all / problem.ranks);
  return {{"l supersteps + g h-relations", "CC, BSP model definition", any,
           model.alpha * supersteps + model.beta * busiest}};
}

/// On the links of a routed machine: the bound on steps, each with a chunk.
std::vector<TimeBound> routed_bounds(const Problem& problem, const Machine& machine,
                                     const CostModel& model, std::uint64_t bytes,
                                     std::uint64_t width) {
  const LowerBound bound = lower_bound(problem, machine, width);
  if (!bound.steps) return {};
  const double chunk = model.beta * to_double(bytes / problem.chunks);
  return {{"steps, each with a chunk", bound.source, synchronous,
           to_double(*bound.steps) * (model.alpha + chunk)}};
}

/// LogGP: the least of max(o, g + (n - 1) G) / n.
double least_time_per_byte(const CostModel& model) {
  if (model.g >= model.G) return model.G;                    // of long messages
  if (model.o <= model.g) return model.g;                    // of single bytes
  return model.o * model.G / (model.G + model.o - model.g);  // where both are equal
}

/// Karp's tree with the packets, or bytes, of a whole message.
std::optional<TimeBound> tree_bound(const Problem& problem, std::uint64_t reach,
                                    const CostModel& model, std::uint64_t bytes) {
  const auto tree = karp_seconds(reach, model);
  if (!tree) return std::nullopt;
  double time = *tree;
  const std::uint64_t message = whole_message(problem) ? bytes : 0;
  if (model.packet != 0 && message > model.packet)
    time += to_double((message - 1) / model.packet) * std::max(model.g, model.o);
  if (model.G > 0 && message > 0) time += to_double(message - 1) * least_time_per_byte(model);
  return TimeBound{message > 0 ? "Karp's tree for the last packet" : "Karp's tree",
                   "Karp et al. 1993; BL, Optimal Broadcast Runtime", any, time};
}

std::vector<TimeBound> logp_bounds(const Problem& problem, const Machine& machine,
                                   const CostModel& model, std::uint64_t bytes) {
  const ByteDemand need = byte_demand(problem, machine, bytes);
  std::vector<TimeBound> bounds;
  if (auto tree = tree_bound(problem, need.reach, model, bytes)) bounds.push_back(std::move(*tree));
  if (model.G > 0 && need.busiest > 0) {
    bounds.push_back({"the bytes of the busiest rank", "CC, The LogGP model", any,
                      2 * model.o + model.L + (need.busiest - 1) * least_time_per_byte(model)});
  }
  return bounds;
}

}  // namespace

bool whole_message(const Problem& problem) {
  switch (problem.collective) {
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
      return true;
    default:
      return false;
  }
}

double least_volume(const Problem& problem, const Machine& machine, std::uint64_t bytes) {
  const PortLimits& ports = *machine.ports();
  const ByteDemand need = byte_demand(problem, machine, bytes);
  const double P = problem.ranks;
  const double at_once = is_simplex(ports) ? std::floor(P / 2) : P * ports.send;
  return std::max(need.busiest / ports.send, need.all / at_once);
}

LinkTime least_link(const CostModel& model, const Machine& machine) {
  const LinkTimes* const times = machine.link_times();
  if (!model.of_machine || times == nullptr) return {model.alpha, model.beta};
  const double ports = machine.ports() ? machine.ports()->send : 1;
  return {times->least.alpha, std::max(times->least.beta, ports * times->min_beta_of_rank)};
}

std::optional<double> karp_seconds(std::uint64_t ranks, const CostModel& model) {
  const auto ticks = [](double seconds) { return static_cast<std::uint64_t>(seconds * 1e12); };
  if (ranks < 2 || std::max({model.L, model.o, model.g}) > 1e6) return std::nullopt;
  if (ticks(model.g) == 0 && ticks(model.o) == 0) return std::nullopt;
  const LogP timing{ticks(model.L), ticks(model.o), std::max<std::uint64_t>(ticks(model.g), 1)};
  if (timing.latency() == 0) return std::nullopt;
  Problem packet;
  packet.ranks = static_cast<Rank>(ranks);
  const auto last = lower_bound(packet, Machine({.spec = "logp", .timing = timing}), 1).steps;
  return last ? std::optional(to_double(*last) * 1e-12) : std::nullopt;
}

std::vector<TimeBound> time_bounds(const Problem& problem, const Machine& machine,
                                   const CostModel& model, std::uint64_t bytes,
                                   std::uint64_t width) {
  if (problem.ranks == 1) return {};
  if (model.of_machine) return bounds_by_links(problem, machine, model, bytes);
  if (model.step_time == StepTime::rank) return bsp_bounds(problem, machine, model, bytes);
  if (model.step_time == StepTime::levels) return bounds_by_levels(problem, machine, model, bytes);
  if (!model.linear()) return logp_bounds(problem, machine, model, bytes);
  if (machine.ports()) return port_bounds(problem, machine, model, bytes, width);
  return routed_bounds(problem, machine, model, bytes, width);
}

}  // namespace schedcc
