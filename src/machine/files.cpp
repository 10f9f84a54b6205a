// The list of the machine files that are part of schedcc. Their texts are in a source that CMake
// makes from the folder machines/.

#include "machine/files.hpp"

#include <algorithm>

#include "machine/topology.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

const MachineText* find_machine_text(std::string_view name) {
  const auto all = machine_texts();
  const auto found = std::ranges::find(all, name, &MachineText::name);
  return found == all.end() ? nullptr : &*found;
}

bool names_topology(std::string_view spec) {
  const std::string_view kind = spec.substr(0, spec.find(':'));
  return kind == "topology" || find_machine_text(spec) != nullptr;
}

std::vector<MachineFile> machine_files() {
  std::vector<MachineFile> result;
  for (const MachineText& machine : machine_texts()) {
    Topology topology = parse_topology(machine.text, std::string(machine.name));
    result.push_back({std::string(machine.name), std::move(topology.name), topology.ranks,
                      std::move(topology.sources)});
  }
  return result;
}

}  // namespace schedcc
