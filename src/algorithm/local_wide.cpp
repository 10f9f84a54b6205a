// Kernels of problems of any size, also beyond the limits of a Problem.

#include <functional>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "algorithm/local.hpp"
#include "algorithm/shapes.hpp"
#include "algorithm/torus_trees.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

namespace {

using Reason = std::optional<std::string>(const Request&);

/// Is this the function of an entry?
bool is(const std::function<Reason>& function, Reason* expected) {
  const auto* const target = function.target<Reason*>();
  return target != nullptr && *target == expected;
}

/// Why an algorithm does not serve a request within the limits of a Problem.
std::optional<std::string> narrow_reason(const Algorithm& algorithm, const LocalRequest& request) {
  Request same;
  same.problem = request.problem.narrow();
  same.machine = request.machine;
  same.parameters = request.parameters;
  return algorithm.reason(same);
}

/// Why an algorithm does not serve a request beyond the limits of a schedule. Unless it says so
/// itself, reasons other than the number of ranks hold for 2^30 ranks as well, for which the
/// algorithm can be queried: all their blocks of a chunk each fit into a message.
std::optional<std::string> wide_reason(const Algorithm& algorithm, const LocalRequest& request) {
  const WideProblem& p = request.problem;
  const AlgorithmEntry& entry = AlgorithmEntry::of(algorithm);
  if (is(entry.reason, powers_of_two_only)) {
    if (auto why = power_of_two_refusal(p.ranks)) return why;
  }
  if (p.ordered && !is(entry.order, always_in_order)) {
    return "the order of so many operands cannot be checked";
  }
  if (auto why = sides_mismatch(request.parameters, p.ranks)) return why;
  if (entry.wide_reason != nullptr && algorithm.serves(p.collective))
    return entry.wide_reason(request);
  Request fewer;
  fewer.problem.collective = p.collective;
  fewer.problem.ranks = Rank{1} << 30;
  fewer.machine = request.machine;
  if (!request.parameters.has("sides")) fewer.parameters = request.parameters;
  return algorithm.reason(fewer);
}

}  // namespace

std::shared_ptr<const LocalSchedule> served_schedule(const Algorithm& algorithm,
                                                     const LocalRequest& request) {
  request.problem.validate();
  const bool narrow =
      request.problem.is_narrow() && request.problem.total_chunks() <= max_transfer_count;
  if (const auto why =
          narrow ? narrow_reason(algorithm, request) : wide_reason(algorithm, request)) {
    throw InputError(
        fmt::format("algorithm '{}' does not serve this problem: {}", algorithm.name, *why));
  }
  return local_schedule(algorithm, request);
}

}  // namespace schedcc
