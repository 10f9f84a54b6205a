// Solves the proof obligations of a symbolic schedule (obligations.cpp).
//
// A query with words and unbounded numbers is tried first without the conditions on numbers: fewer
// conditions have more solutions, so if there is none, the full query has none. The same holds for
// a class that represents more ranks than exist: only if a query has a solution, its members are
// tried one by one. A solution is a counterexample, or the argument does not fit; if the schedule
// is small enough, its table decides.

#include "prove/symbolic/symbolic.hpp"

#include <fmt/core.h>

#include "core/elapsed.hpp"
#include "prove/symbolic/obligations.hpp"
#include "prove/symbolic/term_smtlib.hpp"

namespace schedcc::prover {

Term step_variable() { return variable("t"); }
Term chunks_variable() { return variable("K"); }

namespace {

class Prover {
 public:
  Prover(const SymbolicSchedule& schedule, const SymbolicOptions& options,
         std::unordered_set<std::string>* unsat)
      : schedule_(schedule),
        options_(options),
        poll_limits_(limit_checker(options.limits)),
        unsat_(unsat) {}

  SymbolicProof run();

 private:
  void prove(const SymbolicCheck& check);
  void prove(const SymbolicCheck& check, const RankClass& n);
  bool holds() const { return proof_.verdict == Verdict::holds; }
  /// A rank that is counted from the root.
  std::uint64_t renamed(std::uint64_t rank) const {
    return schedule_.rooted && rank < schedule_.ranks ? (rank + schedule_.root) % schedule_.ranks
                                                      : rank;
  }
  void conclude(Verdict verdict) { check_.verdict = proof_.verdict = verdict; }

  /// Proves all of them, until one is not certain.
  void ask_all(const SymbolicCheck& check, const RankClass& n);
  Answer decide(const RankClass& n, const Obligation& obligation, Values& values);
  Answer decide(const std::vector<Condition>& conditions, const std::string& what, Values& values,
                bool opaque = false);
  void refute(const RankClass& n, const Obligation& obligation, Values values);
  std::optional<Counterexample> confirmed(Counterexample example);

  const SymbolicSchedule& schedule_;
  const SymbolicOptions& options_;
  const PollLimits poll_limits_;
  std::unordered_set<std::string>* unsat_;  ///< queries known to have no solution; or null
  std::vector<RankClass> kinds_;
  std::uint64_t kind_ = 0;                ///< the current one, counted from 1
  std::optional<std::uint64_t> example_;  ///< one of its ranks
  bool loose_ = false;                    ///< it may represent too many ranks to be proved
  CheckProof check_;                      ///< the current one
  SymbolicProof proof_;
};

Answer Prover::decide(const std::vector<Condition>& conditions, const std::string& what,
                      Values& values, bool opaque) {
  const TermQuery query = smtlib(
      conditions,
      fmt::format("; {}: is there a rank that {}? (unsat: there is none)\n", check_.check, what),
      opaque);
  ++check_.queries;
  std::map<std::string, std::string> model;
  const bool known = unsat_ != nullptr && unsat_->contains(query.text);
  const Answer answer =
      known ? Answer::unsat : solve_with_z3(query.text, query.logic, options_.limits, &model);
  if (unsat_ != nullptr && answer == Answer::unsat) unsat_->insert(query.text);
  if (options_.query) {
    options_.query({check_.check, what, kind_, example_, query.text, answer});
  }
  for (const auto& [name, text] : model) {
    const std::string plain = name.ends_with(".w") ? name.substr(0, name.size() - 2) : name;
    // A number that is too long cannot be evaluated; the search for a small K follows.
    if (text.size() < 20) values[plain] = std::stoull(text);
  }
  return answer;
}

Answer Prover::decide(const RankClass& n, const Obligation& o, Values& values) {
  const std::vector<Condition> words = on_words(o.conditions);
  const std::vector<Condition> numbers = on_numbers(o.conditions);
  if (!words.empty() && !numbers.empty()) {
    if (decide(words, o.what, values) == Answer::unsat) return Answer::unsat;
    if (decide(numbers, o.what, values, n.lemma != nullptr) == Answer::unsat) return Answer::unsat;
  }
  values.clear();
  return decide(o.conditions, o.what, values);
}

void Prover::ask_all(const SymbolicCheck& check, const RankClass& n) {
  example_ = n.example;
  if (example_) example_ = renamed(*example_);
  Obligations obligations = check.obligations(schedule_, n);
  if (!schedule_.edges.empty()) obligations = merge_same_violations(std::move(obligations));
  for (Obligation& o : obligations) {
    poll_limits_();
    o.conditions.push_back(!(chunks_variable() < Term(1)));
    Values values;
    const Answer answer = decide(n, o, values);
    if (answer == Answer::unsat) continue;
    poll_limits_();
    if (n.members > 0) {
      loose_ = true;
    } else if (answer == Answer::sat) {
      refute(n, o, std::move(values));
    } else {
      conclude(Verdict::unknown);
    }
    return;
  }
}

/// The value of a term; variables without a value have no effect.
class TermEvaluator {
 public:
  explicit TermEvaluator(Values& values) : values_(values) {}

