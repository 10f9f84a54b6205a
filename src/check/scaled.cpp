#include "check/scaled.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "algorithm/entry.hpp"
#include "analysis/bounds.hpp"
#include "analysis/demand.hpp"
#include "check/checks.hpp"
#include "check/coverage.hpp"
#include "check/threading.hpp"
#include "check/transfer_words.hpp"
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

/// Are the transfers those of the base, with so many chunks for each? Differences are collected
/// without branches, in all words of a transfer at once.
bool same_transfers(std::span<const Transfer> base, std::span<const Transfer> scaled,
                    std::uint32_t by) {
  if (base.size() != scaled.size()) return false;
  const TransferWords factors{1, 1, by, by}, kinds{0, 0, 0, kind_bit};
  Differences differences;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const TransferWords words = words_of(base[i]);
    differences.note(scaled[i], (words & ~kinds) * factors + (words & kinds));
  }
  return differences.none();
}

/// Are the transfers those of the base, of one chunk each, with packet j of `by` of that chunk?
bool same_packets(std::span<const Transfer> base, std::span<const Transfer> packets,
                  std::uint32_t by, std::uint32_t j) {
  if (base.size() != packets.size()) return false;
  const TransferWords factors{1, 1, by, 1}, packet{0, 0, j, 0};
  Differences differences;
  std::uint32_t counts = 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    differences.note(packets[i], words_of(base[i]) * factors + packet);
    counts |= std::uint32_t{base[i].count} ^ 1;
  }
  return differences.none() && counts == 0;
}

/// May the source have the rows of the base, or so many times as many? Without a look at them.
bool sizes_agree(const Source& base, const Source& source, std::uint32_t by) {
  const auto rows = base.open()->rows(), scaled = source.open()->rows();
  return !rows || !scaled || scaled->size() == rows->size() || scaled->size() == rows->size() * by;
}

}  // namespace

Report ScaledChecks::check(const Source& source, const Machine& machine,
                           const CheckOptions& options) {
  if (!scales(machine, options) || !only_steps(source))
    return schedcc::check(source, machine, options);
  auto& base = bases_[source.problem.root];
  if (base && source.problem.chunks % base->source.problem.chunks == 0) {
    if (auto report = from(*base, source, machine)) {
      ++followed_;
      return std::move(*report);
    }
    if (base->left != nullptr || base->complete) kept_ -= base->report.transfers;
    base.reset();
  }
  Report report = check_alone(source, machine, options);
  if (!base && nothing_to_report(report)) base.emplace(Base{.source = source, .report = report});
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
  const std::uint32_t by = source.problem.chunks / base.source.problem.chunks;
  ranks_ = source.problem.ranks;
  if (machine.spec() != base.report.machine ||
      !same_problem(base.source.problem, source.problem, by) ||
      !sizes_agree(base.source, source, by))
    return std::nullopt;
  Report report = base.report;
  if (same_rows(base, source, by)) {
    report.width *= by;
  } else if (const auto last = last_packet(base, source, machine, by)) {
    scale_packets(report, by, *last - base.rows.back().number);
  } else {
    return std::nullopt;
  }
  report.schedule = source.name;
  report.file = source.file;
  report.chosen = source.chosen;
  report.chunks = source.problem.chunks;
  report.volume *= by;
  if (report.lower_bound && !base.demand) base.demand = demand(base.source.problem);
  if (!set_bound(report, source.problem, machine, base.demand.value_or(Demand{}), by))
    return std::nullopt;
  return report;
}

bool ScaledChecks::same_rows(Base& base, const Source& source, std::uint32_t by) {
  const auto stream = source.open();
  if (const auto rows = stream->rows()) {
    for (std::uint64_t row = 0; row < rows->size(); ++row) {
      if (!has_row(base, row) || !same_row(base.rows[row], *rows, row, by)) return false;
    }
    return !has_row(base, rows->size()) && base.complete;
  }
  std::uint64_t row = 0;
  for (Step step; stream->next(step); ++row) {
    if (!has_row(base, row)) return false;
    const Step& other = base.rows[row];
    if (other.number != step.number || other.rounds != step.rounds ||
        !same_transfers(other.transfers, step.transfers, by))
      return false;
  }
  return !has_row(base, row) && base.complete;
}

/// The number of the last step, if each row has one packet of its chunks, and the rows of each
/// packet are those of the base.
std::optional<std::uint64_t> ScaledChecks::last_packet(Base& base, const Source& source,
                                                       const Machine& machine, std::uint32_t by) {
  if (machine.timing() != nullptr) return std::nullopt;
  std::vector<std::uint64_t> rows(by);  // how many there were, by packet
  const auto stream = source.open();
  std::uint64_t last = 0;
  for (Step step; stream->next(step); last = step.number) {
    if (step.transfers.empty()) return std::nullopt;
    const std::uint32_t packet = step.transfers.front().first % by;
    const std::uint64_t row = rows[packet]++;
    if (!has_row(base, row) || base.rows[row].rounds != step.rounds ||
        !same_packets(base.rows[row].transfers, step.transfers, by, packet))
      return std::nullopt;
  }
  const auto ends = [&](std::uint64_t row) { return !has_row(base, row) && base.complete; };
  return rows.front() > 0 && std::ranges::all_of(rows, ends) ? std::optional(last) : std::nullopt;
}

/// A long row is read by some ranks at a time, if it can be, so that it stays in a cache.
bool ScaledChecks::same_row(const Step& base, const Steps& rows, std::uint64_t row,
                            std::uint32_t by) {
  constexpr std::uint64_t piece = 1 << 13;
  const std::uint64_t all = base.transfers.size(), P = ranks_;
  const bool divides = all > piece && rows.divides(P);
  const std::uint64_t of = divides ? P : 1,
                      some = divides ? std::max<std::uint64_t>(1, P * piece / all) : 1;
  std::size_t compared = 0;
  for (std::uint64_t first = 0; first < of; first += some) {
    const Step step = rows.read(row, {first, std::min(of, first + some), of}, buffer_);
    const std::size_t size = step.transfers.size();
    if (step.number != base.number || step.rounds != base.rounds || all - compared < size ||
        !same_transfers(base.transfers.subspan(compared, size), step.transfers, by))
      return false;
    compared += size;
  }
  return compared == all;
}

/// Does a base have this row? Reads it if it was not read yet.
bool ScaledChecks::has_row(Base& base, std::uint64_t row) {
  if (base.left == nullptr && !base.complete) {
    if (kept_ + base.report.transfers > most_) return false;
    kept_ += base.report.transfers;
    base.transfers.reserve(base.report.transfers);
    base.left = base.source.open();
  }
  while (!base.complete && base.rows.size() <= row) {
    Step step;
    if (!base.left->next(step)) {
      base.complete = true;
      base.left = nullptr;
    } else {
      const std::size_t before = base.transfers.size(), more = step.transfers.size();
      if (base.transfers.capacity() - before < more) return false;
      base.transfers.insert(base.transfers.end(), step.transfers.begin(), step.transfers.end());
      base.rows.push_back({.number = step.number,
                           .transfers = std::span(base.transfers).subspan(before, more),
                           .rounds = step.rounds});
    }
  }
  return row < base.rows.size();
}

}  // namespace schedcc
