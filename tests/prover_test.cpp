// The prover: optima that theory knows, what the hints leave out, witnesses, certificates, and the
// formula against the checker and the simulator on every table there is.

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "agreement.hpp"
#include "catch.hpp"
#include "checker/bounds.hpp"
#include "drat.hpp"
#include "prover/search.hpp"
#include "schedcc/error.hpp"
#include "schedcc/registry.hpp"
#include "topologies.hpp"

namespace {

using namespace schedcc;
using namespace schedcc::prover;

Question question(Collective collective, Rank ranks, std::uint32_t chunks,
                  const std::string& machine, std::uint64_t steps = 0) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.chunks = chunks;
  return {problem, with_width(make_machine(machine, ranks), ranks), steps, std::nullopt};
}

std::vector<const SolverEntry*> first_solver() { return {prover::solvers().front()}; }

Interval least(const Question& question) {
  SearchOptions options;
  options.solvers = first_solver();
  return least_steps(question, options);
}

std::uint64_t least_of(Collective collective, Rank ranks, std::uint32_t chunks,
                       const std::string& machine) {
  const Question asked = question(collective, ranks, chunks, machine);
  const Interval interval = least(asked);
  REQUIRE(interval.decided());
  // Nothing that is known to be a bound may be above.
  const auto bound = lower_bound(asked.problem, asked.machine, 1).steps;
  CHECK(bound.value_or(0) <= interval.least);
  return interval.least;
}

std::uint64_t log2_up(std::uint64_t n) {
  std::uint64_t h = 0;
  while ((std::uint64_t{1} << h) < n) ++h;
  return h;
}

}  // namespace

TEST_CASE("prove: optima that theory knows") {
  for (Rank P = 2; P <= 8; ++P) {
    for (std::uint32_t K = 1; K <= 3; ++K) {
      INFO("P = " << P << ", K = " << K);
      // Bar-Noy and Kipnis; the reduction is the broadcast turned round.
      CHECK(least_of(Collective::broadcast, P, K, "duplex") == K - 1 + log2_up(P));
      CHECK(least_of(Collective::reduce, P, K, "duplex") == K - 1 + log2_up(P));
    }
    // The busiest port.
    CHECK(least_of(Collective::scatter, P, 1, "duplex") == P - 1);
    CHECK(least_of(Collective::gather, P, 1, "simplex") == P - 1);
    CHECK(least_of(Collective::allgather, P, 1, "duplex") == P - 1);
    CHECK(least_of(Collective::reduce_scatter, P, 1, "duplex") == P - 1);
  }
  for (const Rank P : {2, 4, 8}) {
    CHECK(least_of(Collective::allreduce, P, 1, "duplex") == log2_up(P));
  }
  CHECK(least_of(Collective::alltoall, 6, 1, "duplex") == 5);
  CHECK(least_of(Collective::broadcast, 9, 1, "kport:k=2") == 2);
  CHECK(least_of(Collective::broadcast, 10, 1, "kport:k=2") == 3);
  CHECK(least_of(Collective::scan, 8, 1, "duplex") == 3);
  CHECK(least_of(Collective::broadcast, 1, 3, "duplex") == 0);
}

TEST_CASE("prove: fat trees") {
  // BFT, Table 1 for scatter and multinode broadcast: n + 1, and 2 log n for one packet.
  CHECK(least_of(Collective::scatter, 4, 1, "cbft") == 5);
  CHECK(least_of(Collective::allgather, 4, 1, "cbft") == 5);
  CHECK(least_of(Collective::broadcast, 8, 1, "cbft") == 6);
  CHECK(least_of(Collective::reduce, 8, 1, "ebft") == 6);
  CHECK(least_of(Collective::allreduce, 4, 1, "cbft") == 4);
  // Total exchange on the exponential tree: n + 2 log n - 2 is not needed for n = 8.
  CHECK(least_of(Collective::alltoall, 8, 1, "ebft") == 11);
}

