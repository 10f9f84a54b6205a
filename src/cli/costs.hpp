#pragma once

// The cost model that the options of `cost` and `tune` name.

#include "cli/options.hpp"
#include "schedcc/cost.hpp"

namespace schedcc::cli {

/// The cost model that --model, or --alpha and --beta, name.
CostModel cost_model(const ModelOptions& options);

}  // namespace schedcc::cli
