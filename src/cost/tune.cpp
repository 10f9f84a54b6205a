// Tuning: every algorithm that serves the problem, with all values of the parameters that were left
// open, and for each the best number of chunks; then the best of all.
//
// Where compositions are candidates, each rule for the collective has two tuners for its parts,
// which ask for the best X and the best Y with the same chunks. Only the pair of these is built.
//
// The best choice of a size is evaluated first for the next one: it is usually near to the best
// again, and slower schedules are abandoned early.

#include "schedcc/tune.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "algorithm/composition.hpp"
#include "cost/packets.hpp"
#include "cost/settings.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// An algorithm with all settings that serve the request.
struct AlgorithmSettings {
  std::shared_ptr<const Algorithm> algorithm;
  Spec spec;        ///< as in the request
  std::string why;  ///< there are no settings
  std::vector<Packets> settings = {};
  std::size_t last_best = 0;  ///< the setting that was best for the previous size
  std::uint64_t near = 0;     ///< and its K; 0: none
};

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

class Tuner::Impl {
 public:
  explicit Impl(TuneRequest request) : request_(std::move(request)) {
    if (request_.machine) check_machine(*request_.machine);
    for (const Spec& spec : request_.algorithms) {
      auto algorithm = named_algorithm(spec);
      spec.check(algorithm->parameters, fmt::format("algorithm '{}'", spec.name));
      if (algorithm->serves(request_.problem.collective)) enter(std::move(algorithm), spec);
    }
    if (request_.compositions && request_.model.synchronous() && request_.problem.ranks > 1)
      enter_compositions();
  }

  std::vector<Choice> choices(std::uint64_t bytes) {
    std::vector<Choice> result;
    for (AlgorithmSettings& candidate : candidates_) {
      if (auto choice = best_of(candidate, bytes, HUGE_VAL)) result.push_back(std::move(*choice));
    }
    double best = HUGE_VAL;
    for (const Choice& choice : result) best = std::min(best, choice.seconds);
    for (Pair& pair : pairs_) {
      if (cannot_reach(pair, bytes, best)) continue;
      auto choice = best_of(pair, bytes, HUGE_VAL);
      if (!choice) continue;
      best = std::min(best, choice->seconds);
      result.push_back(std::move(*choice));
    }
    std::ranges::stable_sort(result, {}, &Choice::seconds);
    return result;
  }

  std::optional<Choice> best(std::uint64_t bytes) {
    double limit = HUGE_VAL;
    if (!candidates_.empty()) {
      if (const auto last = best_of(candidates_[last_best_], bytes, HUGE_VAL))
        limit = std::nextafter(last->seconds, HUGE_VAL);
    }
    std::optional<Choice> best;
    // A difference within rounding errors is a tie.
    const auto still_good = [&] { return best ? best->seconds * (1 - 1e-12) : limit; };
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      auto choice = best_of(candidates_[i], bytes, still_good());
      if (!choice) continue;
      best = std::move(choice);
      last_best_ = i;
    }
    for (Pair& pair : pairs_) {
      if (cannot_reach(pair, bytes, still_good())) continue;
      if (auto choice = best_of(pair, bytes, still_good())) best = std::move(choice);
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
    for (const Pair& pair : pairs_) {
      if (!pair.chosen && !pair.why.empty()) result.push_back({pair.name(), pair.why});
    }
    return result;
  }

 private:
  /// The compositions by one rule.
  struct Pair {
    CompositionRule rule;
    std::unique_ptr<Impl> first, second;
    std::string why = {};  ///< there is no choice so far
    bool chosen = false;   ///< there was one for some size

    std::string name() const {
      return fmt::format("{} then {}", info(rule.first).name, info(rule.second).name);
    }
  };
  /// A composition that was the best one for some size.
  struct Composed {
    AlgorithmSettings candidate;
    std::string plain;  ///< its name without parameters
  };

  AlgorithmSettings candidate(std::shared_ptr<const Algorithm> algorithm, const Spec& spec) const {
    AlgorithmSettings result{algorithm, spec, {}};
    for (Setting& setting : settings(request_, std::move(algorithm), spec, result.why))
      result.settings.emplace_back(request_, std::move(setting));
    return result;
  }

  void enter(std::shared_ptr<const Algorithm> algorithm, const Spec& spec) {
    candidates_.push_back(candidate(std::move(algorithm), spec));
  }

  void enter_compositions() {
    for (const CompositionRule& rule : composition_rules()) {
      if (rule.whole != request_.problem.collective) continue;
      Pair pair{rule, std::make_unique<Impl>(part_of(request_, rule.first)),
                std::make_unique<Impl>(part_of(request_, rule.second))};
      if (!pair.first->candidates_.empty() && !pair.second->candidates_.empty())
        pairs_.push_back(std::move(pair));
    }
  }

