// Total exchanges along lines: each step fits the ports and links of a path or ring, each packet
// arrives, the steps are those that the links allow, and on grids the schedules hold.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "catch.hpp"
#include "machine/rank_rows.hpp"
#include "prove/sat/exchange/line_covers.hpp"
#include "prove/sat/exchange/line_exchange.hpp"
#include "prove/sat/question/question_limits.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

/// Walks over the links of a message, the shorter way, upwards if both are as long; `visit` gets
/// each as the position below it and a direction.
template <typename Visit>
void walk(std::uint64_t n, bool ring, Rank from, Rank to, const Visit& visit) {
  const std::uint64_t upwards = (to + n - from) % n;
  const bool up = ring ? upwards <= n - upwards : to > from;
  for (std::uint64_t at = from; at != to;) {
    const std::uint64_t next = (at + (up ? 1 : n - 1)) % n;
    visit(std::pair<std::uint64_t, bool>(up ? at : next, up));
    at = next;
  }
}

/// What the links require: those of a ring all together, those of a path each for itself.
std::uint64_t required(std::uint64_t n, bool ring, std::uint64_t packets) {
  std::map<std::pair<std::uint64_t, bool>, std::uint64_t> load;
  std::uint64_t all = 0, most = 0;
  for (Rank from = 0; from < n; ++from) {
    for (Rank to = 0; to < n; ++to) {
      if (from == to) continue;
      walk(n, ring, from, to, [&](const auto& link) {
        all += packets;
        most = std::max(most, load[link] += packets);
      });
    }
  }
  return ring ? (all + 2 * n - 1) / (2 * n) : most;
}

/// Does the step take a port or a link twice?
bool overtaxes(const LineStep& step, std::uint64_t n, bool ring) {
  std::set<Rank> senders, receivers;
  std::set<std::pair<std::uint64_t, bool>> links;
  bool twice = false;
  for (const LineMessage& m : step) {
    twice |= !senders.insert(m.from).second || !receivers.insert(m.to).second;
    walk(n, ring, m.from, m.to, [&](const auto& link) { twice |= !links.insert(link).second; });
  }
  return twice;
}

/// Do all packets arrive, each message with one that its sender has had before the step?
bool delivers(const std::vector<LineStep>& steps, std::uint64_t n, std::uint64_t packets) {
  std::map<std::tuple<Rank, Rank, std::uint64_t>, std::set<Rank>> at;
  for (const LineStep& step : steps) {
    for (const LineMessage& m : step) {
      const auto& holders = at[{m.origin, m.goal, m.packet}];
      if (m.from != m.origin && !holders.contains(m.from)) return false;
    }
    for (const LineMessage& m : step) at[{m.origin, m.goal, m.packet}].insert(m.to);
  }
  for (Rank from = 0; from < n; ++from) {
    for (Rank to = 0; to < n; ++to) {
      for (std::uint64_t p = 0; from != to && p < packets; ++p) {
        if (!at[{from, to, p}].contains(to)) return false;
      }
    }
  }
  return true;
}

/// The steps of an exchange along lines that has passed the checker; none if there is none.
std::optional<std::uint64_t> exchanged(Question asked, std::uint64_t most = UINT64_MAX) {
  const auto copies = copy_question(asked);
  const auto rows = rank_rows(asked.machine, asked.problem.ranks);
  REQUIRE(copies);
  REQUIRE(rows);
  const auto schedule = line_exchange(copies->instance, copies->chunks, *rows, most);
  if (schedule == nullptr) return std::nullopt;
  asked.steps = schedule->size();
  accept(asked, copies->schedule(schedule));  // throws where it does not hold
  return asked.steps;
}

Question alltoall(std::uint64_t rows, std::uint64_t columns, std::uint32_t K, const char* kind,
                  std::uint32_t width = 1) {
  return question(Collective::alltoall, static_cast<Rank>(rows * columns), K,
                  fmt::format("{}:{}x{},width={}", kind, rows, columns, width));
}

}  // namespace

TEST_CASE("prove: exchanges on rings and paths take the steps that their links require") {
  for (const bool ring : {false, true}) {
    for (std::uint64_t n = 2; n <= 24; ++n) {
      for (std::uint64_t packets = 1; packets <= 3; ++packets) {
        INFO((ring ? "ring of " : "path of ") << n << ", " << packets << " packets");
        CHECK(line_steps(n, ring, packets) == required(n, ring, packets));
        const auto steps = exchange_on_line(n, ring, packets);
        if (ring && (n < 8 || n == 9)) {  // their ports are too few
          CHECK(steps.empty());
          continue;
        }
        CHECK(steps.size() == required(n, ring, packets));
        for (const LineStep& step : steps) CHECK_FALSE(overtaxes(step, n, ring));
        CHECK(delivers(steps, n, packets));
      }
    }
  }
}

