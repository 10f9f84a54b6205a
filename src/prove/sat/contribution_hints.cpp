// Hints for reductions: clauses that some schedule satisfies whenever there is one.

#include <algorithm>

#include <fmt/core.h>

#include "core/join.hpp"
#include "prove/sat/contribution_variables.hpp"
#include "prove/sat/counting.hpp"
#include "prove/sat/symmetry.hpp"

namespace schedcc::prover {

namespace {

class ContributionHints {
 public:
  ContributionHints(const ContributionVariables& variables, Formula& formula, bool argued)
      : x_(variables), formula_(formula), argued_(argued) {}

  /// A node that wants a contribution has some node near enough whose value includes it.
  void add_reachability() {
    for (Chunk c = 0; c < x_.chunks.size(); ++c) {
      for (const Rank goal : x_.chunks[c].goals) {
        for (const Rank r : x_.contributors(c)) {
          if (!wants(x_.problem, goal, r)) continue;
          for (std::uint64_t t = 1; t < x_.steps(); ++t) {
            Literals near;
            for (Rank v = 0; v < x_.instance.nodes; ++v) {
              if (x_.instance.within(v, goal, x_.steps() - t)) near.push_back(x_.in(c, v, r, t));
            }
            formula_.add(near);
          }
        }
      }
    }
  }

  /// With k ports the number of holders of a contribution grows at most (k + 1)-fold in a step.
  void add_growth() {
    const std::uint64_t k = x_.instance.ports->send;
    for (Chunk c = 0; c < x_.chunks.size(); ++c) {
      for (const Rank r : x_.contributors(c)) {
        auto holders = static_cast<std::uint64_t>(std::ranges::count_if(
            x_.chunks[c].goals, [&](Rank goal) { return wants(x_.problem, goal, r); }));
        for (std::uint64_t t = x_.steps(); t-- > 0;) {
          holders = (holders + k) / (k + 1);
          if (holders <= 1) break;
          Literals all;
          for (Rank v = 0; v < x_.instance.nodes; ++v) all.push_back(x_.in(c, v, r, t));
          if (!argued_) {
            formula_.at_least(all, holders);
            continue;
          }
          formula_.derive(
              fmt::format(
                  R"({{"by": "growth", "chunk": {}, "rank": {}, "step": {}, "at_least": {})", c, r,
                  t, holders),
              [&] { formula_.at_least(all, holders); });
        }
      }
    }
  }

  /// Ranks of scans and of ordered reductions are not interchangeable.
  void break_symmetries() {
    formula_.begin_choice();
    const bool alike = !x_.problem.ordered && x_.problem.collective != Collective::scan &&
                       x_.problem.collective != Collective::exscan;
    for (const Symmetry& symmetry :
         symmetries(x_.instance, x_.chunks, alike, [this] { formula_.look(); })) {
      put_first(symmetry);
    }
  }

 private:
  void put_first(const Symmetry& symmetry) {
    LexLeader first(formula_);
    for (std::uint64_t t = 1; t <= x_.steps(); ++t) {
      for (Chunk c = 0; c < x_.chunks.size(); ++c) {
        for (Rank v = 0; v < x_.instance.nodes; ++v) {
          for (Rank r = 0; r < x_.ranks(); ++r) {
            const Literal a = x_.in(c, v, r, t);
            const Literal b = x_.in(symmetry.chunk[c], symmetry.node[v], symmetry.node[r], t);
            if (!first.compare({&a, 1}, {&b, 1})) return;
          }
        }
      }
    }
  }

  const ContributionVariables& x_;
  Formula& formula_;
  bool argued_;  ///< with arguments (counting.hpp)
};

}  // namespace

std::string contribution_facts(const ContributionVariables& x) {
  std::string contributions;
  for (Chunk c = 0; c < x.chunks.size(); ++c) {
    for (const Rank r : x.contributors(c)) {
      std::vector<Rank> goals;
      for (const Rank goal : x.chunks[c].goals) {
        if (wants(x.problem, goal, r)) goals.push_back(goal);
      }
      contributions +=
          fmt::format(R"({}{{"chunk": {}, "rank": {}, "sources": [{}], "goals": [{}]}})",
                      contributions.empty() ? "" : ",\n  ", c, r, join(x.starts(c, r), ", "),
                      join(goals, ", "));
    }
  }
  const std::string facts = counting_facts(x.instance, {});
  return fmt::format("{},\n \"contributions\": [{}]}}", facts.substr(0, facts.size() - 1),
                     contributions);
}

void add_hints(const ContributionVariables& variables, const Hints& hints, Formula& formula) {
  ContributionHints adding(variables, formula, hints.argued);
  // If a message takes longer than a step, a contribution may exist only under way.
  if (hints.useful && variables.instance.slowest == 1) adding.add_reachability();
  if (hints.counts && variables.instance.ports) adding.add_growth();
  if (hints.order) adding.break_symmetries();
}

}  // namespace schedcc::prover
