#include "format/places.hpp"

#include "machine/crossbar.hpp"
#include "machine/mesh.hpp"

namespace schedcc {

std::optional<RankRows> rank_rows(const Machine& machine, std::uint64_t ranks) {
  if (const Mesh* mesh = machine.shape<Mesh>())
    return RankRows{mesh->rows, mesh->columns, true, mesh->torus};
  if (const auto* crossbar = machine.shape<Crossbar>())
    return RankRows{crossbar->a, crossbar->b, false, false};
  if (machine.levels() != nullptr && !machine.levels()->groups.empty()) {
    const std::uint64_t columns = machine.levels()->groups.front().ranks;
    if (columns > 1 && columns < ranks) return RankRows{ranks / columns, columns, false, false};
  }
  return std::nullopt;
}

}  // namespace schedcc