  std::uint64_t operator()(const Term& term) {
    add(term.node());
    return evaluate(term, values_);
  }

 private:
  void add(const NodePtr& node) {
    if (node->op == Op::variable) values_.emplace(node->name, 0);
    for (const NodePtr& argument : node->arguments) add(argument);
  }
  Values& values_;
};

void Prover::refute(const RankClass& n, const Obligation& o, Values values) {
  // A small K makes a better example.
  for (std::uint64_t most = 1; most <= 1024; most *= 2) {
    std::vector<Condition> conditions = o.conditions;
    conditions.push_back(chunks_variable() < Term(most + 1));
    Values smaller;
    if (decide(conditions, o.what, smaller) != Answer::sat) continue;
    values = smaller;
    break;
  }
  values.emplace("K", 1);
  TermEvaluator value(values);
  Counterexample example{check_.check, o.what, values["K"], value(o.rank), value(o.step), {}};
  if (n.rank_of) example.rank = n.rank_of(example.rank);
  for (const Term& part : o.packet) example.packet.push_back(value(part));
  proof_.counterexample = confirmed(example);
  conclude(proof_.counterexample ? Verdict::violated : Verdict::unknown);
}

/// The arrival's formula may be wrong and not the schedule. The table decides, or, if that is too
/// large, the rank's edges.
std::optional<Counterexample> Prover::confirmed(Counterexample example) {
  const std::uint64_t K = example.chunks;
  if (table_effort(schedule_, K) > options_.effort) {
    const bool arrives = example.check == "delivery" && !schedule_.edges.empty() &&
                         receives(schedule_, example.rank, example.packet, K, poll_limits_);
    if (arrives) return std::nullopt;
    example.rank = renamed(example.rank);
    return example;
  }
  if (auto wrong = wrong_transfer(schedule_, K, poll_limits_)) return wrong;
  for (std::uint64_t other = 1; other <= 8; ++other) {
    if (auto wrong = wrong_transfer(schedule_, other, poll_limits_)) return wrong;
  }
  return std::nullopt;
}

void Prover::prove(const SymbolicCheck& check, const RankClass& n) {
  loose_ = false;
  ask_all(check, n);
  for (std::size_t i = 0; loose_ && holds() && i < n.members; ++i) ask_all(check, n.member(i));
}

void Prover::prove(const SymbolicCheck& check) {
  const auto start = SolverLimits::Clock::now();
  check_ = CheckProof{std::string(schedule_.links && check.name == "ports" ? "links" : check.name)};
  try {
    kind_ = 0;
    for (const RankClass& n : kinds_) {
      if (!holds()) break;
      ++kind_;
      prove(check, n);
    }
  } catch (const LimitsReached&) {
    conclude(Verdict::unknown);
  }
  check_.seconds = seconds_since(start);
  proof_.queries += check_.queries;
  proof_.checks.push_back(check_);
}

SymbolicProof Prover::run() {
  const auto start = SolverLimits::Clock::now();
  try {
    kinds_ = schedule_.rank_classes(schedule_, poll_limits_);
  } catch (const LimitsReached&) {
    proof_.verdict = Verdict::unknown;
  }
  proof_.cases = kinds_.size();
  for (const SymbolicCheck& check : symbolic_checks()) {
    if (holds()) prove(check);
  }
  proof_.seconds = seconds_since(start);
  return std::move(proof_);
}

}  // namespace

SymbolicProof prove(const SymbolicSchedule& schedule, const SymbolicOptions& options,
                    std::unordered_set<std::string>* unsat) {
  return Prover(schedule, options, unsat).run();
}

}  // namespace schedcc::prover
