// Compositions of algorithms. Each is an algorithm with an entry of its own, whose functions ask
// the parts, which it holds.
//
//   X as C      X, for the collective C only.
//   X then Y    One after the other: where X ends, Y starts. Chunks keep their numbers, and a part
//               with blocks takes P nearly equal parts of them: block b of a reduce-scatter in an
//               allreduce of T chunks is floor(b T / P), ..., floor((b + 1) T / P) - 1. Algorithms
//               for blocks of equal size are asked for blocks of ceil(T / P) chunks, of which those
//               that do not exist are left out: chunks do not depend on one another.
//   reverse(X)  Every message goes back, the last one first: broadcast becomes reduce, scatter
//               gather, allgather reduce-scatter, and alltoall stays what it is, with the chunks of
//               (o, d) and (d, o) exchanged (CC, "Duality"). It is a schedule for its collective if
//               X brings every chunk to a rank once; the checks decide.
//   split(n, X) n instances at once. Instance i has chunks floor(i K / n), ..., floor((i + 1) K /
//   n)
//               - 1 of the K (of each block), and its rank v is rank v + floor(i P / n) mod P;
//               under a root, which is the same for all, the others rotate among themselves. In a
//               scan, and if the operator does not commute, ranks are not renamed. Each instance
//               uses ports of its own, which the machine has to have.
//
// Steps and volume of a sequence are the sums of what its parts claim.

#include "algorithm/composition.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "algorithm/entry.hpp"
#include "core/counted.hpp"
#include "core/join.hpp"
#include "model/algebra.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

