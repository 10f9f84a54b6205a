// The model `machine` where a switch copies and combines: against a direct evaluation on a star,
// and the time of the allreduce through it; bounds that hold there, and those that would not.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/core.h>

#include "agreement.hpp"
#include "analysis/bounds.hpp"
#include "catch.hpp"
#include "costs.hpp"
#include "random_plans.hpp"
#include "schedcc/algorithm.hpp"
#include "simulator/switches.hpp"
#include "topologies.hpp"

using namespace agreement;
using costs::close;
using costs::make_cost_model;

namespace {

constexpr double latency = 1e-6, gap = 1e-9;  // of every link of topologies::star_links

std::string star(Rank ranks, std::optional<bool> multicast, std::optional<bool> reduces) {
  static int number = 0;
  return topologies::machine(fmt::format("timed{}-", number++), ranks, 64, true,
                             {{multicast, reduces}}, topologies::star_links(ranks, 1));
}

/// What a step takes on a star whose switch does both: on the links into it each multicast is one
/// message, on those out of it each combination.
double step_time(const std::map<naive::Message, naive::MessageContent>& messages, double chunk) {
  std::map<std::pair<Rank, naive::MessageContent>, std::size_t> from, to;
  for (const auto& [ends, content] : messages) ++from[{ends.first, content}];
  const auto copied = [&](const auto& m) { return from.at({m.first.first, m.second}) > 1; };
  const auto reduced = [](const naive::MessageContent& content) {
    return std::ranges::all_of(content, [](const auto& part) { return part.second; });
  };
  // By the rank at the link, and its direction: the bytes of what counts there.
  std::map<std::pair<Rank, bool>, std::vector<double>> load;
  std::set<std::tuple<Rank, bool, naive::MessageContent>> counted;
  for (const auto& m : messages) {
    const auto& [ends, content] = m;
    const double bytes = chunk * static_cast<double>(content.size());
    const bool first_up = !copied(m) || counted.insert({ends.first, true, content}).second;
    if (first_up) load[{ends.first, true}].push_back(bytes);
    const bool combines = !copied(m) && reduced(content);
    const bool first_down = !combines || counted.insert({ends.second, false, content}).second;
    if (first_down) load[{ends.second, false}].push_back(bytes);
  }
  double longest = 0;
  for (const auto& [ends, content] : messages) {
    for (const auto& link : {std::pair(ends.first, true), std::pair(ends.second, false)}) {
      double all = 0;
      for (const double bytes : load[link]) all += bytes;
      const double own = chunk * static_cast<double>(content.size() * load[link].size());
      longest = std::max(longest, 2 * latency + gap * std::min(own, all));
    }
  }
  return longest;
}

}  // namespace

TEST_CASE("machine: what a switch copies or combines is one message on a link") {
  Random random(3);
  const CostModel model = make_cost_model("machine");
  std::size_t faster = 0;
  for (int i = 0; i < 400; ++i) {
    const Rank P = 3 + random.below(5);
    naive::Plan plan{{Collective::allreduce, P, 0, 4, false, nullptr}, {}, 0};
    for (int n = 0; n < 3; ++n) {
      const Rank one = random.below(P);
      const bool to_all = random.one_in(2);
      for (Rank other = 0; other < P; ++other) {
        if (other == one || random.one_in(4)) continue;
        Transfer t = to_all ? copy(one, other, static_cast<Chunk>(n))
                            : copy(other, one, static_cast<Chunk>(n));
        t.reduce = !to_all || random.one_in(2);
        plan.sent.push_back({0, t});
      }
    }
    if (plan.sent.empty()) continue;
    std::map<naive::Message, naive::MessageContent> messages;
    for (const auto& [step, t] : plan.sent)
      messages[{t.src, t.dst}].insert({t.first, t.reduce == 1});
    INFO(text(plan, "a star"));
    const auto time = [&](const std::string& spec) {
      return *cost(source_of(plan), make_machine(spec, P), model, {.bytes = 4000}).synchronous;
    };
    const double shared = time(star(P, true, true)), apart = time(star(P, false, {}));
    CHECK(close(shared, step_time(messages, 1000)));
    CHECK(shared <= apart * (1 + 1e-9));
    faster += shared < apart * (1 - 1e-9) ? 1 : 0;
  }
  CHECK(faster > 100);
}

TEST_CASE("in-network: the allreduce moves each byte once each way") {
  const CostModel model = make_cost_model("machine");
  for (const Rank P : {3u, 8u, 64u}) {
    const std::string spec = star(P, true, true);
    const Machine machine = make_machine(spec, P);
    for (const std::uint32_t K : {1u, 4u, 64u}) {
      const Problem problem{Collective::allreduce, P, 0, K, false, nullptr};
      const Source source = from_algorithm("in-network", problem, spec);
      CHECK(check(source, machine).verdict() == Verdict::holds);
      const CostReport report = cost(source, machine, model, {.bytes = K * std::uint64_t{1000}});
      CHECK(close(*report.synchronous, (K + 1) * (2 * latency + 1000 * gap)));
      for (const TimeBound& bound : report.bounds)
        CHECK(bound.seconds <= *report.synchronous * (1 + 1e-9));
    }
  }
}

TEST_CASE("bounds: only the arguments that switches leave") {
  const auto bound = [](Collective collective, const char* machine, Rank P, std::uint32_t K) {
    return lower_bound({collective, P, 0, K, false, nullptr}, make_machine(machine, P), 1);
  };
  const auto steps = [&](Collective collective, const char* machine, Rank P, std::uint32_t K) {
    return *bound(collective, machine, P, K).steps;
  };
  const char *both = "switch", *copies = "switch:only=multicast", *sums = "switch:only=reduces";
  // A step for each packet, and no more.
  CHECK(steps(Collective::broadcast, copies, 16, 5) == 5);
  CHECK(steps(Collective::broadcast, sums, 16, 5) == 8);
  CHECK(steps(Collective::reduce, sums, 16, 5) == 5);
  CHECK(steps(Collective::reduce, copies, 16, 5) == 8);
  CHECK(steps(Collective::scatter, both, 16, 1) == 15);
  CHECK(steps(Collective::alltoall, both, 16, 1) == 15);
  CHECK(steps(Collective::allgather, both, 16, 1) == 15);
  CHECK(steps(Collective::reduce_scatter, both, 16, 1) == 15);
  // 2 (P - 1) transfers of a chunk, if there is only one of both.
  CHECK(*bound(Collective::allreduce, both, 16, 32).volume == 32);
  for (const char* one : {copies, sums, "duplex"}) {
    CHECK(*bound(Collective::allreduce, one, 16, 32).volume == 60);
    CHECK(steps(Collective::allreduce, one, 16, 1) == 4);
  }
  CHECK(steps(Collective::allreduce, both, 16, 1) == 1);
}
