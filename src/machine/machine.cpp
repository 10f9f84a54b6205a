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

}  // namespace

Machine make_machine(std::string_view text, Rank ranks) {
  const Spec spec = Spec::parse(resolve(text));
  const MachineEntry& entry = find_machine(spec.name);
  const Parameters parameters =
      spec.check(entry.parameters, fmt::format("machine '{}'", spec.name));
  Machine machine = entry.make(parameters, ranks);
  // Required parameters are spelled out, so that a verdict says all that it rests on.
  Spec full{spec.name, {}};
  for (const Parameter& parameter : entry.parameters) {
    if (!parameters.has(parameter.name)) continue;
    full.items.push_back({std::string(parameter.name), parameters.list(parameter.name)});
  }
  machine.spec = full.text();
  return machine;
}

}  // namespace schedcc
