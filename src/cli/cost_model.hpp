#pragma once

// The cost model that the options of `cost` and `tune` name.

#include <optional>
#include <string>

#include "cli/options.hpp"
#include "schedcc/cost.hpp"

namespace schedcc::cli {

/// Is there --model, --alpha or --beta?
bool states_model(const ModelOptions& options);
/// The cost model that --model, or --alpha and --beta, name; without them `machine`, if that
/// machine is a topology.
CostModel cost_model(const ModelOptions& options, const std::optional<std::string>& machine);

}  // namespace schedcc::cli
