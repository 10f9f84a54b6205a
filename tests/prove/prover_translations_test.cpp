// Total exchanges on tori whose steps are translations of a few: every subgroup is listed, the
// images of routes are routes, ways have all packets and fit, and schedules meet the bound.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "catch.hpp"
#include "machine/rank_rows.hpp"
#include "prove/sat/exchange/torus_ways.hpp"
#include "prove/sat/exchange/translated_exchange.hpp"
#include "prove/sat/exchange/translations.hpp"
#include "prove/sat/question/packets.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

struct Torus {
  std::uint64_t rows, columns;
};

constexpr Torus small[] = {{1, 2}, {1, 6}, {2, 2}, {2, 3}, {2, 6}, {3, 3}, {4, 4}, {6, 2}, {7, 1}};

Question alltoall(const Torus& torus, std::uint32_t K, std::uint64_t steps,
                  const std::string& options = "") {
  Question result = question(Collective::alltoall, static_cast<Rank>(torus.rows * torus.columns), K,
                             fmt::format("torus:{}x{}{}", torus.rows, torus.columns, options));
  result.steps = steps;
  return result;
}

/// All subgroups, by their elements: what two translations generate.
std::set<std::set<Rank>> generated(const Translations& translations) {
  std::set<std::set<Rank>> result;
  for (Rank a = 0; a < translations.size(); ++a) {
    for (Rank b = 0; b < translations.size(); ++b) {
      std::set<Rank> group;
      for (std::vector<Rank> open{0}; !open.empty();) {
        const Rank g = open.back();
        open.pop_back();
        if (!group.insert(g).second) continue;
        open.push_back(translations.sum(g, a));
        open.push_back(translations.sum(g, b));
      }
      result.insert(group);
    }
  }
  return result;
}

/// The steps of a schedule that passed the checker; 0 if none was found.
std::uint64_t exchanged(const Question& asked) {
  const auto copies = copy_question(asked);
  const auto rows = rank_rows(asked.machine, asked.problem.ranks);
  REQUIRE(copies);
  REQUIRE(rows);
  const auto schedule = translated_exchange(copies->instance, copies->chunks, *rows,
                                            *first_solver().front(), SolverLimits());
  if (schedule == nullptr) return 0;
  accept(asked, copies->schedule(schedule));  // throws where it does not hold
  return schedule->size();
}

}  // namespace

TEST_CASE("prove: every subgroup of translations is listed, once") {
  for (const Torus& torus : small) {
    const Translations translations(torus.rows, torus.columns);
    INFO(torus.rows << "x" << torus.columns);
    std::set<std::set<Rank>> found;
    std::size_t listed = 0;
    for (std::uint64_t order = 1; order <= translations.size(); ++order) {
      for (const std::vector<Rank>& group : translations.subgroups(order)) {
        CHECK(group.front() == 0);
        CHECK(group.size() == order);
        found.insert({group.begin(), group.end()});
        ++listed;
      }
    }
    CHECK(found == generated(translations));
    CHECK(listed == found.size());
  }
}

TEST_CASE("prove: a translation makes a route of a route") {
  for (const Torus& torus : small) {
    INFO(torus.rows << "x" << torus.columns);
    const Translations translations(torus.rows, torus.columns);
    const Instance instance = make_instance(alltoall(torus, 1, 1));
    const TranslatedPorts ports(instance, translations);
    REQUIRE(ports.regular());
    const auto number = arcs_by_ends(instance);
    for (Rank from = 0; from < instance.ranks; ++from) {
      for (Rank to = 0; to < instance.ranks; ++to) {
        CHECK(translations.sum(translations.difference(to, from), from) == to);
        if (from == to) continue;
        std::set<std::size_t> expected{from, instance.ranks + to}, images;
        for (const std::size_t c : instance.arcs[number[from][to]].channels) {
          expected.insert(2 * instance.ranks + c);
        }
        for (const std::size_t port : ports.taken(translations.difference(to, from))) {
          images.insert(ports.image(from, port));
          CHECK(ports.class_of(ports.image(from, port)) == ports.class_of(port));
        }
        CHECK(images == expected);
      }
    }
  }
}

TEST_CASE("prove: on a mesh translations do not make routes of routes") {
  const Instance mesh = make_instance(question(Collective::alltoall, 9, 1, "mesh:3x3"));
  CHECK_FALSE(TranslatedPorts(mesh, Translations(3, 3)).regular());
}

