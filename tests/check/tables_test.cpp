// Compares three implementations of docs/semantics.md, "Checks", on all tables of tiny problems:
// the checker, the simulator, and the prover's formula without hints. A table states for each step,
// pair of nodes and chunk whether the chunk is sent (reductions: not at all, as a copy, as a
// reduction). All three must agree on which tables are schedules. In the formula the literals of
// the table are assumed, and unit propagation decides all others. Where there are few schedules,
// the solvers, in turn, must also find all of them, and each must then find no other.

#include <map>
#include <sstream>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "customs.hpp"
#include "prove/sat/decide.hpp"

namespace {

using namespace schedcc;
using namespace schedcc::prover;

/// Evaluates a formula: assigns the literals that follow from some given ones by unit propagation.
class Evaluator {
 public:
  explicit Evaluator(const Formula& formula)
      : occurs_(2 * static_cast<std::size_t>(formula.variables()) + 2) {
    clauses_.emplace_back();
    for (const Literal l : formula.data()) {
      if (l != 0) {
        clauses_.back().push_back(l);
      } else {
        clauses_.emplace_back();
      }
    }
    clauses_.pop_back();
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
      for (const Literal l : clauses_[i]) occurs_[index(l)].push_back(i);
    }
    value_.resize(occurs_.size());
  }

  /// Is the formula satisfied if the literals of `set` and all that they imply are true, and the
  /// variables that remain open are false? Fails the test if unit propagation does not decide it.
  bool satisfied(const Literals& set) {
    std::fill(value_.begin(), value_.end(), char{0});
    trail_.clear();
    for (const Literal l : set) {
      if (!assign(l)) return false;
    }
    for (const auto& clause : clauses_) {
      if (clause.size() == 1 && !assign(clause.front())) return false;
      if (clause.empty()) return false;
    }
    for (std::size_t i = 0; i < trail_.size(); ++i) {
      for (const std::size_t c : occurs_[index(-trail_[i])]) {
        Literal open = 0;
        int count = 0;
        for (const Literal l : clauses_[c]) {
          if (value_[index(l)] > 0) count = 2;
          if (value_[index(l)] != 0 || count > 1) continue;
          open = l;
          ++count;
        }
        if (count == 0 || (count == 1 && !assign(open))) return false;
      }
    }
    for (const auto& clause : clauses_) {
      bool holds = false;
      for (const Literal l : clause) {
        holds |= value_[index(l)] > 0 || (l < 0 && value_[index(l)] == 0);
      }
      if (!holds) FAIL("unit propagation does not decide the table");
    }
    return true;
  }

 private:
  static std::size_t index(Literal l) {
    return 2 * static_cast<std::size_t>(std::abs(l)) + (l < 0 ? 1 : 0);
  }
  bool assign(Literal l) {
    if (value_[index(l)] != 0) return value_[index(l)] > 0;
    value_[index(l)] = 1;
    value_[index(-l)] = -1;
    trail_.push_back(l);
    return true;
  }

  std::vector<Literals> clauses_;
  std::vector<std::vector<std::size_t>> occurs_;
  std::vector<char> value_;
  Literals trail_;
};

/// An entry of a table: a transfer that may be sent, and its literals; 0 where the formula has
/// none, because the transfer is impossible.
struct Slot {
  std::uint64_t step;
  Transfer transfer;
  Literal send = 0, copied = 0;
};

/// Nodes at hop level; at endpoint level, ranks.
std::uint64_t nodes(const Question& asked) {
  return asked.machine.network() && asked.waiting ? asked.machine.network()->nodes()
                                                  : asked.problem.ranks;
}

std::vector<Slot> slots(const Question& asked, const Formula& formula) {
  std::map<std::string, Literal> literals;
  for (int v = 2; v <= formula.variables(); ++v) literals[formula.name(v)] = v;
  std::vector<Slot> result;
  for (std::uint64_t t = 0; t < asked.steps; ++t) {
    for (Rank u = 0; u < nodes(asked); ++u) {
      for (Rank v = 0; v < nodes(asked); ++v) {
        for (Chunk c = 0; u != v && c < asked.problem.total_chunks(); ++c) {
          std::ostringstream name;
          name << c << '_' << u << '_' << v << '_' << t;
          result.push_back(
              {t, copy(u, v, c), literals["send_" + name.str()], literals["copied_" + name.str()]});
        }
      }
    }
  }
  return result;
}

struct Count {
  std::uint64_t questions = 0, tables = 0, schedules = 0;
};

/// The number of values of an entry of a table.
unsigned base(const Question& asked) { return asked.problem.reduction() ? 3 : 2; }

/// The number of tables; `most` + 1 if there are more than `most`.
std::uint64_t size(const Question& asked, std::uint64_t most) {
  const std::uint64_t n = nodes(asked);
  const std::uint64_t places = asked.steps * n * (n - 1) * asked.problem.total_chunks();
  std::uint64_t tables = 1;
  for (std::uint64_t i = 0; i < places && tables <= most; ++i) tables *= base(asked);
  return std::min(tables, most + 1);
}

/// Fails the test unless all three agree on a table. Returns true if it is a schedule.
bool verdicts_agree(const Question& asked, const agreement::Plan& plan, bool by_formula) {
  const naive::Options options;
  const Report report =
      check(agreement::source_of(plan), asked.machine, agreement::library_options(options));
  const naive::Outcome outcome =
      naive::simulate(plan, naive::model(asked.machine.spec(), asked.problem.ranks), options);
  const std::string difference = agreement::Difference(report, outcome).text();
  std::set<std::string> faults = agreement::violated(report);
  for (const char* warning : {"redundancy", "agreement"}) faults.erase(warning);
  if (report.steps > asked.steps) faults.insert("too many steps");
  if (!difference.empty() || by_formula != faults.empty()) {
    FAIL(describe(asked) << "\n"
                         << difference << "the formula says " << (by_formula ? "yes" : "no")
                         << ", the checker " << agreement::join(faults) << "\n"
                         << agreement::text(plan, asked.machine.spec()));
  }
  return by_formula;
}

