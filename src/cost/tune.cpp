// Tuning: every algorithm that serves the problem, with all values of the parameters that were left
// open, and for each the best number of chunks; then the best of all.
//
// The best choice of a size is evaluated first for the next one: it is usually near to the best
// again, and slower schedules are abandoned early.

#include "schedcc/tune.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "cost/packets.hpp"
#include "cost/settings.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// An algorithm with all settings that serve the request.
struct AlgorithmSettings {
  const Algorithm* algorithm;
  Spec spec;        ///< as in the request
  std::string why;  ///< there are no settings
  std::vector<Packets> settings = {};
  std::size_t last_best = 0;  ///< the setting that was best for the previous size
  std::uint64_t near = 0;     ///< and its K; 0: none
};

}  // namespace

class Tuner::Impl {
 public:
  explicit Impl(TuneRequest request) : request_(std::move(request)) {
    if (request_.machine) check_machine(*request_.machine);
    for (const Spec& spec : request_.algorithms) {
      const Algorithm& algorithm = find_algorithm(spec.name);
      spec.check(algorithm.parameters, fmt::format("algorithm '{}'", spec.name));
      if (algorithm.serves(request_.problem.collective)) enter(algorithm, spec);
    }
  }

  std::vector<Choice> choices(std::uint64_t bytes) {
    std::vector<Choice> result;
    for (AlgorithmSettings& candidate : candidates_) {
      if (auto choice = best_of(candidate, bytes, HUGE_VAL)) result.push_back(std::move(*choice));
    }
    std::ranges::stable_sort(result, {}, &Choice::seconds);
    return result;
  }

  std::optional<Choice> best(std::uint64_t bytes) {
    if (candidates_.empty()) return std::nullopt;
    double limit = HUGE_VAL;
    if (const auto last = best_of(candidates_[last_best_], bytes, HUGE_VAL))
      limit = std::nextafter(last->seconds, HUGE_VAL);
    std::optional<Choice> best;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      // A difference within rounding errors is a tie.
      auto choice = best_of(candidates_[i], bytes, best ? best->seconds * (1 - 1e-12) : limit);
      if (!choice) continue;
      best = std::move(choice);
      last_best_ = i;
    }
    return best;
  }

  std::vector<Crossover> crossovers(const std::vector<std::uint64_t>& sizes) {
    std::vector<Crossover> result;
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
      bisect(sizes[i], name_at(sizes[i]), sizes[i + 1], name_at(sizes[i + 1]), result);
    }
    return result;
  }

  std::vector<Skipped> skipped() const {
    std::vector<Skipped> result;
    for (const AlgorithmSettings& candidate : candidates_) {
      const auto& all = candidate.settings;
      const bool none = std::ranges::all_of(all, [](const Packets& p) { return !p.why().empty(); });
      if (none)
        result.push_back({candidate.spec.text(), all.empty() ? candidate.why : all[0].why()});
    }
    return result;
  }

 private:
  void enter(const Algorithm& algorithm, const Spec& spec) {
    AlgorithmSettings candidate{&algorithm, spec, {}};
    for (Setting& setting : settings(request_, algorithm, spec, candidate.why))
      candidate.settings.emplace_back(request_, std::move(setting));
    candidates_.push_back(std::move(candidate));
  }

  std::string name_at(std::uint64_t bytes) {
    const auto choice = best(bytes);
    return choice ? std::string(choice->algorithm->name) : "";
  }

  void bisect(std::uint64_t low, const std::string& from, std::uint64_t high, const std::string& to,
              std::vector<Crossover>& result) {
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

  /// The first of the best settings, if it takes less than `limit` seconds.
  std::optional<Choice> best_of(AlgorithmSettings& candidate, std::uint64_t bytes, double limit) {
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
      const Setting& setting = all[i].setting();
      best = Choice{candidate.algorithm,
                    setting.spec,
                    setting.request.machine,
                    static_cast<std::uint32_t>(found->packets),
                    found->steps,
                    found->seconds,
                    all[i].tried(bytes)};
    }
    return best;
  }

  TuneRequest request_;
  std::vector<AlgorithmSettings> candidates_;
  std::size_t last_best_ = 0;  ///< the best one for the previous size
};

Tuner::Tuner(TuneRequest request) : impl_(std::make_unique<Impl>(std::move(request))) {}
Tuner::~Tuner() = default;
Tuner::Tuner(Tuner&&) noexcept = default;

std::vector<Choice> Tuner::choices(std::uint64_t bytes) { return impl_->choices(bytes); }
std::optional<Choice> Tuner::best(std::uint64_t bytes) { return impl_->best(bytes); }
std::vector<Crossover> Tuner::crossovers(const std::vector<std::uint64_t>& sizes) {
  return impl_->crossovers(sizes);
}
std::vector<Skipped> Tuner::skipped() const { return impl_->skipped(); }

}  // namespace schedcc
