// Tuning: every algorithm that serves the problem, with all values of the parameters that were left
// open, and for each the best number of chunks; then the best of all.
//
// The best choice of a size, an algorithm or a composition, is evaluated first for the next one: it
// is usually near to the best again, and slower schedules are abandoned early.

#include "schedcc/tune.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/core.h>

#include "cost/settings.hpp"
#include "cost/tuner.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// The most ranks for which compositions are searched in LogP and LogGP, where times do not add, so
/// that all parts and compositions are timed.
constexpr Rank max_in_logp = 64;

}  // namespace

Tuner::Impl::Impl(TuneRequest request, std::shared_ptr<SearchMemory> memory)
    : request_(std::move(request)), memory_(std::move(memory)) {
  for (const Spec& spec : request_.algorithms) {
    auto algorithm = named_algorithm(spec);
    spec.check(algorithm->parameters, fmt::format("algorithm '{}'", spec.name));
    if (algorithm->serves(request_.problem.collective)) {
      enter(std::move(algorithm), spec);
    } else if (request_.compositions && algorithm->serves(Collective::allgather) &&
               tokens_share_links()) {
      const Spec barrier = algorithm_spec(fmt::format("{} as barrier", spec.text()));
      enter(named_algorithm(barrier), barrier);
    }
  }
  const Rank P = request_.problem.ranks, most = request_.model.synchronous() ? P : max_in_logp;
  if (request_.compositions && P > 1 && P <= most) {
    enter_sequences();
    enter_reverse();
    enter_splits();
    enter_levels();
  }
}

bool Tuner::Impl::tokens_share_links() const {
  if (request_.problem.collective != Collective::barrier || !request_.machine) return false;
  const Machine machine = memory_->machine(*request_.machine, request_.problem.ranks);
  return machine.channels() != nullptr || machine.routed();
}

std::vector<Choice> Tuner::Impl::choices(std::uint64_t bytes) {
  std::vector<Choice> result;
  double best = HUGE_VAL;
  // Is the choice the best one so far?
  const auto add = [&](std::optional<Choice> choice) {
    if (!choice) return false;
    const bool better = choice->seconds < best;
    if (better) best = choice->seconds;
    result.push_back(std::move(*choice));
    return better;
  };
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (add(best_of(candidates_[i], bytes, HUGE_VAL))) last_best_ = i;
  }
  last_combination_.reset();
  for (std::size_t i = 0; i < combinations_.size(); ++i) {
    if (cannot_beat(combinations_[i], bytes, best)) continue;
    Combination& combination = combinations_[i];
    const double limit = combination.only_if_better ? best : HUGE_VAL;
    const bool better = add(best_of(combination, bytes, limit));
    if (better) last_combination_ = i;
    if (combination.only_if_better && !better && combination.why.reason.empty())
      combination.why = {"it takes longer than the best choice"};
  }
  std::ranges::stable_sort(result, {}, &Choice::seconds);
  return result;
}

std::optional<Choice> Tuner::Impl::best(std::uint64_t bytes) {
  std::optional<Choice> last;
  if (last_combination_) {
    last = best_of(combinations_[*last_combination_], bytes, HUGE_VAL);
  } else if (!candidates_.empty()) {
    last = best_of(candidates_[last_best_], bytes, HUGE_VAL);
  }
  // What takes as long, within rounding errors, is still compared with it, in order: the choice
  // does not depend on the sizes before.
  const double limit = last ? std::nextafter(last->seconds * (1 + 4e-12), HUGE_VAL) : HUGE_VAL;
  std::optional<Choice> best;
  // A difference within rounding errors is a tie.
  const auto still_good = [&] { return best ? best->seconds * (1 - 1e-12) : limit; };
  std::optional<std::size_t> combination;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    auto choice = best_of(candidates_[i], bytes, still_good());
    if (!choice) continue;
    best = std::move(choice);
    last_best_ = i;
  }
  for (std::size_t i = 0; i < combinations_.size(); ++i) {
    const bool known = last && last_combination_ == i;
    if (!known && cannot_beat(combinations_[i], bytes, still_good())) continue;
    auto choice = known ? last : best_of(combinations_[i], bytes, still_good());
    if (!choice || choice->seconds >= still_good()) continue;
    best = std::move(choice);
    combination = i;
  }
  last_combination_ = combination;
  return best;
}

std::vector<Crossover> Tuner::Impl::crossovers(const std::vector<std::uint64_t>& sizes) {
  std::vector<Crossover> result;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    bisect(sizes[i], name_at(sizes[i]), sizes[i + 1], name_at(sizes[i + 1]), result);
  }
  return result;
}

std::vector<Skipped> Tuner::Impl::skipped() const {
  std::vector<Skipped> result;
  for (const AlgorithmSettings& candidate : candidates_) {
    const auto& all = candidate.settings;
    const bool none =
        std::ranges::all_of(all, [](const Packets& p) { return !p.why().reason.empty(); });
    if (!none) continue;
    const Failure why = all.empty() ? Failure{candidate.why} : all[0].why();
    result.push_back({candidate.spec.text(), why.reason, why.check});
  }
  for (const Combination& combination : combinations_) {
    if (!combination.chosen && !combination.why.reason.empty())
      result.push_back({combination.name, combination.why.reason, combination.why.check});
  }
  return result;
}

