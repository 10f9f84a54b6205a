#pragma once

// Compositions of algorithms, which are algorithms themselves: docs/composition.md.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/algorithm.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/spec.hpp"

namespace schedcc {

/// `first`, then `second`, is `whole`, for the same chunks. Where a part has blocks, they are the
/// chunks of the whole in P nearly equal parts.
struct CompositionRule {
  Collective whole, first, second;
};
/// The rules; of those for one collective the first that fits is taken.
std::span<const CompositionRule> composition_rules();

/// A part of levels(X, Y): its problem, with P chunks in the whole, or in each of its blocks.
struct LevelPart {
  Problem problem;
  bool within;  ///< is it done by X, within nodes?
};
/// How stages of levels, one after another, overlap in segments.
struct StageOverlap {
  std::size_t stages = 1;
  bool one_segment_differs = false;  ///< do they overlap even in one segment?
};
/// How levels(X, Y) makes a collective: its parts, in order.
struct LevelDecomposition {
  std::vector<LevelPart> parts;
  bool leaders;            ///< does one rank act for its node?
  bool ambiguous = false;  ///< are the parts within those of another one, without leaders?
  StageOverlap overlap = {};
};
/// All decompositions on nodes of `ranks` ranks, a divisor of P; none for some collectives. Parts
/// of one rank are left out: in scans by nodes of two that within nodes.
std::vector<LevelDecomposition> level_decompositions(const Problem& whole, std::uint64_t ranks);
/// The ranks of a node of the machine, or of its groups on a level above nodes (0); 0 if it has
/// none.
std::uint64_t ranks_of_node(const Machine& machine, std::uint64_t level = 0);

/// The problem of a part with this collective, in a schedule for `whole`: the same ranks and
/// chunks, whose blocks are the smallest equal ones that hold them; root 0 if the whole has none.
Problem part_problem(const Problem& whole, Collective part);

/// An algorithm with parameters. Throws InputError for parameters that do not exist.
Algorithm with_parameters(const Algorithm& algorithm, const Spec& spec);
/// For this collective alone. Throws InputError if it does not serve it.
Algorithm as_collective(const Algorithm& x, Collective collective);
/// First all of x, then all of y. Throws InputError if no rule is for their collectives.
Algorithm sequence(const Algorithm& x, const Algorithm& y);
/// Is a rule for their collectives?
bool is_sequence(const Algorithm& x, const Algorithm& y);
/// x backwards in time: from a broadcast a reduction and the other way round. Throws InputError if
/// none of its collectives has a reverse.
Algorithm reverse(const Algorithm& x);
/// `n` instances of x at once, each for its n-th part of the chunks. Throws InputError for
/// algorithms that send hop by hop.
Algorithm split(std::uint64_t n, const Algorithm& x);
/// How levels(X, Y) is written.
struct LevelOptions {
  std::uint64_t ranks = 0;  ///< of a node; 0: those of the machine
  /// How many parts of the chunks are at work at the same time, in different stages; 0: all chunks
  /// take a stage before the next.
  std::uint64_t segments = 0;
  bool leaders = false;     ///< does one rank act for its node, even if X could do without?
  std::uint64_t inner = 0;  ///< levels within X whose nodes are those of the machine
};
/// What is done within nodes: by one algorithm, or by one before what is done between nodes and
/// another one after it, or, if both ways are open, by a sequence.
struct WithinNodes {
  std::optional<Algorithm> whole, before = {}, after = {};

  /// "ring", or "ring then bruck".
  std::string name() const;
  /// Those of the whole, or of both.
  std::vector<Collective> collectives() const;
};
/// First x, then y, which need not be a sequence by themselves.
WithinNodes before_and_after(const Algorithm& x, const Algorithm& y);
/// x within nodes, y between them, on all rails at once or by leaders. Throws InputError for
/// algorithms that send hop by hop, and if the two make no collective.
Algorithm levels(const LevelOptions& options, const WithinNodes& x, const Algorithm& y);
/// The collective whose schedules are those of `collective` backwards; none if there is none.
std::optional<Collective> reversed(Collective collective);

/// Is it more than NAME[:key=value,...]?
bool is_composition(std::string_view text);
/// The composition in its normal spelling. Throws InputError with the column if it is not well
/// formed.
std::string composition_text(std::string_view text);
/// The algorithm that a composition is. Throws InputError with the column of what is wrong: not
/// well formed, unknown names, parts that do not fit.
Algorithm composition(std::string_view text);

}  // namespace schedcc
