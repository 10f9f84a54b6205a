#pragma once

// From a question to a formula, and from a model of it back to a schedule.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "prove/sat/formula.hpp"
#include "prove/sat/instance.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// Clauses beyond the definition of a schedule (docs/semantics.md, "Schedules"). All of them are
/// without loss: with them there is a schedule exactly if there is one without. docs/prover.md,
/// "What is added, and why nothing is lost", has the reasons.
struct Hints {
  bool dual = true;     ///< a reduction is a broadcast or allgather that runs backwards
  bool useful = true;   ///< nothing is sent that is held already, too late, or where it is no use
  bool counts = true;   ///< how much must have arrived by when
  bool order = true;    ///< of schedules that differ by a symmetry one is looked for
  bool relax = true;    ///< where clauses take long: is there not even a fraction of a schedule?
  bool guess = true;    ///< chunks first on shortest ways alone: where that does, it is found soon
  bool argued = false;  ///< of the counts only those that come with an argument (counting.hpp)

  static Hints none() { return {false, false, false, false, false, false, false}; }
};

struct Encoding {
  Formula formula;
  /// The schedule that a model stands for; one for each model.
  std::function<std::shared_ptr<const Schedule>(const std::vector<bool>& model)> schedule;
  /// See relaxation.hpp; none where there is no such thing. `watch` is called now and then, and
  /// what it throws ends the work.
  std::function<std::optional<std::string>(const std::function<void()>& watch)> relaxation =
      nullptr;
  /// What the arguments of Formula::derived() are about (counting.hpp); empty where there are none.
  std::string facts = {};
};

/// The formula that has a model exactly if the question's answer is yes. Throws InputError as
/// make_instance does. `watch` is called now and then, and what it throws ends the work.
Encoding encode(const Question& question, const Hints& hints = {},
                const std::function<void()>& watch = nullptr);

}  // namespace schedcc::prover
