// Checks of pipelines on LogP by two packets: the report is that of the check of all transfers,
// byte by byte.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "excerpts.hpp"
#include "ranges.hpp"
#include "schedcc/algorithm.hpp"

using namespace excerpts;
using ranges::part;

TEST_CASE("pipelines on LogP are checked by two packets") {
  for (const std::string machine : {"logp", "logp:L=1,o=0,g=1", "logp:L=3,o=4,g=2"}) {
    for (const std::string algorithm : {"karp", "logp-linear", "logp-binary", "logp-binomial",
                                        "logp-knomial:k=3", "logp-kary:k=3"}) {
      for (const Rank ranks : {2, 3, 7, 16, 25}) {
        for (const std::uint32_t chunks : {3, 5, 8}) {
          for (const Collective collective : {Collective::broadcast, Collective::reduce}) {
            INFO(algorithm << " on " << machine << ", " << ranks << ", " << chunks);
            const Problem problem{collective, ranks, ranks / 2, chunks, false, nullptr};
            const Machine made = make_machine(machine, ranks);
            const Source source = from_algorithm(algorithm, problem, machine);
            CHECK(holds(same_by_excerpt(source, made)));
            CHECK(by_excerpt(source, made));
          }
        }
      }
    }
  }
}

TEST_CASE("checks by two packets report the same for random schedules") {
  // A tree whose sends are at random times, and packets a random distance apart.
  Random random(31);
  std::size_t seen = 0, right = 0, queues = 0, wrong = 0;
  for (int i = 0; i < part(600, 10000); ++i) {
    const Rank ranks = 2 + random.below(5);
    const std::uint32_t chunks = 3 + random.below(4);
    const bool reduces = random.one_in(3), down = random.one_in(2);
    Problem problem{
        reduces ? Collective::reduce : Collective::broadcast, ranks, 0, chunks, false, nullptr};
    const bool fast = random.one_in(3);
    const Machine machine = make_machine(fast ? "logp:L=1,o=0,g=1" : "logp:L=2,o=1,g=2", ranks);
    const std::uint64_t latency = machine.latency();
    std::vector<std::pair<std::uint64_t, Transfer>> sends;
    std::vector<std::uint64_t> next(ranks);
    std::uint64_t longest = 0;
    for (Rank to = 1; to < ranks; ++to) {
      const Rank from = random.below(to);
      const std::uint64_t at = next[from] + random.below(3);
      sends.emplace_back(at, copy(from, to, 0));
      next[from] = at + 2;
      next[to] = at + latency - (random.one_in(40) ? 1 : 0);
      longest = std::max({longest, at + latency});
    }
    if (reduces) {
      for (auto& [at, t] : sends) {
        at = longest - at - latency;
        t = {t.dst, t.src, 0, 1, 1};
      }
    }
    const std::uint64_t distance = 1 + random.below(static_cast<std::uint32_t>(longest) + 2);
    Rows steps(longest + chunks * distance + 2);
    for (std::uint32_t n = 0; n < chunks; ++n) {
      for (auto [at, t] : sends) {
        t.first = down ? chunks - 1 - n : n;
        steps[at + n * distance].push_back(t);
      }
    }
    if (random.one_in(3)) {
      const Chunk chunk = random.below(chunks);
      const Rank dst = random.below(ranks);
      const bool all = random.one_in(2);
      change(steps, problem, random.below(8), random, [&](std::size_t, const Transfer& t) {
        return t.dst == dst && (all || t.first == chunk);
      });
    }
    const Source source = source_of_rows(problem, steps);
    CheckOptions asked;
    asked.blocking = static_cast<Blocking>(random.below(4));
    asked.eager = random.below(3);
    if (random.one_in(4)) asked.max_buffer = random.below(3);
    if (random.one_in(4)) asked.checks = {{"causality", "delivery", "ports"}};
    INFO(i);
    const bool all_holds = holds(same_by_excerpt(source, machine, asked));
    right += all_holds;
    wrong += !all_holds;
    const auto report = by_excerpt(source, machine, asked);
    seen += report.has_value();
    queues += report && report->max_buffer > 0;
  }
  CHECK(seen > 50);
  CHECK(right >= seen);
  CHECK(wrong > 50);
  CHECK(queues > 20);
}
