// Compositions of algorithms. Each is an algorithm with an entry of its own, whose functions ask
// the parts, which it holds. Here is what they share, and the simplest of them:
//
//   X as C      X, for the collective C only.

#include "algorithm/composition/parts.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/join.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

namespace compositions {

namespace {

/// An entry, and the texts that it refers to.
struct Composition {
  std::string name, source;
  std::vector<std::string> machines;
  AlgorithmEntry entry;
};

/// Why a part does not serve what it is asked for; none if it does.
std::optional<std::string> refusal(const AlgorithmPart& part) {
  const Algorithm& algorithm = part.algorithm;
  const Request& request = part.request;
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
                     request.problem.in_blocks() ? " a block" : "", *why);
}

}  // namespace

std::string names_of(const std::vector<Collective>& collectives) {
  std::vector<std::string_view> names;
  names.reserve(collectives.size());
  for (const Collective c : collectives) names.push_back(name_of(c));
  return join(names, ", ");
}

std::string in_parentheses(std::string_view name) {
  return name.find(" then ") == std::string_view::npos || name.ends_with(')')
             ? std::string(name)
             : fmt::format("({})", name);
}

std::vector<std::string> machines_of(const Algorithm& x) {
  return {x.machines.begin(), x.machines.end()};
}

Algorithm composed(std::string name, std::string source, std::vector<std::string> machines,
                   AlgorithmEntry entry) {
  auto all = std::make_shared<Composition>();
  all->name = std::move(name);
  all->source = std::move(source);
  all->machines = std::move(machines);
  all->entry = std::move(entry);
  all->entry.name = all->name;
  all->entry.summary = "composition";
  all->entry.source = all->source;
  all->entry.whole_only = "compositions join whole schedules, made for all ranks together";
  all->entry.machines.assign(all->machines.begin(), all->machines.end());
  // The reductions in it keep the order of operands, and agree, if those of its parts do.
  if (!all->entry.order)
    all->entry.order = [](const Request&) -> std::optional<std::string> { return std::nullopt; };
  const auto parts = all->entry.parts;
  all->entry.agrees = [parts](const Request& r) {
    return std::ranges::all_of(
        parts(r), [](const AlgorithmPart& part) { return part.algorithm.agrees(part.request); });
  };
  if (!all->entry.choose)
    all->entry.choose = [parts](const Request& r) { return chosen_by(parts(r)); };
  return AlgorithmEntry::listed({all, &all->entry});
}

std::optional<std::string> first_refusal(const std::vector<AlgorithmPart>& parts) {
  for (const AlgorithmPart& part : parts) {
    if (auto why = refusal(part)) return why;
  }
  return std::nullopt;
}

ChosenParameters chosen_by(const std::vector<AlgorithmPart>& parts) {
  ChosenParameters result;
  for (const AlgorithmPart& part : parts) {
    const Algorithm& algorithm = part.algorithm;
    const bool composed = AlgorithmEntry::of(algorithm).parts != nullptr;
    for (auto& [name, value] : algorithm.chosen(part.request)) {
      result.emplace_back(composed ? name : fmt::format("{}:{}", algorithm.name, name), value);
    }
  }
  return result;
}

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

}  // namespace compositions

namespace {

using namespace compositions;

/// Can the algorithm's schedules be had for the collective? An allgather of tokens is a barrier.
bool can_be(const Algorithm& x, Collective collective) {
  return x.serves(collective) ||
         (collective == Collective::barrier && x.serves(Collective::allgather));
}

/// The same algorithm under another name, for some of its collectives; `given` are its parameters.
Algorithm narrowed(const Algorithm& x, std::string name, std::vector<Collective> collectives,
                   const Parameters& given, std::vector<std::string> machines) {
  const auto part = [x, given](const Request& r) {
    Request request = r;
    request.parameters = given;
    if (!x.serves(r.problem.collective)) request.problem.collective = Collective::allgather;
    return std::vector<AlgorithmPart>{{x, std::move(request)}};
  };
  AlgorithmEntry entry{
      .collectives = std::move(collectives),
      .whole_blocks = x.whole_blocks,
      .reason = [x, part](const Request& r) { return x.reason(part(r).front().request); },
      .build = [x, part](const Request& r) { return x.steps(part(r).front().request); },
      .claim = [x, part](const Request& r) { return x.claim(part(r).front().request); },
      .hops = x.hops,
      .parts = part,
      .sequence = AlgorithmEntry::of(x).sequence,
  };
  return composed(std::move(name), std::string(x.source), std::move(machines), std::move(entry));
}

}  // namespace

Algorithm with_parameters(const Algorithm& algorithm, const Spec& spec) {
  if (AlgorithmEntry::of(algorithm).own_problem != nullptr) {
    throw InputError(fmt::format(
        "'{}' has a collective of its own, and cannot be a part of a composition", algorithm.name));
  }
  const Parameters given =
      spec.check(algorithm.parameters, fmt::format("algorithm '{}'", algorithm.name));
  return narrowed(algorithm, spec.text(), algorithm.collectives, given,
                  algorithm.machines_for(given));
}

Algorithm as_collective(const Algorithm& x, Collective collective) {
  if (!can_be(x, collective)) {
    throw InputError(fmt::format("'{}' does not serve {}; it serves {}", x.name,
                                 name_of(collective), names_of(x.collectives)));
  }
  return narrowed(x, fmt::format("{} as {}", in_parentheses(x.name), name_of(collective)),
                  {collective}, {}, machines_of(x));
}

}  // namespace schedcc
