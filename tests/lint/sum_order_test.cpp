// The orders in which programs add: equal if and only if their schedules end with the same
// expressions, and whatever the numbers of chunks.

#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "lint/sum_order.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

Source allreduce(const std::string& spec, std::uint32_t ranks, std::uint32_t chunks) {
  return from_algorithm(
      spec, {.collective = Collective::allreduce, .ranks = ranks, .chunks = chunks}, "duplex");
}

SumOrder order_of(const Source& source, Expressions& expressions) {
  const Program program = program::lower(source, make_machine("duplex", source.problem.ranks), {});
  return sum_order(program, program::Call::out_of_place, expressions);
}

/// Do both end with the same expressions, by the check same-as?
bool same(const Source& a, const Source& b) {
  const Machine machine = make_machine("duplex", a.problem.ranks);
  CheckOptions options;
  options.checks = std::vector<std::string>{"same-as"};
  options.same_as = std::make_shared<const OtherSchedule>(OtherSchedule{b, machine});
  return check(a, machine, options).verdict() == Verdict::holds;
}

}  // namespace

TEST_CASE("programs have the same order if and only if the check same-as holds") {
  const std::vector<std::string> specs{"ring",  "recursive-doubling", "rabenseifner",
                                       "swing", "recexch:k=2",        "recursive-multiplying:k=2"};
  std::size_t equal = 0, different = 0;
  for (const std::string& a : specs) {
    for (const std::string& b : specs) {
      Expressions expressions;
      const Source first = allreduce(a, 8, 8), second = allreduce(b, 8, 8);
      INFO(a << " " << b);
      const bool found = order_of(first, expressions) == order_of(second, expressions);
      CHECK(found == same(first, second));
      ++(found ? equal : different);
    }
  }
  CHECK(equal > specs.size());
  CHECK(different > specs.size());
}

TEST_CASE("orders of programs with different numbers of chunks are compared by the elements") {
  const auto equal = [](const std::string& a, std::uint32_t chunks, const std::string& b,
                        std::uint32_t others) {
    Expressions expressions;
    return order_of(allreduce(a, 4, chunks), expressions) ==
           order_of(allreduce(b, 4, others), expressions);
  };
  CHECK(equal("recursive-doubling", 1, "recursive-doubling", 3));
  CHECK(equal("recursive-doubling", 2, "recursive-doubling", 3));
  CHECK(equal("ring", 4, "ring", 8));
  CHECK_FALSE(equal("ring", 4, "recursive-doubling", 1));
  CHECK_FALSE(equal("ring", 4, "recursive-doubling", 6));
}