TEST_CASE("prove: the least broadcast time on LogP is Karp's") {
  for (const std::string machine : {"logp", "logp:L=2,o=1,g=1", "logp:L=3,o=0,g=2"}) {
    for (Rank P = 2; P <= 6; ++P) {
      const Question asked = question(Collective::broadcast, P, 1, machine);
      INFO(asked.machine.spec << ", P = " << P);
      const auto karp = lower_bound(asked.problem, asked.machine, 1).steps;
      CHECK(least(asked).least == karp);
    }
  }
}

TEST_CASE("prove: with hints and without them the answers are the same") {
  const std::pair<const char*, std::vector<Rank>> machines[] = {
      {"duplex", {2, 3, 4}},         {"simplex", {2, 3, 4}}, {"kport:k=2", {3, 4}},
      {"duplex:width=2", {2, 3, 4}}, {"cbft", {2, 4}},       {"fattree:cap=2,1", {4}},
      {"logp:L=1,o=1,g=1", {2, 3}},
  };
  std::uint64_t compared = 0, impossible = 0;
  for (const auto& [machine, ranks] : machines) {
    for (const Rank P : ranks) {
      for (const CollectiveInfo& collective : collectives()) {
        if (collective.collective == Collective::custom) continue;
        for (std::uint32_t K = 1; K <= 2; ++K) {
          for (const bool ordered : {false, true}) {
            for (const Rank root : {Rank{0}, P - 1}) {
              if (root != 0 && !collective.rooted) continue;
              if (ordered && !collective.reduction) continue;
              Question asked = question(collective.collective, P, K, machine);
              if (asked.machine.logp && collective.reduction) continue;
              asked.problem.root = root;
              asked.problem.ordered = ordered;
              const std::uint64_t most = P == 4 ? 4 : 6;
              for (asked.steps = 1; asked.steps <= most; ++asked.steps) {
                INFO(describe(asked));
                const Answer with = decide(asked, first_solver(), {}).answer;
                const Answer without = decide(asked, first_solver(), {}, Hints::none()).answer;
                REQUIRE(with != Answer::unknown);
                REQUIRE(name(with) == name(without));
                ++compared;
                impossible += with == Answer::unsat ? 1 : 0;
                if (with == Answer::sat) break;
              }
            }
          }
        }
      }
    }
  }
  WARN(compared << " questions, " << impossible << " of them impossible");
  CHECK(impossible > 500);
}

TEST_CASE("prove: with hints and without them, on topologies, in rounds") {
  using topologies::machine;
  // A ring; a star around a switch; two ranks behind a switch with a wide link; arcs one way round.
  const std::pair<Rank, std::string> machines[] = {
      {4, topologies::ring(4)},
      {3, machine("star", 3, 1, {{0, 3, 1}, {3, 0, 1}, {1, 3, 1}, {3, 1, 1}, {2, 3, 2}, {3, 2, 1}})},
      {3, machine("wide", 3, 1, {{0, 3, 2}, {3, 0, 2}, {3, 1, 1}, {1, 3, 1}, {3, 2, 1}, {2, 3, 1},
                                 {1, 2, 1}})},
      {3, machine("oneway", 3, 0, {{0, 1, 1}, {1, 2, 2}, {2, 0, 1}})},
  };
  std::uint64_t compared = 0, impossible = 0;
  for (const auto& [P, spec] : machines) {
    for (const CollectiveInfo& collective : collectives()) {
      if (collective.collective == Collective::custom) continue;
      for (std::uint32_t K = 1; K <= 2; ++K) {
        for (std::uint64_t T = 1; T <= 4; ++T) {
          for (std::uint64_t R = T; R <= T + 2; ++R) {
            Question asked = question(collective.collective, P, K, spec, T);
            asked.rounds = R;
            INFO(describe(asked));
            const Answer with = decide(asked, first_solver(), {}).answer;
            const Answer without = decide(asked, first_solver(), {}, Hints::none()).answer;
            REQUIRE(with != Answer::unknown);
            REQUIRE(name(with) == name(without));
            ++compared;
            impossible += with == Answer::unsat ? 1 : 0;
          }
        }
      }
    }
  }
  WARN(compared << " questions, " << impossible << " of them impossible");
  CHECK(impossible > 300);
}

