#include "schedcc/machine.hpp"

#include <fmt/format.h>

#include "schedcc/registry.hpp"

namespace schedcc {

namespace {

/// The specification with an alias, if it is one, replaced by what it stands for.
std::string resolve(std::string_view text) {
  const Spec spec = Spec::parse(text);
  for (const MachineEntry* entry : machines()) {
    for (const auto& [alias, meaning] : entry->aliases) {
      if (spec.name != alias) continue;
      return spec.items.empty()
                 ? std::string(meaning)
                 : fmt::format("{},{}", meaning, spec.text().substr(alias.size() + 1));
    }
  }
  return std::string(text);
}

/// With all parameters, so that a verdict says what it rests on.
std::string spelled_out(const MachineEntry& entry, const Parameters& parameters) {
  Spec full{std::string(entry.name), {}};
  for (const Parameter& parameter : entry.parameters) {
    if (!parameters.has(parameter.name)) continue;
    full.items.emplace_back(std::string(parameter.name), parameters.list(parameter.name));
  }
  return full.text();
}

Parameters parameters_of(const Spec& spec) {
  return spec.check(find_machine(spec.name).parameters, fmt::format("machine '{}'", spec.name));
}

}  // namespace

void check_machine(std::string_view text) { parameters_of(Spec::parse(resolve(text))); }

Machine make_machine(std::string_view text, Rank ranks) {
  const Spec spec = Spec::parse(resolve(text));
  const Parameters parameters = parameters_of(spec);
  const MachineEntry& entry = find_machine(spec.name);
  Machine machine = entry.make(parameters, ranks);
  if (machine.spec.empty()) machine.spec = spelled_out(entry, parameters);
  return machine;
}

}  // namespace schedcc