namespace {

constexpr std::array<CompositionRule, 6> rules{{
    {Collective::allreduce, Collective::reduce_scatter, Collective::allgather},
    {Collective::allreduce, Collective::reduce, Collective::broadcast},
    {Collective::broadcast, Collective::scatter, Collective::allgather},
    {Collective::reduce, Collective::reduce_scatter, Collective::gather},
    {Collective::allgather, Collective::gather, Collective::broadcast},
    {Collective::reduce_scatter, Collective::reduce, Collective::scatter},
}};

std::string_view name_of(Collective collective) { return info(collective).name; }

std::string names_of(const std::vector<Collective>& collectives) {
  std::vector<std::string_view> names;
  for (const Collective c : collectives) names.push_back(name_of(c));
  return join(names, ", ");
}

/// An entry, and the texts that it refers to.
struct Composition {
  std::string name, summary, source;
  std::vector<std::string> machines;
  AlgorithmEntry entry;
};

/// The algorithm with this entry, whose texts are filled in here.
Algorithm composed(std::string name, std::string source, std::vector<std::string> machines,
                   AlgorithmEntry entry) {
  auto all = std::make_shared<Composition>();
  all->name = std::move(name);
  all->summary = "composition";
  all->source = std::move(source);
  all->machines = std::move(machines);
  all->entry = std::move(entry);
  all->entry.name = all->name;
  all->entry.summary = all->summary;
  all->entry.source = all->source;
  all->entry.machines.assign(all->machines.begin(), all->machines.end());
  // The reductions in it keep the order of operands if those of its parts do.
  if (!all->entry.order)
    all->entry.order = [](const Request&) -> std::optional<std::string> { return std::nullopt; };
  return AlgorithmEntry::listed({all, &all->entry});
}

std::vector<std::string> machines_of(const Algorithm& x) {
  return {x.machines.begin(), x.machines.end()};
}

std::string in_parentheses(std::string_view name) {
  return name.find(" then ") == std::string_view::npos || name.ends_with(')')
             ? std::string(name)
             : fmt::format("({})", name);
}

/// The request with another problem and nothing else of it but the machine.
Request part_request(const Request& whole, Collective collective) {
  return {part_problem(whole.problem, collective), whole.machine};
}

/// Why a part does not serve what it is asked for; none if it does.
std::optional<std::string> refusal(const AlgorithmPart& part) {
  const auto& [algorithm, request] = part;
  std::optional<std::string> why;
  try {
    request.problem.validate();
    why = algorithm.reason(request);
  } catch (const InputError& error) {
    why = error.what();
  }
  if (!why) return std::nullopt;
  return fmt::format("'{}', as {} with {}{}: {}", algorithm.name,
                     name_of(request.problem.collective), counted(request.problem.chunks, "chunk"),
                     info(request.problem.collective).blocks > 0 ? " a block" : "", *why);
}

std::optional<std::string> first_refusal(const std::vector<AlgorithmPart>& parts) {
  for (const AlgorithmPart& part : parts) {
    if (auto why = refusal(part)) return why;
  }
  return std::nullopt;
}

/// The values that the parts choose, by the names of their algorithms.
Chosen chosen_by(const std::vector<AlgorithmPart>& parts) {
  Chosen result;
  for (const auto& [algorithm, request] : parts) {
    const bool composed = AlgorithmEntry::of(algorithm).parts != nullptr;
    for (auto& [name, value] : algorithm.chosen(request)) {
      result.emplace_back(composed ? name : fmt::format("{}:{}", algorithm.name, name), value);
    }
  }
  return result;
}

// ---- One algorithm with its parameters, and for one of its collectives.

/// The same algorithm under another name, for some of its collectives; `given` are its parameters.
Algorithm narrowed(const Algorithm& x, std::string name, std::vector<Collective> collectives,
                   const Parameters& given, std::vector<std::string> machines) {
  const auto part = [x, given](const Request& r) {
    Request request = r;
    request.parameters = given;
    return std::vector<AlgorithmPart>{{x, std::move(request)}};
  };
  AlgorithmEntry entry{
      .name = {},
      .summary = {},
      .source = {},
      .collectives = std::move(collectives),
      .machines = {},
      .whole_blocks = x.whole_blocks,
      .refuse = [x, part](const Request& r) { return x.reason(part(r).front().request); },
      .build = [x, part](const Request& r) { return x.steps(part(r).front().request); },
      .claim = [x, part](const Request& r) { return x.claim(part(r).front().request); },
      .choose = [part](const Request& r) { return chosen_by(part(r)); },
      .hops = x.hops,
      .parts = part,
  };
  return composed(std::move(name), std::string(x.source), std::move(machines), std::move(entry));
}

// ---- One after the other.

const CompositionRule* rule_for(Collective whole, const Algorithm& x, const Algorithm& y) {
  const auto found = std::ranges::find_if(rules, [&](const CompositionRule& rule) {
    return rule.whole == whole && x.serves(rule.first) && y.serves(rule.second);
  });
  return found == rules.end() ? nullptr : &*found;
}

/// The collectives that x, then y, can be, in the order of the rules.
std::vector<Collective> sequence_collectives(const Algorithm& x, const Algorithm& y) {
  std::vector<Collective> result;
  for (const CompositionRule& rule : rules) {
    const bool known = std::ranges::find(result, rule.whole) != result.end();
    if (!known && x.serves(rule.first) && y.serves(rule.second)) result.push_back(rule.whole);
  }
  return result;
}

[[noreturn]] void refuse_sequence(const Algorithm& x, const Algorithm& y) {
  std::vector<std::string> all;
  for (const CompositionRule& rule : rules)
    all.push_back(fmt::format("{} then {}", name_of(rule.first), name_of(rule.second)));
  throw InputError(fmt::format(
      "'{}' ({}) and '{}' ({}) do not fit together: where the first ends, "
      "the second does not start; a sequence is {}",
      x.name, names_of(x.collectives), y.name, names_of(y.collectives), join(all, ", or ")));
}

std::vector<AlgorithmPart> sequence_parts(const Algorithm& x, const Algorithm& y,
                                          const Request& r) {
  const CompositionRule* const rule = rule_for(r.problem.collective, x, y);
  if (rule == nullptr) return {};
  return {{x, part_request(r, rule->first)}, {y, part_request(r, rule->second)}};
}

/// Are the blocks of a part as large as those that it is asked for?
bool equal_blocks(const Problem& whole, const Problem& part) {
  return part.total_chunks() == whole.total_chunks();
}

/// The steps for which the last messages of endpoint schedules are still under way after the last
/// step. A message takes the links of its route one after the other, or its latency.
std::uint64_t steps_under_way(const Steps& steps, const Machine& machine) {
  if (machine.timing() != nullptr) return machine.latency() - 1;
  if (!machine.routed()) return 0;
  const Network& network = *machine.network();
  std::uint64_t end = steps.span();
  Transfers row;
  std::vector<Rank> path;
  // No route is longer than the network has nodes, so that early rows do not matter.
  for (std::uint64_t i = steps.size(); i-- > 0;) {
    row.clear();
    const std::uint64_t number = steps.fill(i, row);
    if (number + network.nodes() <= end) break;
    for (const Transfer& t : row) {
      path.clear();
      network.route(t.src, t.dst, path);
      end = std::max(end, number + path.size() - 1);
    }
  }
  return end - steps.span();
}

Steps part_steps(const Problem& whole, const AlgorithmPart& part) {
  const auto& [algorithm, request] = part;
  Steps steps = algorithm.steps(request);
  const Problem& own = request.problem;
  if (equal_blocks(whole, own)) return steps;
  const bool any_step_may_move = request.machine.ports() != nullptr;
  return shrink_blocks(std::move(steps), own.ranks, own.chunks, whole.total_chunks(),
                       any_step_may_move);
}

Steps sequence_steps(const Request& r, const std::vector<AlgorithmPart>& parts) {
  Steps first = part_steps(r.problem, parts[0]);
  Steps second = part_steps(r.problem, parts[1]);
  const bool hops = parts[0].algorithm.hops;
  const std::uint64_t wait = hops ? 0 : steps_under_way(first, r.machine);
  return sequence(std::move(first), delay(std::move(second), wait));
}

/// The volume in chunks; 0: unknown.
std::uint64_t volume_of(const CostClaim& claim) {
  return claim.width == 1 && !claim.idle ? claim.steps : claim.volume;
}

CostClaim sequence_claim(const Request& r, const std::vector<AlgorithmPart>& parts) {
  CostClaim result{.steps = 0, .width = 1};
  bool known = true;  // are the volumes of both?
  bool equal = true;  // are all blocks of the size that was asked for?
  for (const AlgorithmPart& part : parts) {
    const CostClaim claim = part.algorithm.claim(part.request);
    result.steps += claim.steps;
    result.exact &= claim.exact;
    result.idle |= claim.idle;
    result.width = claim.width == 0 || result.width == 0 ? 0 : std::max(result.width, claim.width);
    result.volume += volume_of(claim);
    known &= volume_of(claim) > 0;
    equal &= equal_blocks(r.problem, part.request.problem);
  }
  if (!known || result.width == 1) result.volume = 0;
  if (equal) return result;
  return {.steps = result.steps, .exact = false, .idle = true};
}

/// The machines of both, those that both are for first.
std::vector<std::string> common_machines(const Algorithm& x, const Algorithm& y) {
  std::vector<std::string> result;
  const auto add = [&](const Algorithm& from, const auto& wanted) {
    for (const std::string_view m : from.machines) {
      if (wanted(m) && std::ranges::find(result, m) == result.end()) result.emplace_back(m);
    }
  };
  const auto of_y = [&](std::string_view m) {
    return std::ranges::find(y.machines, m) != y.machines.end();
  };
  const auto any = [](std::string_view) { return true; };
  add(x, of_y);
  add(x, any);
  add(y, any);
  return result;
}

// ---- Backwards.

Request reversed_request(const Request& r) {
  Request result = r;
  result.problem.collective = reversed(r.problem.collective);
  result.problem.ordered = r.problem.ordered && info(result.problem.collective).reduction;
  return result;
}

/// Block (o, d) renamed to (d, o).
Steps with_pairs_exchanged(Steps steps, std::uint64_t P, std::uint64_t K) {
  const std::uint64_t rows = steps.size();
  return Steps(rows, [steps = std::move(steps), P, K](std::uint64_t row, Transfers& out) {
    Transfers whole;
    const std::uint64_t number = steps.fill(row, whole);
    for (const Transfer& run : whole) {
      const std::uint64_t end = std::uint64_t{run.first} + run.count;
      for (std::uint64_t chunk = run.first, next = 0; chunk < end; chunk = next) {
        const std::uint64_t block = chunk / K;
        next = std::min(end, (block + 1) * K);
        Transfer& t = out.emplace_back(run);
        t.first = static_cast<Chunk>((block % P * P + block / P) * K + chunk % K);
        t.count = static_cast<std::uint32_t>(next - chunk) & max_transfer_count;
      }
    }
    return number;
  });
}

// ---- Several at once.

/// The chunks first, ..., end - 1 of the whole, or of each of its blocks, that an instance has, and
/// its ranks.
struct Instance {
  std::uint64_t first, end;
  std::uint64_t ranks, root, blocks, K;  ///< of the whole
  bool rooted;
  std::uint64_t turn;  ///< how far the ranks, without a root, are rotated

