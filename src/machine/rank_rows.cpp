#include "machine/rank_rows.hpp"

#include <algorithm>

#include "machine/entry.hpp"

namespace schedcc {

std::optional<RankRows> rank_rows(const Machine& machine, std::uint64_t ranks) {
  const auto entry = std::ranges::find(machine_entries(), machine.name(), &MachineEntry::name);
  if (entry != machine_entries().end() && (*entry)->rows != nullptr) return (*entry)->rows(machine);
  const Levels* levels = machine.levels();
  if (levels == nullptr || levels->groups.empty()) return std::nullopt;
  const std::uint64_t columns = levels->groups.front().ranks;
  if (columns <= 1 || columns >= ranks) return std::nullopt;
  return RankRows{ranks / columns, columns, false, false};
}

}  // namespace schedcc
