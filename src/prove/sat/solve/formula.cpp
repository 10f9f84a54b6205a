#include "prove/sat/solve/formula.hpp"
#include "core/join.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/core.h>

namespace schedcc::prover {

Formula::Formula(PollLimits poll_limits) : poll_limits_(std::move(poll_limits)) { add({yes}); }

Literal Formula::variable(std::string_view kind, std::initializer_list<std::uint64_t> about) {
  VariableName& name = names_.emplace_back(VariableName{kind, {}, about.size()});
  std::ranges::transform(about, name.about.begin(),
                         [](std::uint64_t n) { return static_cast<std::uint32_t>(n); });
  if (names_.size() % 65536 == 0) poll_limits();
  if (names_.size() > max_literals)
    throw FormulaTooLarge("the formula has more than 2^26 variables, the limit");
  return ++variables_;
}

Literal Formula::fresh() { return variable({}, {}); }

void Formula::add(std::span<const Literal> clause) {
  // The one clause about the constant itself is kept as it is.
  const bool about_yes = clauses_ == 0;
  if (!about_yes && std::ranges::find(clause, yes) != clause.end()) return;
  const std::size_t before = data_.size();
  for (const Literal l : clause) {
    if (l != no) data_.push_back(l);
  }
  if (data_.size() == before) refuted_ = true;
  data_.push_back(0);
  if (++clauses_ % 65536 == 0) poll_limits();
  if (data_.size() > max_literals)
    throw FormulaTooLarge("the formula has more than 2^26 literals, the limit");
}

void Formula::derive(std::string argument, const std::function<void()>& add) {
  const std::uint64_t before = clauses_;
  const int fresh = variables_;
  add();
  if (clauses_ == before) return;
  derived_.push_back({std::move(argument), before, clauses_ - before, fresh});
}

void Formula::at_most(const Literals& literals, std::uint64_t k) {
  Literals open;
  for (const Literal l : literals) {
    if (l == no) continue;
    if (l != yes) {
      open.push_back(l);
    } else if (k-- == 0) {
      return add({});  // too many already
    }
  }
  if (open.size() <= k) return;
  if (k == 0) {
    for (const Literal l : open) add({-l});
  } else if (k == 1) {
    at_most_one(open);
  } else {
    add({-counted(open, k + 1).back()});
  }
}

void Formula::at_least(Literals literals, std::uint64_t k) {
  if (k == 0) return;
  if (k > literals.size()) return add({});
  if (k == 1) return add(literals);
  for (Literal& l : literals) l = -l;
  at_most(literals, literals.size() - k);
}

/// Three at a time, and a literal that says whether one of the others is true.
void Formula::at_most_one(const Literals& literals) {
  Literals some;
  for (std::size_t i = 0; i < literals.size();) {
    const std::size_t left = literals.size() - i;
    const std::size_t take = some.size() + left <= 5 ? left : 4 - some.size();
    for (std::size_t j = 0; j < take; ++j) some.push_back(literals[i++]);
    Literal rest = no;
    if (i < literals.size()) some.push_back(rest = fresh());
    for (std::size_t a = 0; a < some.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) add({-some[a], -some[b]});
    }
    some.assign(1, -rest);
  }
}

Literals Formula::counted(const Literals& literals, std::uint64_t limit) {
  return totals(literals, limit, Implied::by_them);
}

Literals Formula::counted_exactly(const Literals& literals, std::uint64_t limit) {
  return totals(literals, limit, Implied::both_ways);
}

/// A totalizer: both halves are counted, and the counts are added.
Literals Formula::totals(const Literals& literals, std::uint64_t limit, Implied implied) {
  if (literals.size() <= 1)
    return {literals.begin(),
            literals.begin() +
                std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(limit), std::ssize(literals))};
  const auto middle = literals.begin() + std::ssize(literals) / 2;
  const Literals a = totals({literals.begin(), middle}, limit, implied);
  const Literals b = totals({middle, literals.end()}, limit, implied);
  Literals sum;
  for (std::size_t i = 0; i < std::min<std::uint64_t>(a.size() + b.size(), limit); ++i) {
    sum.push_back(fresh());
    if (i > 0) add({-sum[i], sum[i - 1]});
  }
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (implied == Implied::both_ways && i + j < sum.size()) {
        add({-sum[i + j], i < a.size() ? a[i] : no, j < b.size() ? b[j] : no});
      }
      if (i + j == 0 || i + j > sum.size()) continue;
      const Literal more = sum[i + j - 1];
      if (i == 0) {
        add({-b[j - 1], more});
      } else if (j == 0) {
        add({-a[i - 1], more});
      } else {
        add({-a[i - 1], -b[j - 1], more});
      }
    }
  }
  return sum;
}

std::string Formula::name(int variable) const {
  if (variable == yes) return "true_";
  const VariableName& name = names_[static_cast<std::size_t>(variable) - 2];
  if (name.kind.empty()) return fmt::format("x{}", variable);
  return fmt::format("{}_{}", name.kind, join(std::span(name.about).first(name.count), "_"));
}

std::string dimacs(const Formula& formula) {
  std::string text = "c true_ = 1\n";
  for (int v = 2; v <= formula.variables(); ++v) {
    const std::string name = formula.name(v);
    if (!name.starts_with('x')) text += fmt::format("c {} = {}\n", name, v);
  }
  text += fmt::format("p cnf {} {}\n", formula.variables(), formula.clauses());
  for (const Literal l : formula.data()) {
    if (l == 0) {
      text += "0\n";
    } else {
      text += fmt::format("{} ", l);
    }
  }
  return text;
}

std::string smtlib(const Formula& formula, std::string_view comment) {
  std::string text = fmt::format("{}(set-logic QF_UF)\n", comment);
  for (int v = 1; v <= formula.variables(); ++v) {
    text += fmt::format("(declare-const {} Bool)\n", formula.name(v));
  }
  const auto literal = [&](Literal l) {
    return l > 0 ? formula.name(l) : fmt::format("(not {})", formula.name(-l));
  };
  Literals clause;
  for (const Literal l : formula.data()) {
    if (l != 0) {
      clause.push_back(l);
      continue;
    }
    if (clause.empty()) {
      text += "(assert false)\n";
    } else if (clause.size() == 1) {
      text += fmt::format("(assert {})\n", literal(clause.front()));
    } else {
      text += "(assert (or";
      for (const Literal c : clause) text += fmt::format(" {}", literal(c));
      text += "))\n";
    }
    clause.clear();
  }
  return text + "(check-sat)\n";
}

}  // namespace schedcc::prover