  Instance(const Problem& whole, std::uint64_t i, std::uint64_t n)
      : first(i * whole.chunks / n),
        end((i + 1) * whole.chunks / n),
        ranks(whole.ranks),
        root(whole.root),
        blocks(static_cast<std::uint64_t>(info(whole.collective).blocks)),
        K(whole.chunks),
        rooted(whole.rooted()),
        turn(i * (whole.ranks - (rooted ? 1 : 0)) / n) {
    const bool by_rank =
        whole.collective == Collective::scan || whole.collective == Collective::exscan;
    if (by_rank || whole.ordered) turn = 0;
  }

  /// The rank of the whole that acts as rank v.
  std::uint64_t rank(std::uint64_t v) const {
    if (!rooted) return (v + turn) % ranks;
    if (v == root || ranks == 1) return v;
    const std::uint64_t from_root = v > root ? v - root : v + ranks - root;
    return (root + 1 + (from_root - 1 + turn) % (ranks - 1)) % ranks;
  }

  std::uint64_t block(std::uint64_t b) const {
    if (blocks == 0) return b;
    return blocks == 1 ? rank(b) : rank(b / ranks) * ranks + rank(b % ranks);
  }

  /// Appends a transfer of the instance as one of the whole: a run of each block of its own.
  void append(const Transfer& run, Transfers& out) const {
    const std::uint64_t own = end - first;
    const std::uint64_t last = std::uint64_t{run.first} + run.count;
    for (std::uint64_t chunk = run.first, next = 0; chunk < last; chunk = next) {
      next = blocks == 0 ? last : std::min(last, (chunk / own + 1) * own);
      const std::uint64_t b = blocks == 0 ? 0 : chunk / own;
      Transfer& t = out.emplace_back(run);
      t.src = static_cast<Rank>(rank(run.src));
      t.dst = static_cast<Rank>(rank(run.dst));
      t.first = static_cast<Chunk>(block(b) * K + first + chunk - b * own);
      t.count = static_cast<std::uint32_t>(next - chunk) & max_transfer_count;
    }
  }
};

AlgorithmPart instance_part(const Algorithm& x, const Request& r, std::uint64_t i,
                            std::uint64_t n) {
  AlgorithmPart part{x, r};
  const Instance instance(r.problem, i, n);
  part.request.problem.chunks = static_cast<std::uint32_t>(instance.end - instance.first);
  return part;
}

/// Those instances that differ in their number of chunks: the first and the last.
std::vector<AlgorithmPart> different_instances(const Algorithm& x, const Request& r,
                                               std::uint64_t n) {
  return {instance_part(x, r, 0, n), instance_part(x, r, n - 1, n)};
}

Steps split_steps(const Algorithm& x, const Request& r, std::uint64_t n) {
  std::vector<Steps> all;
  for (std::uint64_t i = 0; i < n; ++i) {
    Steps steps = x.steps(instance_part(x, r, i, n).request);
    const std::uint64_t size = steps.size();
    all.emplace_back(size, [steps = std::move(steps), instance = Instance(r.problem, i, n)](
                               std::uint64_t row, Transfers& out) {
      Transfers whole;
      const std::uint64_t number = steps.fill(row, whole);
      for (const Transfer& run : whole) instance.append(run, out);
      return number;
    });
  }
  return parallel(std::move(all));
}

/// The larger of the claims of instances; what messages carry together is not known.
CostClaim split_claim(const std::vector<AlgorithmPart>& parts) {
  CostClaim result{.steps = 0};
  for (const AlgorithmPart& part : parts) {
    const CostClaim claim = part.algorithm.claim(part.request);
    result.steps = std::max(result.steps, claim.steps);
    result.exact &= claim.exact;
    result.idle |= claim.idle;
  }
  return result;
}

}  // namespace

