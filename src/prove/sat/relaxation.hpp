#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "prove/sat/instance.hpp"

namespace schedcc::prover {

/// A query in SMT-LIB over the reals. If it is unsatisfiable there is no schedule: every schedule
/// yields a solution of it. None for machines without rules (LogP) or if it would be too large to
/// be fast. `watch` is called from time to time; an exception from it ends the work.
std::optional<std::string> relaxation(const Instance& instance, const std::vector<Delivery>& chunks,
                                      const std::function<void()>& watch = nullptr);

}  // namespace schedcc::prover
