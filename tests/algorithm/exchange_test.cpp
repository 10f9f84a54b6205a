// Total exchange on fat trees: all schedules, n up to 512 (1024 where whole ranges are tested),
// constant, exponential and arbitrary capacities. Where the checks would take too long, the loads
// of the branches are counted by separate code.

#include "catch.hpp"

#include <fmt/core.h>

#include <bit>
#include <map>
#include <random>
#include <tuple>

#include "analysis/bounds.hpp"
#include "core/join.hpp"
#include "ranges.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

/// n = 2^h leaves at most.
const std::uint32_t max_height = ranges::part(9U, 10U);

using Capacities = std::vector<std::uint64_t>;

Request request(std::string_view schedule, const Capacities& c, std::uint32_t K) {
  const Spec spec = Spec::parse(
      schedule.empty() ? "total-exchange" : fmt::format("total-exchange:schedule={}", schedule));
  Request r;
  r.problem.collective = Collective::alltoall;
  r.problem.ranks = Rank{1} << c.size();
  r.problem.chunks = K;
  r.machine = make_machine(fmt::format("fattree:cap={}", join(c, ",")), r.problem.ranks);
  r.parameters = spec.check(find_algorithm("total-exchange").parameters, "total-exchange");
  return r;
}

Capacities constant(std::uint32_t h) { return Capacities(h, 1); }

Capacities exponential(std::uint32_t h) {
  Capacities c;
  for (std::uint32_t i = 1; i <= h; ++i) c.push_back(std::uint64_t{1} << (i - 1));
  return c;
}

Capacities arbitrary(std::uint32_t h, std::mt19937& random) {
  const auto up_to = [&](std::uint64_t most) { return 1 + random() % most; };
  const auto kind = random() % 4;
  const std::uint64_t speed = up_to(std::uint64_t{1} << (h + 1));
  Capacities c;
  for (std::uint32_t i = 1; i <= h; ++i) {
    const std::uint64_t block = std::uint64_t{1} << (i - 1);
    switch (kind) {
      case 0:  // anything
        c.push_back(up_to(5));
        break;
      case 1:  // never falling, and not more than twofold from level to level
        c.push_back(c.empty() ? up_to(3) : c.back() + random() % (c.back() + 1));
        break;
      case 2:  // around the exponential
        c.push_back(up_to(2 * block));
        break;
      default:  // all levels loaded alike, as far as whole numbers go
        c.push_back(1 + block * ((std::uint64_t{1} << h) - block) / speed);
    }
  }
  return c;
}

/// Counts what happens in each step on each branch; packets go on without waiting. The steps that
/// it takes, or 0 with a failure.
std::uint64_t count(const Steps& steps, const Capacities& c, std::uint32_t K) {
  const auto h = static_cast<std::uint32_t>(c.size());
  const Rank n = Rank{1} << h;
  const std::size_t window = 2 * h;
  std::vector<std::vector<std::uint32_t>> hops(window);  // links in use, by step modulo window
  std::vector<std::uint64_t> load(std::size_t{4} * n);
  std::vector<bool> sent(std::size_t{n} * n * K);
  std::uint64_t now = 0, last = 0, packets = 0;
  std::string wrong;
  const auto settle = [&](std::uint64_t step) {
    auto& links = hops[step % window];
    for (const std::uint32_t link : links) {
      const auto j = h + 2 - static_cast<std::uint32_t>(std::bit_width(link / 2));
      if (++load[link] > c[j - 1]) wrong = fmt::format("level {} in step {} is full", j, step);
    }
    for (const std::uint32_t link : links) load[link] = 0;
    links.clear();
  };
  Transfers row;
  for (std::uint64_t i = 0; i < steps.size(); ++i) {
    row.clear();
    const std::uint64_t step = steps.fill(i, row);
    for (std::size_t k = 0; k < window && now < step; ++k) settle(now++);
    now = step;
    for (const Transfer& t : row) {
      const std::uint64_t block = t.first / K;
      if (t.count != 1 || t.src == t.dst || block != std::uint64_t{t.src} * n + t.dst) {
        wrong = "not a packet of this pair";
        continue;
      }
      if (sent[t.first]) wrong = "sent twice";
      sent[t.first] = true;
      ++packets;
      const auto meet = static_cast<std::uint32_t>(std::bit_width(t.src ^ t.dst));
      last = std::max<std::uint64_t>(last, step + 2 * meet);
      for (std::uint32_t j = 1; j <= meet; ++j) {
        // The subtree below a branch of level j, numbered as in a heap.
        const std::uint32_t from = (n + t.src) >> (j - 1), to = (n + t.dst) >> (j - 1);
        hops[(step + j - 1) % window].push_back(2 * from);
        hops[(step + 2 * meet - j) % window].push_back(2 * to + 1);
      }
    }
  }
  for (std::size_t k = 0; k < window; ++k) settle(now++);
  if (packets != std::uint64_t{n} * (n - 1) * K) wrong = "packets are missing";
  if (wrong.empty()) return last;
  FAIL_CHECK(fmt::format("capacities {}, K = {}: {}", join(c, ","), K, wrong));
  return 0;
}

