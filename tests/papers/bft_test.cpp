// Fat trees, in addition to the ledger (docs/ledger): the claims of "Communications in Binary Fat
// Trees" on broadcast, scatter and multinode broadcast, for several packets, roots and capacities,
// and on queues.

#include "catch.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "agreement.hpp"
#include "analysis/bounds.hpp"
#include "machine/fattree.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

std::uint64_t log2_of(std::uint64_t n) { return static_cast<std::uint64_t>(std::bit_width(n) - 1); }

/// What a leaf needs for K packets from, or for, each other leaf, one a step.
std::uint64_t leaf_steps(std::uint64_t n, std::uint64_t K) {
  return n == 2 ? K + 1 : std::max(K * (n - 1) + 1, K * (n - 2) + 3);
}

/// Constant, exponential, and some that follow no rule, thicker or thinner towards the root.
std::vector<std::string> capacities(Rank n) {
  std::vector<std::string> result{"constant", "exponential"};
  for (const auto& pattern : {std::vector{1, 1, 3, 2}, std::vector{2, 5}, std::vector{3, 1, 2}}) {
    std::string list;
    for (std::size_t i = 0; i < log2_of(n); ++i) {
      list += fmt::format("{}{}", i == 0 ? "" : ",", pattern[i % pattern.size()]);
    }
    result.push_back(list);
  }
  return result;
}

/// Have the leaves' branches capacity 1?
bool single_links(const std::string& capacity) {
  return capacity == "constant" || capacity == "exponential" || capacity.front() == '1';
}

Request request(const Algorithm& algorithm, Collective collective, Rank n, std::uint32_t K = 1,
                Rank root = 0, const std::string& capacity = "constant") {
  Request r;
  r.problem = {collective, n, root, K, false, nullptr};
  r.machine = make_machine("fattree:cap=" + capacity, n);
  r.parameters = Spec{}.check(algorithm.parameters, algorithm.name);
  return r;
}

Report run(std::string_view name, Rank n, std::uint32_t K = 1, Rank root = 0,
           const std::string& capacity = "constant",
           std::optional<Collective> collective = std::nullopt) {
  const Algorithm& algorithm = find_algorithm(name);
  const Request r =
      request(algorithm, collective.value_or(algorithm.collectives.front()), n, K, root, capacity);
  Report report = check(from_algorithm(algorithm, r, std::string(name)), r.machine);
  INFO(name << " for " << describe(r.problem) << " on " << r.machine.spec());
  CHECK(report.verdict() == Verdict::holds);
  CHECK(report.findings_total == 0);
  CHECK_FALSE(report.below_bound);
  return report;
}

/// Calls f(n, K, root, capacity) for all n = 2..1024, the larger ones with less of the others.
/// Single packets from leaf 0 over leaves' branches of capacity 1 are in the ledger.
template <typename F>
void each_tree(F f) {
  for (Rank n = 2; n <= 1024; n *= 2) {
    for (const std::string& capacity : capacities(n)) {
      for (const std::uint32_t K : {1u, 2u, 3u, 7u, 16u}) {
        if (K > 1 && K * n > 512) continue;
        std::set<Rank> roots{0, n / 2, n - 1};
        for (Rank root = 0; n <= 16 && root < n; ++root) roots.insert(root);
        if (n > 2 && K == 1 && single_links(capacity)) roots.erase(0);
        for (const Rank root : roots) f(n, K, root, capacity);
      }
    }
  }
}

/// The hops of an algorithm's schedule, with their steps.
std::vector<naive::Sent> hops(std::string_view name, Rank n, Collective collective) {
  const Algorithm& algorithm = find_algorithm(name);
  const Request r = request(algorithm, collective, n);
  auto sent = agreement::sent(*stream(algorithm.steps(r)));
  return algorithm.hops ? sent : naive::lower(sent, naive::model("cbft", n), n);
}

/// Flooding as in the paper: first in, first out, at every link of every router, which sends as
/// many packets a step as the branch has capacity.
struct Flooding {
  std::uint64_t steps = 0;
  std::map<std::uint32_t, std::uint64_t> up, down;  ///< the longest queues, by level

