// Tuning: every algorithm that serves the problem, with all values of the parameters that were left
// open, and for each the best number of chunks.

#include "schedcc/tune.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "cost/bounds.hpp"
#include "cost/optimum.hpp"
#include "ir/lowering.hpp"
#include "schedcc/error.hpp"
#include "schedcc/registry.hpp"

namespace schedcc {

namespace {

/// Schedules with more transfers than this are not built only to see what they take.
constexpr std::uint64_t most_transfers = std::uint64_t{1} << 30;

/// What a schedule takes with chunks of x bytes: startup + per_byte x, by the synchronous clock.
struct Linear {
  std::uint64_t steps;
  double startup, per_byte;
};

/// An algorithm with values for all of its parameters.
struct Setting {
  Spec spec;
  Request request;
  std::map<std::uint32_t, Linear> measured = {};  ///< by K
};

struct Contestant {
  const Algorithm* algorithm;
  std::vector<Setting> settings;
};

std::string whole(std::uint64_t n) { return std::to_string(n); }

/// The logp machine with the times of the model as whole numbers of some cycle; none if there is no
/// such cycle of whole picoseconds.
std::optional<std::string> logp_machine(const CostModel& model) {
  std::uint64_t ticks[3] = {};
  std::uint64_t cycle = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = std::array{model.L, model.o, model.g}[i] * 1e12;
    if (value > 1e15) return std::nullopt;
    ticks[i] = static_cast<std::uint64_t>(std::llround(value));
    cycle = std::gcd(cycle, ticks[i]);
  }
  if (cycle == 0) return std::nullopt;
  for (std::uint64_t& t : ticks) {
    t /= cycle;
    if (t > UINT32_MAX) return std::nullopt;
  }
  if (ticks[0] + ticks[1] == 0) return std::nullopt;
  return fmt::format("logp:L={},o={},g={}", ticks[0], ticks[1],
                     std::max<std::uint64_t>(ticks[2], 1));
}

/// May it use one message out and one in, at the same time, and nothing less? Edges and modules
/// that ranks share are less.
bool at_least_duplex(const Machine& machine) {
  return machine.ports && !machine.channels && machine.width == 0 && machine.ports->send >= 1 &&
         machine.ports->receive >= 1 && machine.ports->both >= 2;
}

}  // namespace

class Tuner::Impl {
 public:
  explicit Impl(TuneRequest request) : request_(std::move(request)) {
    if (request_.machine) check_machine(*request_.machine);
    for (const Spec& spec : request_.algorithms) {
      const Algorithm& algorithm = find_algorithm(spec.name);
      spec.check(algorithm.parameters, fmt::format("algorithm '{}'", spec.name));
      if (!algorithm.serves(request_.problem.collective)) continue;
      if (auto why = enter(algorithm, spec)) skipped_.push_back({spec.text(), *why});
    }
  }

  std::vector<Choice> choices(std::uint64_t bytes) {
    std::vector<Choice> result;
    for (Contestant& contestant : contestants_) {
      if (auto choice = best_of(contestant, bytes, std::numeric_limits<double>::infinity()))
        result.push_back(std::move(*choice));
    }
    std::ranges::stable_sort(result, {}, &Choice::seconds);
    return result;
  }

