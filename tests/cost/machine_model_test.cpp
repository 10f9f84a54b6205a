// The model `machine`: against a direct evaluation of its definition, its lower bounds, and the
// machine files that are part of schedcc.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "agreement.hpp"
#include "catch.hpp"
#include "cost_sources.hpp"
#include "costs.hpp"
#include "linked.hpp"
#include "machine/spec_paths.hpp"
#include "schedcc/check.hpp"

using namespace costs;
using agreement::Random;
using linked::Net;

namespace {

/// A message of a step.
struct LinkMessage {
  Rank src, dst;
  double bytes;
};

/// The definition: what each message of a step takes.
std::vector<double> message_times(const std::vector<LinkMessage>& messages, const Net& net) {
  std::map<std::pair<Rank, Rank>, std::vector<double>> load;
  std::vector<std::vector<Rank>> routes;
  for (const LinkMessage& m : messages) {
    routes.push_back(net.route(m.src, m.dst));
    for (std::size_t i = 0; i + 1 < routes.back().size(); ++i)
      load[{routes.back()[i], routes.back()[i + 1]}].push_back(m.bytes);
  }
  std::vector<double> result;
  for (std::size_t m = 0; m < messages.size(); ++m) {
    double latency = 0, longest = 0;
    for (std::size_t i = 0; i + 1 < routes[m].size(); ++i) {
      const std::pair ends(routes[m][i], routes[m][i + 1]);
      const auto& [alpha, gap] = net.links.at(ends);
      const std::vector<double>& all = load[ends];
      double total = 0;
      for (const double bytes : all) total += bytes;
      latency += alpha;
      const double share = static_cast<double>(all.size()) * messages[m].bytes;
      longest = std::max(longest, gap * std::min(share, total));
    }
    result.push_back(latency + longest);
  }
  return result;
}

struct Clocks {
  double synchronous = 0, asynchronous = 0;
};

/// `chunk` bytes in each; without idle steps.
Clocks evaluated(const Source& source, const Net& net, std::uint64_t chunk) {
  Clocks result;
  std::vector<double> ready(source.problem.ranks);
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    std::map<std::pair<Rank, Rank>, std::uint64_t> sizes;
    for (const Transfer& t : step.transfers) sizes[{t.src, t.dst}] += t.count * chunk;
    if (sizes.empty()) continue;
    std::vector<LinkMessage> messages;
    for (const auto& [ends, bytes] : sizes)
      messages.push_back({ends.first, ends.second, static_cast<double>(bytes)});
    const std::vector<double> times = message_times(messages, net);
    result.synchronous += *std::ranges::max_element(times);
    const std::vector<double> before = ready;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto& [src, dst, bytes] = messages[i];
      const double end = std::max(before[src], before[dst]) + times[i];
      ready[src] = std::max(ready[src], end);
      ready[dst] = std::max(ready[dst], end);
    }
  }
  result.asynchronous = *std::ranges::max_element(ready);
  return result;
}

bool has_idle_steps(const Source& source) {
  const auto stream = source.open();
  std::uint64_t next = 0;
  for (Step step; stream->next(step);) {
    if (step.transfers.empty()) continue;
    if (step.number != next) return true;
    next = step.number + 1;
  }
  return false;
}

}  // namespace

