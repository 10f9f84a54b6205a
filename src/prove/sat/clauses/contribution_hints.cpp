// Hints for reductions: clauses that some schedule satisfies whenever there is one.

#include <algorithm>

#include <fmt/core.h>

#include "core/join.hpp"
#include "prove/sat/bounds/counting.hpp"
#include "prove/sat/clauses/contribution_variables.hpp"
#include "prove/sat/question/symmetry.hpp"

namespace schedcc::prover {

namespace {

/// Do all ranks want the same contributions? Those of a scan do not.
bool ranks_alike(const Problem& problem) {
  return problem.collective != Collective::scan && problem.collective != Collective::exscan;
}

class ContributionHints {
 public:
  ContributionHints(const ContributionVariables& variables, Formula& formula, bool argued)
      : x_(variables), formula_(formula), argued_(argued) {}

  /// A node that wants a contribution has some node near enough whose value includes it.
  void add_reachability() {
    for (Chunk c = 0; c < x_.chunks.size(); ++c) {
      for (const Rank goal : x_.chunks[c].goals) {
        for (const Rank r : x_.contributors(c)) {
          if (!requires_contribution(x_.problem, goal, r)) continue;
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
        auto holders =
            static_cast<std::uint64_t>(std::ranges::count_if(x_.chunks[c].goals, [&](Rank goal) {
              return requires_contribution(x_.problem, goal, r);
            }));
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

  /// All transfers of all chunks fit through the ports.
  void add_transfers() {
    const Saturating excess = excess_transfers(x_);
    if (excess == 0) return;
    formula_.derive(fmt::format(R"({{"by": "transfers", "at_least": {})", excess.value()),
                    [&] { formula_.add({}); });
  }

  /// Ranks of scans and of ordered reductions are not interchangeable.
  void break_symmetries() {
    formula_.begin_choice();
    const bool alike = !x_.problem.ordered && ranks_alike(x_.problem);
    for (const Symmetry& symmetry :
         symmetries(x_.instance, x_.chunks, alike, [this] { formula_.poll_limits(); })) {
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

std::uint64_t min_transfers(const ContributionVariables& x, Chunk c) {
  const std::span<const Rank> contributors = x.contributors(c);
  const std::vector<Rank>& goals = x.chunks[c].goals;
  if (!x.chunks[c].reduced || goals.empty() || contributors.empty()) return 0;
  const auto wants_all = [&](Rank goal) {
    return std::ranges::all_of(contributors,
                               [&](Rank r) { return requires_contribution(x.problem, goal, r); });
  };
  if (!std::ranges::all_of(goals, wants_all)) return 0;
  const bool both = std::ranges::any_of(goals, [&](Rank v) { return x.chunks[c].starts_at(v); });
  return contributors.size() + goals.size() - (both ? 2 : 1);
}

Saturating excess_transfers(const ContributionVariables& x) {
  if (!x.instance.ports || x.instance.arcs.empty()) return 0;
  Saturating least = 0;
  for (Chunk c = 0; c < x.chunks.size(); ++c) least += min_transfers(x, c);
  return remaining(least, x.instance.step_capacity(x.instance.ranks) * x.steps());
}

FlowProblem contribution_flows(const ContributionVariables& x) {
  FlowProblem result{x.chunks, {}, {}, ranks_alike(x.problem)};
  for (Chunk c = 0; c < x.chunks.size(); ++c) {
    result.min_transfers.push_back(min_transfers(x, c));
    for (const Rank r : x.contributors(c)) {
      const std::span<const Rank> starts = x.starts(c, r);
      Delivery delivery{{starts.begin(), starts.end()}, {}, false};
      for (const Rank goal : x.chunks[c].goals) {
        const bool wanted = !x.chunks[c].reduced || requires_contribution(x.problem, goal, r);
        if (wanted && !delivery.starts_at(goal)) delivery.goals.push_back(goal);
      }
      result.flows.push_back({c, std::move(delivery)});
    }
  }
  return result;
}

std::string contribution_facts(const ContributionVariables& x) {
  std::string contributions;
  for (Chunk c = 0; c < x.chunks.size(); ++c) {
    for (const Rank r : x.contributors(c)) {
      std::vector<Rank> goals;
      for (const Rank goal : x.chunks[c].goals) {
        if (requires_contribution(x.problem, goal, r)) goals.push_back(goal);
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
  if (hints.counts) adding.add_transfers();
  if (hints.order) adding.break_symmetries();
}

}  // namespace schedcc::prover