std::span<const CompositionRule> composition_rules() { return rules; }

Problem part_problem(const Problem& whole, Collective part) {
  Problem result;
  result.collective = part;
  result.ranks = whole.ranks;
  result.root = whole.rooted() && info(part).rooted ? whole.root : 0;
  result.ordered = whole.ordered && info(part).reduction;
  const std::uint64_t total = std::min<std::uint64_t>(whole.total_chunks(), UINT32_MAX);
  const std::uint64_t P = std::max<Rank>(whole.ranks, 1);
  result.chunks = static_cast<std::uint32_t>(info(part).blocks == 0 ? total : (total + P - 1) / P);
  return result;
}

Collective reversed(Collective collective) {
  switch (collective) {
    case Collective::broadcast:
      return Collective::reduce;
    case Collective::reduce:
      return Collective::broadcast;
    case Collective::scatter:
      return Collective::gather;
    case Collective::gather:
      return Collective::scatter;
    case Collective::allgather:
      return Collective::reduce_scatter;
    case Collective::reduce_scatter:
      return Collective::allgather;
    case Collective::alltoall:
      return Collective::alltoall;
    default:
      return Collective::custom;
  }
}

Algorithm with_parameters(const Algorithm& algorithm, const Spec& spec) {
  if (algorithm.serves(Collective::custom)) {
    throw InputError(fmt::format(
        "'{}' is for a collective of its own, which is no part of a composition", algorithm.name));
  }
  const Parameters given =
      spec.check(algorithm.parameters, fmt::format("algorithm '{}'", algorithm.name));
  return narrowed(algorithm, spec.text(), algorithm.collectives, given,
                  algorithm.machines_for(given));
}

