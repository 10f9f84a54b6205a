#include "check/scaled.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "algorithm/entry.hpp"
#include "analysis/bounds.hpp"
#include "analysis/demand.hpp"
#include "check/checks.hpp"
#include "check/coverage.hpp"
#include "check/threading.hpp"
#include "core/processors.hpp"

namespace schedcc {

namespace {

/// Do messages count, whatever the number of their chunks?
bool scales(const Machine& machine, const CheckOptions& options) {
  // Of malformed transfers, which the check `shape` reports, others would become.
  return asks_for(options, "shape") && !machine.routed() && machine.width() == 0 &&
         !options.max_buffer && !options.same_as;
}

bool nothing_to_report(const Report& report) {
  return report.verdict() == Verdict::holds && report.findings_total == 0 && !report.below_bound;
}

constexpr std::string_view queues = "buffers";

/// All other checks that the options ask for, up to the first error.
CheckOptions without_queues(const CheckOptions& options) {
  CheckOptions result = options;
  result.fail_fast = true;
  result.checks.emplace();
  for (const CheckEntry* entry : check_entries()) {
    if (entry->name != queues && asks_for(options, entry->name))
      result.checks->emplace_back(entry->name);
  }
  return result;
}

/// Says that they hold, after the checks that are listed before.
void add_queues(Report& report) {
  auto place = report.checks.begin();
  for (const CheckEntry* entry : check_entries()) {
    if (entry->name == queues) break;
    if (place != report.checks.end() && place->check == entry->name) ++place;
  }
  report.checks.insert(place, {queues, Verdict::holds});
}

/// The figures that packets change; the steps of all but the first ones are `more`.
void scale_packets(Report& report, std::uint64_t by, std::uint64_t more) {
  report.steps += more;
  report.transfers *= by;
  report.messages *= by;
}

/// The bound for a problem that needs `by` times as much as one that needs `one`. False if the
/// report is below it.
bool set_bound(Report& report, const Problem& problem, const Machine& machine, const Demand& one,
               std::uint64_t by) {
  if (!report.lower_bound) return true;
  Demand need = one;  // each chunk has become `by` of them
  need.busiest *= by;
  need.all *= by;
  report.lower_bound = bound_of_report(problem, machine, report, 1, &need);
  return !is_below_bound(report);
}

bool same_runs(const Runs& base, const Runs& scaled, std::uint64_t by) {
  return std::ranges::equal(base, scaled, [by](const Run& a, const Run& b) {
    return a.first * by == b.first && a.count * by == b.count;
  });
}

/// Is every chunk of `base` replaced by so many?
bool same_problem(const Problem& base, const Problem& scaled, std::uint64_t by) {
  if (base.collective != scaled.collective || base.ranks != scaled.ranks ||
      base.root != scaled.root || base.ordered != scaled.ordered ||
      base.title() != scaled.title() || base.total_chunks() * by != scaled.total_chunks() ||
      scaled.total_chunks() > max_transfer_count)
    return false;
  if (base.custom == nullptr) return scaled.custom == nullptr;
  if (scaled.custom == nullptr ||
      !same_runs(Runs(base.custom->reduced()), Runs(scaled.custom->reduced()), by))
    return false;
  for (Rank rank = 0; rank < base.ranks; ++rank) {
    if (!same_runs(base.start(rank), scaled.start(rank), by) ||
        !same_runs(base.goal(rank), scaled.goal(rank), by))
      return false;
  }
  return true;
}

}  // namespace

Report ScaledChecks::check(const Source& source, const Machine& machine,
                           const CheckOptions& options) {
  if (!scales(machine, options) || !only_steps(source))
    return schedcc::check(source, machine, options);
  auto& base = bases_[source.problem.root];
  if (base && source.problem.chunks % base->rows.source().problem.chunks == 0) {
    if (auto report = from(*base, source, machine)) {
      ++followed_;
      return std::move(*report);
    }
    base.reset();
  }
  Report report = check_alone(source, machine, options);
  if (!base && nothing_to_report(report)) base.emplace(source, report, room_);
  return report;
}

Report ScaledChecks::check(const Algorithm& algorithm, const Request& request,
                           const std::string& spec, const CheckOptions& options) {
  const Machine& machine = request.machine;
  const Scaling how = scaling(algorithm, request);
  if (how != Scaling::none && scales(machine, options)) {
    auto found = units_.find(request.problem.root);
    if (found == units_.end()) {
      Unit made = unit(algorithm, request, spec, options);
      found = units_.emplace(request.problem.root, std::move(made)).first;
    }
    if (request.problem.chunks == 1) return found->second.report;
    if (auto report = from(found->second, how, algorithm, request)) {
      ++followed_;
      return std::move(*report);
    }
  }
  return check(from_algorithm(algorithm, request, spec), machine, options);
}

/// nullptr: those of other roots take enough memory.
CheckedExcerpt* ScaledChecks::excerpt_of(Rank root) {
  constexpr std::size_t most = 16;
  if (excerpts_.size() == most && !excerpts_.contains(root)) return nullptr;
  return &excerpts_[root];
}

/// As `check`, but queues, which have no limit, are not followed: there is nothing to report of
/// them. With anything to report all is checked, the queues with the rest.
Report ScaledChecks::check_alone(const Source& source, const Machine& machine,
                                 const CheckOptions& options, const Demand* demand) {
  if (!only_steps(source)) return schedcc::check(source, machine, options);
  if (options.checks) require_checks(*options.checks);
  const Threading threading{.threads = thread_count(options.jobs),
                            .demand = demand,
                            .excerpt = excerpt_of(source.problem.root)};
  Report report = check_steps(source, machine, without_queues(options), threading);
  if (!nothing_to_report(report)) return schedcc::check(source, machine, options);
  if (asks_for(options, queues)) add_queues(report);
  return report;
}

ScaledChecks::Unit ScaledChecks::unit(const Algorithm& algorithm, const Request& request,
                                      const std::string& spec, const CheckOptions& options) {
  const Source source = from_algorithm(algorithm, for_one_chunk(request), spec);
  const bool bounded = asks_for(options, "bound");
  Unit result;
  if (bounded) result.demand = demand(source.problem);
  result.report = check_alone(source, request.machine, options, bounded ? &result.demand : nullptr);
  result.clean = only_steps(source) && nothing_to_report(result.report);
  if (!result.clean) return result;
  result.span = source.open()->rows()->span();
  return result;
}

std::optional<Report> ScaledChecks::from(const Unit& unit, Scaling scaling,
                                         const Algorithm& algorithm, const Request& request) const {
  const Machine& machine = request.machine;
  if (!unit.clean || machine.spec() != unit.report.machine) return std::nullopt;
  if (by_packets(scaling) && machine.timing() != nullptr) return std::nullopt;
  const std::uint32_t by = request.problem.chunks;
  Report report = unit.report;
  if (by_packets(scaling)) {
    scale_packets(report, by, (by - 1) * unit.span);
  } else {
    report.width *= by;
  }
  report.chosen = algorithm.chosen(request);
  report.chunks *= by;
  report.volume *= by;
  Problem problem = request.problem;  // of a declared one only the demand counts
  problem.chunks = static_cast<std::uint32_t>(report.chunks);
  if (!set_bound(report, problem, machine, unit.demand, by)) return std::nullopt;
  return report;
}

std::optional<Report> ScaledChecks::from(Base& base, const Source& source, const Machine& machine) {
  const Problem& problem = base.rows.source().problem;
  const std::uint32_t by = source.problem.chunks / problem.chunks;
  if (machine.spec() != base.report.machine || !same_problem(problem, source.problem, by) ||
      !base.rows.sizes_agree(source, by))
    return std::nullopt;
  Report report = base.report;
  if (base.rows.same_blocks(source, by)) {
    report.width *= by;
  } else {
    if (machine.timing() != nullptr) return std::nullopt;
    const auto more = base.rows.more_steps_of_packets(source, by);
    if (!more) return std::nullopt;
    scale_packets(report, by, *more);
  }
  report.schedule = source.name;
  report.file = source.file;
  report.chosen = source.chosen;
  report.chunks = source.problem.chunks;
  report.volume *= by;
  if (report.lower_bound && !base.demand) base.demand = demand(problem);
  if (!set_bound(report, source.problem, machine, base.demand.value_or(Demand{}), by))
    return std::nullopt;
  return report;
}

}  // namespace schedcc
