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

/// Do prices (CopyQuestion::prices), or the messages of a source, refute the question? If so, adds
/// the empty clause, with their argument, which needs no other clauses.
bool refute_with_argument(const CopyQuestion& question, Formula& formula);

/// The facts for those arguments, a JSON object. Not for packets that do not wait.
std::string counting_facts(const Instance& instance, const std::vector<Delivery>& chunks);

}  // namespace schedcc::prover
