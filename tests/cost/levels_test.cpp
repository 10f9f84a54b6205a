// The model `levels`: against a direct evaluation of its definition on the oracle's channels, its
// lower bounds, and its specifications.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "agreement.hpp"
#include "catch.hpp"
#include "cost_sources.hpp"
#include "costs.hpp"
#include "random_plans.hpp"
#include "simulator/traffic.hpp"

using namespace costs;
using agreement::Random;

namespace {

struct Level {
  double alpha, beta;
};

/// Some levels, and the model with them.
struct RandomModel {
  std::vector<Level> levels;
  CostModel model;
};

RandomModel some_model(Random& random) {
  RandomModel result;
  std::string text = "levels:";
  const std::uint32_t count = 1 + random.below(4);
  for (std::uint32_t l = 0; l < count; ++l) {
    const Level level{random.below(20) * 1e-6, random.below(1000) * 1e-12};
    text += fmt::format("{}{}={:.17g}s@{:.17g}s/B", l == 0 ? "" : ",", l, level.alpha, level.beta);
    result.levels.push_back(level);
  }
  result.model = make_cost_model(text);
  return result;
}

/// Machines for so many ranks, some of which share what they have too little of.
std::vector<std::string> machines_for(Rank P) {
  std::vector<std::string> result;
  for (Rank b = 1; b <= P; ++b) {
    if (P % b != 0) continue;
    const std::string nodes = fmt::format("cluster:{}x", b);
    for (const char* rest :
         {"", ",shared", ",nics=3,oversubscription=2", ",oversubscription=4,shared"})
      result.push_back(fmt::format("{}{}{}", nodes, P / b, rest));
    if (b >= 2)
      result.push_back(fmt::format("{}{},nics=2,oversubscription=4,rails,shared", nodes, P / b));
    if (P / b % 2 == 0)
      result.push_back(
          fmt::format("{}2x{},nics=2,oversubscription=2,3,shared,ports=2", nodes, P / b / 2));
  }
  return result;
}

/// A message of a step.
struct LevelMessage {
  Rank src, dst;
  std::uint64_t bytes;
};

/// The definition: what each message of a step takes.
std::vector<double> message_times(const std::vector<LevelMessage>& messages,
                                  const naive::Model::Cluster& cluster,
                                  const std::vector<Level>& levels) {
  std::map<std::vector<std::uint64_t>, double> load;
  for (const LevelMessage& m : messages) {
    for (const auto& [channel, carries] : naive::cluster_channels(cluster, {m.src, m.dst}, false))
      load[channel] += 1;
  }
  std::vector<double> result;
  for (const LevelMessage& m : messages) {
    double slower = 1;
    for (const auto& [channel, carries] : naive::cluster_channels(cluster, {m.src, m.dst}, false))
      slower = std::max(slower, load[channel] / static_cast<double>(carries));
    const std::size_t level = naive::cluster_level(cluster, {m.src, m.dst});
    const Level& l = levels[std::min(level, levels.size() - 1)];
    result.push_back(l.alpha + l.beta * static_cast<double>(m.bytes) * slower);
  }
  return result;
}

struct Clocks {
  double synchronous = 0, asynchronous = 0;
};

/// `bytes` are cut evenly by the chunks.
Clocks evaluated(const Source& source, const naive::Model::Cluster& cluster,
                 const std::vector<Level>& levels, std::uint64_t chunk) {
  Clocks result;
  std::vector<double> ready(source.problem.ranks);
  double idle = levels[0].alpha;
  for (const Level& l : levels) idle = std::min(idle, l.alpha);
  std::uint64_t next = 0;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    std::map<std::pair<Rank, Rank>, std::uint64_t> sizes;
    for (const Transfer& t : step.transfers) sizes[{t.src, t.dst}] += t.count * chunk;
    if (sizes.empty()) continue;
    std::vector<LevelMessage> messages;
    for (const auto& [ends, bytes] : sizes) messages.push_back({ends.first, ends.second, bytes});
    const std::vector<double> times = message_times(messages, cluster, levels);
    result.synchronous += static_cast<double>(step.number - next) * idle +
                          *std::max_element(times.begin(), times.end());
    next = step.number + 1;
    const std::vector<double> before = ready;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto& [src, dst, bytes] = messages[i];
      const double end = std::max(before[src], before[dst]) + times[i];
      ready[src] = std::max(ready[src], end);
      ready[dst] = std::max(ready[dst], end);
    }
  }
  result.asynchronous = *std::max_element(ready.begin(), ready.end());
  return result;
}