TEST_CASE("machine: both clocks are those of a direct evaluation, and above the bounds") {
  Random random(7);
  const CostModel model = make_cost_model("machine");
  std::size_t compared = 0, slower = 0;
  for (const Rank P : {2u, 3u, 6u, 8u}) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      const Net net = linked::some_net(P, random.below(4), random);
      const Machine machine = make_machine(net.machine(), P);
      const std::uint32_t K = 1 + random.below(4);
      const std::uint64_t chunk = random.below(3000);
      each_source(machine, P, K, [&](const Source& source) {
        INFO(source.name << " for " << describe(source.problem) << " on\n"
                         << net.text() << ", chunks of " << chunk);
        const CostReport report = cost(source, machine, model, {.bytes = K * chunk});
        if (!has_idle_steps(source)) {
          const Clocks expected = evaluated(source, net, source.problem.tokens() ? 0 : chunk);
          CHECK(close(*report.synchronous, expected.synchronous));
          CHECK(close(*report.asynchronous, expected.asynchronous));
          ++compared;
        }
        CHECK(report.seconds == *report.synchronous);
        CHECK(*report.asynchronous <= *report.synchronous * (1 + 1e-9));
        slower += *report.asynchronous < *report.synchronous * (1 - 1e-9) ? 1 : 0;
        if (check(source, machine).verdict() != Verdict::holds) return;
        for (const TimeBound& bound : report.bounds) {
          INFO(bound.text << ", " << name(bound.holds_for));
          const bool any = bound.holds_for == BoundedSchedules::any;
          CHECK(bound.seconds <= (any ? *report.asynchronous : *report.synchronous) * (1 + 1e-9));
        }
      });
    }
  }
  CHECK(compared > 700);
  CHECK(slower > 100);
}

TEST_CASE("machine: a rank is busy with its sends, and then with its receives") {
  // Latencies of 2 s in all, and 1 s per byte on the line of each rank.
  linked::Net net{4, 1, 3, true, {}, 10, 100};
  for (Rank r = 0; r < 4; ++r) net.cable(r, 4, {1, 1}, {1, 1});
  const Machine machine = make_machine(net.machine(), 4);
  const CostModel model = make_cost_model("machine");
  const auto of_step = [&](const std::vector<Transfer>& transfers, std::uint64_t bytes) {
    auto schedule = std::make_shared<Schedule>();
    schedule->begin_step(0);
    for (const Transfer& t : transfers) schedule->add(t);
    const Source source = from_schedule({.ranks = 4}, schedule);
    const CostReport report = cost(source, machine, model, {.bytes = bytes});
    CHECK(report.synchronous == report.asynchronous);  // all ranks start at 0
    return report.seconds;
  };
  CHECK(of_step({copy(0, 1, 0)}, 7) == 10 + 2 + 7 + 100);
  CHECK(of_step({copy(0, 1, 0), copy(1, 0, 0)}, 7) == 10 + 2 + 7 + 100);
  // The last of three sends leaves after 30 s, when the line of rank 0 has taken the other two.
  CHECK(of_step({copy(0, 1, 0), copy(0, 2, 0), copy(0, 3, 0)}, 7) == 30 + 2 + 7 + 100);
  CHECK(of_step({copy(0, 1, 0), copy(0, 2, 0), copy(0, 3, 0)}, 12) == 10 + 3 * 12 + 2 + 100);
  // Each rank sends to the next one first, whatever the order in the schedule.
  std::vector<Transfer> all;
  for (Rank to = 0; to < 4; ++to) {
    for (Rank from = 0; from < 4; ++from) {
      if (from != to) all.push_back(copy(from, to, 0));
    }
  }
  CHECK(of_step(all, 7) == 30 + 3 * 100);
  // Three receives one after the other.
  CHECK(of_step({copy(1, 0, 0), copy(2, 0, 0), copy(3, 0, 0)}, 7) == 10 + 2 + 7 + 300);
  // What arrives during own sends waits for their end.
  CHECK(of_step({copy(0, 1, 0), copy(0, 2, 0), copy(0, 3, 0), copy(3, 0, 0)}, 0) == 30 + 2 + 100);
  // The least start-up of a message has its overheads.
  CHECK(machine.link_times()->least.alpha == 112);
}