  std::optional<Choice> best(std::uint64_t bytes) {
    std::optional<Choice> best;
    for (Contestant& contestant : contestants_) {
      const double limit = best ? best->seconds : std::numeric_limits<double>::infinity();
      auto choice = best_of(contestant, bytes, limit);
      if (choice && choice->seconds < limit) best = std::move(choice);
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

  const std::vector<Skipped>& skipped() const { return skipped_; }

 private:
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

  /// Makes the settings of an algorithm; returns why there are none.
  std::optional<std::string> enter(const Algorithm& algorithm, const Spec& spec) {
    std::optional<std::string> why;
    Contestant contestant{&algorithm, {}};
    const auto add = [&](const Spec& full) {
      Setting setting{full, {}};
      auto reason = prepare(algorithm, setting);
      if (!reason) {
        contestant.settings.push_back(std::move(setting));
      } else if (!why) {
        why = std::move(reason);
      }
    };
    vary(algorithm, spec, 0, add);
    if (contestant.settings.empty()) return why;
    contestants_.push_back(std::move(contestant));
    return std::nullopt;
  }

  /// Calls add(spec) for all values of the parameters from number `i` on that `spec` leaves open.
  template <typename F>
  void vary(const Algorithm& algorithm, const Spec& spec, std::size_t i, const F& add) {
    if (i == algorithm.parameters.size()) return add(spec);
    const Parameter& parameter = algorithm.parameters[i];
    const bool given = std::ranges::any_of(
        spec.items, [&](const auto& item) { return item.first == parameter.name; });
    const std::vector<std::string> values =
        given ? std::vector<std::string>() : values_of(algorithm, spec, parameter);
    if (values.empty()) return vary(algorithm, spec, i + 1, add);
    for (const std::string& value : values)
      vary(algorithm, with(spec, parameter, value), i + 1, add);
  }

  /// The specification with one more parameter; without it, for no value at all.
  static Spec with(Spec spec, const Parameter& parameter, const std::string& value) {
    if (value.empty()) return spec;
    const std::string name(parameter.name);
    if (parameter.kind == Parameter::Kind::flag) {
      spec.items.push_back({name, {}});
    } else {
      spec.items.push_back({name, {value}});
    }
    return spec;
  }

  /// Texts: all choices, and none where that is one. Numbers: all up to P where the steps tell the
  /// time, and up to 64 otherwise; beyond that, the powers of two.
  std::vector<std::string> values_of(const Algorithm& algorithm, const Spec& spec,
                                     const Parameter& parameter) {
    if (parameter.kind == Parameter::Kind::text) {
      std::vector<std::string> values(parameter.choices.begin(), parameter.choices.end());
      if (parameter.standard.empty()) values.insert(values.begin(), "");  // left open
      return values;
    }
    if (parameter.kind == Parameter::Kind::flag) return {"", "yes"};
    if (parameter.kind != Parameter::Kind::integer) return {};
    const std::uint64_t last =
        std::max(parameter.least,
                 std::min<std::uint64_t>(parameter.most, std::max(request_.problem.ranks, 2u) - 1));
    Setting first{with(spec, parameter, whole(parameter.least)), {}};
    const bool cheap = !prepare(algorithm, first) && steps_tell(first, promise(first, 1));
    std::vector<std::string> values;
    if (!cheap) values.emplace_back();
    for (std::uint64_t v = parameter.least; v <= last; ++v) {
      const std::uint64_t position = v - parameter.least;
      if (cheap || position < 64 || std::has_single_bit(v) || v == last) {
        values.push_back(whole(v));
      }
    }
    return values;
  }

  /// Fills in the request of a setting; returns why it does not serve.
  std::optional<std::string> prepare(const Algorithm& algorithm, Setting& setting) const {
    Request& r = setting.request;
    r.problem = request_.problem;
    r.problem.chunks = request_.chunks.value_or(1);
    r.problem.validate();
    r.parameters = setting.spec.check(algorithm.parameters, setting.spec.name);
    try {
      r.machine = make_machine(machine_for(algorithm), r.problem.ranks);
    } catch (const InputError& error) {
      return error.what();
    }
    if (auto why = find_cost_model(request_.model.name).refuse(r.machine)) return why;
    if (!made_for(algorithm, r)) {
      return fmt::format("made for {}, not for {}", fmt::join(algorithm.machines_for({}), ", "),
                         r.machine.spec);
    }
    return algorithm.reason(r);
  }

  /// Was it made for the machine, or for duplex, and the machine has no fewer ports?
  static bool made_for(const Algorithm& algorithm, const Request& request) {
    return algorithm.made_for(request) || made_for_duplex(algorithm, request);
  }

  /// Was it made for a duplex machine, and this one has no fewer ports?
  static bool made_for_duplex(const Algorithm& algorithm, const Request& request) {
    if (!at_least_duplex(request.machine)) return false;
    Request duplex = request;
    duplex.machine = make_machine("duplex", request.problem.ranks);
    return algorithm.made_for(duplex);
  }

  std::string machine_for(const Algorithm& algorithm) const {
    if (request_.machine) return *request_.machine;
    const CostModel& model = request_.model;
    if (model.name == "bsp") {
      const std::uint64_t ranks = std::max<std::uint64_t>(request_.problem.ranks, 2);
      return fmt::format("bsp:h={}", model.h == 0 ? ranks - 1 : model.h);
    }
    const bool cycles = std::ranges::find(algorithm.machines, "logp") != algorithm.machines.end();
    if (!model.linear && cycles) return logp_machine(model).value_or("logp");
    return "duplex";
  }

  Promise promise(Setting& setting, std::uint64_t K) const {
    setting.request.problem.chunks = static_cast<std::uint32_t>(K);
    return find_algorithm(setting.spec.name).promise(setting.request);
  }

  /// Does a number of steps say what time they take, with one chunk in each?
  bool steps_tell(const Setting& setting, const Promise& promise) const {
    const Machine& machine = setting.request.machine;
    if (!request_.model.linear) return false;
    if (machine.routed()) return true;
    return promise.width == 1 && (request_.model.name == "alpha-beta" || one_port(setting));
  }

  /// Does a rank send at most one message in a step?
  static bool one_port(const Setting& setting) {
    const auto& ports = setting.request.machine.ports;
    return (ports && ports->send == 1) ||
           made_for_duplex(find_algorithm(setting.spec.name), setting.request);
  }

  std::optional<Choice> best_of(Contestant& contestant, std::uint64_t bytes, double limit) {
    Choice best;
    best.seconds = limit;
    for (Setting& setting : contestant.settings) {
      const auto found = best_chunks(setting, bytes, best.seconds);
      if (!found || found->seconds >= best.seconds) continue;
      best = {contestant.algorithm,
              setting.spec,
              setting.request.machine,
              static_cast<std::uint32_t>(found->packets),
              found->steps,
              found->seconds};
    }
    if (best.algorithm == nullptr) return std::nullopt;
    return best;
  }

  /// Nothing if no number of chunks is below `limit`.
  std::optional<PacketChoice> best_chunks(Setting& setting, std::uint64_t bytes, double limit) {
    if (request_.problem.ranks == 1) return PacketChoice{request_.chunks.value_or(1), 0, 0};
    const Promise one = promise(setting, request_.chunks.value_or(1));
    if (!steps_tell(setting, one)) return best_measured(setting, one, bytes);
    const PacketCost packet{bytes, request_.model.alpha, request_.model.beta};
    PacketChoice best{0, 0, limit};
    if (request_.chunks) {
      best = {*request_.chunks, one.steps,
              static_cast<double>(one.steps) * packet.packet(*request_.chunks)};
    } else {
      best = best_packets([&](std::uint64_t K) { return promise(setting, K).steps; },
                          most_chunks(bytes), packet, best, growth(setting));
    }
    if (best.packets == 0) return std::nullopt;
    if (!one.exact) {
      const auto K = static_cast<std::uint32_t>(best.packets);
      const double chunk = std::ceil(static_cast<double>(bytes) / K);
      if (const auto real = time(setting, K, bytes, chunk)) return real;
    }
    return best;
  }

  /// On one port, a further packet takes a step at least.
  static Growth growth(const Setting& setting) {
    return one_port(setting) ? Growth::step_each : Growth::any;
  }

  /// K is at most the number of bytes, and small enough for chunk numbers.
  std::uint64_t most_chunks(std::uint64_t bytes) const {
    std::uint64_t most = max_transfer_count;
    for (int i = 0; i < info(request_.problem.collective).blocks; ++i) {
      most = std::min<std::uint64_t>(most, UINT32_MAX) / request_.problem.ranks;
    }
    return std::clamp<std::uint64_t>(bytes, 1, std::max<std::uint64_t>(most, 1));
  }

  /// Where schedules have to be looked at: K = 1; if the message is cut for the ranks, K = P; and
  /// powers of two up to 4096, where more chunks mean more steps, as in a pipeline.
  std::optional<PacketChoice> best_measured(Setting& setting, const Promise& one,
                                            std::uint64_t bytes) {
    const std::uint64_t most = most_chunks(bytes);
    std::vector<std::uint64_t> candidates{1};
    if (info(request_.problem.collective).blocks == 0) {
      candidates.push_back(std::min<std::uint64_t>(most, request_.problem.ranks));
    }
    if (promise(setting, std::min<std::uint64_t>(most, 4)).steps != one.steps) {
      for (std::uint64_t K = 2; K <= std::min<std::uint64_t>(most, 4096); K *= 2)
        candidates.push_back(K);
    }
    if (request_.chunks) candidates = {*request_.chunks};
    std::optional<PacketChoice> best;
    for (const std::uint64_t K : candidates) {
      if (best && least_time(setting, K, bytes) >= best->seconds) continue;
      const double chunk = static_cast<double>(bytes) / static_cast<double>(K);
      const auto found = time(setting, static_cast<std::uint32_t>(K), bytes, chunk);
      if (found && (!best || found->seconds < best->seconds)) best = found;
    }
    return best;
  }

  /// What K chunks take at least: their steps, and the volume that no schedule is below.
  double least_time(Setting& setting, std::uint64_t K, std::uint64_t bytes) const {
    const Machine& machine = setting.request.machine;
    if (!request_.model.linear || !machine.ports) return 0;
    return request_.model.alpha * static_cast<double>(promise(setting, K).steps) +
           request_.model.beta * least_volume(request_.problem, *machine.ports, bytes);
  }

  /// The time of the schedule with K chunks of `chunk` bytes; nothing if it is too large to be
  /// looked at.
  std::optional<PacketChoice> time(Setting& setting, std::uint32_t K, std::uint64_t bytes,
                                   double chunk) {
    if (promise(setting, K).steps > most_transfers / request_.problem.ranks) {
      const std::string name = setting.spec.text();
      if (std::ranges::find(skipped_, name, &Skipped::algorithm) == skipped_.end()) {
        skipped_.push_back({name, fmt::format("its schedule for {} chunks is too large to be "
                                              "looked at",
                                              K)});
      }
      return std::nullopt;
    }
    const auto source = [&] {
      return from_algorithm(find_algorithm(setting.spec.name), setting.request,
                            setting.spec.text());
    };
    if (!request_.model.linear) {
      const CostReport report = cost(source(), setting.request.machine, request_.model,
                                     {bytes, false, request_.progress});
      return PacketChoice{K, report.steps, report.seconds};
    }
    auto known = setting.measured.find(K);
    if (known == setting.measured.end()) {
      known = setting.measured.emplace(K, measure(source(), setting.request.machine)).first;
    }
    const Linear& line = known->second;
    return PacketChoice{K, line.steps, line.startup + line.per_byte * chunk};
  }

  /// The schedule's time with chunks of no bytes, and what every byte in a chunk adds.
  Linear measure(const Source& source, const Machine& machine) const {
    const std::uint64_t K = source.problem.chunks;
    CostModel only = request_.model;
    only.beta = 0;
    const CostReport startup = cost(source, machine, only, {K, false, request_.progress});
    only = request_.model;
    only.alpha = 0;
    const CostReport bytes = cost(source, machine, only, {K, false, request_.progress});
    return {startup.steps, startup.seconds, bytes.seconds};
  }

  TuneRequest request_;
  std::vector<Contestant> contestants_;
  std::vector<Skipped> skipped_;
};

Tuner::Tuner(TuneRequest request) : impl_(std::make_unique<Impl>(std::move(request))) {}
Tuner::~Tuner() = default;
Tuner::Tuner(Tuner&&) noexcept = default;

std::vector<Choice> Tuner::choices(std::uint64_t bytes) { return impl_->choices(bytes); }
std::optional<Choice> Tuner::best(std::uint64_t bytes) { return impl_->best(bytes); }
std::vector<Crossover> Tuner::crossovers(const std::vector<std::uint64_t>& sizes) {
  return impl_->crossovers(sizes);
}
const std::vector<Skipped>& Tuner::skipped() const { return impl_->skipped(); }

}  // namespace schedcc
