// Exchanges (exchange_run.cpp) on any number of ranks, some of which play two roles
// (exchange_windows.cpp), in modules that few messages may leave or enter. It only matters how many
// ranks of each module have each label, since any of these may take each other's place: in a step,
//
//     once(a)   ranks of one role with a label of age a, without the root
//     twice(a)  ranks of two roles whose young label has age a
//     all(a)    labels of age a: once(a) + twice(a) (all ranks of two roles for a = q), and the
//               root's
//
// and once', twice', all' in the next one. All roles with labels of age a < q keep them and send
// them, so that 2 all(a) - all'(a + 1) more of these leave a module than enter it. Of the ranks of
// one role those with a label of age q receive one, and send the other half the oldest label. Of
// the ranks of two, those whose young label has age q - 1 receive a younger one, which takes its
// place, and the others receive one of age q - 1. So
//
//     once(a) <= once'(a + 1)    for a < q
//     twice(a) <= twice'(a + 1)  for a < q - 1
//
// is all that is required besides the sums of labels and of ranks. The differences are the labels
// of age a that ranks of one and of two roles receive; those of one role add up to once(q), the
// ranks that receive, and those of two to twice(q - 1). All that all'(a + 1) lacks of all(a) is
// received: what is left for a = q - 1 is one label for each rank of two roles with a younger one.
//
// Labels before the first packet are not sent. So those that are older than the schedule may go to
// any module. From step K on the youngest label is the last packet, which the root has as well. In
// the last step ranks of two roles have all packets, and the others exchange theirs.
//
// One rank with the oldest label is idle, since the root need not receive it.

#include "prove/sat/exchange/exchange_numbers.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/solve/numbers.hpp"

namespace schedcc::prover {

namespace {

using Numbers = std::vector<Number>;

/// The labels of a module, by age, and the number of idle ranks.
struct LabelVariables {
  Numbers once, twice, all;
  Number idle;
};

/// The messages that leave a module and enter it in a step, of which there are as many as literals
/// that are true.
struct Crossings {
  std::int64_t most_out, most_in;
  Literals out = {}, in = {};

  /// More messages leave than enter it, by at least the sum of the terms.
  void add(std::vector<Term> terms, std::int64_t constant, Formula& formula) {
    one_way(terms, constant, most_out, out, formula);
    for (Term& term : terms) term.first = -term.first;
    one_way(terms, -constant, most_in, in, formula);
  }
  void limit(Formula& formula) const {
    formula.at_most(out, static_cast<std::uint64_t>(most_out));
    formula.at_most(in, static_cast<std::uint64_t>(most_in));
  }

 private:
  static void one_way(const std::vector<Term>& terms, std::int64_t constant, std::int64_t most,
                      Literals& messages, Formula& formula) {
    const Number number = new_number(0, most, formula);
    at_most(terms, constant, number, formula);
    messages.insert(messages.end(), number.more.begin(), number.more.end());
  }
};

class NumbersFormula {
 public:
  NumbersFormula(const ExchangeModules& modules, std::uint64_t packets,
                 const PollLimits& poll_limits)
      : modules_(modules),
        packets_(static_cast<std::int64_t>(packets)),
        size_(static_cast<std::int64_t>(modules.size)),
        formula_(poll_limits) {
    const std::uint64_t ranks = modules.size * modules.count();
    q_ = std::bit_width(ranks - 1);
    steps_ = static_cast<std::int64_t>(exchange_steps(ranks, packets));
    formula_.expect_model();
    for (std::size_t m = 0; m < modules_.count(); ++m) {
      twice_.push_back(new_number(0, size_ - home(m), formula_));
    }
    sum_is(twice_, (std::int64_t{1} << q_) - static_cast<std::int64_t>(ranks), formula_);
    for (std::int64_t t = 0; t < steps_; ++t) labels(t);
    for (std::int64_t t = 0; t < steps_; ++t) step(t);
  }

  const Formula& formula() const { return formula_; }
  LabelNumbers numbers(const Model& model) const {
    const auto values = [&](const Numbers& numbers) {
      std::vector<std::int64_t> result;
      for (const Number& number : numbers) result.push_back(number.value(model));
      return result;
    };
    LabelNumbers result;
    for (const std::vector<LabelVariables>& step : labels_) {
      result.emplace_back();
      for (const LabelVariables& of : step) {
        const bool idle = of.idle.value(model) > 0;
        result.back().push_back({values(of.once), values(of.twice), idle});
      }
    }
    return result;
  }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  std::int64_t home(std::size_t m) const { return m == modules_.home ? 1 : 0; }

