#pragma once

// The level at which a source is written, and that at which its machine is checked.

#include "check/provenance/history.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Is it an endpoint schedule on a machine with routes?
inline bool is_lowered(const Source& source, const Machine& machine) {
  return machine.routed() && !source.hop_level();
}

/// Throws InputError if the schedule is at hop level and the machine has other nodes.
void require_level(const Source& source, const Machine& machine);

/// When transfers of the source arrive. A transfer that is lowered is under way for as many steps
/// as its route has links. The source and the machine outlive it.
provenance::ArrivalTime arrival_time(const Source& source, const Machine& machine);

/// "rank 3", or "router 17 (level 2)".
std::string describe_node(const Problem& problem, const Machine& machine, Rank node);

}  // namespace schedcc
