// The laws of the algebra, for every broadcast in the registry.

#include "catch.hpp"

#include "frontend/algebra.hpp"
#include "schedcc/registry.hpp"

using namespace schedcc;

namespace {

std::vector<std::pair<std::uint64_t, Transfers>> rows(const Steps& steps) {
  std::vector<std::pair<std::uint64_t, Transfers>> result;
  for (std::uint64_t i = 0; i < steps.size(); ++i) {
    Transfers row;
    const std::uint64_t number = steps.fill(i, row);
    result.emplace_back(number, std::move(row));
  }
  return result;
}

template <typename F>
void each_broadcast(F f) {
  for (const Algorithm* algorithm : algorithms()) {
    if (!algorithm->serves(Collective::broadcast)) continue;
    Request r;
    r.problem.ranks = 16;
    r.problem.chunks = 5;
    r.machine = make_machine(algorithm->machines.front(), 16);
    r.parameters = Spec{}.check(algorithm->parameters, "");
    f(algorithm->steps(r));
  }
}

}  // namespace

TEST_CASE("reverse twice is the identity") {
  each_broadcast(
      [](const Steps& steps) { CHECK(rows(reverse(reverse(steps, true), false)) == rows(steps)); });
}

TEST_CASE("sequence adds steps") {
  each_broadcast([](const Steps& steps) {
    const Steps both = sequence(steps, steps);
    CHECK(both.size() == 2 * steps.size());
    CHECK(both.span() == 2 * steps.span());
    CHECK(rows(sequence(Steps(), steps)) == rows(steps));
  });
}

TEST_CASE("relabelling by a permutation and back is the identity") {
  each_broadcast([](const Steps& steps) {
    // Of 32 nodes: a fat tree over 16 ranks has 31.
    const auto there = [](Rank v) { return static_cast<Rank>((v * 5 + 3) % 32); };
    const auto back = [](Rank v) { return static_cast<Rank>((v + 29) * 13 % 32); };
    CHECK(rows(relabel(relabel(steps, there), back)) == rows(steps));
    CHECK(rows(relabel(steps, there)) != rows(steps));
  });
}

TEST_CASE("rotating chunks all the way round is the identity up to cuts") {
  const Steps one =
      every_step(1, [](std::uint64_t, Transfers& out) { out.push_back(copy(0, 1, 3, 4)); });
  CHECK(rows(rotate_chunks(one, 8, 8)) == rows(one));
  const auto wrapped = rows(rotate_chunks(one, 3, 8));
  CHECK(wrapped[0].second == Transfers{copy(0, 1, 6, 2), copy(0, 1, 0, 2)});
}

TEST_CASE("parallel holds each part's steps, in the order of the parts") {
  const auto hop = [](Rank src, std::uint64_t step) {
    return Steps(1, [=](std::uint64_t, Transfers& out) {
      out.push_back(copy(src, src + 1, 0));
      return step;
    });
  };
  const auto both = rows(parallel({hop(0, 5), hop(2, 3), hop(4, 5), Steps()}));
  REQUIRE(both.size() == 2);
  CHECK(both[0] == std::pair{std::uint64_t{3}, Transfers{copy(2, 3, 0)}});
  CHECK(both[1] == std::pair{std::uint64_t{5}, Transfers{copy(0, 1, 0), copy(4, 5, 0)}});
  each_broadcast([](const Steps& steps) {
    CHECK(rows(parallel({steps})) == rows(steps));
    CHECK(parallel({steps, sequence(steps, steps)}).span() == 2 * steps.span());
  });
}

TEST_CASE("split deals packets out to trees") {
  const Steps run =
      every_step(1, [](std::uint64_t, Transfers& out) { out.push_back(copy(0, 1, 1, 2)); });
  CHECK(rows(split({run, run}))[0].second ==
        Transfers{copy(0, 1, 2), copy(0, 1, 4), copy(0, 1, 3), copy(0, 1, 5)});
}