std::string refusal(const std::string& text) {
  try {
    make_cost_model(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("levels: both clocks are those of a direct evaluation") {
  Random random(1);
  std::size_t compared = 0, slower = 0;
  for (const Rank P : {2u, 6u, 12u, 16u}) {
    for (const std::string& spec : machines_for(P)) {
      const Machine machine = make_machine(spec, P);
      const naive::Model::Cluster& cluster = *naive::model(spec, P).cluster;
      const RandomModel drawn = some_model(random);
      const std::vector<Level>& levels = drawn.levels;
      const CostModel& model = drawn.model;
      const std::uint32_t K = 1 + random.below(4);
      const std::uint64_t chunk = random.below(3000);
      each_source(machine, P, K, [&](const Source& source) {
        INFO(source.name << " for " << describe(source.problem) << " on " << spec << ", "
                         << model.spec << ", chunks of " << chunk);
        const CostReport report = cost(source, machine, model, {.bytes = K * chunk});
        const Clocks expected =
            evaluated(source, cluster, levels, source.problem.tokens() ? 0 : chunk);
        CHECK(close(*report.synchronous, expected.synchronous));
        CHECK(close(*report.asynchronous, expected.asynchronous));
        CHECK(report.seconds == *report.synchronous);
        CHECK(*report.asynchronous <= *report.synchronous * (1 + 1e-9));
        ++compared;
        slower += *report.asynchronous < *report.synchronous * (1 - 1e-9) ? 1 : 0;
      });
    }
  }
  CHECK(compared > 2000);
  CHECK(slower > 100);
}

TEST_CASE("levels: a crossbar has two of them") {
  const CostModel model = make_cost_model("levels:0=1s@1s/B,1=100s@10s/B");
  const Machine machine = make_machine("crossbar:a=2,b=2,in=1,out=2", 4);
  const auto seconds = [&](std::vector<Transfer> transfers) {
    auto schedule = std::make_shared<Schedule>();
    schedule->begin_step(0);
    for (const Transfer& t : transfers) schedule->add(t);
    return cost(from_schedule({.ranks = 4}, schedule), machine, model, {.bytes = 7}).seconds;
  };
  CHECK(seconds({copy(0, 1, 0), copy(2, 3, 0)}) == 1 + 7);
  CHECK(seconds({copy(0, 2, 0), copy(2, 1, 0)}) == 100 + 70);
  CHECK(seconds({copy(0, 2, 0), copy(1, 3, 0)}) == 100 + 2 * 70);  // two enter a module
}

TEST_CASE("levels: one level without contention is alpha-beta") {
  const CostModel one = make_cost_model("levels:0=10us@1GB/s"), same = alpha_beta(10e-6, 1e-9);
  for (const Rank P : {4u, 12u}) {
    const Machine machine = make_machine("cluster", P);
    each_source(machine, P, 2, [&](const Source& source) {
      if (check(source, machine).verdict() != Verdict::holds) return;
      INFO(source.name);
      const CostReport ours = cost(source, machine, one, {.bytes = 1000, .critical_path = true});
      const CostReport theirs = cost(source, machine, same, {.bytes = 1000, .critical_path = true});
      CHECK(close(*ours.synchronous, *theirs.synchronous));
      CHECK(close(*ours.asynchronous, *theirs.asynchronous));
      CHECK(ours.critical_path->size() == theirs.critical_path->size());
    });
  }
}

TEST_CASE("levels: no schedule that holds is below a lower bound") {
  Random random(2);
  std::map<std::string, int> tight;
  std::size_t held = 0;
  for (Rank P = 2; P <= 64; P += P < 16 ? 1 : 1 + random.below(8)) {
    std::vector<std::string> machines = machines_for(P);
    while (machines.size() > 4) machines.erase(machines.begin() + random.below(machines.size()));
    for (const std::string& spec : machines) {
      const Machine machine = make_machine(spec, P);
      const CostModel model = some_model(random).model;
      const std::uint64_t bytes = random.below(1 << random.below(24));
      each_source(machine, P, 1 + random.below(3), [&](const Source& source) {
        if (check(source, machine, {.checks = std::vector<std::string>{"shape", "ports", "links"}})
                .verdict() != Verdict::holds)
          return;
        INFO(source.name << " for " << describe(source.problem) << " on " << spec << ", "
                         << model.spec << ", " << bytes << " bytes");
        const CostReport report = cost(source, machine, model, {.bytes = bytes});
        ++held;
        for (const TimeBound& b : report.bounds) {
          INFO(b.text << ", for " << name(b.holds_for));
          CHECK(*report.synchronous >= b.seconds * (1 - 1e-9));
          if (b.holds_for == BoundedSchedules::any)
            CHECK(*report.asynchronous >= b.seconds * (1 - 1e-9));
          if (report.seconds > 0 && *report.synchronous <= b.seconds * 1.001) ++tight[b.text];
        }
      });
    }
  }
  CHECK(held > 1000);
  CHECK(tight.size() > 3);  // the bounds are those of some schedule
}

TEST_CASE("levels: tune chooses what cost confirms, with and without contention") {
  const CostModel model = make_cost_model("levels:0=2us@300GB/s,1=5us@50GB/s");
  std::vector<std::string> everybody;
  for (const Algorithm* a : algorithms()) {
    if (!a->hops) everybody.emplace_back(a->name);
  }
  for (const char* machine : {"cluster:4x4,nics=4,rails", "cluster:4x4", "cluster:4x4,shared",
                              "crossbar:a=4,b=4,in=4,out=4"}) {
    for (const std::uint64_t bytes : {1u, 1u << 20}) {
      Tuner all = tuner(everybody, Collective::allreduce, 16, model, machine);
      const std::vector<Choice> choices = all.choices(bytes);
      REQUIRE(choices.size() > 2);
      for (const Choice& choice : choices) {
        INFO(choice.spec.text() << ", " << choice.chunks << " chunks on " << machine);
        Request r = request(choice.spec, Collective::allreduce, 16, choice.chunks, machine);
        const Source source = from_algorithm(*choice.algorithm, r, choice.spec.text());
        CHECK(check(source, r.machine).verdict() == Verdict::holds);
        CHECK(close(cost(source, r.machine, model, {.bytes = bytes}).seconds, choice.seconds));
      }
      CHECK(close(all.best(bytes)->seconds, choices.front().seconds));
    }
  }
}

TEST_CASE("levels: what is not a model is refused") {
  const std::string link = "; a link has a start-up and a bandwidth, as in 2us@300GB/s";
  const std::string time = "; a time has a unit: ps, ns, us, ms or s, as in 1.5us";
  const std::string gap =
      "; a time per byte is written as 0.1ns/B, or as a bandwidth, 12.5GB/s or 100Gbit/s";
  const std::string zero = "cost model 'levels', parameter '0': ";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"levels",
       "cost model 'levels' needs '0': start-up and bandwidth within a node, such as "
       "2us@300GB/s"},
      {"levels:1=2us@3GB/s",
       "cost model 'levels' needs '0': start-up and bandwidth within a node, "
       "such as 2us@300GB/s"},
      {"levels:0=2us@3GB/s,2=2us@3GB/s", "cost model 'levels' has level 2, but not level 1"},
      {"levels:0=2us@3GB/s,0=2us@3GB/s", "cost model 'levels', parameter '0' is given twice"},
      {"levels:0=2us", zero + "'2us' has no '@'" + link},
      {"levels:0=@3GB/s", zero + "'' does not begin with a number" + time},
      {"levels:0=2us@", zero + "'' does not begin with a number" + gap},
      {"levels:0=2us@0", zero + "'2us@0' has a bandwidth without a unit" + link},
      {"levels:0=2us@0GB/s", zero + "'0GB/s' is not a positive bandwidth" + gap},
      {"levels:0=2us@-3GB/s", zero + "'-3GB/s' is negative" + gap},
      {"levels:0=-2us@3GB/s", zero + "'-2us' is negative" + time},
      {"levels:0=2@3GB/s", zero + "'2' has no unit" + time},
      {"levels:0=2us@3GB/s@4GB/s", zero + "'3GB/s@4GB/s' has the unknown unit 'GB/s@4GB/s'" + gap},
      {"levels:0=2us@1e999GB/s", zero + "'1e999GB/s' is too large" + gap},
      {"levels:2us@3GB/s", "cost model 'levels': parameters are given as key=value, as in 0=..."},
      {"level:0=2us@3GB/s", "unknown cost model 'level'; did you mean 'levels'?"}};
  for (const auto& [text, message] : cases) CHECK(refusal(text) == message);
  CHECK(refusal("levels:0=2us@3GB/s,8=2us@3GB/s")
            .starts_with("cost model 'levels' has no parameter '8'"));
  CHECK(refusal("levels:0=0@0ns/B,1=1us@0ns/B").empty());
  const auto why = reason_against(make_cost_model("levels:0=2us@3GB/s"), Machine());
  REQUIRE(why);
  CHECK(why->starts_with("it has no levels; machines with levels are cluster and crossbar"));
}
