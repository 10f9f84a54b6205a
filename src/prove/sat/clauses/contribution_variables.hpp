#pragma once

// The variables of a reduction (defined in contributions.cpp), and their uses beyond the rules of
// docs/semantics.md, "Reductions": hints, and the schedule of a model.

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "prove/sat/clauses/encoding.hpp"
#include "prove/sat/clauses/relaxation.hpp"
#include "prove/sat/question/traffic.hpp"

namespace schedcc::prover {

/// A transfer that may be made.
struct ContributionSend {
  Chunk chunk;
  Rank from;
  std::uint64_t step;
  Literal literal, copied;  ///< is it made; does it replace the value at its destination?
  Literals brings;          ///< by rank: has it that rank's contribution?
};

struct ContributionVariables {
  Instance instance;
  Problem problem;
  std::vector<Delivery> chunks;
  std::vector<std::vector<Literals>> values;  ///< by place, rank, step
  std::vector<Literals> over;                 ///< by place, step: does a contribution count twice?
  std::vector<std::vector<std::vector<ContributionSend>>> sends;  ///< by step, arc

  Rank ranks() const { return problem.ranks; }
  std::uint64_t steps() const { return instance.steps; }
  /// The ranks that contribute to c. A chunk that is copied has one contribution, its value, named
  /// after the first of its sources.
  std::span<const Rank> contributors(Chunk c) const {
    const std::span<const Rank> sources = chunks[c].sources;
    return chunks[c].reduced ? sources : sources.first(std::min<std::size_t>(1, sources.size()));
  }
  /// Where r's contribution to c starts.
  std::span<const Rank> starts(Chunk c, Rank r) const {
    const std::span<const Rank> sources = chunks[c].sources;
    if (!chunks[c].reduced) return sources;
    return sources.subspan(
        static_cast<std::size_t>(std::ranges::find(sources, r) - sources.begin()), 1);
  }
  /// The index of a chunk at a node.
  std::size_t place(Chunk c, Rank v) const { return c * instance.nodes + v; }
  /// Is r's contribution to c in the value of v when step t begins? (Of a chunk that is copied:
  /// does v hold it, r being any of its sources.)
  Literal in(Chunk c, Rank v, Rank r, std::uint64_t t) const { return values[place(c, v)][r][t]; }
};

/// Adds the requested hints: clauses that some schedule satisfies whenever there is one.
void add_hints(const ContributionVariables& variables, const Hints& hints, Formula& formula);

/// A lower bound on the transfers of chunk c; 0: nothing is known. Assumes that every goal wants
/// all contributions. Let v be the first node that has all of them, when step t begins, or one of
/// several. Every other contributor has sent before step t begins; every other goal receives its
/// last contributions when step t begins or later. These transfers are distinct.
std::uint64_t min_transfers(const ContributionVariables& variables, Chunk c);

/// By how many the least number of transfers exceeds what the ports can carry; 0 without ports.
Saturating excess_transfers(const ContributionVariables& variables);

/// The contributions as the relaxation sees them.
FlowProblem contribution_flows(const ContributionVariables& variables);

/// The facts for the counting arguments, as counting_facts() for copies.
std::string contribution_facts(const ContributionVariables& variables);

/// The schedule of a model; with hints, without the sends on which no wanted value depends.
std::shared_ptr<const Schedule> schedule(const ContributionVariables& variables,
                                         const Traffic& traffic, const Hints& hints,
                                         const Model& model);

}  // namespace schedcc::prover
