// Sequences of schedules, ranks with other numbers, and lowering.

#include "transform.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "rows.hpp"

namespace schedcc::python {

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

/// A row of docs/composition.md, "X then Y": roots of both are that of the whole.
struct SequenceRule {
  Collective first, second, whole;
};
constexpr std::array<SequenceRule, 6> rules{{
    {Collective::reduce_scatter, Collective::allgather, Collective::allreduce},
    {Collective::reduce, Collective::broadcast, Collective::allreduce},
    {Collective::scatter, Collective::allgather, Collective::broadcast},
    {Collective::reduce_scatter, Collective::gather, Collective::reduce},
    {Collective::gather, Collective::broadcast, Collective::allgather},
    {Collective::reduce, Collective::scatter, Collective::reduce_scatter},
}};

/// The standard problem that a sequence solves; none: there is no such rule.
std::optional<Problem> standard_sequence(const Problem& a, const Problem& b) {
  const auto rule = std::ranges::find_if(rules, [&](const SequenceRule& r) {
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

[[noreturn]] void no_sequence(const std::string& why) {
  throw InputError("the schedules are no sequence: " + why);
}

/// That every rank ends the first part with what it starts the second one with.
void require_starts(const Problem& a, const Problem& b) {
  b.for_each_start([&](Rank rank, const Runs& starts) {
    const Runs goal = a.goal(rank);
    for (const Run run : starts) {
      const std::uint64_t end = std::uint64_t{run.first} + run.count;
      if (goal.chunks_before(end) - goal.chunks_before(run.first) == run.count) continue;
      no_sequence("the second one starts with chunk " + std::to_string(run.first) + " (or one of " +
                  std::to_string(run.count) + " from it on) at rank " + std::to_string(rank) +
                  ", which does not end the first one with it");
    }
  });
}

/// Any other sequence is a custom collective: the start of the first part, the goal of the second.
Problem custom_sequence(const Problem& a, const Problem& b) {
  if (b.reduction()) {
    no_sequence(describe(a) + ", then " + describe(b) +
                ": what a reduction starts with is not what another collective ends with");
  }
  if (a.collective == Collective::scan || a.collective == Collective::exscan)
    no_sequence("after a scan ranks hold different sums");
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
      const std::uint64_t end = std::uint64_t{run.first} + run.count;
      for (std::uint64_t chunk = run.first; chunk < end;) {
        const auto at = static_cast<Chunk>(chunk);
        const std::uint64_t next = a.custom ? std::min(end, a.same_until(at)) : end;
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
  const std::string first = named_machine(a).spec(), second = named_machine(b).spec();
  if (first != second) no_sequence("they are for different machines, " + first + " and " + second);
  return first;
}

void append(Rows& rows, const Schedule& schedule, std::uint64_t delay) {
  for (std::uint64_t row = 0; row < schedule.size(); ++row) {
    const Step step = schedule[row];
    rows.begin_step(step.number + delay, step.rounds);
    for (const Transfer& t : step.transfers) rows.add(t);
  }
}

void require_permutation(const std::vector<Rank>& map, Rank ranks) {
  std::vector<bool> seen(map.size());
  for (const Rank rank : map) {
    if (rank < map.size() && !seen[rank]) {
      seen[rank] = true;
      continue;
    }
    throw InputError("rank " + std::to_string(rank) +
                     " is twice in the new numbers, or not below " + std::to_string(ranks));
  }
  if (map.size() == ranks) return;
  throw InputError("there are " + std::to_string(map.size()) + " new numbers for " +
                   std::to_string(ranks) + " ranks");
}

/// The chunk in the block of the ranks that those of its block become.
Chunk moved(const Problem& problem, const std::vector<Rank>& map, Chunk chunk) {
  const std::uint64_t P = problem.ranks, K = problem.chunks, block = chunk / K;
  if (chunk >= problem.total_chunks()) return chunk;
  const std::uint64_t of = info(problem.collective).blocks == 2
                               ? map[block / P] * P + map[block % P]
                               : std::uint64_t{map[block]};
  return static_cast<Chunk>(of * K + chunk % K);
}

std::vector<Holding> moved(std::span<const Holding> lines, const std::vector<Rank>& map) {
  std::vector<Holding> result(lines.begin(), lines.end());
  for (Holding& line : result) line.rank = map[line.rank];
  return result;
}

Problem moved(const Problem& problem, const std::vector<Rank>& map) {
  Problem result = problem;
  if (problem.rooted()) result.root = map[problem.root];
  if (!problem.custom) return result;
  result = custom_problem(problem.ranks, problem.chunks, moved(problem.pre(), map),
                          moved(problem.post(), map), std::string(problem.title()));
  result.ordered = problem.ordered;
  return result;
}

}  // namespace

Handle sequence(const Handle& first, const Handle& second) {
  const Source &a = first.source, &b = second.source;
  if (a.problem.ranks != b.problem.ranks || a.nodes != b.nodes)
    no_sequence("they have different numbers of ranks, or of nodes");
  if (a.problem.total_chunks() != b.problem.total_chunks()) {
    no_sequence("the first one has " + std::to_string(a.problem.total_chunks()) +
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
  return open_steps(standard ? *standard : custom_sequence(a.problem, b.problem), rows.finish(),
                    a.nodes, machine, a.name + " then " + b.name);
}

Handle relabelled(const Handle& handle, const std::vector<Rank>& map) {
  const Source& source = handle.source;
  const Problem& problem = source.problem;
  if (source.hop_level())
    throw InputError("at hop level transfers follow links: ranks cannot have other numbers");
  if (problem.collective == Collective::scan || problem.collective == Collective::exscan)
    throw InputError("a scan depends on the order of the ranks, which cannot have other numbers");
  require_permutation(map, problem.ranks);
  const bool blocks = problem.in_blocks();
  const auto renamed = [&](Rank rank) { return rank < map.size() ? map[rank] : rank; };
  Rows rows;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    rows.begin_step(step.number, step.rounds);
    for (const Transfer& t : step.transfers) {
      const auto end_of_block = [&](Chunk chunk) {
        return blocks ? (std::uint64_t{chunk} / problem.chunks + 1) * problem.chunks : UINT64_MAX;
      };
      if (blocks) rows.require_room(blocks_of(t, problem.chunks));
      for_each_piece(t, end_of_block, [&](Transfer piece) {
        piece.src = renamed(piece.src);
        piece.dst = renamed(piece.dst);
        if (blocks) piece.first = moved(problem, map, piece.first);
        rows.add(piece);
      });
    }
  }
  return open_steps(moved(problem, map), rows.finish(), 0, source.machine,
                    source.name + ", relabelled");
}

Handle lowered(const Handle& handle) {
  const Machine machine = named_machine(handle.source);
  return {at_hop_level(handle.source, machine), ""};
}

}  // namespace schedcc::python