TEST_CASE("prove: steps and rounds on a ring") {
  SearchOptions options;
  options.solvers = first_solver();
  // Two arcs into each rank, seven chunks to come, four arcs to go.
  Question asked = question(Collective::allgather, 8, 2, topologies::ring(8));
  const Frontier found = frontier(asked, options);
  CHECK(found.complete);
  std::vector<std::array<std::uint64_t, 3>> optima;
  for (const Optimum& o : found.optima) optima.push_back({o.chunks, o.steps, o.rounds});
  CHECK(optima == std::vector<std::array<std::uint64_t, 3>>{{1, 4, 4}, {2, 4, 7}});
  // Unless the rounds are enough there is no number of steps.
  asked.rounds = 6;
  const Interval none = least_steps(asked, options);
  CHECK(none.none);
  // Nobody can be reached over arcs that there are not.
  CHECK_THROWS_AS(least_steps(question(Collective::gather, 3, 1,
                                       topologies::machine("away", 3, 0, {{0, 1, 1}, {1, 2, 1}})),
                              options),
                  InputError);
}

TEST_CASE("prove: the solvers confirm each other") {
  if (prover::solvers().size() < 2) return;
  const std::vector<const SolverEntry*> both(prover::solvers().begin(), prover::solvers().end());
  for (const CollectiveInfo& collective : collectives()) {
    if (collective.collective == Collective::custom) continue;
    for (std::uint64_t steps = 2; steps <= 3; ++steps) {
      const Question asked = question(collective.collective, 4, 1, "duplex", steps);
      INFO(describe(asked));
      CHECK(decide(asked, both, {}).answer != Answer::unknown);
    }
  }
}

TEST_CASE("prove: a bad witness is a fault of schedcc") {
  // A solver that lies: everything is false but the constant, so nothing is ever sent.
  static const SolverEntry liar{
      .name = "liar",
      .summary = "",
      .solve = [](const Formula& formula, const Limits&, Model& model, const std::string&) {
        model.assign(static_cast<std::size_t>(formula.variables()) + 1, false);
        model[1] = true;
        return Answer::sat;
      },
      .writes_proofs = false,
  };
  static const SolverEntry denier{
      .name = "denier",
      .summary = "",
      .solve = [](const Formula&, const Limits&, Model&, const std::string&) {
        return Answer::unsat;
      },
      .writes_proofs = false,
  };
  const Question asked = question(Collective::broadcast, 4, 1, "duplex", 2);
  CHECK_THROWS_AS(decide(asked, {&liar}, {}), InternalError);
  CHECK_THROWS_AS(decide(asked, {first_solver().front(), &denier}, {}), InternalError);

  // A good one, planted for fewer steps than it takes, or on a narrower machine.
  const Decision good = decide(asked, first_solver(), {});
  REQUIRE(good.answer == Answer::sat);
  CHECK_NOTHROW(accept(asked, good.schedule));
  Question less = asked;
  less.steps = 1;
  CHECK_THROWS_AS(accept(less, good.schedule), InternalError);
  CHECK_THROWS_AS(accept(question(Collective::broadcast, 4, 1, "simplex", 2),
                         decide(question(Collective::broadcast, 4, 1, "kport:k=3", 1),
                                first_solver(), {})
                             .schedule),
                  InternalError);
}

TEST_CASE("prove: what is undecided is unknown") {
  Limits limits;
  limits.deadline = Limits::Clock::now() - std::chrono::seconds(1);
  const Question hard = question(Collective::allreduce, 8, 4, "simplex", 11);
  for (const SolverEntry* solver : prover::solvers()) {
    CHECK(decide(hard, {solver}, limits).answer == Answer::unknown);
  }
  SearchOptions options;
  options.solvers = first_solver();
  options.limits = limits;
  const Interval interval = least_steps(hard, options);
  CHECK_FALSE(interval.decided());
  CHECK(interval.tried.empty());
}

