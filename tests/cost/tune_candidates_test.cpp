// The candidates of `tune`: exactly the algorithms with a schedule that holds on the machine, each
// as fast as any with one or two of its parameters set.

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "costs.hpp"
#include "ranges.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/problem.hpp"
#include "topologies.hpp"

using namespace schedcc;

namespace {

constexpr std::uint64_t bytes = 3 * 4096;  // a multiple of all numbers of chunks

std::vector<std::string> machines_of(Rank P) {
  std::vector<std::string> result{"duplex",
                                  "duplex:width=1",
                                  "simplex",
                                  "kport:k=2",
                                  "bsp:h=3",
                                  "logp:L=3,o=1,g=2",
                                  fmt::format("mesh:1x{}", P),
                                  topologies::ring(P),
                                  topologies::star(P, 1)};
  if (P % 2 == 0) {
    result.push_back(fmt::format("mesh:2x{}", P / 2));
    result.push_back(fmt::format("torus:2x{}", P / 2));
    result.push_back(fmt::format("crossbar:a=2,b={0},in={0},out={0}", P / 2));
    result.push_back(fmt::format("crossbar:a={},b=2,in=1,out=1", P / 2));
  }
  if (std::has_single_bit(P)) {
    for (const char* tree : {"cbft", "ebft", "fattree:cap=1,2,4"}) {
      if (P == 8 || std::string_view(tree).find('=') == std::string_view::npos)
        result.emplace_back(tree);
    }
  }
  return result;
}

using Items = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// What a parameter can be set to, numbers up to P; nothing if it is neither a flag nor a choice.
Items values_of(const Parameter& p, Rank P) {
  Items result;
  const std::string name(p.name);
  if (p.kind == Parameter::Kind::flag) result.push_back({name, {}});
  for (const std::string_view choice : p.choices) result.push_back({name, {std::string(choice)}});
  if (p.kind != Parameter::Kind::integer) return result;
  for (std::uint64_t v = p.min; v <= std::min<std::uint64_t>(p.max, P); ++v)
    result.push_back({name, {std::to_string(v)}});
  return result;
}

/// The algorithm with its defaults, with each of its parameters set to each value, and each two.
std::vector<Spec> variants(const Algorithm& algorithm, Rank P) {
  std::vector<Spec> result{{std::string(algorithm.name), {}}};
  Items before;
  for (const Parameter& p : algorithm.parameters) {
    const Items values = values_of(p, P);
    for (const auto& value : values) {
      result.push_back({std::string(algorithm.name), {value}});
      for (const auto& other : before)
        result.push_back({std::string(algorithm.name), {other, value}});
    }
    before.insert(before.end(), values.begin(), values.end());
  }
  return result;
}

bool holds(const Spec& spec, const Problem& problem, const std::string& machine) {
  const Algorithm& algorithm = find_algorithm(spec.name);
  try {
    const Request r = run::request(spec, problem, machine);
    if (algorithm.reason(r)) return false;
    return check(from_algorithm(algorithm, r, spec.text()), r.machine).verdict() == Verdict::holds;
  } catch (const InputError&) {
    return false;  // parameters that must be given, or do not go together
  }
}

TuneRequest all_algorithms(const Problem& problem, const std::string& machine) {
  TuneRequest request;
  request.problem = problem;
  request.chunks = problem.chunks;
  request.machine = machine;
  request.model = machine.starts_with("logp") ? make_cost_model("logp:L=3us,o=1us,g=2us")
                                              : costs::alpha_beta(1e-5, 4e-11);
  for (const Algorithm* a : algorithms()) request.algorithms.push_back({std::string(a->name), {}});
  return request;
}

/// The least time of each algorithm of which some variant passes the checks.
std::map<std::string, double> least_times(const Problem& problem, const std::string& machine,
                                          const CostModel& model) {
  std::map<std::string, double> result;
  for (const Algorithm* algorithm : algorithms()) {
    if (!algorithm->serves(problem.collective)) continue;
    for (const Spec& spec : variants(*algorithm, problem.ranks)) {
      if (!holds(spec, problem, machine)) continue;
      const Request r = run::request(spec, problem, machine);
      const Source source = from_algorithm(*algorithm, r, spec.text());
      const double seconds = cost(source, r.machine, model, {bytes, false}).seconds;
      double& least = result.try_emplace(std::string(algorithm->name), seconds).first->second;
      least = std::min(least, seconds);
    }
  }
  return result;
}

void compare(const Problem& problem, const std::string& machine) {
  INFO(describe(problem) << " on " << machine);
  TuneRequest request = all_algorithms(problem, machine);
  const auto least = least_times(problem, machine, request.model);
  Tuner tuner(std::move(request));
  std::set<std::string> candidates;
  for (const Choice& choice : tuner.choices(bytes)) {
    INFO(choice.spec.text());
    CHECK(holds(choice.spec, problem, machine));
    const std::string name(choice.algorithm->name);
    candidates.insert(name);
    REQUIRE(least.contains(name));
    CHECK(choice.seconds <= least.at(name) * (1 + 1e-9));
  }
  CHECK(candidates.size() == least.size());
  for (const Skipped& s : tuner.skipped()) {
    CHECK_FALSE(candidates.contains(Spec::parse(s.algorithm).name));
    CHECK_FALSE(s.reason.empty());
    candidates.insert(Spec::parse(s.algorithm).name);
  }
  for (const Algorithm* a : algorithms())
    CHECK(candidates.contains(std::string(a->name)) == a->serves(problem.collective));
}

}  // namespace

