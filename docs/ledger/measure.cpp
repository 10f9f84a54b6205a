#include "measure.hpp"

#include <map>
#include <tuple>

#include <fmt/core.h>

#include "analysis/bounds.hpp"
#include "machine/lowering.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/error.hpp"

namespace ledger {

const Report& checked(const Case& c) {
  // Claims ask for the same cases again and again: a case is checked once.
  static std::map<
      std::tuple<std::string, Rank, std::uint32_t, std::string, std::string, Rank, bool>, Report>
      known;
  const auto [at, added] =
      known.try_emplace({c.spec, c.P, c.K, c.machine, c.collective, c.root, c.ordered});
  if (!added) return at->second;
  const std::string fault = run::fault(c, &at->second);
  if (!fault.empty()) throw InternalError(fault);
  return at->second;
}

double seconds(const Case& c, std::uint64_t bytes, const std::string& model) {
  const auto [algorithm, request] = run::ready(c);
  const Source source = from_algorithm(*algorithm, request, c.spec);
  return cost(source, request.machine, make_cost_model(model), {.bytes = bytes}).seconds;
}

void expect(bool so) {
  if (!so) throw InternalError("a statement in the text of the ledger is false");
}

std::vector<Sent> transfers(const Steps& steps) {
  std::vector<Sent> result;
  Transfers row;
  for (std::uint64_t i = 0; i < steps.size(); ++i) {
    row.clear();
    const std::uint64_t number = steps.fill(i, row);
    for (const Transfer& t : row) result.push_back({number, t});
  }
  return result;
}

std::vector<Sent> transfers(const Case& c) {
  const auto [algorithm, request] = run::ready(c);
  return transfers(algorithm->steps(request));
}

std::vector<Sent> hops(const Case& c) {
  const auto [algorithm, request] = run::ready(c);
  const Source source = at_hop_level(from_algorithm(*algorithm, request, c.spec), request.machine);
  const auto stream = source.open();
  std::vector<Sent> result;
  Step step;
  while (stream->next(step)) {
    for (const Transfer& t : step.transfers) result.push_back({step.number, t});
  }
  return result;
}

std::uint64_t least_steps(const std::string& collective, Rank P, const std::string& machine,
                          std::uint32_t K) {
  Problem problem;
  problem.collective = find_collective(collective);
  problem.ranks = P;
  problem.chunks = K;
  return *lower_bound(problem, make_machine(machine, P), 1).steps;
}

std::string spec(const LogP& model) {
  return fmt::format("logp:L={},o={},g={}", model.L, model.o, model.g);
}

std::vector<LogP> logp_models() {
  std::vector<LogP> models;
  for (const std::uint64_t L : {0, 1, 3, 6, 12}) {
    for (const std::uint64_t o : {0, 1, 2, 5}) {
      for (const std::uint64_t g : {1, 2, 4, 8, 20}) {
        if (L + o > 0) models.push_back({L, o, g});
      }
    }
  }
  return models;
}

}  // namespace ledger