TEST_CASE("prove: certificates convince a checker that knows nothing of schedules") {
  const auto folder = std::filesystem::temp_directory_path() / "schedcc_certificates";
  std::filesystem::create_directories(folder);
  const auto read = [](const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  std::vector<const SolverEntry*> writers;
  for (const SolverEntry* solver : prover::solvers()) {
    if (solver->writes_proofs) writers.push_back(solver);
  }
  if (writers.empty()) return;
  const Question impossible[] = {
      question(Collective::broadcast, 7, 2, "simplex", 4),
      question(Collective::alltoall, 8, 1, "ebft", 10),
      question(Collective::allreduce, 6, 1, "simplex", 4),
      question(Collective::allreduce, 7, 1, "duplex", 3),
  };
  for (const Question& asked : impossible) {
    INFO(describe(asked));
    const std::string path = (folder / "certificate").string();
    REQUIRE(decide(asked, writers, {}, {}, path).answer == Answer::unsat);
    const std::string formula = read(path + ".cnf"), proof = read(path + ".drat");
    CHECK(drat::fault(formula, proof).empty());
    CHECK(read(path + ".smt2").find("(check-sat)") != std::string::npos);
    // A proof from which the middle is gone is none, unless the formula needs no proof.
    if (!drat::fault(formula, "").empty()) CHECK_FALSE(drat::fault(formula, "0\n").empty());
  }
  // Of what exists there is no proof.
  const std::string path = (folder / "witness").string();
  REQUIRE(decide(question(Collective::broadcast, 4, 1, "duplex", 2), writers, {}, {}, path).answer ==
          Answer::sat);
  CHECK_FALSE(std::filesystem::exists(path + ".drat"));
  CHECK_FALSE(std::filesystem::exists(path + ".cnf"));
  std::filesystem::remove_all(folder);
}

// Every table of a tiny problem: all ways to choose, for each step, pair of ranks and chunk, whether
// it is sent (reductions: not at all, as a copy, as a reduction). Three readings of the reference
// must agree on which of them are schedules: the checker, the simulator, and the formula without
// hints, in which the table's literals are set and the rest follows by unit propagation.

namespace {

/// A formula as an evaluator: what follows from some literals.
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

  /// Is the formula satisfied when `set` is true, all that follows is, and what is left open false?
  /// Fails the test where that does not decide it.
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

/// A place of a table: what may be sent, and the literals that say so. Without literals the formula
/// knows that nothing can be sent there.
struct Slot {
  std::uint64_t step;
  Transfer transfer;
  Literal send = 0, copied = 0;
};

std::vector<Slot> slots(const Question& asked, const Formula& formula) {
  std::map<std::string, Literal> literals;
  for (int v = 2; v <= formula.variables(); ++v) literals[formula.name(v)] = v;
  std::vector<Slot> result;
  for (std::uint64_t t = 0; t < asked.steps; ++t) {
    for (Rank u = 0; u < asked.problem.ranks; ++u) {
      for (Rank v = 0; v < asked.problem.ranks; ++v) {
        for (Chunk c = 0; u != v && c < asked.problem.total_chunks(); ++c) {
          std::ostringstream name;
          name << c << '_' << u << '_' << v << '_' << t;
          result.push_back({t, copy(u, v, c), literals["send_" + name.str()],
                            literals["copied_" + name.str()]});
        }
      }
    }
  }
  return result;
}

struct Count {
  std::uint64_t tables = 0, schedules = 0;
};

/// All tables of one question; `base`: the values of a place.
Count every_table(const Question& asked) {
  const Encoding encoding = encode(asked, Hints::none());
  Evaluator formula(encoding.formula);
  const std::vector<Slot> places = slots(asked, encoding.formula);
  const unsigned base = asked.problem.reduction() ? 3 : 2;
  std::vector<unsigned> table(places.size());
  Count count;
  for (bool more = true; more;) {
    agreement::Plan plan{asked.problem, {}, 0};
    Literals set;
    bool unsayable = false;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Slot& slot = places[i];
      if (table[i] != 0) {
        Transfer transfer = slot.transfer;
        transfer.reduce = table[i] == 2 ? 1 : 0;
        plan.sent.push_back({slot.step, transfer});
        unsayable |= slot.send == 0;
      }
      if (slot.send == 0) continue;
      set.push_back(table[i] != 0 ? slot.send : -slot.send);
      if (slot.copied != 0) set.push_back(table[i] == 1 ? slot.copied : -slot.copied);
    }
    const bool by_formula = !unsayable && formula.satisfied(set);
    // The two others are compared in everything that they say; a redundant copy is no fault.
    const Report report = check(agreement::source_of(plan), asked.machine, [] {
      CheckOptions options;
      options.strict = true;
      return options;
    }());
    const auto outcome =
        naive::simulate(plan, naive::model(asked.machine.spec, asked.problem.ranks));
    const std::string difference = agreement::Difference(report, outcome).text();
    std::set<std::string> faults = agreement::violated(report);
    faults.erase("redundancy");
    if (!difference.empty() || by_formula != faults.empty()) {
      FAIL(difference << "the formula says " << (by_formula ? "yes" : "no") << ", the checker "
                      << agreement::join(faults) << "\n"
                      << agreement::text(plan, asked.machine.spec));
    }
    ++count.tables;
    count.schedules += by_formula ? 1 : 0;
    more = false;
    for (unsigned& value : table) {
      if (++value < base) {
        more = true;
        break;
      }
      value = 0;
    }
  }
  return count;
}

/// The schedules of a question, counted by a solver that must find them all.
std::uint64_t count_by_solver(const Question& asked, const SolverEntry& solver) {
  const Encoding encoding = encode(asked, Hints::none());
  Formula formula = encoding.formula;
  const std::vector<Slot> places = slots(asked, formula);
  for (std::uint64_t count = 0;; ++count) {
    Model model;
    if (solver.solve(formula, {}, model, "") != Answer::sat) return count;
    Literals other;
    for (const Slot& slot : places) {
      for (const Literal l : {slot.send, slot.copied}) {
        if (l != 0) other.push_back(model[static_cast<std::size_t>(l)] ? -l : l);
      }
    }
    formula.add(other);
  }
}

}  // namespace

