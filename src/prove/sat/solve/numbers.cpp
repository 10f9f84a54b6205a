#include "prove/sat/solve/numbers.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace schedcc::prover {

namespace {

/// Adds the clauses for all values of the terms: if they are at least these, or one of `otherwise`
/// is true, the bound is at least their sum and `sum`. Values that exceed it alone are enough.
void add_cases(std::span<const Term> terms, std::int64_t sum, const Number& bound,
               Literals& otherwise, Formula& formula) {
  if (terms.empty()) {
    otherwise.push_back(bound.at_least(sum));
    formula.add(otherwise);
    otherwise.pop_back();
    return;
  }
  const auto& [factor, number] = terms.front();
  const bool rising = factor > 0;
  for (std::int64_t i = 0; i <= std::ssize(number->more); ++i) {
    const std::int64_t n = rising ? number->least + i : number->most() - i;
    otherwise.push_back(rising ? -number->at_least(n) : -number->at_most(n));
    add_cases(terms.subspan(1), sum + factor * n, bound, otherwise, formula);
    otherwise.pop_back();
    if (terms.size() == 1 && sum + factor * n > bound.most()) break;
  }
}

}  // namespace

std::int64_t Number::value(const Model& model) const {
  std::int64_t result = least;
  for (const Literal l : more) result += is_true(l, model) ? 1 : 0;
  return result;
}

Number new_number(std::int64_t least, std::int64_t most, Formula& formula) {
  Number result{least};
  while (result.most() < most) {
    const Literal more = formula.fresh();
    if (!result.more.empty()) formula.add({-more, result.more.back()});
    result.more.push_back(more);
  }
  return result;
}

Number negative(const Number& number) {
  Number result{-number.most()};
  std::transform(number.more.rbegin(), number.more.rend(), std::back_inserter(result.more),
                 std::negate());
  return result;
}

void sum_is(std::span<const Number> numbers, std::int64_t sum, Formula& formula) {
  Literals all;
  for (const Number& number : numbers) {
    sum -= number.least;
    all.insert(all.end(), number.more.begin(), number.more.end());
  }
  if (sum < 0) return formula.add({});
  formula.at_most(all, static_cast<std::uint64_t>(sum));
  formula.at_least(all, static_cast<std::uint64_t>(sum));
}

void at_most(const std::vector<Term>& terms, std::int64_t constant, const Number& bound,
             Formula& formula) {
  Literals otherwise;
  add_cases(terms, constant, bound, otherwise, formula);
}

}  // namespace schedcc::prover
