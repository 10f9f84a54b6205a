// The machines that an algorithm is made for, and those on which its claim, or its schedule, holds.

#include <algorithm>

#include "algorithm/entry.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

namespace {

/// The request on the machine without its limit to the width of messages.
Request with_any_width(Request request) {
  request.machine = request.machine.with_width(0);
  return request;
}

/// Do all parts of a composition that serves the request answer yes?
bool all_parts(const Algorithm& algorithm, const Request& request,
               bool (Algorithm::*answer)(const Request&) const) {
  return algorithm.serves(request.problem.collective) &&
         std::ranges::all_of(
             AlgorithmEntry::of(algorithm).parts(request),
             [&](const AlgorithmPart& part) { return (part.algorithm.*answer)(part.request); });
}

/// `{h}` or `{h-1}` as the value of a machine's parameter: the algorithm's parameter h, or less.
struct Placeholder {
  std::string_view parameter;
  std::uint64_t less;
};
Placeholder placeholder(std::string_view text) {
  const std::string_view inner = text.substr(1, text.size() - 2);
  if (inner.ends_with("-1")) return {inner.substr(0, inner.size() - 2), 1};
  return {inner, 0};
}

/// Is the algorithm for a machine of this kind, or for duplex, with no more ports than ranks have
/// here? (kport and bsp have the same rule.)
bool has_ports_to_spare(const Algorithm& algorithm, Request request) {
  const Machine& machine = request.machine;
  if (!machine.ports() || machine.ports()->both < 2) return false;
  const auto has_all_ports_of = [&](const std::string& other) {
    const auto kind = [](std::string_view name) { return name == "bsp" ? "kport" : name; };
    if (kind(Spec::parse(other).name) != kind(machine.name())) return false;
    const Machine made_for = make_machine(other, request.problem.ranks);
    const PortLimits* ports = made_for.ports();
    return ports && ports->send <= machine.ports()->send &&
           ports->receive <= machine.ports()->receive;
  };
  if (!machine.channels() &&
      std::ranges::any_of(algorithm.machines_for(request.parameters), has_all_ports_of)) {
    return true;
  }
  request.machine = Machine();
  return algorithm.made_for(request);
}

}  // namespace

std::vector<std::string> Algorithm::machines_for(const Parameters& given) const {
  std::vector<std::string> result;
  std::uint64_t ports = 1;  // that its parameters ask for
  for (const std::string_view machine : machines) {
    Spec spec = Spec::parse(machine);
    bool own_ports = false;
    std::erase_if(spec.items, [&](auto& item) {
      std::string& value = item.second.front();
      if (!value.starts_with('{')) return false;
      const Placeholder place = placeholder(value);
      if (!given.has(place.parameter)) return true;
      const std::uint64_t number = given.integer(place.parameter) - place.less;
      own_ports = spec.name == "kport";
      if (own_ports) ports = number;
      value = std::to_string(number);
      return false;
    });
    // kport:k=1 is duplex, which comes before it.
    if (!own_ports || ports > 1) result.push_back(spec.text());
  }
  if (ports > 1)
    std::erase_if(result, [](const std::string& m) { return m == "duplex" || m == "simplex"; });
  return result;
}

bool Algorithm::made_for(const Request& request) const {
  const Machine& machine = request.machine;
  if (machine.width() != 0 || (entry_->fits != nullptr && !entry_->fits(request))) return false;
  if (entry_->parts) return all_parts(*this, request, &Algorithm::made_for);
  return std::ranges::any_of(machines_for(request.parameters), [&](const std::string& m) {
    return m == machine.name() || m == machine.spec();
  });
}

bool Algorithm::meets_claim(const Request& request) const {
  if (entry_->parts) return all_parts(*this, request, &Algorithm::meets_claim);
  const Request r = with_any_width(request);
  return made_for(r) || has_ports_to_spare(*this, r);
}

bool Algorithm::holds_by_design(const Request& request) const {
  if (entry_->parts) {
    return (entry_->fits == nullptr || entry_->fits(request)) &&
           all_parts(*this, request, &Algorithm::holds_by_design);
  }
  const Request r = with_any_width(request);
  return made_for(r) || (!r.machine.channels() && has_ports_to_spare(*this, r));
}

}  // namespace schedcc
