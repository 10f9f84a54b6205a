#pragma once

// Conditions on terms as a query in SMT-LIB: can all of them hold at once?

#include <string>
#include <vector>

#include "prove/symbolic/term.hpp"

namespace schedcc::prover {

struct TermQuery {
  std::string text;
  std::string logic;  ///< QF_BV; empty where there are numbers
};

/// The query; `comment` (lines that begin with ;) goes first. Variables are natural numbers below
/// their bounds. With `opaque` a product of two variables is an uninterpreted function of them:
/// there may be more solutions then.
TermQuery smtlib(const std::vector<Condition>& conditions, const std::string& comment,
                 bool opaque = false);

/// Splits the conditions, and the parts of conjunctions: those on words alone, and the others.
std::vector<Condition> on_words(const std::vector<Condition>& conditions);
std::vector<Condition> on_numbers(const std::vector<Condition>& conditions);

}  // namespace schedcc::prover