SearchCounts Tuner::Impl::judged() const {
  SearchCounts result;
  const auto add = [&](const AlgorithmSettings& candidate, std::uint64_t& count) {
    count += candidate.settings.size();
    for (const Packets& packets : candidate.settings) result.schedules += packets.built();
  };
  for (const AlgorithmSettings& candidate : candidates_) add(candidate, result.settings);
  for (const auto& [spec, composed] : composed_) add(composed.candidate, result.compositions);
  for (const auto* const combinations : {&combinations_, &inner_levels_}) {
    for (const Combination& combination : *combinations) {
      for (const Part& part : combination.parts) {
        const SearchCounts more = part.tuner->judged();
        result.settings += more.settings;
        result.schedules += more.schedules;
      }
    }
  }
  return result;
}

AlgorithmSettings Tuner::Impl::candidate(std::shared_ptr<const Algorithm> algorithm,
                                         const Spec& spec) const {
  AlgorithmSettings result{algorithm, spec, {}};
  for (Setting& setting : settings(request_, std::move(algorithm), spec, result.why, *memory_))
    result.settings.emplace_back(request_, std::move(setting), *memory_);
  return result;
}

void Tuner::Impl::enter(std::shared_ptr<const Algorithm> algorithm, const Spec& spec) {
  candidates_.push_back(candidate(std::move(algorithm), spec));
}

std::optional<Choice> Tuner::Impl::best_of(AlgorithmSettings& candidate, std::uint64_t bytes,
                                           double limit) {
  auto& all = candidate.settings;
  std::uint64_t evaluated = 0;
  if (all.size() > 1) {
    const auto last = all[candidate.last_best].best(bytes, limit, candidate.near, evaluated);
    if (last && last->seconds < limit) limit = std::nextafter(last->seconds, HUGE_VAL);
  }
  std::optional<Choice> best;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto found = all[i].best(bytes, limit, candidate.near, evaluated);
    if (!found || found->seconds >= limit) continue;
    limit = found->seconds;
    candidate.last_best = i;
    candidate.near = found->packets;
    best = choice_of(candidate, all[i], *found, all[i].tried(bytes));
  }
  return best;
}

std::optional<Choice> Tuner::Impl::best_with(std::uint64_t K, std::uint64_t bytes, double limit) {
  if (last_with_) {
    const auto last = last_with_->with(K, bytes, limit);
    if (last && last->seconds < limit) limit = std::nextafter(last->seconds, HUGE_VAL);
  }
  std::optional<Choice> best;
  for (AlgorithmSettings& candidate : candidates_) {
    for (Packets& packets : candidate.settings) {
      const auto found = packets.with(K, bytes, limit);
      if (!found || found->seconds >= limit) continue;
      limit = found->seconds;
      last_with_ = &packets;
      best = choice_of(candidate, packets, *found, {});
    }
  }
  for (Combination& combination : inner_levels_) {
    auto found = estimate_with(combination, K, bytes, limit);
    if (!found || found->seconds >= limit) continue;
    limit = found->seconds;
    best = std::move(found);
  }
  return best;
}

Choice Tuner::Impl::choice_of(const AlgorithmSettings& candidate, const Packets& packets,
                              const PacketChoice& found, std::vector<std::uint64_t> tried) {
  const Setting& setting = packets.setting();
  return {candidate.algorithm,
          setting.spec,
          setting.request.machine,
          static_cast<std::uint32_t>(found.packets),
          found.steps,
          found.seconds,
          std::move(tried)};
}

std::string Tuner::Impl::name_at(std::uint64_t bytes) {
  const auto choice = best(bytes);
  if (!choice) return "";
  const auto found = composed_.find(choice->spec.name);
  return found != composed_.end() ? found->second.plain : std::string(choice->algorithm->name);
}

void Tuner::Impl::bisect(std::uint64_t low, const std::string& from, std::uint64_t high,
                         const std::string& to, std::vector<Crossover>& result) {
  if (from == to) return;
  if (high - low == 1) {
    result.push_back({high, from, to});
    return;
  }
  const std::uint64_t middle = low + (high - low) / 2;
  const std::string name = name_at(middle);
  bisect(low, from, middle, name, result);
  bisect(middle, name, high, to, result);
}

double Tuner::Impl::least_time(std::uint64_t bytes) const {
  if (request_.model.step_time == StepTime::rank) return 0;  // there are several machines
  const Machine machine =
      memory_->machine(request_.machine.value_or("duplex"), request_.problem.ranks);
  if (machine.routed()) return 0;
  double least = 0;
  for (const TimeBound& bound :
       time_bounds(request_.problem, machine, request_.model, bytes, UINT32_MAX)) {
    if (bound.holds_for != BoundedSchedules::one_packet_size)
      least = std::max(least, bound.seconds);
  }
  return least;
}

Failure Tuner::Impl::reason_for_no_choice() const {
  const std::vector<Skipped> all = skipped();
  if (all.empty() || all.size() < candidates_.size()) return {};
  return {fmt::format("no {} holds, as {}: {}", info(request_.problem.collective).name,
                      all.front().algorithm, all.front().reason),
          all.front().check};
}

Tuner::Tuner(TuneRequest request) {
  auto memory = std::make_shared<SearchMemory>();
  require_fit(request.model,
              memory->machine(request.machine.value_or("duplex"), request.problem.ranks));
  impl_ = std::make_unique<Impl>(std::move(request), std::move(memory));
}
Tuner::~Tuner() = default;
Tuner::Tuner(Tuner&&) noexcept = default;

std::vector<Choice> Tuner::choices(std::uint64_t bytes) { return impl_->choices(bytes); }
std::optional<Choice> Tuner::best(std::uint64_t bytes) { return impl_->best(bytes); }
std::vector<Crossover> Tuner::crossovers(const std::vector<std::uint64_t>& sizes) {
  return impl_->crossovers(sizes);
}
std::vector<Skipped> Tuner::skipped() const { return impl_->skipped(); }
SearchCounts Tuner::judged() const { return impl_->judged(); }

}  // namespace schedcc