  Flooding(Rank n, const Machine& machine) {
    const std::vector<Network::Level> levels = machine.network()->levels();
    const FatTreeNodes tree{n};
    std::map<std::pair<Rank, Rank>, std::deque<Chunk>> queues;
    for (Rank leaf = 0; leaf < n; ++leaf) queues[{leaf, tree.parent(leaf)}] = {leaf};
    std::uint64_t missing = std::uint64_t{n} * (n - 1);
    for (; missing > 0; ++steps) {
      std::vector<std::tuple<Rank, Rank, Chunk>> arrivals;
      for (auto& [link, queue] : queues) {
        const auto [from, to] = link;
        for (std::uint64_t c = 0;
             c < levels[tree.level(std::min(from, to))].capacity && !queue.empty(); ++c) {
          arrivals.emplace_back(from, to, queue.front());
          queue.pop_front();
        }
        if (from < n) continue;
        std::uint64_t& longest = (to > from ? up : down)[tree.level(from)];
        longest = std::max<std::uint64_t>(longest, queue.size());
      }
      for (const auto& [from, to, packet] : arrivals) {
        if (to < n) --missing;
        if (to >= n && to != tree.root() && from < to)
          queues[{to, tree.parent(to)}].push_back(packet);
        for (const Rank child : {2 * (to - n), 2 * (to - n) + 1}) {
          if (to >= n && child != from) queues[{to, child}].push_back(packet);
        }
      }
    }
  }
};

}  // namespace

TEST_CASE("fat trees: nodes are numbered level by level") {
  for (Rank n = 1; n <= 64; n *= 2) {
    const FatTreeNodes tree{n};
    Rank next = 0;
    for (std::uint32_t level = 0; n >> level != 0; ++level) {
      for (Rank index = 0; index < n >> level; ++index, ++next) {
        CHECK(tree.node(level, index) == next);
        CHECK(tree.level(next) == level);
        if (next != tree.root()) CHECK(tree.parent(next) == tree.node(level + 1, index / 2));
      }
    }
    CHECK(next == tree.size());
  }
}

TEST_CASE("BFT, section 2.1: broadcast, pipelined and from any root, on any capacities") {
  each_tree([](Rank n, std::uint32_t K, Rank root, const std::string& capacity) {
    for (const Collective c : {Collective::broadcast, Collective::reduce}) {
      const Report report = run("fattree-broadcast", n, K, root, capacity, c);
      if (K == 1) CHECK(report.steps == 2 * log2_of(n));
      if (capacity == "constant") CHECK(report.steps == 2 * log2_of(n) + K - 1);
      CHECK(report.steps == *report.lower_bound->steps);
      CHECK(report.max_buffer == 0);
      CHECK(report.transfers == report.hops);
    }
  });
}

TEST_CASE("broadcast on branches without limits") {
  const std::string most = "18446744073709551615";
  CHECK(run("fattree-broadcast", 4, 9, 1, most + "," + most).steps == 4);
  CHECK(run("fattree-broadcast", 4, 9, 1, most + ",4").steps == 6);
}

TEST_CASE("BFT, Theorem 1: scatter and gather of several packets, any root, any capacities") {
  each_tree([](Rank n, std::uint32_t K, Rank root, const std::string& capacity) {
    for (const Collective c : {Collective::scatter, Collective::gather}) {
      const Report report = run("furthest-first", n, K, root, capacity, c);
      CHECK(report.steps == leaf_steps(n, K));
      CHECK(report.max_buffer == 0);
      if (single_links(capacity)) CHECK(report.steps == *report.lower_bound->steps);
    }
  });
}

TEST_CASE("BFT, Theorem 2: flooding with several packets, on any capacities") {
  each_tree([](Rank n, std::uint32_t K, Rank root, const std::string& capacity) {
    if (root != 0) return;
    const Report report = run("flood", n, K, 0, capacity);
    CHECK(report.steps == leaf_steps(n, K));
    CHECK(report.hops ==
          std::uint64_t{K} * n * (2 * n - 2));  // every packet over every branch once
    if (single_links(capacity)) CHECK(report.steps == *report.lower_bound->steps);
  });
}

