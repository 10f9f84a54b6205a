// Every value of an open parameter is a setting of its own, on its machine: the requested one, or
// that of the model. Settings that do not serve the problem there are left out; Packets checks the
// schedules of algorithms that are for other machines.

#include "cost/settings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include "algorithm/entry.hpp"
#include "cost/claimed_time.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

namespace {

/// The logp machine with the times of the model as multiples of a cycle; none if there is no such
/// cycle of whole picoseconds.
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

/// The machine that a setting runs on. In the BSP model the h of a superstep is that of the model,
/// else of the algorithm, else any number.
std::string machine_for(const TuneRequest& request, const Algorithm& algorithm,
                        const Parameters& parameters) {
  if (request.machine) return *request.machine;
  const CostModel& model = request.model;
  if (model.step_time == StepTime::rank) {
    const std::uint64_t all = std::max<std::uint64_t>(request.problem.ranks, 2) - 1;
    const std::uint64_t partners = parameters.has("h") ? parameters.integer("h") : all;
    return fmt::format("bsp:h={}", model.h == 0 ? partners : model.h);
  }
  const bool cycles = std::ranges::find(algorithm.machines, "logp") != algorithm.machines.end();
  if (!model.linear() && cycles) return logp_machine(model).value_or("logp");
  return "duplex";
}

/// Does the name of a machine that the algorithm is for contain this?
bool names_machine(const Algorithm& algorithm, const std::string& text) {
  return std::ranges::any_of(algorithm.machines, [&](std::string_view machine) {
    return machine.find(text) != std::string_view::npos;
  });
}
/// Is this parameter part of the machine that the algorithm is for?
bool names_machine(const Algorithm& algorithm, const Parameter& parameter) {
  return names_machine(algorithm, fmt::format("{{{}}}", parameter.name));
}

/// The largest value of a parameter for which ranks have ports enough, if it says how many they
/// need.
std::uint64_t max_for_ports(const Algorithm& algorithm, const Parameter& parameter,
                            const Machine& machine) {
  const bool less = names_machine(algorithm, fmt::format("kport:k={{{}-1}}", parameter.name));
  if (!less && !names_machine(algorithm, fmt::format("kport:k={{{}}}", parameter.name)))
    return UINT64_MAX;
  const PortLimits* ports = machine.ports();
  return ports == nullptr ? UINT64_MAX : std::min(ports->send, ports->receive) + (less ? 1 : 0);
}

/// The same for messages in a superstep, on a machine that is not made for the algorithm. Where
/// ranks have few chunks they send fewer messages than that: they may be for twice as many.
std::uint64_t max_for_supersteps(const Algorithm& algorithm, const Parameter& parameter,
                                 const Machine& machine) {
  const PortLimits* ports = machine.ports();
  const bool limited =
      ports != nullptr && names_machine(algorithm, fmt::format("bsp:h={{{}}}", parameter.name));
  return limited ? 2 * std::uint64_t{std::min(ports->send, ports->receive)} : UINT64_MAX;
}

/// The specification with one more parameter; unchanged if there is no value.
Spec with(Spec spec, const Parameter& parameter, const std::string& value) {
  if (value.empty()) return spec;
  const bool flag = parameter.kind == Parameter::Kind::flag;
  spec.items.emplace_back(std::string(parameter.name),
                          flag ? std::vector<std::string>() : std::vector<std::string>{value});
  return spec;
}

/// Is the parameter given? A flag may have been read as a further value of the one before it.
bool gives(const Spec& spec, const Parameter& parameter) {
  const bool flag = parameter.kind == Parameter::Kind::flag;
  return std::ranges::any_of(spec.items, [&](const auto& item) {
    const auto& [key, values] = item;
    return key == parameter.name ||
           (flag && std::ranges::find(values, parameter.name) != values.end());
  });
}

/// The parameters that are numbers, and not given.
std::ptrdiff_t open_numbers(const Algorithm& algorithm, const Spec& spec) {
  return std::ranges::count_if(algorithm.parameters, [&](const Parameter& parameter) {
    return parameter.kind == Parameter::Kind::integer && !gives(spec, parameter);
  });
}

class Variations {
 public:
  Variations(const TuneRequest& request, std::shared_ptr<const Algorithm> algorithm,
             const Spec& spec, std::string& why, SearchMemory& memory)
      : request_(request),
        owned_(std::move(algorithm)),
        algorithm_(*owned_),
        pairs_(open_numbers(algorithm_, spec) > 1),
        why_(why),
        memory_(memory) {}