  /// The age of the root's label when step t begins: 0 of a new packet.
  std::int64_t root_age(std::int64_t t) const {
    return std::max<std::int64_t>(t + 1 - packets_, 0);
  }
  std::int64_t youngest_age(std::int64_t t) const { return std::max<std::int64_t>(root_age(t), 1); }
  /// The labels of an age, of all modules.
  std::int64_t count(std::int64_t age, std::int64_t t) const {
    return std::int64_t{1} << (age == root_age(t) ? age : age - 1);
  }

  /// The labels when step t begins.
  void labels(std::int64_t t) {
    auto& now = labels_.emplace_back(modules_.count());
    for (std::size_t m = 0; m < modules_.count(); ++m) labels_of(m, t, now[m]);
    for (std::int64_t age = youngest_age(t); age <= q_; ++age) {
      Numbers all;
      for (const LabelVariables& of : now) all.push_back(of.all[index(age)]);
      sum_is(all, count(age, t), formula_);
    }
    Numbers idle;
    for (const LabelVariables& of : now) idle.push_back(of.idle);
    sum_is(idle, 1, formula_);
  }

  void labels_of(std::size_t m, std::int64_t t, LabelVariables& of) {
    for (std::int64_t age = 0; age <= q_; ++age) {
      const std::int64_t root = age == root_age(t) ? home(m) : 0;
      const std::int64_t most = age < youngest_age(t) ? 0 : count(age, t);
      of.once.push_back(new_number(0, std::min(most, size_), formula_));
      of.twice.push_back(new_number(0, age < q_ ? std::min(most, size_) : 0, formula_));
      of.all.push_back(new_number(0, std::max(std::min(most, 2 * size_), root), formula_));
      const Number &once = of.once.back(), &twice = age < q_ ? of.twice.back() : twice_[m];
      at_most({{1, &once}, {1, &twice}}, root, of.all.back(), formula_);
      at_most({{-1, &once}, {-1, &twice}}, -root, negative(of.all.back()), formula_);
    }
    Numbers once = of.once, twice = of.twice;
    once.push_back(twice_[m]);
    sum_is(once, size_ - home(m), formula_);
    twice.push_back(negative(twice_[m]));
    sum_is(twice, 0, formula_);
    of.idle = new_number(0, 1, formula_);
    at_most({{1, &of.idle}}, 0, of.once.back(), formula_);
  }

  void step(std::int64_t t) {
    for (std::size_t m = 0; m < modules_.count(); ++m) {
      const LabelVariables& now = labels_[index(t)][m];
      const Number& oldest = now.once.back();
      Crossings crossings{modules_.out[m], modules_.in[m]};
      if (t >= q_) {
        crossings.add({{2, &oldest}, {1, &twice_[m]}, {-1, &now.idle}}, home(m) - size_, formula_);
      }
      if (t + 1 == steps_) {
        crossings.add({{-2, &oldest}, {-1, &twice_[m]}}, size_, formula_);
      } else {
        for (std::int64_t age = root_age(t); age < q_; ++age) grow(m, age, t, crossings);
      }
      crossings.limit(formula_);
    }
  }

  /// The labels of a module and an age in step t, and a step older in the next.
  void grow(std::size_t m, std::int64_t age, std::int64_t t, Crossings& crossings) {
    const LabelVariables &now = labels_[index(t)][m], &next = labels_[index(t + 1)][m];
    const std::size_t before = index(age), after = index(age + 1);
    at_most({{1, &now.once[before]}}, 0, next.once[after], formula_);
    if (age + 1 < q_) at_most({{1, &now.twice[before]}}, 0, next.twice[after], formula_);
    if (age > t) return;  // before the first packet
    // The root keeps no label but the last packet.
    const std::int64_t sent_only = age == root_age(t) && age + 1 != root_age(t + 1) ? home(m) : 0;
    crossings.add({{2, &now.all[before]}, {-1, &next.all[after]}}, -sent_only, formula_);
  }

  const ExchangeModules& modules_;
  std::int64_t packets_, size_, q_ = 0, steps_ = 0;
  Formula formula_;
  Numbers twice_;                                    ///< ranks of two roles, by module
  std::vector<std::vector<LabelVariables>> labels_;  ///< by step and module
};

}  // namespace

std::optional<LabelNumbers> exchange_numbers(const ExchangeModules& modules, std::uint64_t packets,
                                             const SolverEntry& solver,
                                             const SolverLimits& limits) {
  const NumbersFormula numbers(modules, packets, limit_checker(limits));
  Model model;
  if (solver.solve(numbers.formula(), limits, model, "") != Answer::sat) return std::nullopt;
  return numbers.numbers(model);
}

}  // namespace schedcc::prover