/// All tables of one question.
Count every_table(const Question& asked) {
  const Encoding encoding = encode(asked, Hints::none());
  Evaluator formula(encoding.formula);
  const std::vector<Slot> places = slots(asked, encoding.formula);
  std::vector<unsigned> table(places.size());
  Count count{1};
  for (bool more = true; more;) {
    const bool hops = asked.machine.network() && asked.waiting;
    agreement::Plan plan{asked.problem, {}, hops ? nodes(asked) : 0};
    Literals set;
    bool impossible = false;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Slot& slot = places[i];
      if (table[i] != 0) {
        Transfer transfer = slot.transfer;
        transfer.reduce = table[i] == 2 ? 1 : 0;
        plan.sent.push_back({slot.step, transfer});
        impossible |= slot.send == 0;
      }
      if (slot.send == 0) continue;
      set.push_back(table[i] != 0 ? slot.send : -slot.send);
      if (slot.copied != 0) set.push_back(table[i] == 1 ? slot.copied : -slot.copied);
    }
    ++count.tables;
    count.schedules += verdicts_agree(asked, plan, !impossible && formula.satisfied(set)) ? 1 : 0;
    more = false;
    for (unsigned& value : table) {
      if (++value < base(asked)) {
        more = true;
        break;
      }
      value = 0;
    }
  }
  return count;
}

/// The schedules of a question, counted by the solvers: they take turns to find another one, until
/// all of them find none.
std::uint64_t count_by_solvers(const Question& asked) {
  const Encoding encoding = encode(asked, Hints::none());
  Formula formula = encoding.formula;
  const std::vector<Slot> places = slots(asked, formula);
  const auto solvers = prover::solvers();
  std::uint64_t count = 0;
  for (std::size_t turn = 0, in_vain = 0; in_vain < solvers.size(); ++turn) {
    Model model;
    if (solvers[turn % solvers.size()]->solve(formula, {}, model, "") != Answer::sat) {
      ++in_vain;
      continue;
    }
    if (in_vain > 0) FAIL_CHECK(describe(asked) << ": the solvers disagree");
    ++count;
    Literals other;
    for (const Slot& slot : places) {
      for (const Literal l : {slot.send, slot.copied}) {
        if (l != 0) other.push_back(model[static_cast<std::size_t>(l)] ? -l : l);
      }
    }
    formula.add(other);
  }
  return count;
}

std::vector<Problem> problems(Rank ranks) {
  std::vector<Problem> result = customs::kinds(ranks);
  for (const CollectiveInfo& collective : collectives()) {
    if (collective.collective == Collective::custom) continue;
    for (std::uint32_t K = 1; K <= 2; ++K) {
      result.push_back({collective.collective, ranks, 0, K, false, nullptr});
    }
  }
  return result;
}

/// Every question with at most four ranks, two chunks and eight steps that has more than `least`
/// and at most `most` tables.
Count every_question(std::uint64_t least, std::uint64_t most) {
  Count all;
  const auto count_tables = [&](const Question& asked) {
    const std::uint64_t tables = size(asked, most);
    if (tables <= least || tables > most) return;
    if (!agreement::chosen()) return;
    const Count count = every_table(asked);
    ++all.questions;
    all.tables += count.tables;
    all.schedules += count.schedules;
    if (count.schedules > 30) return;
    if (prover::solvers().empty()) return;
    INFO(describe(asked));
    CHECK(count_by_solvers(asked) == count.schedules);
  };
  for (Rank P = 2; P <= 4; ++P) {
    std::vector<std::string> machines{
        "duplex:width=1",           "simplex:width=1",   "kport:k=2,width=1", "duplex:width=2",
        "logp:L=1,o=1,g=1,width=1", topologies::ring(P), topologies::star(P)};
    machines.push_back("mesh:1x" + std::to_string(P) + ",width=1");
    machines.push_back("torus:1x" + std::to_string(P) + ",ports=2,width=1");
    if (P == 4) machines.emplace_back("mesh:2x2,width=1");
    if (P == 4) machines.emplace_back("crossbar:a=2,b=2,in=1,out=1,width=1");
    if (P != 3) machines.emplace_back("cbft");
    if (P == 3) machines.emplace_back(topologies::line(P, 2));  // routes pass a rank
    for (const std::string& machine : machines) {
      for (Problem problem : problems(P)) {
        for (const bool ordered : {false, true}) {
          if (ordered && !problem.reduction()) continue;
          problem.ordered = ordered;
          for (const bool waiting : {true, false}) {
            for (std::uint64_t T = 1; T <= 8; ++T) {
              Question asked{problem, make_machine(machine, P), T, std::nullopt, waiting};
              if (waiting || asked.machine.network()) count_tables(asked);
            }
          }
        }
      }
    }
  }
  return all;
}

void report_counts(const Count& count) {
  WARN(count.questions << " questions, " << count.tables << " tables, " << count.schedules
                       << " of them schedules");
}

}  // namespace

TEST_CASE("tables: checker, simulator and formula agree on all tables of tiny problems") {
  const Count count = every_question(0, 600);
  report_counts(count);
  CHECK(count.schedules > 0);
}

// Takes many minutes: `make -f Makefile.examples tables`.
TEST_CASE("tables: checker, simulator and formula agree on all tables of small problems",
          "[.tables]") {
  const Count count = every_question(600, std::uint64_t{1} << 18);
  report_counts(count);
  CHECK(count.schedules > 0);
}
