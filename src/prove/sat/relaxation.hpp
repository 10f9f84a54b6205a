#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "prove/sat/instance.hpp"

namespace schedcc::prover {

/// A query in SMT-LIB over the reals. If it is unsatisfiable there is no schedule: every schedule
/// makes a solution of it. None where it has no rules (LogP) or where it would be too large to be
/// quick. `watch` is called now and then; what it throws ends the work.
std::optional<std::string> relaxation(const Instance& instance, const std::vector<Delivery>& chunks,
                                      const std::function<void()>& watch = nullptr);

}  // namespace schedcc::prover