TEST_CASE("the algorithms that are compared are those with a schedule that holds") {
  for (const Rank P : {4u, 6u, 8u}) {
    std::size_t turn = 0;  // of every collective one K on one machine, the other one on the next
    for (const std::string& machine : machines_of(P)) {
      ++turn;
      for (const CollectiveInfo& collective : collectives()) {
        if (collective.collective == Collective::custom) continue;
        for (const std::uint32_t K : {1u, 3u}) {
          if (!ranges::whole() && (turn + K / 2) % 2 != 0) continue;
          Problem problem;
          problem.collective = collective.collective;
          problem.ranks = P;
          problem.chunks = K;
          problem.root = problem.rooted() ? P / 2 : 0;
          compare(problem, machine);
        }
      }
    }
  }
}

TEST_CASE("choices on machines that they were not made for hold, and take the stated time") {
  for (const char* machine : {"crossbar:a=4,b=4,in=4,out=4", "torus:4x4", "mesh:4x4", "ebft"}) {
    for (const Collective collective :
         {Collective::broadcast, Collective::allreduce, Collective::alltoall}) {
      Problem problem;
      problem.collective = collective;
      problem.ranks = 16;
      TuneRequest request = all_algorithms(problem, machine);
      request.chunks.reset();
      const CostModel model = request.model;
      Tuner tuner(std::move(request));
      for (const std::uint64_t size : {1000u, 100'000u, 10'000'000u}) {
        for (const Choice& choice : tuner.choices(size)) {
          INFO(choice.spec.text() << " in " << choice.chunks << " on " << machine);
          problem.chunks = choice.chunks;
          CHECK(holds(choice.spec, problem, machine));
          const Request r = run::request(choice.spec, problem, machine);
          const Source source = from_algorithm(*choice.algorithm, r, choice.spec.text());
          const std::uint64_t even = (size + choice.chunks - 1) / choice.chunks * choice.chunks;
          CHECK(choice.seconds >=
                cost(source, r.machine, model, {size, false}).seconds * (1 - 1e-9));
          CHECK(choice.seconds <=
                cost(source, r.machine, model, {even, false}).seconds * (1 + 1e-9));
        }
      }
    }
  }
}

TEST_CASE("a full crossbar is as good as duplex ranks") {
  TuneRequest request = all_algorithms({}, "crossbar:a=32,b=8,in=8,out=8");
  request.problem.collective = Collective::allreduce;
  request.problem.ranks = 256;
  request.chunks.reset();
  const auto best = Tuner(std::move(request)).best(1'000'000);
  REQUIRE(best);
  CHECK(best->algorithm->name == "butterfly-allreduce");
  // Half of the message, a quarter, and so on, there and back; in whole bytes.
  double volume = 0;
  for (int part = 2; part <= 256; part *= 2) volume += 2 * std::ceil(1e6 / part);
  CHECK(costs::close(best->seconds, 16 * 1e-5 + volume * 4e-11));
}
