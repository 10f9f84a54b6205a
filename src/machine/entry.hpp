#pragma once

// The entry of a machine: its rules for a number of ranks, and the properties that are listed.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/rank_rows.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

/// A kind of machine, defined at the end of its file.
struct MachineEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  std::vector<Parameter> parameters;
  /// Its rules for `ranks` ranks; throws InputError. If defaults depend on the number of ranks it
  /// sets `spec` as well.
  MachineRules (*make)(const Parameters& parameters, Rank ranks);
  /// The number of ranks that the parameters state; nullopt: none, or a divisor only. nullptr: they
  /// never do. Throws InputError as `make` does.
  std::optional<std::uint64_t> (*ranks)(const Parameters& parameters) = nullptr;
  /// Another spelling: {"cbft", "fattree:cap=constant"}; empty if none.
  std::vector<std::pair<std::string_view, std::string_view>> aliases = {};
  /// Is it the same for any number of ranks, even beyond 2^32?
  bool any_ranks = false;
  /// How pictures lay out its ranks; nullptr: by its levels, if it has any.
  RankRows (*rows)(const Machine& machine) = nullptr;
  /// The links that pictures draw, if they are listed; nullptr: they are not.
  std::optional<ListedLinks> (*links)(const Machine& machine) = nullptr;
};

/// The machines, in the order in which they are listed.
std::span<const MachineEntry* const> machine_entries();

}  // namespace schedcc
