#pragma once

// How ranks add up a sum: every value as a tree of additions, written as text.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "simulator/queues.hpp"
#include "simulator/simulator.hpp"

namespace naive {

/// The sum that each place ends with. "(0+1)": the operands of an addition are in the order of
/// their texts, which does not matter to the result. The order of three sums or more that are added
/// at the same time is not fixed: the text names the node and the time, so that no other sum has
/// the same text. `travels`: the steps until a transfer arrives.
std::map<Place, std::string> sums(const Problem& problem, const std::vector<Sent>& sent,
                                  const std::function<std::uint64_t(const Transfer&)>& travels);

/// Are there ranks that must end with the same sum?
bool share_sums(const Problem& problem);

}  // namespace naive
