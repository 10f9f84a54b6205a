// Clusters, against an oracle that looks at the digits of rank numbers (simulator/traffic.cpp):
// the channels of messages and what they carry, levels, specifications, bounds.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "agreement.hpp"
#include "catch.hpp"
#include "machine/cluster.hpp"
#include "random_plans.hpp"
#include "run.hpp"
#include "schedcc/error.hpp"
#include "simulator/traffic.hpp"

using namespace agreement;

namespace {

/// A cluster with 2 to 4 levels and at most 64 ranks.
struct RandomCluster {
  std::string spec;
  Rank ranks = 1;
};

RandomCluster some_cluster(Random& random) {
  RandomCluster result;
  const std::size_t levels = 2 + random.below(3);
  std::string factors, over;
  Rank node = 1;
  for (std::size_t l = 0; l < levels; ++l) {
    const Rank factor = 1 + random.below(std::min<Rank>(64 / result.ranks, levels == 2 ? 8 : 5));
    if (l == 0) node = factor;
    result.ranks *= factor;
    factors += fmt::format("{}{}", l == 0 ? "" : "x", factor);
    if (l > 0) over += fmt::format("{}{}", l == 1 ? "" : ",", 1 + random.below(5));
  }
  const Rank nics = 1 + random.below(node);
  result.spec = fmt::format("cluster:{},ports={},nics={},oversubscription={}{}{}", factors,
                            1 + random.below(3), nics, over, random.one_in(2) ? ",rails" : "",
                            random.one_in(4) ? ",shared" : "");
  return result;
}

/// A broadcast that need not deliver anything: steps of some messages, each from and to ranks that
/// have not had one, so that ports are kept.
naive::Plan some_messages(Rank ranks, Random& random) {
  naive::Plan plan{{.collective = Collective::broadcast, .ranks = ranks}, {}, 0};
  for (std::uint64_t step = 0; step < 4; ++step) {
    std::vector<Rank> to(ranks);
    for (Rank r = 0; r < ranks; ++r) std::swap(to[r] = r, to[random.below(r + 1)]);
    const std::uint32_t dense = 1 + random.below(4);
    for (Rank r = 0; r < ranks; ++r) {
      if (to[r] != r && random.one_in(dense)) plan.sent.push_back({step, copy(r, to[r], 0)});
    }
  }
  return plan;
}

std::string refusal(const std::string& spec, Rank ranks) {
  try {
    make_machine(spec, ranks);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("links and congestion on clusters are those of the oracle") {
  Random random(1);
  std::map<bool, int> violations;
  for (int i = 0; i < 4000; ++i) {
    const auto& [spec, ranks] = some_cluster(random);
    const naive::Plan plan = some_messages(ranks, random);
    INFO(text(plan, spec));
    const Machine machine = make_machine(spec, ranks);
    const Report report = check(source_of(plan), machine,
                                {.checks = std::vector<std::string>{"shape", "ports", "links"}});
    const naive::Outcome outcome = naive::simulate(plan, naive::model(spec, ranks));
    REQUIRE(report.congestion.value_or(0) == outcome.congestion);
    REQUIRE(violated(report).count("links") == outcome.violated.count("links"));
    REQUIRE(violated(report).count("ports") == 0);
    ++violations[outcome.violated.count("links") != 0];
  }
  CHECK(violations[true] > 500);
  CHECK(violations[false] > 500);
}

TEST_CASE("the channels between any two ranks of a cluster are those of the oracle") {
  Random random(2);
  for (int i = 0; i < 150; ++i) {
    const auto& [spec, ranks] = some_cluster(random);
    INFO(spec);
    const Machine machine = make_machine(spec, ranks);
    CHECK(machine.spec() == spec);
    const naive::Model::Cluster& oracle = *naive::model(spec, ranks).cluster;

    std::map<std::string, std::uint64_t> described;
    for (Rank a = 0; a < ranks; ++a) {
      for (Rank b = 0; b < ranks; ++b) {
        if (a == b) continue;
        REQUIRE(machine.levels()->level(a, b) == naive::cluster_level(oracle, {a, b}));
        std::vector<Channels::Run> runs;
        machine.channels()->route(a, b, runs);
        std::map<std::uint64_t, std::uint64_t> ours;
        for (const Channels::Run& run : runs) {
          for (std::uint64_t c = run.first; c < run.first + run.count; ++c) {
            REQUIRE(ours.emplace(c, machine.channels()->capacity(c)).second);
            const auto text = described.emplace(machine.channels()->describe(c), c).first;
            REQUIRE(text->second == c);
          }
        }
        const auto theirs = naive::cluster_channels(oracle, {a, b}, false);
        REQUIRE(ours.size() == theirs.size());
        std::multiset<std::uint64_t> our_capacities, their_capacities;
        for (const auto& [channel, carries] : ours) our_capacities.insert(carries);
        for (const auto& [name, carries] : theirs) their_capacities.insert(carries);
        REQUIRE(our_capacities == their_capacities);
      }
    }
    // One number for each name: pairs that have a channel in common have it in both.
    std::map<std::uint64_t, std::multiset<Rank>> ends;
    std::map<std::vector<std::uint64_t>, std::multiset<Rank>> their_ends;
    for (Rank a = 0; a < ranks; ++a) {
      for (Rank b = 0; b < ranks; ++b) {
        if (a == b) continue;
        std::vector<Channels::Run> runs;
        machine.channels()->route(a, b, runs);
        for (const Channels::Run& run : runs) {
          for (std::uint64_t c = run.first; c < run.first + run.count; ++c)
            ends[c].insert(a * ranks + b);
        }
        for (const auto& [name, carries] : naive::cluster_channels(oracle, {a, b}, false))
          their_ends[name].insert(a * ranks + b);
      }
    }
    std::multiset<std::multiset<Rank>> our_sets, their_sets;
    for (const auto& [channel, pairs] : ends) our_sets.insert(pairs);
    for (const auto& [name, pairs] : their_ends) their_sets.insert(pairs);
    CHECK(our_sets == their_sets);
  }
}

TEST_CASE("no schedule that holds on a cluster is below the bound") {
  Random random(3);
  int held = 0, full = 0;
  for (int i = 0; i < 40; ++i) {
    const auto& [spec, ranks] = some_cluster(random);
    const Machine machine = make_machine(spec, ranks);
    for (const Algorithm* a : algorithms()) {
      if (a->hops || a->serves(Collective::custom)) continue;
      for (const Collective collective : a->collectives) {
        const Problem problem{.collective = collective, .ranks = ranks, .chunks = 3};
        const Request request{problem, machine, Spec{}.check(a->parameters, a->name)};
        if (a->reason(request)) continue;
        INFO(a->name << " for " << describe(request.problem) << " on " << spec);
        const Report report = check(from_algorithm(*a, request, std::string(a->name)), machine);
        CHECK_FALSE(report.below_bound);
        if (a->made_for(request)) CHECK(report.verdict() == Verdict::holds);
        held += report.verdict() == Verdict::holds ? 1 : 0;
        full += collective == Collective::alltoall && report.verdict() == Verdict::holds &&
                        report.volume == report.lower_bound->volume
                    ? 1
                    : 0;
      }
    }
  }
  CHECK(held > 200);
  CHECK(full > 0);
}

TEST_CASE("hierarchical holds on every cluster that it serves, with the steps that it claims") {
  Random random(4);
  int served = 0, refused = 0;
  for (int i = 0; i < 300; ++i) {
    const auto& [spec, ranks] = some_cluster(random);
    if (ranks == 1) continue;
    for (const std::uint32_t K : {1u, 2u, 5u, 2 * ranks}) {
      for (const char* parameters : {"", ":carriers=1", ":carriers=2"}) {
        const Spec named = Spec::parse(std::string("hierarchical") + parameters);
        const Problem problem{.collective = Collective::allreduce, .ranks = ranks, .chunks = K};
        const Request request = run::request(named, problem, spec);
        const Algorithm& algorithm = find_algorithm("hierarchical");
        if (algorithm.reason(request)) {
          ++refused;
          continue;
        }
        INFO(named.text() << ", " << K << " chunks on " << spec);
        const Report report =
            check(from_algorithm(algorithm, request, "hierarchical"), request.machine);
        CHECK(report.verdict() == Verdict::holds);
        CHECK(report.steps == algorithm.claim(request).steps);
        ++served;
      }
    }
  }
  CHECK(served > 1000);
  CHECK(refused > 20);
}

TEST_CASE("a cluster whose only limits are its NICs is a crossbar") {
  for (const auto& [nodes, size, nics] : std::vector<std::array<std::uint64_t, 3>>{
           {2, 4, 1}, {4, 2, 1}, {4, 2, 2}, {2, 4, 3}, {3, 4, 2}, {4, 4, 1}, {1, 6, 1}}) {
    const auto P = static_cast<Rank>(nodes * size);
    const Machine crossbar =
        make_machine(fmt::format("crossbar:a={},b={},in={},out={}", nodes, size, nics, nics), P);
    const Machine cluster =
        make_machine(fmt::format("cluster:{}x{},nics={}", size, nodes, nics), P);
    REQUIRE(crossbar_of(cluster));
    CHECK(crossbar_of(cluster)->a == nodes);
    CHECK(crossbar_of(cluster)->b == size);
    CHECK(crossbar_of(cluster)->in == nics);
    for (Rank a = 0; a < P; ++a) {
      for (Rank b = 0; b < P; ++b)
        CHECK(cluster.levels()->level(a, b) == crossbar.levels()->level(a, b));
    }
    int layouts = 0;
    for (const Algorithm* a : algorithms()) {
      if (a->hops || a->serves(Collective::custom)) continue;
      for (const char* layout : {"", ":layout=crossbar", ":layout=crossbar-thin"}) {
        if (*layout != 0 && a->name != "fractional-tree") continue;
        const Problem problem{.collective = a->collectives[0], .ranks = P, .chunks = 4};
        const Spec spec = Spec::parse(std::string(a->name) + layout);
        const Parameters parameters = spec.check(a->parameters, a->name);
        const Request on_cluster{problem, cluster, parameters};
        const Request on_crossbar{problem, crossbar, parameters};
        INFO(spec.text() << " on " << cluster.spec());
        REQUIRE(a->reason(on_cluster).has_value() == a->reason(on_crossbar).has_value());
        if (a->reason(on_cluster)) continue;
        const Report ours = check(from_algorithm(*a, on_cluster, spec.text()), cluster);
        const Report theirs = check(from_algorithm(*a, on_crossbar, spec.text()), crossbar);
        CHECK(violated(ours) == violated(theirs));
        CHECK(ours.steps == theirs.steps);
        CHECK(ours.volume == theirs.volume);
        CHECK(ours.congestion == theirs.congestion);
        CHECK(ours.lower_bound->steps == theirs.lower_bound->steps);
        CHECK(ours.lower_bound->volume == theirs.lower_bound->volume);
        layouts += *layout != 0 ? 1 : 0;
      }
    }
    if (nics == 2) CHECK(layouts > 0);
  }
}

TEST_CASE("clusters are spelled out with all their parameters") {
  const auto spec = [](const char* text, Rank ranks) { return make_machine(text, ranks).spec(); };
  CHECK(spec("cluster", 12) == "cluster:4x3,ports=1,nics=1,oversubscription=1");
  CHECK(spec("cluster", 7) == "cluster:7x1,ports=1,nics=1,oversubscription=1");
  CHECK(spec("cluster:8", 256) == "cluster:8x32,ports=1,nics=1,oversubscription=1");
  CHECK(spec("cluster:8,nics=4", 8) == "cluster:8x1,ports=1,nics=4,oversubscription=1");
  CHECK(spec("cluster:2^3x4x1k", 32000) == "cluster:8x4x1000,ports=1,nics=1,oversubscription=1,1");
  CHECK(spec("cluster:2x2x2,oversubscription=3", 8) ==
        "cluster:2x2x2,ports=1,nics=1,oversubscription=3,3");
  CHECK(spec("cluster:2x2x2,oversubscription=1,2,shared,nics=2,rails", 8) ==
        "cluster:2x2x2,ports=1,nics=2,oversubscription=1,2,rails,shared");
  CHECK(spec("cluster:rails,width=3,nics=2", 4) ==
        "cluster:2x2,ports=1,nics=2,oversubscription=1,rails,width=3");
  CHECK(spec("cluster:4294967294x1", 4294967294u) ==
        "cluster:4294967294x1,ports=1,nics=1,oversubscription=1");
  Random random(5);
  for (int i = 0; i < 500; ++i) {
    const RandomCluster drawn = some_cluster(random);
    CHECK(spec(drawn.spec.c_str(), drawn.ranks) == drawn.spec);
  }
}

TEST_CASE("capacities of the largest clusters do not overflow") {
  const Machine machine =
      make_machine("cluster:1x65535x65537,nics=4294967295,ports=2147483647", 4294967295u);
  const Machine narrow =
      make_machine("cluster:1x65535x65537,nics=4294967295,oversubscription=1,2", 4294967295u);
  CHECK(machine.levels()->groups.back().out == std::uint64_t{65535} * 4294967295u);
  std::vector<Channels::Run> runs;
  narrow.channels()->route(0, 4294967294u, runs);
  REQUIRE(runs.size() == 3);
  CHECK(narrow.channels()->capacity(runs[2].first) == std::uint64_t{4294967295u} * 4294967295u / 2);
  CHECK(narrow.channels()->describe(runs[2].first) == "the spine");
}

TEST_CASE("a fractional oversubscription: as many whole messages as fit into the capacity") {
  Random random(9);
  for (int i = 0; i < 2000; ++i) {
    const std::uint32_t nics = 1 + random.below(40), nodes = 2 + random.below(30);
    const std::uint32_t whole = 1 + random.below(5), thousandths = random.below(1000);
    const std::string over = fmt::format("{}.{:03}", whole, thousandths);
    const std::string text =
        fmt::format("cluster:1x{}x2,nics={},oversubscription={},1", nodes, nics, over);
    INFO(text);
    const Machine machine = make_machine(text, 2 * nodes);
    // The largest number of messages c with c O <= nodes nics, in thousandths.
    std::uint64_t capacity = 0;
    while ((capacity + 1) * (1000 * whole + thousandths) <= 1000ull * nodes * nics) ++capacity;
    CHECK(machine.levels()->groups[1].out == std::max<std::uint64_t>(capacity, 1));
    // Its specification is read as the same machine.
    CHECK(make_machine(machine.spec(), 2 * nodes).spec() == machine.spec());
    CHECK(make_machine(machine.spec(), 2 * nodes).levels()->groups[1].out ==
          machine.levels()->groups[1].out);
  }
  CHECK(make_machine("cluster:8x32,oversubscription=1.50", 256).spec() ==
        "cluster:8x32,ports=1,nics=1,oversubscription=1.5");
  CHECK(make_machine("cluster:8x32,oversubscription=2.0", 256).spec() ==
        "cluster:8x32,ports=1,nics=1,oversubscription=2");
}

TEST_CASE("what is not a cluster is refused") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"cluster:8x4", "machine 'cluster:8x4' has 32 ranks, not 256"},
      {"cluster:8x4x16", "machine 'cluster:8x4x16' has 512 ranks, not 256"},
      {"cluster:7",
       "machine 'cluster': the number of ranks, 256, is not a multiple of the 7 ranks of a node"},
      {"cluster:512",
       "machine 'cluster': the number of ranks, 256, is not a multiple of the 512 ranks of a node"},
      {"cluster:0x8",
       "machine 'cluster', ranks of a node: '0' is not a whole number in "
       "1..4294967295"},
      {"cluster:8x0",
       "machine 'cluster', members of a group of level 1: '0' is not a whole number "
       "in 1..4294967295"},
      {"cluster:8x",
       "machine 'cluster', members of a group of level 1: '' is not a whole number "
       "in 1..4294967295"},
      {"cluster:x8",
       "machine 'cluster', ranks of a node: '' is not a whole number in "
       "1..4294967295"},
      {"cluster:8x-4",
       "machine 'cluster', members of a group of level 1: '-4' is not a whole "
       "number in 1..4294967295"},
      {"cluster:4294967295x4294967295x4294967295",
       "machine 'cluster:4294967295x4294967295x4294967295' has more than 2^63 ranks, not 256"},
      {"cluster:4294967296x1",
       "machine 'cluster', ranks of a node: '4294967296' is not a whole "
       "number in 1..4294967295"},
      {"cluster:8x32,nics=0",
       "machine 'cluster', parameter 'nics': '0' is not a whole number in "
       "1..4294967295"},
      {"cluster:8x32,ports=0",
       "machine 'cluster', parameter 'ports': '0' is not a whole number in "
       "1..2147483647"},
      {"cluster:8x32,nics=9,rails",
       "machine 'cluster': rails need at most one NIC per rank; a node has 8 ranks and 9 NICs"},
      {"cluster:8x32,oversubscription=1,2",
       "machine 'cluster': oversubscription needs 1 value, not 2"},
      {"cluster:8x4x8,oversubscription=1,2,3",
       "machine 'cluster': oversubscription needs 1 value or 2 (one per level above the node), not "
       "3"},
      {"cluster:8x32,oversubscription=0",
       "machine 'cluster', parameter 'oversubscription': '0' is not a whole number in "
       "1..4294967295"},
      {"cluster:8x32,oversubscription=0.5",
       "machine 'cluster': oversubscription is a number of 1 or more, not '0.5'"},
      {"cluster:8x32,oversubscription=1.",
       "machine 'cluster': oversubscription is a number with 1 to 4 digits after its point, not "
       "'1.'"},
      {"cluster:8x32,oversubscription=1.00001",
       "machine 'cluster': oversubscription is a number with 1 to 4 digits after its point, not "
       "'1.00001'"},
      {"cluster:8x32,oversubscription=1.5k",
       "machine 'cluster': oversubscription is a number with 1 to 4 digits after its point, not "
       "'1.5k'"},
      {"cluster:8x32,nic=2", "machine 'cluster' has no parameter 'nic'; did you mean 'nics'?"},
      {"cluster:8x32,nics=1,nics=2", "machine 'cluster', parameter 'nics' is given twice"},
      {"cluster:8x32,rails=1",
       "machine 'cluster', parameter 'rails' takes no value, it is written "
       "'rails'"},
      {"cluster:8x32,rail", "machine 'cluster' has no parameter 'rail'; did you mean 'rails'?"},
      {"clusters:8x32", "unknown machine 'clusters'; did you mean 'cluster'?"}};
  for (const auto& [spec, message] : cases) CHECK(refusal(spec, 256) == message);
  std::string many = "cluster:256";
  for (int i = 0; i < 40; ++i) many += "x1";
  CHECK(refusal(many, 256) == "machine 'cluster': it has more than 32 levels");
}

TEST_CASE("any text is a cluster of so many ranks, or refused") {
  Random random(6);
  const std::string letters = "0123456789x,=^kMGi-. %:";
  const std::vector<std::string> words{"nics",  "ports",  "oversubscription", "rails", "shared",
                                       "width", "8x4",    "2x2x2x2x2x2",      "=2",    ",",
                                       "x",     "65536x", "4294967295"};
  int made = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string spec = "cluster:";
    for (std::uint32_t n = random.below(6); n > 0; --n) {
      spec += random.one_in(2) ? random.pick(words)
                               : std::string(1, letters[random.below(letters.size())]);
    }
    const Rank ranks = random.one_in(2) ? 64 : 1 + random.below(4294967294u);
    try {
      const Machine machine = make_machine(spec, ranks);
      CHECK(make_machine(machine.spec(), ranks).spec() == machine.spec());
      std::vector<Channels::Run> runs;
      machine.channels()->route(0, ranks - 1, runs);
      CHECK(runs.size() <= 64);
      ++made;
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).size() > 10);
    }
  }
  CHECK(made > 100);
}