TEST_CASE("BFT, section 4.1: the queues of flooding are the same on greater capacities") {
  for (Rank n = 2; n <= 512; n *= 2) {
    const Report constant = run("flood", n), exponential = run("flood", n, 1, 0, "exponential");
    REQUIRE(constant.queues.size() == log2_of(n));
    REQUIRE(exponential.queues.size() == log2_of(n));
    for (std::size_t i = 0; i < constant.queues.size(); ++i) {
      const LevelQueues &c = constant.queues[i], &e = exponential.queues[i];
      CHECK(c.claimed == std::uint64_t{1} << (c.level - 1));
      CHECK(std::tuple(e.level, e.up, e.down, e.claimed) ==
            std::tuple(c.level, c.up, c.down, c.claimed));
    }
    CHECK(constant.max_buffer == (n == 2 ? 0 : n / 4));
    CHECK(exponential.max_buffer == constant.max_buffer);
    CHECK_FALSE(run("flood", std::min<Rank>(n, 64), 2).queues.front().claimed);
  }
}

TEST_CASE("BFT, section 4.1: first in, first out has the same queues and steps") {
  for (Rank n = 2; n <= 128; n *= 2) {
    Flooding fifo(n, make_machine("cbft", n));
    const Report report = run("flood", n);
    CHECK(fifo.steps == report.steps);
    for (const LevelQueues& q : report.queues) {
      CHECK(fifo.up[q.level] == q.up);
      CHECK(fifo.down[q.level] == q.down);
    }
  }
}

TEST_CASE("BFT, section 4: greater capacities do not make flooding faster; they move its queues") {
  for (Rank n = 4; n <= 128; n *= 2) {
    const std::uint64_t h = log2_of(n);
    Flooding fat(n, make_machine("ebft", n));
    CHECK(fat.steps == n + 1);
    for (std::uint32_t i = 1; i <= h; ++i) CHECK(fat.up[i] == 0);
    // Down, n/2 - 2^i; so the 2^(i-1) that are claimed for the constant tree are not for this one.
    for (std::uint32_t i = 1; i + 1 < h; ++i) CHECK(fat.down[i] == n / 2 - (1u << i));
    CHECK(fat.down[static_cast<std::uint32_t>(h - 1)] == n / 4);
    CHECK(fat.down[static_cast<std::uint32_t>(h)] == 0);
  }
}

TEST_CASE("BFT, sections 4.1 and 6: no queue at all with several packets, on any capacities") {
  each_tree([](Rank n, std::uint32_t K, Rank root, const std::string& capacity) {
    if (root != 0) return;
    const Report report = run("queueless", n, K, 0, capacity);
    CHECK(report.max_buffer == 0);
    for (const LevelQueues& q : report.queues) CHECK((q.up == 0 && q.down == 0));
    CHECK(report.steps == leaf_steps(n, K));
    // "What is the lower bound under the constraint of no queueing?" The same as without it.
    if (single_links(capacity)) CHECK(report.steps == *report.lower_bound->steps);
  });
}

TEST_CASE("queueless: leaves send in every phase, which costs few hops more than flooding") {
  for (Rank n = 2; n <= 256; n *= 2) {
    std::map<Rank, std::map<Chunk, std::uint64_t>> sends;
    for (const auto& [step, t] : hops("queueless", n, Collective::allgather)) {
      if (t.src < n) ++sends[t.src][t.first];
    }
    for (Rank leaf = 0; leaf < n; ++leaf) {
      CHECK(sends[leaf].size() == 1);
      CHECK(sends[leaf][leaf] <= log2_of(n));
    }
    const std::uint64_t flood = *run("flood", n).hops;
    CHECK(*run("queueless", n).hops <= flood + flood / 8);
  }
}

TEST_CASE("algorithms whose routers copy are refused on machines without links") {
  for (const char* name : {"fattree-broadcast", "flood", "queueless"}) {
    const Algorithm& algorithm = find_algorithm(name);
    Request r = request(algorithm, algorithm.collectives.front(), 8);
    CHECK_FALSE(algorithm.reason(r));
    for (const char* machine : {"duplex", "simplex", "logp", "kport"}) {
      r.machine = make_machine(machine, 8);
      CHECK(algorithm.reason(r) ==
            fmt::format("it sends along the links of fattree, not of {}", r.machine.spec()));
      CHECK_THROWS_AS(algorithm.steps(r), InputError);
    }
  }
}
