// One schedule after another.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "algorithm/composition/composition.hpp"
#include "model/runs.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/named_machine.hpp"
#include "schedcc/transform.hpp"
#include "transform/rows.hpp"

namespace schedcc {

namespace {

/// The first step after everything has arrived.
std::uint64_t end_of(const Source& source, const Schedule& schedule) {
  const Machine machine = named_machine(source);
  std::uint64_t end = 0;
  std::vector<Rank> path;
  for (std::uint64_t row = 0; row < schedule.size(); ++row) {
    const Step step = schedule[row];
    if (!machine.routed() || source.hop_level()) {
      end = std::max(end, step.number + machine.latency());
      continue;
    }
    for (const Transfer& t : step.transfers) {
      path.clear();
      if (t.src < source.problem.ranks && t.dst < source.problem.ranks)
        machine.network()->route(t.src, t.dst, path);
      end = std::max<std::uint64_t>(end, step.number + (path.empty() ? 1 : path.size() - 1));
    }
  }
  return end;
}

/// The standard problem that a sequence solves: roots of both are that of the whole. None: there is
/// no such rule.
std::optional<Problem> standard_sequence(const Problem& a, const Problem& b) {
  const auto rules = composition_rules();
  const auto rule = std::ranges::find_if(rules, [&](const CompositionRule& r) {
    return r.first == a.collective && r.second == b.collective;
  });
  if (rule == rules.end() || (a.rooted() && b.rooted() && a.root != b.root)) return std::nullopt;
  Problem result;
  result.collective = rule->whole;
  result.ranks = a.ranks;
  if (result.rooted()) result.root = a.rooted() ? a.root : b.root;
  const std::uint64_t blocks = result.in_blocks() ? a.ranks : 1;
  result.chunks = static_cast<std::uint32_t>(a.total_chunks() / blocks);
  result.ordered = a.ordered && result.reduction();
  return result;
}

[[noreturn]] void refuse_sequence(const std::string& why) {
  throw InputError("the schedules cannot be run in sequence: " + why);
}

/// That every rank ends the first part with what it starts the second one with.
void require_starts(const Problem& a, const Problem& b) {
  b.for_each_start([&](Rank rank, const Runs& starts) {
    const Runs goal = a.goal(rank);
    for (const Run run : starts) {
      if (goal.chunks_before(end(run)) - goal.chunks_before(run.first) == run.count) continue;
      const bool one = run.count == 1;
      refuse_sequence(std::string("the second one needs chunk") + (one ? " " : "s ") +
                      std::to_string(run.first) + (one ? "" : ".." + std::to_string(end(run) - 1)) +
                      " at rank " + std::to_string(rank) + ", where the first one does not leave " +
                      (one ? "it" : "all of them"));
    }
  });
}

/// Any other sequence is a custom collective: the start of the first part, the goal of the second.
Problem custom_sequence(const Problem& a, const Problem& b) {
  if (b.reduction()) {
    refuse_sequence(describe(a) + ", then " + describe(b) +
                    ": a reduction starts with contributions, which no other collective leaves");
  }
  if (a.collective == Collective::scan || a.collective == Collective::exscan)
    refuse_sequence("after a scan ranks hold different sums");
  if (a.ranks > most_built_ranks) {
    throw LimitError("a custom collective made of two others has at most " +
                     std::to_string(most_built_ranks) + " ranks");
  }
  require_starts(a, b);
  Lines pre, post;
  a.for_each_start([&](Rank rank, const Runs& runs) {
    for (const Run run : runs) pre.add(rank, run);
  });
  b.for_each_goal([&](Rank rank, const Runs& runs) {
    for (const Run run : runs) {
      for (std::uint64_t chunk = run.first; chunk < end(run);) {
        const auto at = static_cast<Chunk>(chunk);
        const std::uint64_t next = a.declared() ? std::min(end(run), a.same_until(at)) : end(run);
        post.add(rank, {at, static_cast<std::uint32_t>(next - chunk)}, a.reduced(at));
        chunk = next;
      }
    }
  });
  Problem result = custom_problem(a.ranks, static_cast<std::uint32_t>(a.total_chunks()),
                                  pre.holdings(), post.holdings());
  result.ordered = a.ordered;
  return result;
}

/// The machine that both name.
std::string common_machine(const Source& a, const Source& b) {
  if (a.machine.empty() || b.machine.empty()) return a.machine + b.machine;
  std::string first = named_machine(a).spec();
  const std::string second = named_machine(b).spec();
  if (first != second)
    refuse_sequence("they are for different machines, " + first + " and " + second);
  return first;
}

void append(Rows& rows, const Schedule& schedule, std::uint64_t delay) {
  for (std::uint64_t row = 0; row < schedule.size(); ++row) {
    const Step step = schedule[row];
    rows.begin_step(step.number + delay, step.rounds);
    for (const Transfer& t : step.transfers) rows.add(t);
  }
}

}  // namespace

Source sequence(const Source& a, const Source& b) {
  if (a.problem.ranks != b.problem.ranks || a.nodes != b.nodes)
    refuse_sequence("they have different numbers of ranks, or of nodes");
  if (a.problem.total_chunks() != b.problem.total_chunks()) {
    refuse_sequence("the first one has " + std::to_string(a.problem.total_chunks()) +
                    " chunks in all, the second one " + std::to_string(b.problem.total_chunks()));
  }
  const std::string machine = common_machine(a, b);
  const auto standard = standard_sequence(a.problem, b.problem);
  const Schedule head = collect(*a.open()), tail = collect(*b.open());
  Source timed = a;
  timed.machine = machine;
  Rows rows;
  append(rows, head, 0);
  append(rows, tail, end_of(timed, head));
  return finished(standard ? *standard : custom_sequence(a.problem, b.problem), rows, a.nodes,
                  machine, a.name + " then " + b.name);
}

}  // namespace schedcc