  /// Adds all settings that differ from `spec` in open parameters number `i` and later.
  void vary(const Spec& spec, std::size_t i) {
    if (i == algorithm_.parameters.size()) return add(spec);
    const Parameter& parameter = algorithm_.parameters[i];
    const std::vector<std::string> values =
        gives(spec, parameter) ? std::vector<std::string>() : values_of(spec, parameter);
    if (values.empty()) return vary(spec, i + 1);
    for (const std::string& value : values) vary(with(spec, parameter, value), i + 1);
  }

  std::vector<Setting> result;

 private:
  void add(const Spec& spec) {
    Setting setting{owned_, spec};
    auto reason = prepare(setting);
    if (!reason) {
      result.push_back(std::move(setting));
    } else if (why_.empty()) {
      why_ = std::move(*reason);
    }
  }

  std::vector<std::string> values_of(const Spec& spec, const Parameter& parameter) const {
    if (parameter.kind == Parameter::Kind::text) {
      std::vector<std::string> values(parameter.choices.begin(), parameter.choices.end());
      if (parameter.default_value.empty() && !values.empty()) values.insert(values.begin(), "");
      return values;
    }
    if (parameter.kind == Parameter::Kind::flag)
      return request_.choose_flags ? std::vector<std::string>{"", "yes"}
                                   : std::vector<std::string>();
    if (parameter.kind != Parameter::Kind::integer) return {};
    return numbers(spec, parameter);
  }

  std::vector<std::string> numbers(const Spec& spec, const Parameter& parameter) const {
    Setting first{owned_, with(spec, parameter, std::to_string(parameter.min))};
    const bool serves = !prepare(first);
    const std::uint64_t most =
        serves ? max_for_ports(algorithm_, parameter, first.request.machine) : UINT64_MAX;
    const std::uint64_t messages =
        serves && request_.machine
            ? max_for_supersteps(algorithm_, parameter, first.request.machine)
            : UINT64_MAX;
    const std::uint64_t P = std::max(request_.problem.ranks, 2u);
    const bool counts_itself = parameter.min == 2;  // a radix: the other ranks, and itself
    const std::uint64_t useful = counts_itself ? P : P - 1;
    const std::uint64_t last =
        std::max(parameter.min, std::min<std::uint64_t>({parameter.max, most, messages, useful}));
    const bool cheap = serves && !first.needs_check &&
                       first.time_follows_from_steps(first.claim(1), request_.model);
    const std::uint64_t several = first.needs_check ? 4 : pairs_ ? 8 : 64;
    std::vector<std::string> values;
    // An open parameter is chosen by the algorithm, or by the machine, if there is one.
    const bool machine_or_other = request_.machine || !names_machine(algorithm_, parameter);
    const bool open = (!cheap && machine_or_other) || most != UINT64_MAX;
    if (open) values.emplace_back();
    const auto add = [&](std::uint64_t v) {
      std::string text = std::to_string(v);
      if (!open || text != parameter.default_value) values.push_back(std::move(text));
    };
    const std::uint64_t dense = !cheap ? several : pairs_ ? 64 : max_values;
    for (std::uint64_t v = parameter.min; v < last; v = next_value(v, parameter.min + dense, cheap))
      add(v);
    add(last);
    return values;
  }

  /// All values below `dense`, then powers of two; if they are cheap, 64 between two of them.
  static std::uint64_t next_value(std::uint64_t v, std::uint64_t dense, bool cheap) {
    if (v + 1 < dense) return v + 1;
    const std::uint64_t power = std::bit_floor(v);
    const std::uint64_t distance = cheap && power >= 64 ? power / 64 : power;
    return (v / distance + 1) * distance;
  }

  /// The number of values up to which all values of a cheap parameter are evaluated.
  static constexpr std::uint64_t max_values = std::uint64_t{1} << 12;

