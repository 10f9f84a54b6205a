#include "schedcc/algorithm.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schedcc/error.hpp"

namespace schedcc {

bool Algorithm::serves(Collective collective) const {
  return std::ranges::find(collectives, collective) != collectives.end();
}

bool Algorithm::made_for(const Machine& machine) const {
  return machine.width == 0 && std::ranges::any_of(machines, [&](std::string_view m) {
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
  if (hops && std::ranges::none_of(machines, [&](std::string_view m) {
        return m.substr(0, m.find(':')) == request.machine.name;
      })) {
    return fmt::format("its routers copy packets: it is made for machine {}, not {}",
                       fmt::join(machines, ", "), request.machine.spec);
  }
  if (refuse != nullptr) {
    if (auto why = refuse(request)) return why;
  }
  if (!problem.ordered || problem.ranks == 1) return std::nullopt;
  return order(request);
}

std::uint64_t Algorithm::nodes(const Request& request) const {
  return hops ? request.machine.network->nodes() : request.problem.ranks;
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
  source.open = [steps = algorithm.steps(request)] { return stream(steps); };
  source.nodes = algorithm.nodes(request);
  if (algorithm.queues != nullptr && request.problem.ranks > 1)
    source.claimed_queues = algorithm.queues(request);
  return source;
}

}  // namespace schedcc
