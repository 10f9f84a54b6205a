#pragma once

// The variables of a reduction (contributions.cpp says what they mean), and what is made of them
// apart from the rules of the reference: hints, and the schedule of a model.

#include <memory>
#include <vector>

#include "prover/encoding.hpp"
#include "prover/traffic.hpp"

namespace schedcc::prover {

/// A transfer that may be made.
struct ContributionSend {
  Chunk chunk;
  Literal literal, copied;
  Literals brings;  ///< by rank
};

struct ContributionVariables {
  Instance instance;
  Problem problem;
  std::vector<Delivery> chunks;
  std::vector<std::vector<Literals>> values;                      ///< by place, rank, step
  std::vector<Literals> over;                                     ///< by place, step
  std::vector<std::vector<std::vector<ContributionSend>>> sends;  ///< by step, arc

  Rank ranks() const { return problem.ranks; }
  std::uint64_t steps() const { return instance.steps; }
  /// Of a chunk at a node.
  std::size_t place(Chunk c, Rank v) const { return c * instance.nodes + v; }
  /// Is r's contribution to c in what v holds when step t begins?
  Literal in(Chunk c, Rank v, Rank r, std::uint64_t t) const { return values[place(c, v)][r][t]; }
  /// How many ranks' contributions, from 0 on, v wants.
  Rank wanted(Rank v) const {
    if (problem.collective == Collective::scan) return v + 1;
    if (problem.collective == Collective::exscan) return v;
    return ranks();
  }
};

/// Adds what holds of some schedule whenever there is one, as far as `hints` asks for it.
void add_hints(const ContributionVariables& variables, const Hints& hints, Formula& formula);

/// The schedule of a model; with hints, of only those sends that end up in a value that is wanted.
std::shared_ptr<const Schedule> schedule(const ContributionVariables& variables,
                                         const Traffic& traffic, const Hints& hints,
                                         const std::vector<bool>& model);

}  // namespace schedcc::prover