TEST_CASE("machine: without ports a message is a hop, and its chunks share the link") {
  const std::string path = topologies::folder().file(
      "stored.json",
      "{\"topology\": 2, \"ranks\": 2, \"switches\": [\"hub\"], \"kinds\": {\"slow\": "
      "{\"latency\": \"1s\", \"bandwidth\": \"2s/B\", \"capacity\": 4}}, \"links\": ["
      "{\"from\": 0, \"to\": 2, \"kind\": \"slow\", \"both\": true},"
      "{\"from\": 2, \"to\": 1, \"kind\": \"slow\", \"latency\": \"10s\", \"both\": true}]}");
  const Machine machine = make_machine("topology:" + path, 2);
  CHECK(machine.routed());
  const Request r = request(Spec::parse("linear"), Collective::broadcast, 2, 1, machine.spec());
  const Source one = from_algorithm(find_algorithm("linear"), r, "linear");
  const CostModel model = make_cost_model("machine");
  const CostReport report = cost(one, machine, model, {.bytes = 7});
  CHECK(report.seconds == (1 + 14) + (10 + 14));
  CHECK_FALSE(report.asynchronous);
  auto schedule = std::make_shared<Schedule>();
  schedule->begin_step(0);
  schedule->add(copy(0, 1, 0, 4));  // 4 chunks at once: together 28 bytes
  const Source four = from_schedule({.ranks = 2, .chunks = 4}, schedule);
  CHECK(cost(four, machine, model, {.bytes = 28}).seconds == (1 + 56) + (10 + 56));
}

TEST_CASE("machine: machines without times of links are refused") {
  const CostModel model = make_cost_model("machine");
  for (const std::string& spec :
       {std::string("duplex"), std::string("cluster:2x2"), topologies::ring(4)}) {
    const auto why = reason_against(model, make_machine(spec, 4));
    REQUIRE(why);
    CHECK(why->find("its links have no latency and bandwidth") == 0);
  }
}

TEST_CASE("machine files: each is a machine by its name, with sources and times") {
  const std::vector<MachineFile> all = machine_files();
  CHECK(all.size() >= 9);
  CHECK(std::ranges::is_sorted(all, {}, &MachineFile::name));
  const CostModel model = make_cost_model("machine");
  for (const MachineFile& file : all) {
    INFO(file.name);
    CHECK_FALSE(file.title.empty());
    CHECK_FALSE(file.sources.empty());
    const Machine machine = make_machine(file.name, file.ranks);
    CHECK(machine.spec() == "topology:" + file.name);
    CHECK(machine.spec() == make_machine(machine.spec(), file.ranks).spec());
    REQUIRE(machine.link_times() != nullptr);
    REQUIRE(machine.ports() != nullptr);
    CHECK(machine.channels()->shared());
    const Request r = request(Spec::parse("ring"), Collective::allgather, file.ranks, 1, file.name);
    const Source ring = from_algorithm(find_algorithm("ring"), r, "ring");
    CHECK(check(ring, machine).verdict() == Verdict::holds);
    const CostReport report = cost(ring, machine, model, {.bytes = 1 << 20});
    REQUIRE(report.bound() != nullptr);
    CHECK(report.bound()->seconds <= report.seconds);
    // A name that is none of a file does not become a path in the folder of a schedule.
    CHECK(machine_spec_from_file("/some/folder/x.sched", machine.spec()) == machine.spec());
    CHECK(machine_spec_for_file("/some/folder/x.sched", machine.spec()) == machine.spec());
  }
}

