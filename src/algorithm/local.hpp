#pragma once

// Schedules whose ranks can each compute their own operations: the kernels of src/algorithm/kernel
// (AlgorithmEntry::kernel).

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/kernel/base.hpp"
#include "model/wide_problem.hpp"
#include "schedcc/algorithm.hpp"

namespace schedcc {

/// A rank's part of a schedule.
class LocalRankSchedule {
 public:
  using Visit = std::function<void(const local::RankTransfer&)>;

  virtual ~LocalRankSchedule() = default;
  /// The first step >= `step` in which it may have operations, or local::never. There are at
  /// most O(log P) such steps between two with operations.
  virtual std::uint64_t next(std::uint64_t step) const = 0;
  /// The last one <= `step`, or local::never.
  virtual std::uint64_t previous(std::uint64_t step) const = 0;
  /// Calls `visit` for all that it sends, or receives, in a step. Parts with the same peer are one
  /// message.
  virtual void sends(std::uint64_t step, const Visit& visit) const = 0;
  virtual void receives(std::uint64_t step, const Visit& visit) const = 0;
};

/// A schedule as a kernel.
class LocalSchedule {
 public:
  virtual ~LocalSchedule() = default;
  virtual std::uint64_t steps() const = 0;
  /// Takes O(log P), for fractional trees O(d).
  virtual std::unique_ptr<LocalRankSchedule> at(std::uint64_t rank) const = 0;
  /// The sends of all ranks, step by step (from_kernel.hpp). For P >= 2, and numbers that a
  /// Schedule can hold.
  virtual Steps stream() const = 0;

  /// The same in C++: an expression in `ranks`, `root` and `chunks`, of the types of namespace
  /// schedcc::local, ...
  std::string expression;
  /// ... and the headers of src/algorithm/kernel that it needs, besides those that all need, in the
  /// order of their dependencies.
  std::vector<std::string_view> headers;
};

/// The request for a kernel: a Request without its limits, of regular blocks.
struct LocalRequest {
  WideProblem problem;
  Machine machine;
  Parameters parameters;

  LocalRequest() = default;
  LocalRequest(const WideProblem& p, Machine m, Parameters given)
      : problem(p), machine(std::move(m)), parameters(std::move(given)) {}
  explicit LocalRequest(const Request& request)
      : LocalRequest(WideProblem(request.problem), request.machine, request.parameters) {}
};

/// For Algorithm::build, of an algorithm whose steps are those of its kernel.
template <std::shared_ptr<const LocalSchedule> (*kernel)(const LocalRequest&)>
Steps stream_of(const Request& request) {
  return kernel(LocalRequest(request))->stream();
}

/// The kernel of the schedule that `algorithm` builds for a request. Throws InputError with the
/// reason if there is none. The algorithm must serve the request, which is not checked within the
/// limits of a Problem.
std::shared_ptr<const LocalSchedule> local_schedule(const Algorithm& algorithm,
                                                    const LocalRequest& request);

/// The same for a request that may have more ranks or chunks than a Problem can have. This checks
/// that the algorithm serves it.
std::shared_ptr<const LocalSchedule> served_schedule(const Algorithm& algorithm,
                                                     const LocalRequest& request);

}  // namespace schedcc
