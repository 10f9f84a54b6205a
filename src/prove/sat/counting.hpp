#pragma once

// What counting says of chunks that are copied: how much must have arrived where by when.

#include <string>
#include <vector>

#include "prove/sat/formula.hpp"
#include "prove/sat/instance.hpp"
#include "prove/sat/traffic.hpp"

namespace schedcc::prover {

/// Adds what holds of every schedule, by counting. `has[c][v][t]` is true from the time on at which
/// node v holds chunk c. `argued`: only that for which docs/check_counting.py has a rule, and with
/// its argument, a JSON object without the brace at its end (Formula::derive).
void count(const Instance& instance, const std::vector<Delivery>& chunks,
           const std::vector<std::vector<Literals>>& has, Traffic& traffic, Formula& formula,
           bool argued);

/// The facts that those arguments are about, a JSON object. Not for packets that do not wait.
std::string counting_facts(const Instance& instance, const std::vector<Delivery>& chunks);

}  // namespace schedcc::prover
