// Symbolic schedules: they are the compiled schedules, correct ones are proved, and mutants are
// refuted.

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include <fmt/core.h>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "prove/sat/decide.hpp"
#include "prove/symbolic/symbolic.hpp"
#include "prove/symbolic/term_smtlib.hpp"
#include "run.hpp"
#include "schedcc/error.hpp"
#include "symbolic_schedules.hpp"

using namespace schedcc;
using namespace schedcc::prover;
using namespace schedcc::symbolic_schedules;

namespace {

using Row = std::tuple<std::uint64_t, Rank, Rank, Chunk>;  ///< step, src, dst, chunk

/// In order.
std::vector<Row> rows(const Schedule& schedule) {
  std::vector<Row> result;
  for (std::uint64_t i = 0; i < schedule.size(); ++i) {
    const Step step = schedule[i];
    for (const Transfer& t : step.transfers) {
      for (Chunk c = t.first; c < t.first + t.count; ++c)
        result.emplace_back(step.number, t.src, t.dst, c);
    }
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace

TEST_CASE("a symbolic schedule's instances are the schedule that is compiled") {
  std::uint64_t compared = 0;
  for (run::Case c : all_symbolic_cases()) {
    for (Rank P = 2; P <= 33; P += P < 10 ? 1 : P == 16 || P == 32 ? 1 : 3) {
      if (entry(Spec::parse(c.spec).name).powers_of_two && !std::has_single_bit(P)) continue;
      for (const Rank root : {0U, 1U, P - 1}) {
        std::optional<SymbolicSchedule> schedule;  // of every K
        for (const std::uint32_t K : {1U, 2U, 3U, 4U, 7U, 11U}) {
          std::tie(c.P, c.K, c.root) = std::tie(P, K, root);
          const auto [algorithm, request] = run::ready(c);
          if (!request.problem.rooted() && root != 0) continue;
          if (algorithm->reason(request) || entry(algorithm->name).reason(request)) continue;
          if (request.problem.collective == Collective::alltoall && P > 17) continue;
          if ((P + root + K) % 2 != 0 && P > 4 && !ranges::whole()) continue;
          ++compared;
          if (!agreement::chosen()) continue;
          const auto compiled = stream(algorithm->steps(request));
          if (!schedule) schedule = symbolic_schedule(c);
          INFO(c.spec << " P=" << P << " K=" << K << " root=" << root);
          REQUIRE(rows(table(*schedule, K)) == rows(collect(*compiled)));
          REQUIRE(evaluate(schedule->steps, {{"K", K}}) == algorithm->claim(request).steps);
        }
      }
    }
  }
  CHECK(compared > 1000);
}

TEST_CASE("symbolic schedules are proved for every K") {
  if (!has_z3()) return;
  bool odd = false;  // 7 and 8 ranks in turn
  for (run::Case c : all_symbolic_cases()) {
    const bool powers = entry(Spec::parse(c.spec).name).powers_of_two;
    odd = !odd;
    for (const Rank P : {2U, 7U, 8U}) {
      if (powers && !std::has_single_bit(P)) continue;
      if (!ranges::whole() && P != 2 && !powers && (P == 7) != odd) continue;
      c.P = P;
      c.root = P == 7 ? 3 : 0;
      const auto [algorithm, request] = run::ready(c);
      if (c.root != 0 && !request.problem.rooted()) c.root = 0;
      if (algorithm->reason(request) || !agreement::chosen()) continue;
      const SymbolicProof proof = prove(symbolic_schedule(c), {});
      INFO(c.spec << " P=" << P << ": "
                  << (proof.counterexample
                          ? proof.counterexample->check + " " + proof.counterexample->what
                          : ""));
      CHECK(proof.verdict == Verdict::holds);
    }
  }
}

TEST_CASE("ranks beyond any list are proved") {
  if (!has_z3()) return;
  for (const char* const name : {"butterfly", "xor", "ring", "pairwise"}) {
    const auto [algorithm, request] = run::ready({name, 4});
    const SymbolicSchedule schedule =
        entry(name).make(*algorithm, request, std::uint64_t{1} << 32, nullptr);
    INFO(name);
    CHECK(prove(schedule, {}).verdict == Verdict::holds);
  }
}

TEST_CASE("a proof that runs out of time is unknown") {
  if (!has_z3()) return;
  SymbolicOptions options;
  options.limits.deadline = SolverLimits::Clock::now();
  CHECK(prove(symbolic_schedule({"chain", 5}), options).verdict == Verdict::unknown);
}

TEST_CASE("a term is printed as it is evaluated") {
  if (!has_z3()) return;
  // The values that Z3 finds are those of the evaluation: it is asked for one that is not.
  const auto same = [](const std::vector<Term>& terms, const Values& values) {
    Condition differs{false};
    for (const Term& term : terms) differs = differs || !(term == Term(evaluate(term, values)));
    std::vector<Condition> conditions{differs};
    for (const auto& [name, value] : values) {
      conditions.push_back(variable(name, name == "w" ? Sort::word : Sort::small, 64) ==
                           Term(value));
    }
    const TermQuery query = smtlib(conditions, "");
    return solve_with_z3(query.text, query.logic, {}) == Answer::unsat;
  };
  const Term s = variable("s", Sort::small, 64), w = variable("w", Sort::word, 64);
  const Term big = Term(7) * variable("m", Sort::small, 64);
  for (std::uint64_t x = 0; x < 64; x += 7) {
    for (std::uint64_t y = 1; y < 64; y += 9) {
      const Values values{{"s", x}, {"w", y}, {"m", y}};
      // Sums may be divided term by term, differences may not.
      const Term below = variable("s", Sort::small, 64) - Term(20);
      INFO("s = " << x << ", w = m = " << y);
      CHECK(same({(w << (s % Term(7))) ^ (w >> s), bit_width(w & s),
                  (big + s + Term(70) - bit_width(s)) % Term(7),
                  (big + s) / Term(5) * Term(3) + choose(s < w, s, w),
                  Term(1) << ((big + s) % Term(7)) | w,
                  (big * Term(3) + s) / Term(7) + (s * Term(14) + big) / Term(7),
                  (s * Term(128) + s) / Term(64) + (s * Term(128) + s) % Term(64),
                  (Term(147) + big + below) / Term(7) + (Term(147) + big + below) % Term(7)},
                 values));
    }
  }
}

// Mutants.

namespace {

/// The nodes of some formulas that are constants, each once.
void constants(const NodePtr& node, std::set<const Node*>& seen, std::vector<NodePtr>& found) {
  if (!seen.insert(node.get()).second) return;
  if (node->op == Op::constant) found.push_back(node);
  for (const NodePtr& argument : node->arguments) constants(argument, seen, found);
}

NodePtr replaced(const NodePtr& node, const Node* what, const NodePtr& by) {
  if (node.get() == what) return by;
  Node copy = *node;
  bool changed = false;
  for (NodePtr& argument : copy.arguments) {
    NodePtr other = replaced(argument, what, by);
    changed = changed || other != argument;
    argument = std::move(other);
  }
  return changed ? std::make_shared<const Node>(std::move(copy)) : node;
}

void each_formula(SymbolicSchedule& schedule, const std::function<NodePtr(const NodePtr&)>& edit) {
  const auto term = [&](Term& t) { t = Term(edit(t.node())); };
  for (Family& family : schedule.families) {
    family.sent = Condition(edit(family.sent.node()));
    for (Term& part : family.packet) term(part);
    // Ranks of a tree are in its edges.
    if (!schedule.edges.empty()) continue;
    term(family.from);
    term(family.to);
  }
}

struct Mutant {
  std::string what;
  std::function<void(SymbolicSchedule&)> change;
};

std::vector<Mutant> mutants(const SymbolicSchedule& schedule) {
  std::vector<Mutant> result;
  std::set<const Node*> seen;
  std::vector<NodePtr> numbers;
  SymbolicSchedule scratch = schedule;
  each_formula(scratch, [&](const NodePtr& node) {
    constants(node, seen, numbers);
    return node;
  });
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (const std::uint64_t value : {numbers[i]->value + 1, numbers[i]->value - 1}) {
      if (value > (std::uint64_t{1} << 40)) continue;
      const auto replace = [number = numbers[i], by = Term(value).node()](const NodePtr& n) {
        return replaced(n, number.get(), by);
      };
      result.push_back(
          {fmt::format("constant {} of {}: {} for {}", i, numbers.size(), value, numbers[i]->value),
           [replace](SymbolicSchedule& m) { each_formula(m, replace); }});
    }
  }
  const auto edges = [&](const std::string& what, auto change) {
    result.push_back({what, [change](SymbolicSchedule& m) { change(m.edges); }});
  };
  for (std::size_t e = 0; e < schedule.edges.size(); e += 2) {
    edges(fmt::format("edge {} starts later", e), [e](auto& all) { ++all[e].start; });
    edges(fmt::format("edge {} has another place", e), [e](auto& all) { ++all[e].place; });
    edges(fmt::format("edge missing {}", e),
          [e](auto& all) { all.erase(all.begin() + static_cast<std::ptrdiff_t>(e)); });
    if (e + 1 < schedule.edges.size() && schedule.edges[e].from != schedule.edges[e + 1].to &&
        schedule.edges[e + 1].from != schedule.edges[e].to) {
      edges(fmt::format("edges {} and {} change places", e, e + 1),
            [e](auto& all) { std::swap(all[e].to, all[e + 1].to); });
    }
  }
  return result;
}

Report checked(const run::Case& c, const Schedule& table, std::uint64_t K) {
  auto [algorithm, request] = run::ready(c);
  request.problem.chunks = static_cast<std::uint32_t>(K);
  CheckOptions options;
  options.strict = true;  // redundant copies are not a reduction
  options.checks = {"shape", "ports", "links", "causality", "delivery", "redundancy"};
  const auto schedule = std::make_shared<const Schedule>(table);
  return check(from_schedule(request.problem, schedule), request.machine, options);
}

/// Does the table have the error that the counterexample names?
bool true_of(const SymbolicSchedule& schedule, const Schedule& table, const Counterexample& c) {
  std::uint64_t messages = 0, received = 0, sent = 0, sent_here = 0;
  bool in_time = false;
  const bool block = schedule.kind == PacketKind::block || schedule.kind == PacketKind::pair;
  const std::uint64_t chunk = c.packet.empty() ? 0 : chunk_of(schedule, c.packet, c.chunks);
  for (const auto& [step, src, dst, number] : rows(table)) {
    if (block && number % c.chunks != 0) continue;
    const bool here = step == c.step && (src == c.rank || dst == c.rank);
    if (here) ++messages;
    if (number != chunk) continue;
    if (dst == c.rank) {
      ++received;
      in_time = in_time || step < c.step;
    }
    if (src == c.rank) ++sent;
    if (src == c.rank && step == c.step) ++sent_here;
  }
  const bool root =
      schedule.rooted ? c.rank == schedule.root : !c.packet.empty() && c.packet[0] == c.rank;
  if (c.check == "ports") return messages >= 2;
  if (c.check == "causality") return sent_here > 0 && !in_time && !root;
  if (c.check == "delivery") return received == 0 && !root;
  if (c.check == "redundancy") return received > 1 || (received == 1 && root);
  return true;  // shape, links, bound: the checker decides
}

/// Proves mutants of a schedule, about `most`, or half as many in the daily tests: those that are
/// refuted break in the checker where the counterexample says so, and those that are proved pass
/// it.
void try_mutants(const run::Case& c, std::size_t most, const SymbolicOptions& options = {}) {
  if (!agreement::chosen()) return;
  const SymbolicSchedule schedule = symbolic_schedule(c);
  const std::vector<Mutant> all = mutants(schedule);
  const std::size_t stride = std::max<std::size_t>(1, all.size() / ranges::part(most / 2, most));
  std::map<std::string, int> refuted;
  std::unordered_set<std::string> unsat;  // mutants have most queries in common
  for (std::size_t i = 0; i < all.size(); i += stride) {
    SymbolicSchedule mutant = schedule;
    all[i].change(mutant);
    INFO(c.spec << ", " << all[i].what);
    const SymbolicProof proof = prove(mutant, options, &unsat);
    if (proof.verdict == Verdict::unknown && options.effort == 0) continue;
    if (proof.verdict != Verdict::violated) {
      INFO(name(proof.verdict));
      // Unknown: only the formulas of arrivals are wrong, the schedule is correct.
      for (const std::uint64_t K : {1U, 2U, 3U, 4U, 5U, 8U, 9U}) {
        INFO("K = " << K);
        CHECK(checked(c, table(mutant, K), K).verdict() == Verdict::holds);
      }
      continue;
    }
    const Counterexample& example = *proof.counterexample;
    INFO(example.check << ": K = " << example.chunks << ", rank " << example.rank << " "
                       << example.what << " in step " << example.step);
    REQUIRE(example.chunks <= 64);
    const Schedule wrong = table(mutant, example.chunks);
    CHECK(true_of(mutant, wrong, example));
    const Report report = checked(c, wrong, example.chunks);
    if (example.check == "bound") {
      CHECK(report.steps > evaluate(schedule.steps, {{"K", example.chunks}}));
    } else {
      CHECK(report.verdict() == Verdict::violated);
    }
    ++refuted[example.check];
  }
  CHECK(refuted.size() >= (options.effort == 0 ? 1 : 2));  // and not all by one check
}

}  // namespace

TEST_CASE("mutants of trees are refuted by true counterexamples") {
  if (!has_z3()) return;
  try_mutants({"chain", 4}, 12);
  try_mutants({"binary-tree", 6}, 14);
  try_mutants({"fractional-tree:r=2", 8}, 24);
  try_mutants({"chain", 4, 1, "simplex"}, 12);
  try_mutants({"binomial-tree", 5}, 12);
  try_mutants({"circulant", 5}, 14);
}

TEST_CASE("mutants on many ranks are refuted by true counterexamples") {
  if (!has_z3()) return;
  try_mutants({"circulant", 300}, 12);
  // As on too many ranks to look at the table.
  SymbolicOptions options;
  options.effort = 0;
  try_mutants({"circulant", 40}, 40, options);
}

TEST_CASE("mutants over all ranks are refuted by true counterexamples") {
  if (!has_z3()) return;
  try_mutants({"butterfly", 8}, 14);
  try_mutants({"xor", 4}, 12);
  try_mutants({"ring", 5}, 8);
  try_mutants({"pairwise", 5}, 8);
}
