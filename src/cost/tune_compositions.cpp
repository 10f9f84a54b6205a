// Tuning of compositions: each rule for the collective has two tuners for its parts, which ask for
// the best X and the best Y with the same chunks. Only the pair of these is built.

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/integers.hpp"
#include "cost/tuner.hpp"
#include "schedcc/algorithm.hpp"

namespace schedcc {

namespace {

/// How many blocks the bytes of a problem, or its chunks, are counted in: P or 1.
std::uint64_t blocks(const Problem& problem) {
  return info(problem.collective).blocks > 0 ? problem.ranks : 1;
}

/// The request for a part of a composition.
TuneRequest part_of(const TuneRequest& whole, Collective collective) {
  TuneRequest result = whole;
  result.compositions = false;
  result.chunks = std::nullopt;
  result.problem = part_problem(whole.problem, collective);
  std::erase_if(result.algorithms, [](const Spec& spec) { return is_composition(spec.name); });
  return result;
}

}  // namespace

void Tuner::Impl::enter_compositions() {
  for (const CompositionRule& rule : composition_rules()) {
    if (rule.whole != request_.problem.collective) continue;
    Pair pair{rule, std::make_unique<Impl>(part_of(request_, rule.first)),
              std::make_unique<Impl>(part_of(request_, rule.second))};
    if (!pair.first->candidates_.empty() && !pair.second->candidates_.empty())
      pairs_.push_back(std::move(pair));
  }
}

bool Tuner::Impl::cannot_reach(Pair& pair, std::uint64_t bytes, double seconds) const {
  double least = 0;
  for (const Impl* part : {pair.first.get(), pair.second.get()}) {
    const std::uint64_t smallest =
        bytes * blocks(request_.problem) / blocks(part->request_.problem);
    least += part->least_time(smallest);
  }
  if (least * (1 - 1e-9) <= seconds) return false;
  if (pair.why.reason.empty()) pair.why = {"the lower bounds of its parts are above the best time"};
  return true;
}

std::uint64_t Tuner::Impl::part_bytes(const Impl& part, std::uint64_t bytes) const {
  const std::uint64_t n = blocks(part.request_.problem), whole = blocks(request_.problem);
  return n == whole ? bytes : n == 1 ? bytes * whole : ceil_div(bytes, n);
}

std::vector<std::uint64_t> Tuner::Impl::chunks_for(Pair& pair, std::uint64_t bytes) {
  if (request_.chunks) return {*request_.chunks};
  const std::uint64_t whole = blocks(request_.problem);
  // Blocks of equal size are chosen, if there are any.
  const std::uint64_t unit =
      std::max(blocks(pair.first->request_.problem), blocks(pair.second->request_.problem)) / whole;
  std::vector<std::uint64_t> result;
  for (Impl* part : {pair.first.get(), pair.second.get()}) {
    const auto best = part->best(part_bytes(*part, bytes));
    if (!best) {
      if (pair.why.reason.empty()) pair.why = part->reason_for_nothing();
      return {};
    }
    const std::uint64_t total = best->chunks * blocks(part->request_.problem);
    const std::uint64_t K = std::max<std::uint64_t>(ceil_div(total, whole), 1);
    result.push_back(ceil_div(K, unit) * unit);
  }
  const double product = static_cast<double>(result[0]) * static_cast<double>(result[1]);
  const auto mean = static_cast<std::uint64_t>(std::sqrt(product));
  result.push_back(std::max<std::uint64_t>(mean / unit, 1) * unit);
  // As for single algorithms, a chunk has a byte at least.
  for (std::uint64_t& K : result) K = std::min(K, std::max<std::uint64_t>(bytes, 1));
  std::erase_if(result, [&](std::uint64_t K) { return K * whole > max_transfer_count; });
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::optional<Choice> Tuner::Impl::best_of(Pair& pair, std::uint64_t bytes, double limit) {
  const std::vector<std::uint64_t> tried = chunks_for(pair, bytes);
  std::optional<Choice> first, second;
  std::uint64_t chunks = 0;
  double least = limit;
  for (const std::uint64_t K : tried) {
    Problem whole = request_.problem;
    whole.chunks = static_cast<std::uint32_t>(K);
    const auto best = [&](Impl& part, double below) {
      return part.best_with(part_problem(whole, part.request_.problem.collective).chunks,
                            part_bytes(part, bytes), below);
    };
    auto x = best(*pair.first, least);
    if (!x) continue;
    auto y = best(*pair.second, least - x->seconds);
    if (!y) continue;
    least = x->seconds + y->seconds;
    first = std::move(x);
    second = std::move(y);
    chunks = K;
  }
  if (!first) return std::nullopt;
  return composed(pair, *first, *second, chunks, bytes, limit, tried);
}

std::optional<Choice> Tuner::Impl::composed(Pair& pair, const Choice& x, const Choice& y,
                                            std::uint64_t K, std::uint64_t bytes, double limit,
                                            const std::vector<std::uint64_t>& tried) {
  if (x.algorithm->hops != y.algorithm->hops) {
    const bool first = x.algorithm->hops;
    pair.why = {
        fmt::format("of its best parts, {} sends over links, hop by hop, and {} from rank to "
                    "rank",
                    (first ? x : y).spec.text(), (first ? y : x).spec.text())};
    return std::nullopt;
  }
  const auto text = [&](std::string_view first, std::string_view second) {
    return fmt::format("{} as {} then {} as {}", first, info(pair.rule.first).name, second,
                       info(pair.rule.second).name);
  };
  const Spec spec = algorithm_spec(text(x.spec.text(), y.spec.text()));
  auto known = composed_.find(spec.name);
  if (known == composed_.end()) {
    Composed made{candidate(named_algorithm(spec), spec),
                  text(x.algorithm->name, y.algorithm->name)};
    known = composed_.emplace(spec.name, std::move(made)).first;
  }
  AlgorithmSettings& own = known->second.candidate;
  if (own.settings.empty()) {
    pair.why = {own.why};
    return std::nullopt;
  }
  Packets& packets = own.settings.front();
  const auto found = packets.with(K, bytes, limit);
  if (!found || found->seconds >= limit) {
    pair.why = packets.why();
    return std::nullopt;
  }
  pair.chosen = true;
  return choice_of(own, packets, *found, request_.chunks ? std::vector<std::uint64_t>() : tried);
}

}  // namespace schedcc