Algorithm as_collective(const Algorithm& x, Collective collective) {
  if (!x.serves(collective)) {
    throw InputError(fmt::format("'{}' is no {}; it serves {}", x.name, name_of(collective),
                                 names_of(x.collectives)));
  }
  return narrowed(x, fmt::format("{} as {}", in_parentheses(x.name), name_of(collective)),
                  {collective}, {}, machines_of(x));
}

Algorithm sequence(const Algorithm& x, const Algorithm& y) {
  std::vector<Collective> collectives = sequence_collectives(x, y);
  if (collectives.empty()) refuse_sequence(x, y);
  if (x.hops != y.hops) {
    throw InputError(fmt::format("'{}' sends over links, hop by hop, and '{}' from rank to rank",
                                 (x.hops ? x : y).name, (x.hops ? y : x).name));
  }
  const auto parts = [x, y](const Request& r) { return sequence_parts(x, y, r); };
  AlgorithmEntry entry{
      .name = {},
      .summary = {},
      .source = {},
      .collectives = std::move(collectives),
      .machines = {},
      .refuse = [parts](const Request& r) { return first_refusal(parts(r)); },
      .build = [parts](const Request& r) { return sequence_steps(r, parts(r)); },
      .claim = [parts](const Request& r) { return sequence_claim(r, parts(r)); },
      .choose = [parts](const Request& r) { return chosen_by(parts(r)); },
      .hops = x.hops,
      .parts = parts,
  };
  return composed(
      fmt::format("{} then {}", x.name, in_parentheses(y.name)),
      x.source == y.source ? std::string(x.source) : fmt::format("{}; {}", x.source, y.source),
      common_machines(x, y), std::move(entry));
}

