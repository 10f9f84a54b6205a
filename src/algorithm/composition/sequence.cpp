// Compositions: X then Y, one after the other: where X ends, Y starts.
//
// Chunks keep their numbers, and a part with blocks takes P nearly equal parts of them: block b of
// a reduce-scatter in an allreduce of T chunks is floor(b T / P), ..., floor((b + 1) T / P) - 1.
// Algorithms for blocks of equal size are asked for blocks of ceil(T / P) chunks, of which those
// that do not exist are left out: chunks do not depend on one another. Steps and volume are the
// sums of what the parts claim.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "algorithm/composition/parts.hpp"
#include "algorithm/shapes.hpp"
#include "core/join.hpp"
#include "model/algebra.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

namespace {

using namespace compositions;

constexpr std::array<CompositionRule, 6> rules{{
    {Collective::allreduce, Collective::reduce_scatter, Collective::allgather},
    {Collective::allreduce, Collective::reduce, Collective::broadcast},
    {Collective::broadcast, Collective::scatter, Collective::allgather},
    {Collective::reduce, Collective::reduce_scatter, Collective::gather},
    {Collective::allgather, Collective::gather, Collective::broadcast},
    {Collective::reduce_scatter, Collective::reduce, Collective::scatter},
}};

/// The request with another problem and nothing else of it but the machine.
Request part_request(const Request& whole, Collective collective) {
  return {part_problem(whole.problem, collective), whole.machine};
}

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

/// Where the chunks are after a collective.
std::string_view where_it_ends(Collective collective) {
  switch (collective) {
    case Collective::scatter:
    case Collective::reduce_scatter:
      return "rank r has block r";
    case Collective::reduce:
    case Collective::gather:
      return "the root has all chunks";
    case Collective::alltoall:
      return "rank r has a block of every rank";
    case Collective::scan:
    case Collective::exscan:
      return "every rank has a sum of its own";
    default:
      return "every rank has all chunks";
  }
}

/// Where they are before it.
std::string_view where_it_starts(Collective collective) {
  switch (collective) {
    case Collective::allgather:
    case Collective::gather:
    case Collective::barrier:
      return "rank r has block r";
    case Collective::broadcast:
    case Collective::scatter:
      return "the root has all chunks";
    case Collective::alltoall:
      return "rank r has a block for every rank";
    default:
      return "every rank has contributions to all chunks";
  }
}

/// "after reduce the root has all chunks, before allgather rank r has block r", for the first
/// collectives of both that a sequence can begin or end with, if any, and what is possible instead.
[[noreturn]] void refuse_sequence(const Algorithm& x, const Algorithm& y) {
  std::vector<std::string> others;
  for (const CompositionRule& rule : rules) {
    if (!x.serves(rule.first) && !y.serves(rule.second)) continue;
    others.push_back(fmt::format("{} then {}", name_of(rule.first), name_of(rule.second)));
  }
  const auto begins = [](Collective c) {
    return std::ranges::find(rules, c, &CompositionRule::first) != rules.end();
  };
  const auto finishes = [](Collective c) {
    return std::ranges::find(rules, c, &CompositionRule::second) != rules.end();
  };
  const auto first_of = [](const std::vector<Collective>& all, const auto& wanted) {
    const auto found = std::ranges::find_if(all, wanted);
    return found == all.end() ? all.front() : *found;
  };
  const Collective ends = first_of(x.collectives, begins),
                   starts = first_of(y.collectives, finishes);
  throw InputError(fmt::format(
      "'{}' and '{}' do not fit together: after {} by the first {}, before {} by the second {}; {}",
      x.name, y.name, name_of(ends), where_it_ends(ends), name_of(starts), where_it_starts(starts),
      others.empty() ? fmt::format("no sequence begins with {} or ends with {}",
                                   names_of(x.collectives), names_of(y.collectives))
                     : fmt::format("possible is {}", join(others, ", or "))));
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

Steps part_steps(const Problem& whole, const AlgorithmPart& part) {
  Steps steps = part.algorithm.steps(part.request);
  const Problem& own = part.request.problem;
  if (equal_blocks(whole, own)) return steps;
  const bool any_step_may_move = part.request.machine.ports() != nullptr;
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
    result.volume += claimed_volume(claim);
    known &= claimed_volume(claim) > 0;
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
  result.chunks = static_cast<std::uint32_t>(info(part).in_blocks() ? (total + P - 1) / P : total);
  return result;
}

bool is_sequence(const Algorithm& x, const Algorithm& y) {
  return x.hops == y.hops && !sequence_collectives(x, y).empty();
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
      .collectives = std::move(collectives),
      .reason = [parts](const Request& r) { return first_refusal(parts(r)); },
      .build = [parts](const Request& r) { return sequence_steps(r, parts(r)); },
      .claim = [parts](const Request& r) { return sequence_claim(r, parts(r)); },
      .hops = x.hops,
      .parts = parts,
      .sequence = true,
  };
  return composed(
      fmt::format("{} then {}", x.name, in_parentheses(y.name)),
      x.source == y.source ? std::string(x.source) : fmt::format("{}; {}", x.source, y.source),
      common_machines(x, y), std::move(entry));
}

}  // namespace schedcc
