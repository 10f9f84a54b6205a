#pragma once

// Loops over small problems that the algorithms of the registry serve.

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "agreement.hpp"
#include "ranges.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/spec.hpp"
#include "topologies.hpp"

namespace agreement {

/// An algorithm and a request to it.
struct Case {
  const Algorithm* algorithm;
  Request request;
  std::string machine, parameters;  ///< as specifications

  std::string text() const {
    return std::string(algorithm->name) + parameters + " for " + describe(request.problem) +
           (request.problem.ordered ? ", ordered" : "") + " on " + machine;
  }
};

inline bool power_of_two(Rank ranks) { return (ranks & (ranks - 1)) == 0; }

inline void append(std::vector<std::string>& list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// Specifications of the machines of one name, for `ranks` ranks.
inline std::vector<std::string> machine_specs(std::string_view name, Rank ranks) {
  if (name == "kport") return {"kport:k=1", "kport:k=2", "kport:k=3"};
  if (name == "bsp") return {"bsp:h=1", "bsp:h=2", "bsp:h=3"};
  if (name == "logp") {
    return {"logp:L=6,o=2,g=4", "logp:L=3,o=1,g=1", "logp:L=2,o=3,g=2", "logp:L=5,o=0,g=3",
            "logp:L=0,o=1,g=2"};
  }
  if (name == "fattree") {
    if (!power_of_two(ranks) || ranks < 2) return {};
    std::string list = "fattree:cap=1";
    for (Rank n = 4, cap = 2; n <= ranks; n *= 2) list += "," + std::to_string(cap++);
    return {"fattree:cap=constant", "fattree:cap=exponential", list};
  }
  if (name == "mesh" || name == "torus") {
    std::vector<std::string> result;
    for (Rank rows = 1; rows <= ranks; ++rows) {
      if (ranks % rows != 0) continue;
      const std::string sides = std::to_string(rows) + "x" + std::to_string(ranks / rows);
      result.push_back(std::string(name) + ":" + sides);
      result.push_back(result.back() + ",congestion=2");
      if (rows == 2 || rows * rows == ranks)
        result.push_back(std::string(name) + ":" + sides + ",ports=4");
    }
    return result;
  }
  if (name == "crossbar") {
    std::vector<std::string> result;
    for (Rank a = 1; a <= ranks; ++a) {
      if (ranks % a != 0) continue;
      const std::string sides =
          "crossbar:a=" + std::to_string(a) + ",b=" + std::to_string(ranks / a);
      for (const char* limits : {"", ",in=1", ",in=1,out=1", ",in=3,out=2"}) {
        result.push_back(sides + limits);
      }
    }
    return result;
  }
  if (name == "cluster") {
    std::vector<std::string> result;
    for (Rank b = 1; b <= ranks; ++b) {
      if (ranks % b != 0) continue;
      const std::string nodes = "cluster:" + std::to_string(b) + "x";
      const std::string flat = nodes + std::to_string(ranks / b);
      result.push_back(flat);
      result.push_back(flat + ",nics=2,oversubscription=2,ports=2");
      if (b < 2) continue;
      result.push_back(flat + ",nics=2,oversubscription=2,rails");
      if (ranks / b % 2 != 0) continue;
      const std::string deep = nodes + "2x" + std::to_string(ranks / b / 2);
      result.push_back(deep + ",nics=2,oversubscription=2,1");
      result.push_back(deep + ",nics=2,oversubscription=3,rails,shared");
    }
    return result;
  }
  if (name == "switch") {
    return {"switch", "switch:ports=2", "switch:ports=3", "switch:only=multicast",
            "switch:only=reduces,ports=2"};
  }
  if (name == "topology") {
    std::vector<std::string> result{topologies::star(ranks)};
    if (ranks > 1) result.push_back(topologies::ring(ranks));
    if (ranks > 1) result.push_back(topologies::cluster(ranks));
    if (ranks > 1) append(result, topologies::in_network(ranks));
    return result;
  }
  if (name.starts_with("fattree") && (!power_of_two(ranks) || ranks < 2)) return {};
  return {std::string(name)};
}

/// The defaults, and each integer parameter at a few other values of its range, also with each
/// flag.
inline std::vector<std::string> parameter_specs(const Algorithm& algorithm) {
  std::vector<std::string> result;
  bool defaults = true;
  for (const Parameter& p : algorithm.parameters) {
    if (p.kind != Parameter::Kind::integer) continue;
    defaults = defaults && !p.default_value.empty();
    for (const std::uint64_t value : {p.min, p.min + 1, p.min + 2, p.min + 4}) {
      if (value <= p.max) result.push_back(":" + std::string(p.name) + "=" + std::to_string(value));
    }
  }
  if (defaults) result.insert(result.begin(), "");
  for (const Parameter& p : algorithm.parameters) {
    if (p.name != "layout") continue;
    for (std::size_t i = std::min<std::size_t>(result.size(), 2); i-- > 0;) {
      for (const std::string_view value : p.choices) {
        result.push_back(result[i] + (result[i].empty() ? ":" : ",") +
                         "layout=" + std::string(value));
      }
    }
  }
  for (const Parameter& p : algorithm.parameters) {
    if (p.kind != Parameter::Kind::flag) continue;
    for (std::size_t i = result.size(); i-- > 0;) {
      result.push_back(result[i] + (result[i].empty() ? ":" : ",") + std::string(p.name));
    }
  }
  return result;
}

inline std::vector<Rank> some_roots(Collective collective, Rank ranks) {
  if (!info(collective).rooted) return {0};
  std::set<Rank> roots{0, 1 % ranks, ranks / 2, ranks - 1};
  return {roots.begin(), roots.end()};
}

inline std::vector<std::string> made_for(const Algorithm& algorithm,
                                         const std::string& parameters) {
  const Spec spec = Spec::parse(std::string(algorithm.name) + parameters);
  return algorithm.machines_for(spec.check(algorithm.parameters, "the algorithm"));
}

inline Request request(const Algorithm& algorithm, const Problem& problem,
                       const std::string& machine, const std::string& parameters) {
  const Spec spec = Spec::parse(std::string(algorithm.name) + parameters);
  return {problem, machine_of(machine, problem.ranks),
          spec.check(algorithm.parameters, "the algorithm")};
}

/// Is the next case selected? All are, unless the environment variable SCHEDCC_TEST_ONE_IN selects
/// one in that many, for builds in which tests take long (sanitizers).
inline bool chosen() {
  static const char* const given = std::getenv("SCHEDCC_TEST_ONE_IN");
  static const std::uint64_t one_in =
      given == nullptr ? 1 : parse_number(given, "SCHEDCC_TEST_ONE_IN", 1);
  static std::mt19937 random;
  return random() % one_in == 0;
}

/// Calls `visit` with every case over `ranks` ranks and `chunks` chunks that is served; if cases
/// are selected, with the first one of each algorithm at least.
template <typename Visit>
void for_each_case(Rank ranks, std::uint32_t chunks, const Visit& visit) {
  static std::set<std::string_view> visited;
  for (const Algorithm* a : algorithms()) {
    for (const Collective collective : a->collectives) {
      for (const std::string& parameters : parameter_specs(*a)) {
        for (const std::string& name : made_for(*a, parameters)) {
          for (const std::string& machine : machine_specs(name, ranks)) {
            for (const Rank root : some_roots(collective, ranks)) {
              for (const bool ordered : {false, true}) {
                const Problem problem{collective, ranks, root, chunks, ordered, nullptr};
                if (ordered && !problem.reduction()) continue;
                Case c{a, request(*a, problem, machine, parameters), machine, parameters};
                if (!a->made_for(c.request) || a->reason(c.request)) continue;
                const bool first = visited.insert(a->name).second;
                if (chosen() || first) visit(c);
              }
            }
          }
        }
      }
    }
  }
}

/// Calls `visit` with cases of every algorithm: of each of its collectives and machines with as
/// many as `most`, whose parameters, roots and orders are drawn; where whole ranges are tested,
/// with all. More would hardly be other schedules: of 30,000 small cases there are 8,000, and three
/// algorithms with many parameters have half of the cases.
template <typename Visit>
void for_some_cases(Rank ranks, std::uint32_t chunks, std::size_t most, const Visit& visit) {
  if (ranges::whole()) return for_each_case(ranks, chunks, visit);
  std::map<std::tuple<std::string_view, Collective, std::string>, std::vector<Case>> alike;
  for_each_case(ranks, chunks, [&](const Case& c) {
    const std::string machine = c.machine.substr(0, c.machine.find(':'));
    alike[{c.algorithm->name, c.request.problem.collective, machine}].push_back(c);
  });
  std::mt19937 random(ranks * 100 + chunks);
  for (auto& [what, cases] : alike) {
    for (std::size_t i = 0; i < std::min(most, cases.size()); ++i) {
      std::swap(cases[i], cases[i + random() % (cases.size() - i)]);
      visit(std::as_const(cases[i]));
    }
  }
}

/// Calls `visit` with one case of every algorithm for each of its collectives, where it is served:
/// with the first of its parameters and machines and the last of its roots. Not affected by
/// SCHEDCC_TEST_ONE_IN.
template <typename Visit>
void for_each_standard_case(Rank ranks, std::uint32_t chunks, const Visit& visit) {
  for (const Algorithm* a : algorithms()) {
    const std::string parameters = parameter_specs(*a).front();
    for (const std::string& name : made_for(*a, parameters)) {
      const std::vector<std::string> machines = machine_specs(name, ranks);
      if (machines.empty()) continue;
      for (const Collective collective : a->collectives) {
        const Problem problem{collective, ranks, some_roots(collective, ranks).back(),
                              chunks,     false, nullptr};
        const Case c{a, request(*a, problem, machines.front(), parameters), machines.front(),
                     parameters};
        if (a->made_for(c.request) && !a->reason(c.request)) visit(c);
      }
    }
  }
}

inline Plan plan(const Case& c) {
  return {c.algorithm->problem(c.request), sent(*stream(c.algorithm->steps(c.request))),
          c.algorithm->nodes(c.request)};
}

}  // namespace agreement
