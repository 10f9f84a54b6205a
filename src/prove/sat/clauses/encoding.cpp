#include "prove/sat/clauses/encoding.hpp"

#include <optional>
#include <utility>

#include "machine/rank_rows.hpp"
#include "prove/sat/bounds/counting.hpp"
#include "prove/sat/bounds/step_bounds.hpp"
#include "prove/sat/clauses/broadcast_messages.hpp"
#include "prove/sat/clauses/channel_walks.hpp"
#include "prove/sat/clauses/contributions.hpp"
#include "prove/sat/clauses/copies.hpp"
#include "prove/sat/clauses/forced_exchanges.hpp"
#include "prove/sat/clauses/pair_exchange.hpp"
#include "prove/sat/clauses/periodic_exchange.hpp"
#include "prove/sat/clauses/pipeline.hpp"
#include "prove/sat/clauses/sum_trees.hpp"
#include "prove/sat/question/question_limits.hpp"

namespace schedcc::prover {

namespace {

/// Throws InstanceTooLarge.
void require_clauses(const Question& question, const Instance& instance) {
  if (const auto why = clauses_refusal(question, instance)) throw InstanceTooLarge(*why);
}

/// The empty clause, where bounds that need no clauses refute the question; `argued`: with their
/// argument.
std::optional<Encoding> refuted(const CopyQuestion& copies, const Hints& hints,
                                const PollLimits& poll_limits) {
  if (!hints.counts) return std::nullopt;
  if (!hints.argued) {
    if (!too_few_steps(copies, poll_limits)) return std::nullopt;
    return no_schedule(poll_limits);
  }
  Encoding result{Formula(poll_limits), {}};
  if (!refute_with_argument(copies, result.formula)) return std::nullopt;
  result.facts = counting_facts(copies.instance, copies.chunks);
  return result;
}

/// What the hints restrict copies to, or all of them.
Encoding encode_restricted(const PreparedQuestion& prepared, const Hints& hints,
                           const PollLimits& poll_limits) {
  const auto& copies = prepared.copies;
  const Instance& instance = copies->instance;
  if (hints.exchanges) return encode_exchanges(instance, copies->chunks, poll_limits);
  if (hints.pairs) {
    const auto rows = rank_rows(prepared.question.machine, instance.ranks);
    if (!rows || !rows->grid) return no_schedule(poll_limits);
    return encode_pair_exchange(instance, copies->chunks, *rows, *hints.pairs, poll_limits);
  }
  if (hints.short_messages > 0)
    return encode_short_messages(instance, copies->chunks, hints.short_messages, poll_limits);
  if (hints.pipeline)
    return encode_pipeline(instance, copies->chunks, *hints.pipeline, poll_limits);
  const bool by_messages = hints.messages && decided_by_messages(instance, copies->chunks);
  if (hints.forced && must_exchange(instance, copies->chunks) &&
      !(by_messages && walks_from_channel_to_channel(instance)))
    return encode_forced_exchanges(instance, copies->chunks, poll_limits);
  if (by_messages) return encode_messages(instance, copies->chunks, poll_limits);
  return encode_copies(copies, hints, poll_limits);
}

}  // namespace

Encoding encode(const PreparedQuestion& prepared, const Hints& hints,
                const PollLimits& poll_limits) {
  const Question& question = prepared.question;
  const auto& copies = prepared.copies;
  if (!copies || (copies->backwards() && !hints.dual)) {
    const Instance instance = make_instance(question);
    require_clauses(question, instance);
    return hints.sum_trees
               ? encode_sum_trees(instance, question.problem, hints.pairings, poll_limits)
               : encode_contributions(instance, question.problem, hints, poll_limits);
  }
  if (auto bounded = refuted(*copies, hints, poll_limits)) return std::move(*bounded);
  require_clauses(question, copies->instance);
  Encoding encoding = encode_restricted(prepared, hints, poll_limits);
  if (copies->backwards()) {
    encoding.schedule = [found = std::move(encoding.schedule), copies](const Model& model) {
      return copies->schedule(found(model));
    };
  }
  return encoding;
}

Encoding encode(const Question& question, const Hints& hints, const PollLimits& poll_limits) {
  return encode(PreparedQuestion(question), hints, poll_limits);
}

}  // namespace schedcc::prover