TEST_CASE("prove: ways on a torus have each packet once, and fit into the steps") {
  const Torus torus{2, 6};
  const Translations translations(torus.rows, torus.columns);
  const TranslatedPorts ports(make_instance(alltoall(torus, 1, 1)), translations);
  Dice dice;
  for (const auto& [each, steps] : {std::pair(1U, 12U), {2, 23}, {3, 34}, {4, 45}, {8, 90}}) {
    for (std::uint64_t detours = 0; detours < 3; ++detours) {
      INFO(each << " packets, " << steps << " steps, " << detours << " detours");
      const auto ways = choose_torus_ways(translations, ports, each, steps, detours, dice);
      REQUIRE(ways);
      std::map<Rank, std::set<std::uint64_t>> arrived;
      std::vector<std::uint64_t> load(ports.classes());
      for (const TranslatedMessages& m : ways->messages) {
        for (const std::size_t p : ports.taken(m.length)) load[ports.class_of(p)] += m.count;
        const Rank to = translations.sum(m.origin_to_sender, m.length);
        if (m.earlier) {
          const TranslatedMessages& before = ways->messages[*m.earlier];
          CHECK(before.length == m.origin_to_sender);
          CHECK(before.first == m.first);
          CHECK(before.count == m.count);
          CHECK(before.goal == m.goal);
        }
        for (std::uint64_t i = 0; to == m.goal && i < m.count; ++i) {
          CHECK(arrived[m.goal].insert(m.first + i).second);
        }
      }
      CHECK(load == ways->load);
      CHECK(std::ranges::max(load) <= steps);
      CHECK(arrived.size() == 11);
      for (const auto& [goal, packets] : arrived) CHECK(packets.size() == each);
    }
  }
  CHECK_FALSE(choose_torus_ways(translations, ports, 3, 33, 0, dice));
}

TEST_CASE("prove: exchanges by translated steps take the steps that are asked for") {
  if (no_solver()) return;
  for (const auto& [torus, K, steps] : {std::tuple(Torus{1, 6}, 3U, 16U),
                                        {Torus{6, 1}, 5, 27},
                                        {Torus{2, 6}, 3, 34},
                                        {Torus{6, 2}, 4, 45},
                                        {Torus{3, 3}, 1, 8},
                                        {Torus{3, 3}, 2, 17},
                                        {Torus{2, 2}, 3, 9},
                                        {Torus{4, 6}, 1, 24},
                                        {Torus{4, 6}, 1, 30}}) {
    INFO(torus.rows << "x" << torus.columns << ", " << K << " packets");
    CHECK(exchanged(alltoall(torus, K, steps)) == steps);
  }
  CHECK(exchanged(alltoall({1, 6}, 5, 16, ",width=2")) == 16);
  CHECK(exchanged(alltoall({1, 6}, 3, 15, ",congestion=2")) == 15);
}

TEST_CASE("prove: there are translated steps of total exchanges on tori only") {
  if (no_solver()) return;
  CHECK(exchanged(alltoall({2, 6}, 3, 33)) == 0);  // too few
  CHECK(exchanged(alltoall({2, 6}, 3, 0)) == 0);
  for (const auto& [collective, machine] : {std::pair(Collective::alltoall, "mesh:2x6"),
                                            {Collective::scatter, "torus:2x6"},
                                            {Collective::broadcast, "torus:2x6"},
                                            {Collective::alltoall, "crossbar:a=2,b=6"}}) {
    Question asked = question(collective, 12, 1, machine);
    asked.steps = 40;
    INFO(describe(asked));
    CHECK(exchanged(asked) == 0);
  }
}

TEST_CASE("prove: alltoalls on tori with rings of six ranks are optimal") {
  if (no_solver()) return;
  SearchOptions options;
  options.solvers = first_solver();
  options.constructions = true;
  for (const auto& [torus, K, steps] : {std::tuple(Torus{1, 6}, 3U, 16U),
                                        {Torus{1, 6}, 7, 38},
                                        {Torus{2, 6}, 5, 57},
                                        {Torus{4, 10}, 1, 50}}) {
    const Question asked = alltoall(torus, K, 0);
    INFO(describe(asked));
    const Interval found = least_steps(asked, options);
    CHECK(found.decided());
    CHECK(found.most == steps);
    accept(alltoall(torus, K, steps), found.schedule);
  }
}

TEST_CASE("prove: an alltoall too large for clauses is decided by translated steps") {
  if (no_solver()) return;
  SearchOptions options;
  options.solvers = first_solver();
  options.constructions = true;
  Question asked = alltoall({6, 6}, 1, 36);
  CHECK(decide_steps(asked, options).construction == "translated steps");
}
