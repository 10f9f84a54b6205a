// Costs in the alpha-beta model: sizes of chunks, both clocks against a plain simulation, critical
// paths, and the lower bounds of every model.

#include "catch.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cost/messages.hpp"
#include "costs.hpp"

using namespace costs;

namespace {

std::uint64_t bytes_of(std::uint64_t chunk, std::uint64_t bytes, std::uint64_t K) {
  __extension__ using Wide = unsigned __int128;
  const auto begin = [&](std::uint64_t c) {
    return static_cast<std::uint64_t>(Wide{c} * bytes / K);
  };
  return begin(chunk + 1) - begin(chunk);
}

/// Both alpha-beta clocks, computed naively.
struct Plain {
  double synchronous = 0, asynchronous = 0;

  Plain(const Source& source, std::uint64_t bytes, double alpha, double beta) {
    std::map<Rank, double> ready;
    std::uint64_t next = 0;
    const auto stream = source.open();
    for (Step step; stream->next(step);) {
      if (step.transfers.empty()) continue;
      for (; next < step.number; ++next) synchronous += alpha;  // idle
      ++next;
      std::map<std::pair<Rank, Rank>, std::uint64_t> messages;
      for (const Transfer& t : step.transfers) {
        for (std::uint64_t i = 0; i < t.count; ++i) {
          messages[{t.src, t.dst}] += bytes_of(t.first + i, bytes, source.problem.chunks);
        }
      }
      double longest = 0;
      std::map<Rank, double> after = ready;
      for (const auto& [ends, size] : messages) {
        const double time = alpha + beta * static_cast<double>(size);
        longest = std::max(longest, time);
        const double end = std::max(ready[ends.first], ready[ends.second]) + time;
        after[ends.first] = std::max(after[ends.first], end);
        after[ends.second] = std::max(after[ends.second], end);
      }
      synchronous += longest;
      ready = after;
    }
    for (const auto& [rank, time] : ready) asynchronous = std::max(asynchronous, time);
  }
};

}  // namespace

TEST_CASE("chunks make up the message, and differ by at most a byte") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t K = 1 + random() % 1000, bytes = random() % (std::uint64_t{1} << (i % 50));
    const ChunkBytes chunk_bytes(bytes, K);
    CHECK(chunk_bytes.bytes(0, K) == bytes);
    CHECK(chunk_bytes.bytes(static_cast<Chunk>(K), K) == bytes);  // a second block
    const auto first = static_cast<Chunk>(random() % (3 * K));
    const std::uint64_t count = 1 + random() % K;
    std::uint64_t sum = 0;
    for (std::uint64_t c = first; c < first + count; ++c) {
      const std::uint64_t size = chunk_bytes.bytes(static_cast<Chunk>(c), 1);
      REQUIRE((size == bytes / K || size == bytes / K + 1));
      sum += size;
    }
    REQUIRE(chunk_bytes.bytes(first, count) == sum);
  }
  // The largest numbers.
  const ChunkBytes chunk_bytes(INT64_MAX, max_transfer_count);
  CHECK(chunk_bytes.bytes(UINT32_MAX, 1) == bytes_of(UINT32_MAX, INT64_MAX, max_transfer_count));
}

TEST_CASE("both clocks agree with a plain simulation, for every algorithm") {
  const double alpha = 3, beta = 0.25;
  const CostModel model = alpha_beta(alpha, beta);
  std::uint64_t cases = 0;
  for (const Rank P : {2u, 3u, 4u, 7u, 8u, 13u, 16u, 21u}) {
    for (const std::uint32_t K : {1u, 2u, 5u, 13u}) {
      each_service(P, K, [&](const Algorithm& algorithm, const Request& r, const Spec& spec) {
        if (!r.machine.ports()) return;
        const Source source = from_algorithm(algorithm, r, spec.text());
        for (const std::uint64_t bytes : {0u, 3u, 100u, 1001u}) {
          const CostReport report = cost(source, r.machine, model, {bytes, true});
          const Plain plain(source, r.problem.tokens() ? 0 : bytes, alpha, beta);
          INFO(spec.text() << " " << describe(r.problem) << " " << bytes);
          REQUIRE(close(*report.synchronous, plain.synchronous));
          REQUIRE(close(*report.asynchronous, plain.asynchronous));
          REQUIRE(*report.asynchronous <= *report.synchronous * (1 + 1e-12));
          const double sum = alpha * static_cast<double>(report.steps) +
                             beta * static_cast<double>(report.volume_bytes);
          REQUIRE(close(report.seconds, sum));
          ++cases;
        }
      });
    }
  }
  CHECK(cases > 1000);
}

TEST_CASE("a critical path is a chain of messages without a gap, from 0 to the end") {
  const CostModel model = alpha_beta(1, 0.5);
  for (const char* name : {"chain", "fractional-tree:r=3", "binomial-tree", "circulant"}) {
    const CostReport report =
        timed(name, Collective::broadcast, 23, 7, 1000, model, "duplex", true);
    REQUIRE_FALSE(report.critical_path->empty());
    double time = 0;
    std::uint64_t step = 0;
    for (const TimedMessage& m : *report.critical_path) {
      CHECK(m.start == time);
      CHECK(m.step >= step);
      CHECK(close(m.end, m.start + 1 + 0.5 * static_cast<double>(m.bytes)));
      time = m.end;
      step = m.step + 1;
    }
    CHECK(time == *report.asynchronous);
    const CostReport without = timed(name, Collective::broadcast, 23, 7, 1000, model);
    CHECK_FALSE(without.critical_path);
    CHECK(without.asynchronous == report.asynchronous);
  }
}

