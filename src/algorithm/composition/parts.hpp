#pragma once

// Shared by the kinds of compositions: entries that ask the parts of a composition.

#include <string>
#include <string_view>
#include <vector>

#include "algorithm/composition/composition.hpp"
#include "algorithm/entry.hpp"

namespace schedcc::compositions {

inline std::string_view name_of(Collective collective) { return info(collective).name; }
/// "broadcast, reduce".
std::string names_of(const std::vector<Collective>& collectives);
/// `X`, or `(X)` if X is a sequence.
std::string in_parentheses(std::string_view name);
std::vector<std::string> machines_of(const Algorithm& x);

/// The algorithm with this entry, whose texts are filled in, and what follows from its parts: that
/// it keeps the order of operands, agrees, and chooses parameters as they do.
Algorithm composed(std::string name, std::string source, std::vector<std::string> machines,
                   AlgorithmEntry entry);

/// Why the first of the parts that cannot serve its request does not; none if all can.
std::optional<std::string> first_refusal(const std::vector<AlgorithmPart>& parts);
/// The values that the parts choose, by the names of their algorithms.
ChosenParameters chosen_by(const std::vector<AlgorithmPart>& parts);

/// The steps for which the last messages of endpoint schedules are still under way after the last
/// step. A message takes the links of its route one after the other, or its latency.
std::uint64_t steps_under_way(const Steps& steps, const Machine& machine);

}  // namespace schedcc::compositions
