#pragma once

// Schedules whose ranks can each compute what they do: the closed forms of src/algorithm/kernel, by
// algorithm.

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

/// A rank's place in a schedule.
class LocalRankSchedule {
 public:
  using Visit = std::function<void(const local::RankTransfer&)>;

  virtual ~LocalRankSchedule() = default;
  /// The first step from `step` on in which it may have something to do, or local::never. There are
  /// at most O(log P) such steps between two in which it has.
  virtual std::uint64_t next(std::uint64_t step) const = 0;
  /// Calls `visit` for all that it sends, or receives, in a step. Parts with the same peer are one
  /// message.
  virtual void sends(std::uint64_t step, const Visit& visit) const = 0;
  virtual void receives(std::uint64_t step, const Visit& visit) const = 0;
};

/// A schedule as a closed form.
class LocalSchedule {
 public:
  virtual ~LocalSchedule() = default;
  virtual std::uint64_t steps() const = 0;
  /// Takes O(log P), for fractional trees O(d).
  virtual std::unique_ptr<LocalRankSchedule> at(std::uint64_t rank) const = 0;
  /// What all ranks send, step by step (from_kernel.hpp). For P >= 2, and numbers that a Schedule
  /// can hold.
  virtual Steps stream() const = 0;

  /// The same in C++: an expression in `ranks`, `root` and `chunks`, of the types of namespace
  /// schedcc::local, ...
  std::string expression;
  /// ... and the headers of src/algorithm/kernel that it needs, beside those that all need, each
  /// after those it needs.
  std::vector<std::string_view> headers;
};

/// What a closed form is asked for: a Request without its limits, of regular blocks.
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

/// An algorithm's closed form: `make` gives it for a request that the algorithm serves, or throws
/// InputError with the reason why there is none. Each stands at the end of the algorithm's file.
struct KernelEntry {
  std::string_view algorithm;
  std::shared_ptr<const LocalSchedule> (*make)(const LocalRequest& request);
};

/// The closed form of what `algorithm` builds for a request. Throws InputError with the reason
/// where there is none. For requests that the algorithm serves: within the limits of a Problem that
/// is not asked again.
std::shared_ptr<const LocalSchedule> local_schedule(const Algorithm& algorithm,
                                                    const LocalRequest& request);

/// The same for a request whose problem is none: with more ranks or chunks than a Problem can have.
/// The algorithm is asked here whether it serves it.
std::shared_ptr<const LocalSchedule> wide_schedule(const Algorithm& algorithm,
                                                   const LocalRequest& request);

/// The algorithms that have closed forms, at least for some requests.
std::vector<std::string_view> local_algorithms();

}  // namespace schedcc