/// The largest over levels i of ceil(2^(i-1) (n - 2^(i-1)) K / c_i) + 2i - 1.
std::uint64_t level_bound(const Capacities& c, std::uint64_t K) {
  const std::uint64_t n = std::uint64_t{1} << c.size();
  std::uint64_t bound = 0;
  for (std::size_t i = 1; i <= c.size(); ++i) {
    const std::uint64_t block = std::uint64_t{1} << (i - 1);
    bound = std::max(bound, (block * (n - block) * K + c[i - 1] - 1) / c[i - 1] + 2 * i - 1);
  }
  return bound;
}

/// The sum over i of ceil(4^(i-1) K / c_i).
std::uint64_t phases(const Capacities& c, std::uint64_t K) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < c.size(); ++i) sum += ((K << (2 * i)) + c[i] - 1) / c[i];
  return sum;
}

/// c_i <= 2 c_(i-1) at all levels: the branches below can feed those above.
bool can_be_fed(const Capacities& c) {
  for (std::size_t i = 1; i < c.size(); ++i) {
    if (c[i] > 2 * c[i - 1]) return false;
  }
  return true;
}

/// The schedule that is asked for. For more than 64 leaves, that which is chosen if none is asked
/// for: its transfers, millions, are made and counted by its name alone.
std::string built(std::string_view schedule, const Capacities& c, std::uint32_t K) {
  if (!schedule.empty() || c.size() <= 6) return std::string(schedule);
  return find_algorithm("total-exchange").chosen(request(schedule, c, K)).at(0).second;
}

std::uint64_t measure(const std::string& schedule, const Capacities& c, std::uint32_t K) {
  const Algorithm& algorithm = find_algorithm("total-exchange");
  const Request r = request(schedule, c, K);
  const std::uint64_t steps = count(algorithm.steps(r), c, K);
  const CostClaim claim = algorithm.claim(r);
  const bool kept = claim.exact ? steps == claim.steps : steps <= claim.steps;
  const std::uint64_t bound = *lower_bound(r.problem, r.machine, 1).steps;
  if (!kept || steps < bound) {
    FAIL_CHECK(fmt::format("{}, capacities {}, K = {}: {} steps, claimed {}, bound {}", schedule,
                           join(c, ","), K, steps, claim.steps, bound));
  }
  return steps;
}

/// Counts the schedule's steps; all bounds and claims are met. What several tests ask for is
/// counted once.
std::uint64_t measured(std::string_view schedule, const Capacities& c, std::uint32_t K) {
  static std::map<std::tuple<std::string, Capacities, std::uint32_t>, std::uint64_t> known;
  const std::tuple key(built(schedule, c, K), c, K);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known[key] = measure(std::get<0>(key), c, K);
}

void all_schedules(const Capacities& c, std::uint32_t K) {
  const std::uint64_t h = c.size(), n = std::uint64_t{1} << h;
  INFO("capacities " << join(c, ",") << ", K = " << K);
  const std::uint64_t scatters = measured("scatters", c, K);
  if (K == 1) CHECK(scatters == (n == 2 ? 4 : n * (n + 1)));
  CHECK(2 * measured("paired", c, K) == scatters);
  const std::uint64_t in_phases = measured("phases", c, K);
  const std::uint64_t pipelined = measured("pipelined", c, K);
  CHECK(in_phases - pipelined == h * h - 2 * h + 1);
  if (can_be_fed(c)) CHECK(pipelined == phases(c, K) + 2 * h - 1);
  const std::uint64_t coloured = measured("coloured", c, K);
  CHECK(coloured <= level_bound(c, K) + 2 * h);
  CHECK(coloured <= pipelined);
  CHECK(measured("", c, K) <= coloured);
}

}  // namespace

TEST_CASE("total exchange: constant and exponential capacities, n = 2..512") {
  for (std::uint32_t h = 1; h <= max_height; ++h) {
    all_schedules(constant(h), 1);
    all_schedules(exponential(h), 1);
  }
  for (std::uint32_t h = 1; h <= 6; ++h) {
    for (const std::uint32_t K : {2u, 3u, 8u}) {
      all_schedules(constant(h), K);
      all_schedules(exponential(h), K);
    }
  }
}

TEST_CASE("total exchange: arbitrary capacities, n = 2..512") {
  std::mt19937 random(1);
  for (std::uint32_t h = 1; h <= max_height; ++h) {
    for (int times = 0; times < (h <= 6 ? ranges::part(20, 40) : 1); ++times) {
      all_schedules(arbitrary(h, random), h <= 6 ? 1 + random() % 4 : 1);
    }
  }
}

