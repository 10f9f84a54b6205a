#pragma once

// The machine files that are part of schedcc: those of the folder machines/, compiled in.

#include <span>
#include <string_view>

namespace schedcc {

struct MachineText {
  std::string_view name, text;
};

/// The machine files, by name.
std::span<const MachineText> machine_texts();

/// The one of this name; nullptr if there is none. In specifications a file of that name that is
/// there goes before it.
const MachineText* find_machine_text(std::string_view name);

/// Is the machine that `spec` names a topology, by its kind or by the name of a file?
bool names_topology(std::string_view spec);

}  // namespace schedcc