TEST_CASE("prove: every table of tiny problems is judged alike by all") {
  Count all;
  const auto look_at = [&](Collective collective, Rank P, std::uint32_t K,
                           const std::string& machine, std::uint64_t T, bool ordered = false) {
    Question asked = question(collective, P, K, machine, T);
    asked.problem.ordered = ordered;
    const Count count = every_table(asked);
    all.tables += count.tables;
    all.schedules += count.schedules;
    if (count.schedules <= 60) {
      for (const SolverEntry* solver : prover::solvers()) {
        INFO(describe(asked) << ", by " << solver->name);
        CHECK(count_by_solver(asked, *solver) == count.schedules);
      }
    }
  };
  for (const std::string machine : {"duplex:width=1", "simplex:width=1", "kport:k=2,width=1"}) {
    for (const CollectiveInfo& collective : collectives()) {
      if (collective.collective == Collective::custom) continue;
      for (std::uint64_t T = 1; T <= 2; ++T) look_at(collective.collective, 2, 1, machine, T);
      if (collective.collective == Collective::alltoall) continue;  // 2^18 tables a step
      if (collective.blocks == 0) look_at(collective.collective, 3, 1, machine, 1);
    }
    look_at(Collective::broadcast, 2, 2, machine, 3);
    look_at(Collective::reduce, 2, 1, machine, 4);
    look_at(Collective::broadcast, 3, 1, machine, 2);
    look_at(Collective::broadcast, 3, 2, machine, 1);
    look_at(Collective::scan, 3, 1, machine, 1, true);
  }
  look_at(Collective::broadcast, 3, 1, "duplex:width=1", 3);
  WARN(all.tables << " tables, " << all.schedules << " of them schedules");
}

// The reductions of three ranks in two steps: 3^12 tables each.
TEST_CASE("prove: every table of two steps of reductions over three ranks", "[.long]") {
  Count all;
  for (const Collective collective : {Collective::reduce, Collective::allreduce, Collective::scan}) {
    for (const bool ordered : {false, true}) {
      Question asked = question(collective, 3, 1, "duplex:width=1", 2);
      asked.problem.ordered = ordered;
      const Count count = every_table(asked);
      all.tables += count.tables;
      all.schedules += count.schedules;
    }
  }
  WARN(all.tables << " tables, " << all.schedules << " of them schedules");
}
