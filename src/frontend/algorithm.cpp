#include "schedcc/algorithm.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schedcc/error.hpp"

namespace schedcc {

bool Algorithm::serves(Collective collective) const {
  return std::ranges::find(collectives, collective) != collectives.end();
}

std::vector<std::string> Algorithm::machines_for(const Parameters& given) const {
  std::vector<std::string> result;
  for (const std::string_view machine : machines) {
    Spec spec = Spec::parse(machine);
    std::erase_if(spec.items, [&](auto& item) {
      std::string& value = item.second.front();
      if (!value.starts_with('{')) return false;
      const std::string key = value.substr(1, value.size() - 2);
      if (!given.has(key)) return true;
      value = given.text(key);
      return false;
    });
    result.push_back(spec.text());
  }
  return result;
}

bool Algorithm::made_for(const Request& request) const {
  const Machine& machine = request.machine;
  return machine.width == 0 &&
         std::ranges::any_of(machines_for(request.parameters), [&](const std::string& m) {
           return m == machine.name || m == machine.spec;
         });
}

std::optional<std::string> Algorithm::reason(const Request& request) const {
  const Problem& problem = request.problem;
  if (!serves(problem.collective)) {
    std::vector<std::string_view> names;
    for (const Collective c : collectives) names.push_back(info(c).name);
    return fmt::format("it serves {}, not {}", fmt::join(names, ", "),
                       info(problem.collective).name);
  }
  if (refuse != nullptr) {
    if (auto why = refuse(request)) return why;
  }
  if (!problem.ordered || problem.ranks == 1) return std::nullopt;
  return order(request);
}

Steps Algorithm::steps(const Request& request) const {
  request.problem.validate();
  if (const auto why = reason(request)) {
    throw InputError(fmt::format("algorithm '{}' does not serve this problem: {}", name, *why));
  }
  return request.problem.ranks == 1 ? Steps() : build(request);
}

Source from_algorithm(const Algorithm& algorithm, const Request& request, std::string spec) {
  Source source;
  source.name = source.title = std::move(spec);
  source.problem = request.problem;
  source.machine = request.machine.spec;
  source.nodes = request.problem.ranks;
  source.open = [steps = algorithm.steps(request)] { return stream(steps); };
  return source;
}

}  // namespace schedcc
