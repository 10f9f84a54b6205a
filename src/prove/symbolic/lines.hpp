#pragma once

// Definitions of lines, arrivals and packets that all obligations share.

#include <string>
#include <vector>

#include "prove/symbolic/symbolic.hpp"

namespace schedcc::prover {

Condition any(const std::vector<Condition>& conditions);
Condition all(const std::vector<Condition>& conditions);
/// Two lists of the same length differ somewhere.
Condition differ(const std::vector<Term>& a, const std::vector<Term>& b);

/// A step, or a packet's number: any natural number.
Term time(const SymbolicSchedule& schedule, const std::string& name);

/// A transfer of the line in step t; its indices get the suffix.
EndFamily instance(const EndFamily& line, const Term& t, const std::string& suffix);

/// No difference that affects the value of the term is negative. Then the term has the same value
/// over unbounded numbers and over unsigned machine words. (Bit operations are on words.)
Condition natural(const Term& term);

/// Does the arrival's line bring the packet?
Condition brings(const RankClass& n, const Arrival& arrival, const Packet& packet);

/// The arrivals of a packet, with mutually exclusive conditions.
std::vector<Arrival> arrivals(const RankClass& n, const Packet& packet);

/// Is there such a packet?
Condition exists(const SymbolicSchedule& schedule, const Packet& packet);
/// An arbitrary packet, with its own variables.
Packet some_packet(const SymbolicSchedule& schedule, const RankClass& n);

}  // namespace schedcc::prover
