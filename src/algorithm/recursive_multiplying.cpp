// Recursive multiplying: an allreduce in which k ranks at a time exchange whole vectors.
//
// In step i those ranks exchange vectors whose numbers to base k differ in digit i only: log_k P
// steps through k - 1 ports, if P is a power of k. Otherwise let Q be the largest power that is not
// above P: the ranks r >= Q first send their vectors to rank r mod Q, and finally get the result,
// two steps more. (k is P where that is less.)
//
// `mixed` has digits to different bases instead: P as a product of as few factors as possible, none
// above k, in as many steps, without those two.
//
// Operands keep their order if no rank is folded into another: the sums are then over intervals.
// All ranks have the same sums for k = 2; otherwise a rank adds up several vectors in an order that
// the schedule does not determine.
//
// `recexch` folds ranks into their neighbours, so that the order is kept for any P.
//
// Source: MPICH, recursive multiplying; Ruefenacht, Bull, Booth 2017, doi
// 10.1016/j.parco.2017.08.004.

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "algorithm/kernel/multiplying.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"
#include "core/join.hpp"

namespace schedcc::recursive_multiplying_algorithm {

namespace {

using namespace local_terms;
using Factors = std::vector<std::uint64_t>;

/// The fewest factors up to `most` >= 2 whose product is n, the largest first; empty if there are
/// none, or n is 1. Every factor is a product of some of n's prime factors, which are few.
class FewestFactors {
 public:
  FewestFactors(std::uint64_t n, std::uint64_t most) {
    std::uint64_t rest = n;
    for (std::uint64_t p = 2; p <= most && p * p <= rest; ++p) {
      for (; rest % p == 0; rest /= p) primes_.push_back(p);
    }
    if (rest > 1) primes_.push_back(rest);
    if (primes_.empty() || primes_.back() > most) return;
    best_ = of(n, most);
  }
  const Factors& result() const { return best_; }

 private:
  /// For a divisor n of the number.
  const Factors& of(std::uint64_t n, std::uint64_t most) {
    const auto known = found_.find(n);
    if (known != found_.end()) return known->second;
    Factors best;
    if (n <= most) {
      if (n > 1) best = {n};
    } else {
      for (const std::uint64_t factor : divisors(n, most)) {
        const Factors& others = of(n / factor, most);
        if (!best.empty() && others.size() + 1 >= best.size()) continue;
        best = {factor};
        best.insert(best.end(), others.begin(), others.end());
      }
      std::ranges::sort(best, std::greater<>());
    }
    return found_.emplace(n, std::move(best)).first->second;
  }
  /// The divisors of n from 2 up to `most`, the largest first.
  Factors divisors(std::uint64_t n, std::uint64_t most) const {
    Factors result{1};
    for (const std::uint64_t p : primes_) {
      const std::size_t count = result.size();
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t product = result[i] * p;
        if (product <= most && n % product == 0) result.push_back(product);
      }
      std::ranges::sort(result, std::greater<>());
      result.erase(std::unique(result.begin(), result.end()), result.end());
    }
    result.pop_back();
    return result;
  }

  Factors primes_, best_;
  std::map<std::uint64_t, Factors> found_;
};

bool mixed(const Parameters& given) { return given.has("mixed"); }

Factors factors_of(const Parameters& given, std::uint64_t P) {
  const std::uint64_t k = given.integer("k");
  return mixed(given) ? FewestFactors(P, k).result() : local::equal_factors(P, k);
}

std::uint64_t product(const Factors& factors) {
  std::uint64_t result = 1;
  for (const std::uint64_t factor : factors) result *= factor;
  return result;
}

std::optional<std::string> reason(const Request& r) {
  const Rank P = r.problem.ranks;
  if (!mixed(r.parameters) || P == 1 || !factors_of(r.parameters, P).empty()) return std::nullopt;
  return fmt::format("{} is not a product of factors up to k = {}", P, r.parameters.integer("k"));
}

Result kernel(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks, k = r.parameters.integer("k");
  const Factors factors = factors_of(r.parameters, P);
  const std::string text = mixed(r.parameters) ? fmt::format("{{{}}}", join(factors, ", "))
                                               : fmt::format("equal_factors(ranks, {})", k);
  return result(r,
                Term<local::MultiplyingAllreduce>{
                    {P, r.problem.chunks, factors},
                    fmt::format("MultiplyingAllreduce(ranks, chunks, {})", text)},
                {"multiplying.hpp"});
}

std::optional<std::string> order(const Request& r) {
  const std::uint64_t Q = product(factors_of(r.parameters, r.problem.ranks));
  if (Q == r.problem.ranks) return std::nullopt;
  return fmt::format("rank 0 passes on the contribution of rank {} with its own", Q);
}

bool agrees(const Request& r) {
  const Factors factors = factors_of(r.parameters, r.problem.ranks);
  return std::ranges::all_of(factors, [](std::uint64_t factor) { return factor == 2; });
}

CostClaim claim(const Request& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  const Factors factors = factors_of(r.parameters, P);
  const bool folds = product(factors) < P;
  const std::uint64_t steps = factors.size() + (folds ? 2 : 0);
  const std::string_view formula = mixed(r.parameters) ? "factors of P"
                                   : folds             ? "log_k Q + 2"
                                                       : "log_k P";
  return {.steps = steps, .volume = steps * K, .steps_formula = formula, .volume_formula = formula};
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "recursive-multiplying",
    .summary = "k ranks at a time exchange whole vectors",
    .source = "Ruefenacht, Bull, Booth 2017, doi 10.1016/j.parco.2017.08.004",
    .collectives = {Collective::allreduce},
    .machines = {"duplex", "kport:k={k-1}"},
    .parameters = {{.name = "k",
                    .summary = "ranks that exchange at a time, through k - 1 ports",
                    .min = 2,
                    .max = (std::uint64_t{1} << 31) - 1,
                    .default_value = "2"},
                   {.name = "mixed",
                    .summary = "group sizes are the fewest factors of P that are at most k",
                    .kind = Parameter::Kind::flag}},
    .reason = reason,
    .order = order,
    .agrees = agrees,
    .disagreement = "with k > 2 and more than 2 ranks",
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim = claim,
};

}  // namespace schedcc::recursive_multiplying_algorithm
