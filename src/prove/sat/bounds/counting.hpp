#pragma once

// Counting arguments on chunks that are copied: how many must have arrived at a node by a step.

#include <string>
#include <vector>

#include "prove/sat/bounds/copy_question.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/question/traffic.hpp"
#include "prove/sat/solve/formula.hpp"

namespace schedcc::prover {

/// Adds clauses that every schedule satisfies, by counting. `has[c][v][t]` is true from the time
/// at which node v holds chunk c. `argued`: only those for which docs/check_counting.py has a rule,
/// and with their arguments, a JSON object without the brace at its end (Formula::derive).
void count(const CopyQuestion& question, const std::vector<std::vector<Literals>>& has,
           Traffic& traffic, Formula& formula, bool argued);

/// Is a node too far away, does it want more than it can receive, or are ports and channels too few
/// for all chunks? That needs no clauses.
bool too_few_steps(const CopyQuestion& question, const PollLimits& poll_limits);

/// Do prices (CopyQuestion::prices), or the messages of a source, refute the question? If so, adds
/// the empty clause, with their argument, which needs no other clauses.
bool refute_with_argument(const CopyQuestion& question, Formula& formula);

/// Machines with ports: how many chunks all ranks together can have received, at most, when step 0,
/// 1, ..., `steps` begins.
std::vector<Saturating> most_received(const Instance& instance, const std::vector<Delivery>& chunks,
                                      std::uint64_t steps);

/// Machines with ports: do fewer chunks fit into the steps than are wanted, of all ranks together
/// or of what a source can send?
bool too_many(const Instance& instance, const std::vector<Delivery>& chunks);

/// The facts for those arguments, a JSON object. Not for packets that do not wait.
std::string counting_facts(const Instance& instance, const std::vector<Delivery>& chunks);

}  // namespace schedcc::prover