  /// The name without parameters, in which crossovers differ.
  std::string name_at(std::uint64_t bytes) {
    const auto choice = best(bytes);
    if (!choice) return "";
    const auto found = composed_.find(choice->spec.name);
    return found != composed_.end() ? found->second.plain : std::string(choice->algorithm->name);
  }

  /// The best choice with K chunks, if it takes less than `limit` seconds.
  std::optional<Choice> best_with(std::uint64_t K, std::uint64_t bytes, double limit) {
    std::optional<Choice> best;
    for (AlgorithmSettings& own : candidates_) {
      for (Packets& packets : own.settings) {
        const auto found = packets.with(K, bytes, limit);
        if (!found || found->seconds >= limit) continue;
        limit = found->seconds;
        best = choice_of(own, packets, *found, {});
      }
    }
    return best;
  }

  /// Is the sum of the lower bounds for the parts above `seconds`?
  bool cannot_reach(Pair& pair, std::uint64_t bytes, double seconds) const {
    double least = 0;
    for (const Impl* part : {pair.first.get(), pair.second.get()}) {
      const std::uint64_t smallest =
          bytes * blocks(request_.problem) / blocks(part->request_.problem);
      least += part->least_time(smallest);
    }
    if (least * (1 - 1e-9) <= seconds) return false;
    if (pair.why.empty()) pair.why = "the lower bounds of its parts are above the best time";
    return true;
  }

  /// A lower bound on the time by the synchronous clock of any schedule; 0: none is known. Those on
  /// networks depend on the number of chunks.
  double least_time(std::uint64_t bytes) const {
    if (request_.model.step_time == StepTime::rank) return 0;  // there are several machines
    const Machine machine =
        make_machine(request_.machine.value_or("duplex"), request_.problem.ranks);
    if (machine.routed()) return 0;
    double least = 0;
    for (const TimeBound& bound :
         time_bounds(request_.problem, machine, request_.model, bytes, UINT32_MAX)) {
      if (bound.holds_for != "packets of one size") least = std::max(least, bound.seconds);
    }
    return least;
  }

  /// The bytes of a part's message, or of each of its blocks.
  std::uint64_t part_bytes(const Impl& part, std::uint64_t bytes) const {
    const std::uint64_t n = blocks(part.request_.problem), whole = blocks(request_.problem);
    return n == whole ? bytes : n == 1 ? bytes * whole : bytes / n + (bytes % n != 0 ? 1 : 0);
  }

  /// The numbers of chunks to try: those that are best for the parts, and their geometric mean.
  std::vector<std::uint64_t> chunks_for(Pair& pair, std::uint64_t bytes) {
    if (request_.chunks) return {*request_.chunks};
    const std::uint64_t whole = blocks(request_.problem);
    // Blocks of equal size are chosen, if there are any.
    const std::uint64_t unit =
        std::max(blocks(pair.first->request_.problem), blocks(pair.second->request_.problem)) /
        whole;
    std::vector<std::uint64_t> result;
    for (Impl* part : {pair.first.get(), pair.second.get()}) {
      const auto best = part->best(part_bytes(*part, bytes));
      if (!best) {
        if (pair.why.empty()) pair.why = part->reason_for_nothing();
        return {};
      }
      const std::uint64_t total = best->chunks * blocks(part->request_.problem);
      const std::uint64_t K = (total + whole - 1) / whole;
      result.push_back((std::max<std::uint64_t>(K, 1) + unit - 1) / unit * unit);
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

  /// Why there is no choice at all, by the first algorithm; empty if there is one.
  std::string reason_for_nothing() const {
    const std::vector<Skipped> all = skipped();
    if (all.empty() || all.size() < candidates_.size()) return {};
    return fmt::format("no {} holds, as {}: {}", info(request_.problem.collective).name,
                       all.front().algorithm, all.front().reason);
  }

  /// The best pair, if it takes less than `limit` seconds.
  std::optional<Choice> best_of(Pair& pair, std::uint64_t bytes, double limit) {
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

  /// The choice of X then Y, with the time of the whole.
  std::optional<Choice> composed(Pair& pair, const Choice& x, const Choice& y, std::uint64_t K,
                                 std::uint64_t bytes, double limit,
                                 const std::vector<std::uint64_t>& tried) {
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
      pair.why = own.why;
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
      best = choice_of(candidate, all[i], *found, all[i].tried(bytes));
    }
    return best;
  }

  static Choice choice_of(const AlgorithmSettings& own, const Packets& packets,
                          const PacketChoice& found, std::vector<std::uint64_t> tried) {
    const Setting& setting = packets.setting();
    return {own.algorithm,
            setting.spec,
            setting.request.machine,
            static_cast<std::uint32_t>(found.packets),
            found.steps,
            found.seconds,
            std::move(tried)};
  }

  TuneRequest request_;
  std::vector<AlgorithmSettings> candidates_;
  std::size_t last_best_ = 0;  ///< the best one for the previous size
  std::vector<Pair> pairs_;
  std::map<std::string, Composed> composed_;  ///< by specification
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