TEST_CASE("machine files: published figures follow from them") {
  const CostModel model = make_cost_model("machine");
  const auto seconds = [&](const std::string& name, Rank ranks, Rank src, Rank dst,
                           std::uint64_t bytes) {
    auto schedule = std::make_shared<Schedule>();
    schedule->begin_step(0);
    schedule->add(copy(src, dst, 0));
    return cost(from_schedule({.ranks = ranks}, schedule), make_machine(name, ranks), model,
                {.bytes = bytes})
        .seconds;
  };
  CHECK(close(seconds("dgx-1", 8, 0, 1, 50'000'000'000), 1 + 0.6e-6));
  CHECK(close(seconds("dgx-1", 8, 0, 2, 25'000'000'000), 1 + 0.6e-6));
  CHECK(close(seconds("dgx-1", 8, 0, 7, 25'000'000'000), 1 + 1.2e-6));  // no link: over GPU 3
  for (const Rank nodes : {1u, 4u, 32u}) {
    const std::string name = fmt::format("dgx-a100-{}", nodes);
    CHECK(close(seconds(name, 8 * nodes, 0, 7, 300'000'000'000), 1 + 0.6e-6));
    if (nodes == 1) continue;
    CHECK(close(seconds(name, 8 * nodes, 3, 11, 25'000'000'000), 1 + 2.7e-6));  // on its rail
    // Over the spine: two more switches.
    CHECK(close(seconds(name, 8 * nodes, 3, 12, 25'000'000'000), 1 + 2.7e-6 + 0.26e-6));
  }
  CHECK(close(seconds("gb200-nvl72", 72, 0, 71, 900'000'000'000), 1 + 0.6e-6));
  CHECK(close(seconds("mi300x-8", 8, 5, 2, 64'000'000'000), 1 + 0.8e-6));
  CHECK(close(seconds("ethernet-192", 192, 0, 47, 3'125'000'000), 1 + 0.8e-6));
  CHECK(close(seconds("ethernet-192", 192, 0, 48, 3'125'000'000), 1 + 2.4e-6));
  CHECK(close(seconds("tpu-v4-4x4x4", 64, 0, 63, 50'000'000'000), 1 + 3e-6));  // around each axis
  CHECK(close(seconds("tpu-v4-4x4x4", 64, 0, 42, 50'000'000'000), 1 + 6e-6));  // 2 along each axis
  CHECK(close(seconds("slingshot-dragonfly-72", 72, 0, 1, 25'000'000'000), 1 + 0.35e-6));
  double longest = 0;
  for (Rank r = 1; r < 72; ++r)
    longest = std::max(longest, seconds("slingshot-dragonfly-72", 72, 0, r, 0));
  CHECK(close(longest, 4 * 0.35e-6));  // three hops between four switches
}

TEST_CASE("machine: no schedule is below the bounds where ranks are busy with calls") {
  Random random(11);
  std::size_t compared = 0, decided = 0;
  for (const Rank P : {2u, 3u, 5u, 8u, 13u}) {
    for (const std::uint32_t ports : {1u, 2u, P - 1}) {
      for (const auto& [send, receive] :
           {std::pair{1e-6, 1e-6}, std::pair{3e-7, 4e-6}, std::pair{9e-6, 2e-7}}) {
        Net net = linked::star(P, random);
        net.ports = ports;
        net.shared = random.below(2) == 0;
        net.send = send;
        net.receive = receive;
        const Machine machine = make_machine(net.machine(), P);
        const std::uint32_t K = 1 + random.below(4);
        const std::uint64_t chunk = random.below(2) == 0 ? 0 : random.below(30000);
        each_source(machine, P, K, [&](const Source& source) {
          INFO(source.name << " for " << describe(source.problem) << " on\n"
                           << net.text() << ", chunks of " << chunk);
          if (check(source, machine).verdict() != Verdict::holds) return;
          const CostReport report =
              cost(source, machine, make_cost_model("machine"), {.bytes = K * chunk});
          for (const TimeBound& bound : report.bounds) {
            INFO(bound.text << ", " << name(bound.holds_for));
            const bool any = bound.holds_for == BoundedSchedules::any;
            CHECK(bound.seconds <= (any ? *report.asynchronous : *report.synchronous) * (1 + 1e-9));
            ++compared;
          }
          decided += report.bound()->text == "Karp's tree and k" ? 1 : 0;
        });
      }
    }
  }
  CHECK(compared > 1000);
  CHECK(decided > 100);  // the largest bound
}

TEST_CASE("machine: a bound by calls is attained") {
  // The tree of 0, which sends to 1 at 0 and to 2 at 1 s; each call takes 1 s, and a message 2 s.
  linked::Net net{3, 1, 2, true, {}, 1, 1};
  for (Rank r = 0; r < 3; ++r) net.cable(r, 3, {1, 0.5}, {1, 0.5});
  const Machine machine = make_machine(net.machine(), 3);
  auto schedule = std::make_shared<Schedule>();
  schedule->begin_step(0);
  for (const Rank to : {1u, 2u}) schedule->add(copy(0, to, 0));
  const CostReport report = cost(from_schedule({.ranks = 3}, schedule), machine,
                                 make_cost_model("machine"), {.bytes = 0});
  CHECK(report.seconds == 5);
  REQUIRE(report.bound() != nullptr);
  CHECK(close(report.bound()->seconds, 5));
}