  /// Algorithms serve a problem with as many chunks, if with any number.
  static constexpr std::uint32_t max_least_chunks = 1024;

  /// On a network, a parameter that the algorithm chooses for the number of chunks may fit with
  /// some numbers, and not with others.
  bool fit_depends_on_chunks(const Request& r) const {
    return r.machine.channels() != nullptr && !algorithm_.chosen(r).empty();
  }

  /// On a machine whose ranks share channels: does its schedule depend on their ports alone, and
  /// hold by design where ranks share nothing? All checks but `ports` and `links` are then the
  /// same.
  bool delivers_by_design(Request r) const {
    const PortLimits* const ports = r.machine.ports();
    if (ports == nullptr || r.machine.simplex() || r.machine.channels() == nullptr) return false;
    const bool of_ports = std::ranges::all_of(algorithm_.machines, [](std::string_view machine) {
      constexpr std::array<std::string_view, 4> kinds{"duplex", "simplex", "kport", "bsp"};
      return std::ranges::find(kinds, Spec::parse(machine).name) != kinds.end();
    });
    if (!of_ports) return false;
    r.machine = memory_.machine(fmt::format("kport:k={}", std::min(ports->send, ports->receive)),
                                r.problem.ranks);
    return !algorithm_.reason(r) && algorithm_.holds_by_design(r);
  }

  /// Fills in the request of a setting; returns why it does not serve.
  std::optional<std::string> prepare(Setting& setting) const {
    Request& r = setting.request;
    r.problem = request_.problem;
    r.problem.chunks = request_.chunks.value_or(1);
    r.problem.validate();
    r.parameters = setting.spec.check(algorithm_.parameters, setting.spec.name);
    try {
      r.machine = memory_.machine(machine_for(request_, algorithm_, r.parameters), r.problem.ranks);
    } catch (const InputError& error) {
      return error.what();
    }
    if (auto why = reason_against(request_.model, r.machine)) return why;
    auto why = algorithm_.reason(r);
    // Some serve only two chunks or more.
    for (std::uint32_t K = 2; why && !request_.chunks && K <= max_least_chunks; K *= 2) {
      r.problem.chunks = K;
      why = algorithm_.reason(r);
    }
    if (why && !request_.chunks) {  // or of multiples of some number only
      r.problem.chunks = 1;
      const std::uint64_t unit = chunk_unit(algorithm_, r);
      if (unit > 1 && unit <= max_transfer_count) {
        r.problem.chunks = static_cast<std::uint32_t>(unit);
        if (!algorithm_.reason(r)) why = std::nullopt;
      }
    }
    if (why) return why;
    setting.claim_applies = algorithm_.meets_claim(r);
    setting.needs_agreement =
        request_.reproducible && r.problem.collective == Collective::allreduce;
    setting.needs_check =
        setting.needs_agreement ||
        (request_.verify && (!algorithm_.holds_by_design(r) || fit_depends_on_chunks(r)));
    setting.delivers = delivers_by_design(r);
    return std::nullopt;
  }

  const TuneRequest& request_;
  std::shared_ptr<const Algorithm> owned_;
  const Algorithm& algorithm_;
  const bool pairs_;  ///< are pairs of values settings, so that fewer values are tried?
  std::string& why_;
  SearchMemory& memory_;
};

}  // namespace

CostClaim Setting::claim(std::uint64_t K) const {
  Request with_chunks = request;
  with_chunks.problem.chunks = static_cast<std::uint32_t>(K);
  return algorithm->claim(with_chunks);
}

bool Setting::time_follows_from_steps(const CostClaim& claim, const CostModel& model) const {
  const std::uint32_t width = request.machine.width();
  return claim_applies && steps_determine_time(*algorithm, request, claim, model) &&
         (width == 0 || claim.width == 1);
}

std::vector<Setting> settings(const TuneRequest& request,
                              std::shared_ptr<const Algorithm> algorithm, const Spec& spec,
                              std::string& why, SearchMemory& memory) {
  Variations variations(request, std::move(algorithm), spec, why, memory);
  variations.vary(spec, 0);
  return std::move(variations.result);
}

}  // namespace schedcc
