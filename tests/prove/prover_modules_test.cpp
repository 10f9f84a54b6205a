// Broadcasts between modules by numbers of labels: the constraints on numbers, and that the
// schedules hold and take the steps of the bound.

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "prove/sat/exchange/exchange_modules.hpp"
#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/solve/numbers.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

bool has_model(const Formula& formula) {
  Model model;
  return first_solver().front()->solve(formula, {}, model, "") == Answer::sat;
}

void has_value(const Number& number, std::int64_t value, Formula& formula) {
  formula.add({number.at_least(value)});
  formula.add({number.at_most(value)});
}

/// The schedule that exchange_modules finds within a minute; it has passed the checker.
std::shared_ptr<const Schedule> between_modules(const Question& asked, std::size_t size) {
  return found_by(asked, [&](const CopyQuestion& copies, const auto&... how) {
    return exchange_modules(copies.instance, copies.chunks, size, how...);
  });
}

std::string of_modules(std::uint64_t modules, std::uint64_t size) {
  return "crossbar:a=" + std::to_string(modules) + ",b=" + std::to_string(size);
}

/// A broadcast, or a reduction, in the steps of the bound.
Question asked_between(const std::string& machine, std::uint64_t ranks, std::uint32_t K,
                       std::uint64_t root, Collective collective = Collective::broadcast) {
  const auto P = static_cast<Rank>(ranks);
  return question(Problem{collective, P, static_cast<Rank>(root % P), K, false, nullptr}, machine,
                  exchange_steps(ranks, K));
}

}  // namespace

TEST_CASE("prove: sums of numbers are at most a bound exactly where they should be") {
  if (no_solver()) return;
  for (const std::int64_t factor : {-2, -1, 1, 2}) {
    for (std::int64_t a = -1; a <= 2; ++a) {
      for (std::int64_t b = 0; b <= 2; ++b) {
        for (std::int64_t c = -1; c <= 2; ++c) {
          Formula formula;
          const Number x = new_number(-1, 2, formula), y = new_number(0, 2, formula),
                       bound = new_number(-1, 2, formula);
          at_most({{factor, &x}, {-1, &y}}, 1, bound, formula);
          has_value(x, a, formula);
          has_value(y, b, formula);
          has_value(bound, c, formula);
          INFO(factor << " * " << a << " - " << b << " + 1 <= " << c);
          CHECK(has_model(formula) == (factor * a - b + 1 <= c));
        }
      }
    }
  }
}

TEST_CASE("prove: numbers have the sum that they should have") {
  if (no_solver()) return;
  for (std::int64_t a = 0; a <= 3; ++a) {
    for (std::int64_t b = -2; b <= 1; ++b) {
      for (std::int64_t sum = -3; sum <= 6; ++sum) {
        Formula formula;
        const Number x = new_number(0, 3, formula), y = new_number(-1, 2, formula);
        sum_is(std::vector{x, negative(y)}, sum, formula);
        has_value(x, a, formula);
        has_value(negative(y), b, formula);
        INFO(a << " + " << b << " = " << sum);
        CHECK(has_model(formula) == (a + b == sum));
      }
    }
  }
}

TEST_CASE("prove: modules of any number of ranks exchange packets in the steps of the bound") {
  if (no_solver()) return;
  for (std::uint64_t modules = 2; modules <= 12; ++modules) {
    for (std::uint64_t size = 2; modules * size <= 26; ++size) {
      for (const std::uint32_t K : {1U, 2U, 3U, 5U, 8U}) {
        const auto collective = K == 3 ? Collective::reduce : Collective::broadcast;
        Question asked = asked_between(of_modules(modules, size), modules * size, K,
                                       std::uint64_t{7} * K, collective);
        INFO(describe(asked));
        CHECK(counted_bound(asked).steps == asked.steps);
        CHECK(between_modules(asked, size));
        --asked.steps;
        CHECK_FALSE(between_modules(asked, size));
      }
    }
  }
}

TEST_CASE("prove: modules of which nearly all ranks play two roles exchange packets") {
  if (no_solver()) return;
  for (const auto& [modules, size] : {std::pair(3, 11), {3, 12}, {5, 7}, {7, 5}, {13, 3}, {6, 7}}) {
    const auto a = static_cast<std::uint64_t>(modules), b = static_cast<std::uint64_t>(size);
    const Question asked = asked_between(of_modules(a, b), a * b, 8, 4);
    INFO(describe(asked));
    CHECK(between_modules(asked, b));
  }
}

TEST_CASE("prove: every root of a module, and every number of packets, has its exchanges") {
  if (no_solver()) return;
  for (std::uint64_t root = 0; root < 10; ++root)
    CHECK(between_modules(asked_between(of_modules(2, 5), 10, 4, root), 5));
  for (std::uint32_t K = 1; K <= 20; ++K)
    CHECK(between_modules(asked_between(of_modules(3, 3), 9, K, K), 3));
}

TEST_CASE("prove: where few messages leave modules their exchanges hold, if there are any") {
  if (no_solver()) return;
  std::size_t found = 0;
  for (const std::string links : {"in=1,out=1", "in=1,out=2", "in=2,out=1", "in=3,out=3"}) {
    for (std::uint64_t modules = 2; modules <= 5; ++modules) {
      for (std::uint64_t size = 2; size <= 4; ++size) {
        const std::string machine = of_modules(modules, size) + "," + links;
        for (const std::uint32_t K : {1U, 4U}) {
          const Question asked = asked_between(machine, modules * size, K, K);
          INFO(describe(asked));
          const bool holds = between_modules(asked, size) != nullptr;
          found += holds ? 1 : 0;
          if (modules * size > 6 || K > 1) continue;
          const Answer answer = decide(asked, first_solver(), {}, Hints::none()).answer;
          if (holds) CHECK(answer == Answer::sat);
        }
      }
    }
  }
  CHECK(found > 60);
}

TEST_CASE("prove: nodes of a cluster are modules, and other groups are not") {
  if (no_solver()) return;
  CHECK(between_modules(asked_between("cluster:5x3,nics=2", 15, 4, 0), 5));
  CHECK(between_modules(asked_between("duplex", 12, 4, 0), 4));
  CHECK_FALSE(between_modules(asked_between("cluster:4x3,nics=2,rails", 12, 4, 0), 4));
  CHECK_FALSE(between_modules(asked_between("mesh:3x4", 12, 4, 0), 4));
  CHECK_FALSE(between_modules(asked_between("kport:k=2", 12, 4, 0), 4));
  CHECK_FALSE(between_modules(asked_between("simplex", 12, 4, 0), 4));
  CHECK_FALSE(between_modules(asked_between(of_modules(3, 4), 12, 4, 0), 5));
  CHECK_FALSE(between_modules(asked_between(of_modules(3, 4), 12, 4, 0), 12));
  CHECK_FALSE(between_modules(question(Collective::allgather, 12, 1, of_modules(3, 4), 11), 4));
}
