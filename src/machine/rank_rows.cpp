#include "machine/rank_rows.hpp"

#include <algorithm>

#include "machine/entry.hpp"

namespace schedcc {

namespace {

/// nullptr: it is not of the registry.
const MachineEntry* entry_of(const Machine& machine) {
  const auto entry = std::ranges::find(machine_entries(), machine.name(), &MachineEntry::name);
  return entry == machine_entries().end() ? nullptr : *entry;
}

}  // namespace

std::optional<RankRows> rank_rows(const Machine& machine, std::uint64_t ranks) {
  const MachineEntry* entry = entry_of(machine);
  if (entry != nullptr && entry->rows != nullptr) return entry->rows(machine);
  const Levels* levels = machine.levels();
  if (levels == nullptr || levels->groups.empty()) return std::nullopt;
  const std::uint64_t columns = levels->groups.front().ranks;
  if (columns <= 1 || columns >= ranks) return std::nullopt;
  return RankRows{ranks / columns, columns, false, false};
}

std::optional<ListedLinks> listed_links(const Machine& machine) {
  const MachineEntry* entry = entry_of(machine);
  return entry != nullptr && entry->links != nullptr ? entry->links(machine) : std::nullopt;
}

}  // namespace schedcc