TEST_CASE("total exchange, coloured: within the latency of the bound, whatever the capacities") {
  std::mt19937 random(2);
  for (int times = 0; times < ranges::part(1500, 3000); ++times) {
    const auto h = static_cast<std::uint32_t>(1 + random() % (times % 10 == 0 ? 6 : 4));
    const Capacities c = arbitrary(h, random);
    const std::uint32_t K = 1 + random() % 4;
    const std::uint64_t steps = measured("coloured", c, K);
    if (steps > level_bound(c, K) + 2 * h) {
      FAIL_CHECK(fmt::format("capacities {}, K = {}: {} steps", join(c, ","), K, steps));
    }
  }
  for (const Capacities& c : {Capacities{5, 1, 1, 2, 3, 4},
                              {3, 5, 9, 17, 33, 65},
                              {8, 4, 2, 1, 1, 1},
                              {7, 12, 16},
                              {1, 2, 4, 7, 12, 16},
                              {2, 1, 3, 4, 7, 12, 16},
                              {1, 2, 4, 8, 15, 28, 48, 64}}) {
    for (const std::uint32_t K : {1u, 4u, 31u}) {
      if (K == 31 && c.size() > 6) continue;
      CHECK(measured("coloured", c, K) <= level_bound(c, K) + 2 * c.size());
    }
  }
}

TEST_CASE("total exchange: every check holds, and no packet waits") {
  std::mt19937 random(3);
  for (std::uint32_t h = 1; h <= 7; ++h) {
    for (const Capacities& c : {constant(h), exponential(h), arbitrary(h, random)}) {
      for (const char* schedule : {"scatters", "paired", "phases", "pipelined", "coloured"}) {
        const Request r = request(schedule, c, 1 + h % 3);
        const Report report =
            check(from_algorithm(find_algorithm("total-exchange"), r, schedule), r.machine);
        CHECK(report.verdict() == Verdict::holds);
        CHECK(report.findings_total == 0);
        CHECK(*report.max_buffer == 0);
      }
    }
  }
}

TEST_CASE("total exchange: huge capacities are no different from large ones") {
  const std::uint64_t most = UINT64_MAX;
  CHECK(measured("coloured", {most, most, most}, 3) == 6);
  CHECK(measured("phases", {most, most, most}, 3) == 3 + 9);
}

TEST_CASE("total exchange: constant capacities allow what the root's branch demands, no less") {
  for (std::uint32_t h = 1; h <= 9; ++h) {
    const std::uint64_t n = std::uint64_t{1} << h;
    for (const std::uint32_t K : {1u, 2u, 3u, 16u}) {
      if (K > 2 && h > 5) continue;
      CHECK(measured("coloured", constant(h), K) == K * n * n / 4 + 2 * h - 1);
    }
  }
}

TEST_CASE("total exchange, juggled: the least number of steps on exponential capacities") {
  for (std::uint32_t h = 3; h <= 9; ++h) {
    for (const std::uint32_t K : {1u, 2u, 3u, 4u, 7u, 8u}) {
      if (K > 2 && h > 6) continue;
      const Request r = request("juggled", exponential(h), K);
      const std::uint64_t steps = measured("juggled", exponential(h), K);
      CHECK(steps == *lower_bound(r.problem, r.machine, 1).steps);
      CHECK(measured("", exponential(h), K) == steps);
    }
  }
  CHECK(measured("juggled", {2, 2, 9}, 1) == 11);  // more than it needs
}

TEST_CASE("total exchange refuses what it cannot build, with the reason") {
  const auto reason = [](std::string_view schedule, const Capacities& c, std::uint32_t K = 1) {
    return find_algorithm("total-exchange").reason(request(schedule, c, K)).value_or("");
  };
  CHECK(reason("juggled", {1, 2}) == "schedule=juggled needs n >= 8 leaves, not 4");
  CHECK(reason("juggled", {1, 2, 3}) ==
        "schedule=juggled needs exponential capacities, c_i >= 2^(i-1), and c_3 is 3");
  CHECK(reason("coloured", constant(12), 32) ==
        "schedule=coloured would hold 536870912 packets in memory, and 2^28 at most are allowed");
  CHECK(reason("", constant(12), 32).empty());
  CHECK(reason("pipelined", constant(14), 1).empty());
  Capacities odd(15, 1);
  for (std::size_t i = 2; i < odd.size(); ++i) odd[i] = 3;
  CHECK(reason("pipelined", odd, 1) ==
        "schedule=pipelined would hold 715827840 packets in memory, and 2^28 at most are allowed");
  Request r = request("", constant(3), 1);
  r.machine = make_machine("duplex", 8);
  CHECK(find_algorithm("total-exchange").reason(r) ==
        "it needs a fat tree and the capacities of its branches, not 'duplex'");
}
