#pragma once

// From a question to a formula, and from a model of it back to a schedule.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "prove/sat/bounds/copy_question.hpp"
#include "prove/sat/clauses/pipeline_lines.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/formula.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// Clauses beyond the definition of a schedule (docs/semantics.md, "Schedules"). All of them
/// preserve satisfiability: with them there is a schedule exactly if there is one without.
/// docs/prover.md, "Added clauses and their soundness", has the proofs.
struct Hints {
  bool dual = true;    ///< a reduction is a broadcast or allgather that runs backwards
  bool useful = true;  ///< no transfer of a chunk that is held already, late, or useless
  bool counts = true;  ///< how many chunks must have arrived by a step
  bool order = true;   ///< of schedules that differ by a symmetry one is looked for
  bool relax = true;   ///< run the relaxation if clauses take long
  bool guess =
      true;  ///< first chunks on shortest paths only: if that suffices, it is found quickly
  bool forced = true;    ///< a broadcast that can only be exchanges is (forced_exchanges.hpp)
  bool messages = true;  ///< a broadcast in order is messages and packets (broadcast_messages.hpp)
  bool argued = false;   ///< of the counts only those with an argument (counting.hpp)

  // Not sound: they may exclude all schedules.
  bool straight = false;     ///< chunks take shortest paths only
  std::size_t pairings = 0;  ///< only schedules that this many pairings() preserve, where there are
  std::optional<PipelineLines> pipeline = {};  ///< only pipelines, with these messages
  bool exchanges = false;                      ///< only exchanges (periodic_exchange.hpp)
  /// Only exchanges of pairs, on a grid, in groups that are mixed from these steps on
  /// (MixedFrom in pair_exchange.hpp).
  std::optional<std::vector<std::uint64_t>> pairs = {};
  /// Only messages of so many channels at most (broadcast_messages.hpp); 0: any.
  std::size_t short_messages = 0;
  bool sum_trees = false;  ///< only sums along trees (sum_trees.hpp)

  static Hints none() {
    return {.dual = false,
            .useful = false,
            .counts = false,
            .order = false,
            .relax = false,
            .guess = false,
            .forced = false,
            .messages = false};
  }
};

struct Encoding {
  Formula formula;
  /// The schedule of a model; one for each model.
  std::function<std::shared_ptr<const Schedule>(const Model& model)> schedule;
  /// See relaxation.hpp; none if there is no relaxation.
  std::function<std::optional<std::string>(const PollLimits& poll_limits)> relaxation = nullptr;
  /// The facts for the arguments of Formula::derived() (counting.hpp); empty if there are none.
  std::string facts = {};
  std::size_t pairings = 0;  ///< that every model preserves
};

/// An encoding by an object that lives as long: its formula and its schedules are from `encode` and
/// `schedule` of that.
template <typename Clauses>
Encoding encode_by(const std::shared_ptr<Clauses>& clauses, const PollLimits& poll_limits) {
  Encoding result{Formula(poll_limits), {}};
  clauses->encode(result.formula);
  result.schedule = [clauses](const Model& model) { return clauses->schedule(model); };
  return result;
}

/// A formula without models, where there are no schedules of a kind.
inline Encoding no_schedule(const PollLimits& poll_limits) {
  Encoding result{Formula(poll_limits), {}};
  result.formula.add({});
  return result;
}

/// The formula that has a model exactly if the question's answer is yes.
Encoding encode(const PreparedQuestion& prepared, const Hints& hints,
                const PollLimits& poll_limits);

/// The same, of a question that is encoded once.
Encoding encode(const Question& question, const Hints& hints = {},
                const PollLimits& poll_limits = nullptr);

}  // namespace schedcc::prover
