#pragma once

// Schedules that fail a check on a machine, as small as possible.
//
// One time scale for all machines: a stage is as long as the slowest message (1 step on machines
// with ports, L + 2o = 10 cycles under LogP, 4 hops on the fat tree over 4 leaves, 2 at a switch).

#include "agreement.hpp"
#include "topologies.hpp"

namespace failures {

using namespace agreement;

using Names = std::set<std::string>;

struct Failure {
  std::string check, machine;
  naive::Plan plan;
  naive::Options options = {};
  Names expected = {};  ///< all the checks that fail; empty: the one and no other
  std::string what = {};
};

inline Problem problem(Collective collective, Rank ranks, std::uint32_t chunks = 1,
                       bool ordered = false) {
  return {collective, ranks, 0, chunks, ordered, nullptr};
}

inline Transfer reduce(Rank src, Rank dst, Chunk first) { return {src, dst, first, 1, 1}; }

inline std::uint64_t stage(const std::string& machine) {
  if (machine.starts_with("logp")) return 10;
  if (machine.starts_with("topology")) return 2;
  return machine.starts_with("fattree") ? 4 : 1;
}

/// The transfers, each with its stage, as a plan for the machine.
inline naive::Plan staged(const std::string& machine, const Problem& p, std::vector<Sent> sent) {
  for (Sent& s : sent) s.step *= stage(machine);
  return {p, std::move(sent), 0};
}

inline const std::vector<std::string> port_machines{
    "duplex", "simplex", "kport:k=2", "bsp:h=2", "mesh", "torus", "crossbar", "cluster", "switch"};
inline const std::string logp = "logp:L=6,o=2,g=4";
inline const std::string fattree = "fattree:cap=constant";

inline std::vector<std::string> machines_under_test() {
  std::vector<std::string> result = port_machines;
  result.push_back(logp);
  result.push_back(fattree);
  result.push_back("topology");
  return result;
}

/// The specification for `ranks` ranks; links are wide enough for schedules that do not test links.
inline std::string sized(const std::string& machine, Rank ranks) {
  const std::string P = std::to_string(ranks);
  if (machine == "mesh" || machine == "torus") return machine + ":1x" + P + ",congestion=2";
  if (machine == "crossbar") return "crossbar:a=" + P + ",b=1";
  if (machine == "cluster") return "cluster:1x" + P + ",nics=2";
  if (machine == "topology") return topologies::star(ranks, 1);
  return machine;
}

inline const Problem broadcast4 = problem(Collective::broadcast, 4);
inline const std::vector<Sent> whole_broadcast{
    {1, copy(0, 1, 0)}, {2, copy(0, 2, 0)}, {3, copy(0, 3, 0)}};

/// The broadcast from rank 0, and one more transfer.
inline naive::Plan broadcast_and(const std::string& machine, Sent extra) {
  std::vector<Sent> sent = whole_broadcast;
  sent.insert(extra.step == 0 ? sent.begin() : sent.end(), extra);
  return staged(machine, broadcast4, sent);
}

/// A schedule for every check on every machine that it can fail on.
std::vector<Failure> all();

/// Of these, the ones about links: too much on one, or none where one is needed.
void add_links(std::vector<Failure>& list);
void add_channels(std::vector<Failure>& list);
void add_topology_links(std::vector<Failure>& list);

/// About switches that copy and combine, or may not.
void add_switches(std::vector<Failure>& list);

}  // namespace failures
