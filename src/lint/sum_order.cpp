#include "lint/sum_order.hpp"

#include <numeric>

#include "program/execution.hpp"
#include "program/values.hpp"
#include "program/wiring.hpp"

namespace schedcc {

namespace {

/// The numbers that the expressions of a program have in `common`, by their own.
std::vector<Expressions::Id> common_numbers(const Expressions& own, Expressions& common) {
  std::vector<Expressions::Id> result(own.size());
  for (Expressions::Id id = 0; id < own.size(); ++id) {
    if (id <= Expressions::value) {
      result[id] = id;
    } else if (own.is_sum(id)) {
      const auto operands = own.operands(id);  // two: a program adds one by one
      result[id] = common.add(result[operands[0]], result[operands[1]]);
    } else {
      result[id] = common.only(own.rank(id));
    }
  }
  return result;
}

SumPart part(Rank rank, Chunk chunk, std::uint64_t chunks, Expressions::Id sum) {
  const std::uint64_t common = std::gcd(std::uint64_t{chunk}, chunks);
  return {rank, chunk / common, chunks / common, sum};
}

}  // namespace

SumOrder sum_order(const Program& program, program::Call call, Expressions& expressions) {
  const program::Wiring wiring(program);
  program::Values values(wiring, call);
  values.run(program::execute(wiring, program::unbounded).order, [](const program::InvalidUse&) {});
  const std::vector<Expressions::Id> numbers = common_numbers(values.expressions(), expressions);
  const std::uint64_t chunks = program.problem.total_chunks();
  SumOrder result;
  for (Rank rank = 0; rank < program.problem.ranks; ++rank) {
    values.each_sum(rank, [&](Chunk chunk, Expressions::Id sum) {
      const SumPart next = part(rank, chunk, chunks, numbers[sum]);
      if (result.empty() || result.back().rank != rank || result.back().sum != next.sum)
        result.push_back(next);
    });
  }
  return result;
}

}  // namespace schedcc