TEST_CASE("prove: there are exchanges on rings and paths of up to 64 ranks, and none on longer") {
  for (const std::uint64_t n : {31U, 34U, 47U, 48U, 63U, 64U}) {
    for (const bool ring : {false, true}) {
      INFO((ring ? "ring of " : "path of ") << n);
      CHECK(exchange_on_line(n, ring, 1).size() == line_steps(n, ring, 1));
      CHECK(exchange_on_line(n + 64, ring, 1).empty());
    }
  }
}

TEST_CASE("prove: exchanges along rows and columns of grids meet the bound where links are it") {
  std::uint64_t met = 0;
  for (const char* kind : {"mesh", "torus"}) {
    for (std::uint64_t lines = 1; lines <= 3; ++lines) {
      for (std::uint64_t length = lines; length <= 13; ++length) {
        for (const std::uint32_t K : {1U, 3U}) {
          if (lines * length < 2) continue;
          const Question rows = alltoall(lines, length, K, kind);
          const Question columns = alltoall(length, lines, K, kind);
          INFO(describe(rows));
          const auto steps = exchanged(rows);
          CHECK(exchanged(columns) == steps);
          if (!steps) continue;
          ++met;
          CHECK(steps == counted_bound(rows).steps);
          CHECK(steps == counted_bound(columns).steps);
          CHECK_FALSE(exchanged(rows, *steps));
          CHECK(exchanged(rows, *steps + 1));
        }
      }
    }
  }
  CHECK(met > 80);
  CHECK(exchanged(alltoall(2, 8, 1, "torus")) == 16);
  CHECK(exchanged(alltoall(1, 12, 5, "torus", 2)) == 54);  // packets of two chunks, and of one
}

TEST_CASE("prove: there are exchanges along lines only where all pairs of ranks have as much") {
  CHECK_FALSE(exchanged(alltoall(4, 4, 1, "mesh")));
  CHECK_FALSE(exchanged(alltoall(2, 2, 1, "mesh")));  // no time for the messages between the rows
  CHECK_FALSE(exchanged(question(Collective::scatter, 12, 1, "torus:1x12")));
  CHECK_FALSE(exchanged(question(Collective::broadcast, 12, 1, "torus:1x12")));
  CHECK_FALSE(exchanged(question(Collective::alltoall, 16, 1, "crossbar:a=2,b=8")));
}

TEST_CASE("prove: an alltoall on a ring or path is optimal by exchanges along lines") {
  if (no_solver()) return;
  SearchOptions options;
  options.solvers = first_solver();
  options.constructions = true;
  for (const auto& [machine, steps] : {std::pair("torus:1x12", 18),
                                       {"torus:13x1", 21},
                                       {"torus:1x14", 25},
                                       {"torus:1x16", 32},
                                       {"mesh:1x13", 42},
                                       {"mesh:2x8", 32},
                                       {"torus:2x8", 16}}) {
    INFO(machine);
    const Rank ranks = static_cast<Rank>(*machine_ranks(machine));
    const Interval found = least_steps(question(Collective::alltoall, ranks, 1, machine), options);
    CHECK(found.decided());
    CHECK(found.most == static_cast<std::uint64_t>(steps));
    CHECK(found.tried.back().construction == "exchanges along lines");
  }
}

TEST_CASE("prove: exchanges along lines come before an alltoall is too large to be decided") {
  if (no_solver()) return;
  SearchOptions options;
  options.solvers = first_solver();
  options.constructions = true;
  for (const bool ring : {false, true}) {
    for (const Rank P : {27U, 30U, 39U}) {
      const std::string machine = (ring ? "torus:1x" : "mesh:1x") + std::to_string(P);
      Question asked = question(Collective::alltoall, P, 1, machine);
      INFO(machine);
      const std::uint64_t steps = required(P, ring, 1);
      asked.steps = steps;
      CHECK(clauses_refusal(asked, make_instance(asked)));
      CHECK(decide_steps(asked, options).answer == Answer::sat);
      const Interval found = least_steps(asked, options, steps);
      CHECK(found.decided());
      CHECK(found.most == steps);
      accept(asked, found.schedule);
    }
  }
}

TEST_CASE("prove: what is too large to be decided is not bounded by counting") {
  if (no_solver()) return;
  SearchOptions options;
  options.solvers = first_solver();
  options.constructions = true;
  const Question asked = question(Collective::alltoall, 64, 1, "cbft");  // too many for prices
  const Interval found = least_steps(asked, options);
  CHECK(found.exhausted);
  CHECK_FALSE(found.counted);
  CHECK(found.least < counted_bound(asked).steps);
}
