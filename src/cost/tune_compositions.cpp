// Tuning of compositions: the parts of a kind of composition (tune_kinds.cpp) have tuners of their
// own, which are asked for the best algorithm with the same chunks, since the times of parts add.
// Only the composition of these is built.

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "cost/tuner.hpp"
#include "schedcc/algorithm.hpp"

namespace schedcc {

namespace {

/// The most segments in which levels are timed.
constexpr std::uint64_t max_segments = 64;

}  // namespace

bool Tuner::Impl::cannot_beat(Combination& combination, std::uint64_t bytes, double seconds) {
  if (!combination.exact) return false;
  double least = 0;
  for (const Part& part : combination.parts) least += least_time(part, bytes);
  if (least * (1 - 1e-9) <= seconds) return false;
  if (combination.why.reason.empty())
    combination.why = {"the lower bounds of its parts are above the best time"};
  return true;
}

std::vector<PacketRange> Tuner::Impl::best_of_parts(Combination& combination, std::uint64_t bytes,
                                                    double limit) {
  double rest = limit;  // without the bounds of all parts, which rise as these are searched
  if (combination.exact) {
    for (const Part& part : combination.parts) rest -= least_time(part, bytes);
  }
  std::vector<PacketRange> result;
  for (const Part& part : combination.parts) {
    const double least = combination.exact ? least_time(part, bytes) : 0;
    const auto best =
        part.tuner->range_of_best(part.scaled(bytes), combination.exact ? rest + least : HUGE_VAL);
    if (!best) {
      if (combination.why.reason.empty()) combination.why = part.tuner->reason_for_no_choice();
      return {};
    }
    rest -= std::max(best->least - least, 0.0);
    result.push_back(*best);
  }
  return result;
}

std::vector<std::uint64_t> Tuner::Impl::chunks_for(Combination& combination, std::uint64_t bytes,
                                                   double limit) {
  if (request_.chunks) return {*request_.chunks};
  // Blocks of equal size are chosen, if there are any.
  std::uint64_t unit = 1;
  for (const Part& part : combination.parts) unit = std::lcm(unit, part.den);
  const std::vector<PacketRange> best = best_of_parts(combination, bytes, limit);
  if (best.empty()) return {};
  std::vector<std::uint64_t> result;
  double product = 1;
  for (std::size_t i = 0; i < best.size(); ++i) {
    const std::uint64_t whole = combination.parts[i].whole(best[i].packets);
    const std::uint64_t K = ceil_div(std::max<std::uint64_t>(whole, 1), unit);
    result.push_back(K * unit);
    product *= static_cast<double>(K * unit);
  }
  const double root = 1.0 / static_cast<double>(combination.parts.size());
  const auto mean = static_cast<std::uint64_t>(std::pow(product, root) * (1 + 1e-12));
  result.push_back(std::max<std::uint64_t>(mean / unit, 1) * unit);
  // As for single algorithms, a chunk has a byte at least.
  for (std::uint64_t& K : result) K = std::min(K, std::max<std::uint64_t>(bytes, 1));
  std::erase_if(result, [&](std::uint64_t K) { return too_many_chunks(K); });
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::optional<Choice> Tuner::Impl::best_of(Combination& combination, std::uint64_t bytes,
                                           double limit) {
  if (combination.one_part) return best_of_one_part(combination, bytes, limit);
  const std::vector<std::uint64_t> tried = chunks_for(combination, bytes, limit);
  std::vector<Choice> best;
  std::uint64_t chunks = 0;
  double least = combination.exact ? limit : HUGE_VAL;
  for (const std::uint64_t K : tried) {
    if (too_slow(combination, K, bytes, least)) continue;
    std::vector<Choice> parts;
    double seconds = 0;
    for (const Part& part : combination.parts) {
      auto choice = part.tuner->best_with(part.scaled(K), part.scaled(bytes), least - seconds);
      if (!choice) break;
      seconds += choice->seconds;
      parts.push_back(std::move(*choice));
    }
    if (parts.size() < combination.parts.size()) continue;
    least = seconds;
    best = std::move(parts);
    chunks = K;
  }
  if (best.empty()) return std::nullopt;
  if (combination.in_segments)
    return best_in_segments(combination, best, chunks, bytes, limit, tried);
  return composed(combination, best, 0, chunks, bytes, limit, tried);
}

std::vector<std::uint64_t> Tuner::Impl::chunks_of_one_part(const Part& part,
                                                           const Choice& choice) const {
  if (request_.chunks) return {*request_.chunks};
  std::vector<std::uint64_t> result{part.whole(choice.chunks)};
  // Two chunks, unlike one, may go different ways.
  if (choice.chunks == 1) result.push_back(part.whole(2));
  std::erase_if(result, [&](std::uint64_t K) { return too_many_chunks(K); });
  return result;
}

std::optional<Choice> Tuner::Impl::best_of_one_part(Combination& combination, std::uint64_t bytes,
                                                    double limit) {
  const Part& part = combination.parts.front();
  std::vector<Choice> parts;
  for (AlgorithmSettings& candidate : part.tuner->candidates_) {
    if (auto choice = part.tuner->best_of(candidate, part.scaled(bytes), limit))
      parts.push_back(std::move(*choice));
  }
  std::ranges::stable_sort(parts, {}, &Choice::seconds);
  std::optional<Choice> best;
  for (const Choice& x : parts) {
    if (x.seconds >= limit) break;
    for (const std::uint64_t K : chunks_of_one_part(part, x)) {
      auto found = composed(combination, {x}, 0, K, bytes, limit, {K});
      if (!found) continue;
      limit = found->seconds;
      best = std::move(found);
    }
  }
  return best;
}

std::optional<Choice> Tuner::Impl::best_in_segments(Combination& combination,
                                                    const std::vector<Choice>& parts,
                                                    std::uint64_t K, std::uint64_t bytes,
                                                    double limit,
                                                    const std::vector<std::uint64_t>& tried) {
  const auto [stages, one_differs] = combination.overlap;
  // However many segments there are, each stage takes as long as without them.
  double last = limit * static_cast<double>(stages);
  auto found = composed(combination, parts, 0, K, bytes, one_differs ? limit : last, tried);
  if (!one_differs) {
    if (!found) return std::nullopt;
    last = found->seconds;
  }
  std::optional<Choice> best;
  if (found && found->seconds < limit) best = std::move(found);
  // With the segments the latencies increase, and what does not overlap decreases.
  for (std::uint64_t segments = one_differs ? 1 : 2;
       segments <= max_segments && segments * K <= bytes; segments *= 2) {
    if (request_.chunks && segments > K) break;
    const std::uint64_t chunks = request_.chunks ? K : segments * K;
    if (too_many_chunks(chunks)) break;
    found = composed(combination, parts, segments, chunks, bytes, last, tried);
    if (!found) break;
    last = found->seconds;
    if (last < (best ? best->seconds : limit)) best = std::move(found);
  }
  return best;
}

std::optional<Choice> Tuner::Impl::composed(Combination& combination,
                                            const std::vector<Choice>& parts,
                                            std::uint64_t segments, std::uint64_t K,
                                            std::uint64_t bytes, double limit,
                                            const std::vector<std::uint64_t>& tried) {
  const Choice& x = parts.front();
  for (const Choice& y : parts) {
    if (x.algorithm->hops == y.algorithm->hops) continue;
    const bool first = x.algorithm->hops;
    combination.why = {
        fmt::format("of its best parts, {} sends over links, hop by hop, and {} from rank to "
                    "rank",
                    (first ? x : y).spec.text(), (first ? y : x).spec.text())};
    return std::nullopt;
  }
  std::vector<std::string> specs, names;
  for (const Choice& part : parts) {
    specs.push_back(part.spec.text());
    names.emplace_back(part.algorithm->name);
  }
  const auto text = [&](const std::vector<std::string>& of) {
    return segments == 0 ? combination.text(of)
                         : combination.in_segments(combination.text(of), segments);
  };
  const Spec spec{composition_text(text(specs)), {}};
  auto known = composed_.find(spec.name);
  if (known == composed_.end()) {
    Composed made{candidate(named_algorithm(spec), spec), text(names)};
    known = composed_.emplace(spec.name, std::move(made)).first;
  }
  AlgorithmSettings& candidate = known->second.candidate;
  if (candidate.settings.empty()) {
    combination.why = {candidate.why};
    return std::nullopt;
  }
  Packets& packets = candidate.settings.front();
  const auto found = packets.with(K, bytes, limit);
  if (!found || found->seconds >= limit) {
    combination.why = packets.why();
    return std::nullopt;
  }
  combination.chosen = true;
  return choice_of(candidate, packets, *found,
                   request_.chunks ? std::vector<std::uint64_t>() : tried);
}

}  // namespace schedcc