TEST_CASE("asynchronous: a rank that need not wait continues") {
  // Rank 0 sends a large message to 1, then a small one to 2; 3 sends 2 a message in the second
  // step too, on two ports. By hand, alpha = 1, beta = 1: 0 -> 1 takes 0..11, 2 -> 3 in the same
  // step 0..2; 2 -> 3 again in the next step need not wait for 0 -> 1.
  auto schedule = std::make_shared<Schedule>();
  const auto add = [&](Rank src, Rank dst, Chunk chunk, std::uint32_t count) {
    schedule->add({src, dst, chunk, count & max_transfer_count, 0});
  };
  schedule->begin_step(0);
  add(0, 1, 0, 10);
  add(2, 3, 0, 1);
  schedule->begin_step(1);
  add(2, 3, 1, 1);
  schedule->begin_step(3);  // step 2 is idle
  add(3, 1, 0, 2);
  Problem problem;
  problem.ranks = 4;
  problem.chunks = 10;
  const Source source = from_schedule(problem, schedule);
  const CostReport report = cost(source, make_machine("duplex", 4), alpha_beta(1, 1), {10, true});
  CHECK(*report.synchronous == 11 + 2 + 1 + 3);
  CHECK(*report.asynchronous == 11 + 3);  // 3 -> 1 waits for 1, not for 3, which is ready at 4
  REQUIRE(report.critical_path->size() == 2);
  CHECK((*report.critical_path)[0].src == 0);
  CHECK((*report.critical_path)[1].src == 3);
}

TEST_CASE("no schedule is below a lower bound") {
  std::uint64_t cases = 0;
  for (const Rank P : {2u, 3u, 5u, 8u, 16u, 31u}) {
    for (const std::uint32_t K : {1u, 3u, 8u}) {
      each_service(P, K, [&](const Algorithm& algorithm, const Request& r, const Spec& spec) {
        const Source source = from_algorithm(algorithm, r, spec.text());
        for (const char* text :
             {"alpha-beta:alpha=1us,beta=1ns/B", "alpha-beta:alpha=1us,beta=1us/B",
              "alpha-beta:alpha=1ms,beta=1ns/B", "bsp:l=1us,g=10ns/B", "bsp:l=1us,g=1ns/B,h=1",
              "logp:L=6us,o=2us,g=4us", "logp:L=2us,o=1us,g=1us,packet=64",
              "loggp:L=6us,o=2us,g=4us,G=1ns/B", "loggp:L=1us,o=9us,g=1us,G=2us/B",
              "loggp:L=0,o=40us,g=0,G=1us/B"}) {
          const CostModel model = make_cost_model(text);
          if (reason_against(model, r.machine)) continue;
          for (const std::uint64_t bytes : {1u, 64u, 4096u}) {
            const CostReport report = cost(source, r.machine, model, {bytes, false});
            INFO(spec.text() << " " << describe(r.problem) << " " << text << " " << bytes);
            for (const TimeBound& bound : report.bounds) {
              INFO(bound.text << " for " << name(bound.holds_for));
              const double below = bound.seconds * (1 - 1e-9);
              if (bound.holds_for == BoundedSchedules::one_packet_size && bytes % K != 0) continue;
              REQUIRE(report.seconds >= below);
              if (bound.holds_for == BoundedSchedules::any && report.asynchronous) {
                REQUIRE(*report.asynchronous >= below);
              }
              ++cases;
            }
          }
        }
      });
    }
  }
  CHECK(cases > 1000);
}

TEST_CASE("LogP: the bound is the time of Karp's tree, for whatever must reach all ranks") {
  struct Case {
    std::uint64_t L, o, g;  // ns
  };
  for (const auto& [L, o, g] : {Case{6, 2, 4}, Case{2, 1, 0}, Case{1, 3, 2}, Case{0, 1, 5}}) {
    const CostModel model =
        make_cost_model(fmt::format("loggp:L={}ns,o={}ns,g={}ns,G=1ns/B", L, o, g));
    // By time in ns: P(t) = P(t - max(g, o)) + P(t - L - 2o), 1 before the first packet arrives.
    std::vector<std::uint64_t> reached;
    for (Rank P = 2; P <= 40; ++P) {
      while (reached.empty() || reached.back() < P) {
        const std::uint64_t t = reached.size(), packet = L + 2 * o, spacing = std::max(g, o);
        reached.push_back(t < packet ? 1 : reached[t - std::min(t, spacing)] + reached[t - packet]);
      }
      const double tree = static_cast<double>(reached.size() - 1) * 1e-9;
      for (const CollectiveInfo& c : collectives()) {
        if (c.collective == Collective::custom) continue;
        INFO(c.name << ", " << P << " ranks, " << model.spec);
        const Problem problem{.collective = c.collective, .ranks = P};
        const auto bounds = time_bounds(problem, make_machine("duplex", P), model, 0, UINT32_MAX);
        REQUIRE(bounds.size() == 1);
        CHECK(close(bounds[0].seconds, tree));
      }
      const std::string machine =
          fmt::format("logp:L={},o={},g={}", L, o, std::max<std::uint64_t>(g, 1));
      const CostReport karp = timed("karp", Collective::broadcast, P, 1, 1, model, machine);
      CHECK(close(*karp.asynchronous, tree));
    }
  }
}

TEST_CASE("on routed machines a step is a hop") {
  // BFT (3): n + 2 log n - 2 steps of one packet each.
  const CostReport report =
      timed("xor", Collective::alltoall, 8, 1, 1000, alpha_beta(1, 0.001), "ebft");
  CHECK(report.steps == 12);
  CHECK(close(report.seconds, 12 * 2.0));
  CHECK_FALSE(report.asynchronous);
}