Algorithm reverse(const Algorithm& x) {
  std::vector<Collective> collectives;
  for (const Collective c : x.collectives) {
    if (reversed(c) != Collective::custom) collectives.push_back(reversed(c));
  }
  if (collectives.empty()) {
    throw InputError(
        fmt::format("'{}' ({}) has no reverse: broadcast, reduce, scatter, gather, "
                    "allgather, reduce-scatter and alltoall have, and sequences of them",
                    x.name, names_of(x.collectives)));
  }
  const auto parts = [x](const Request& r) {
    return std::vector<AlgorithmPart>{{x, reversed_request(r)}};
  };
  AlgorithmEntry entry{
      .name = {},
      .summary = {},
      .source = {},
      .collectives = std::move(collectives),
      .machines = {},
      .fits = [](const Request&) { return false; },
      .whole_blocks = x.whole_blocks,
      .refuse = [parts](const Request& r) { return first_refusal(parts(r)); },
      .build =
          [parts](const Request& r) {
            const auto [algorithm, request] = parts(r).front();
            Steps steps = algorithm.steps(request);
            if (r.problem.collective == Collective::alltoall)
              steps = with_pairs_exchanged(std::move(steps), r.problem.ranks, r.problem.chunks);
            return reverse(std::move(steps), info(r.problem.collective).reduction);
          },
      .claim =
          [parts](const Request& r) {
            const auto [algorithm, request] = parts(r).front();
            return algorithm.claim(request);
          },
      .choose = [parts](const Request& r) { return chosen_by(parts(r)); },
      .hops = x.hops,
      .parts = parts,
  };
  return composed(fmt::format("reverse({})", x.name), std::string(x.source), machines_of(x),
                  std::move(entry));
}

Algorithm split(std::uint64_t n, const Algorithm& x) {
  if (x.hops) {
    throw InputError(
        fmt::format("split renames ranks, and '{}' sends over links, hop by hop", x.name));
  }
  const auto parts = [n, x](const Request& r) { return different_instances(x, r, n); };
  AlgorithmEntry entry{
      .name = {},
      .summary = {},
      .source = {},
      .collectives = x.collectives,
      .machines = {},
      .fits = [](const Request&) { return false; },
      .refuse = [n, parts](const Request& r) -> std::optional<std::string> {
        if (r.problem.chunks < n) {
          return fmt::format("its {} instances need a chunk each{}: at least --chunks {}, not {}",
                             n, info(r.problem.collective).blocks > 0 ? " of every block" : "", n,
                             r.problem.chunks);
        }
        return first_refusal(parts(r));
      },
      .build = [n, x](const Request& r) { return split_steps(x, r, n); },
      .claim = [parts](const Request& r) { return split_claim(parts(r)); },
      .choose = [parts](const Request& r) { return chosen_by({parts(r).front()}); },
      .parts = parts,
  };
  return composed(fmt::format("split({}, {})", n, x.name), std::string(x.source), machines_of(x),
                  std::move(entry));
}

}  // namespace schedcc
