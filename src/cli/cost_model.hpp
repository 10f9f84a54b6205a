#pragma once

// The cost model that the options of `cost` and `tune` name.

#include <optional>
#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

/// Is there --model, --alpha or --beta?
bool states_model(const ModelOptions& options);
/// The cost model that --model, or --alpha and --beta, name; without them `machine`, if that
/// machine is a topology.
CostModel cost_model(const ModelOptions& options, const std::optional<std::string>& machine);

/// Throws UsageError without --bytes, which is a `what`; for a barrier, whose messages are empty,
/// with it.
void require_bytes(const std::optional<std::string>& bytes, Collective collective,
                   std::string_view what);

}  // namespace schedcc::cli
