#pragma once

// The one list of everything that has a name. Adding a thing is one file and one line in
// registry.cpp.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/algorithm.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

/// A check as it is listed; its function is internal to the checker.
struct CheckInfo {
  std::string_view name;
  std::string_view summary;
};

std::span<const Algorithm* const> algorithms();
std::span<const MachineEntry* const> machines();
std::span<const Format* const> formats();
std::span<const CostModelEntry* const> cost_models();
std::vector<CheckInfo> checks();
/// What is checked of programs; some names are those of checks of schedules.
std::span<const CheckInfo> program_checks();

/// Each finds by name, or throws InputError with the nearest names.
const Algorithm& find_algorithm(std::string_view name);
const MachineEntry& find_machine(std::string_view name);
const Format& find_format(std::string_view name);
const CostModelEntry& find_cost_model(std::string_view name);
Collective find_collective(std::string_view name);

/// The candidate that a misspelt name is near to; empty if it is near to none.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);
/// "; did you mean 'X'?" with the candidate that is near, or "; there are X, Y, Z".
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates);
/// "unknown WHAT 'NAME'", and a suggestion.
std::string unknown(std::string_view what, std::string_view name,
                    std::span<const std::string_view> candidates);

}  // namespace schedcc
