// The time of a schedule with a given number of chunks, and whether it is a choice at all. Checks,
// and the times as functions of the size of a chunk, are kept for all sizes.

#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "cost/packets.hpp"
#include "cost/timing.hpp"

namespace schedcc {

namespace {

/// Where rules are tested, the rows of a schedule that are read whole before a sample of the
/// others: those that break a rule are mostly among them.
constexpr std::uint64_t rows_before_sample = 16;

/// To continue a schedule it is built again. So it is read until it takes somewhat more than the
/// limit, which is enough for some of the next sizes.
constexpr double spare = 1.25;

/// Schedules with more messages than this are read again for each size.
constexpr std::uint64_t max_kept_messages = std::uint64_t{1} << 18;

/// Has the row more than `most` transfers? If it can be divided, it is read no further than twice
/// as far as shows it.
bool has_more_than(std::uint64_t most, const Steps& steps, std::uint64_t row) {
  const bool any_number = steps.parts() == Steps::any_number;
  const std::uint64_t of = any_number ? std::uint64_t{1} << 16 : steps.parts();
  Transfers buffer;
  std::uint64_t seen = 0, size = 1;
  for (std::uint64_t first = 0; first < of && seen <= most; first += size, size *= 2) {
    const RowParts parts{first, std::min(first + size, of), of};
    seen += steps.read(row, parts, buffer).transfers.size();
  }
  return seen > most;
}

}  // namespace

/// The time of the schedule with K chunks, if it holds, if it may be below `limit`, and if it is
/// below `better`, with which estimates are compared.
std::optional<PacketChoice> Packets::valid_time(std::uint64_t K, std::uint64_t bytes, double limit,
                                                double better) {
  if (!can_be_built(K)) return std::nullopt;
  // Steps that are timed once for all sizes are tested on the way.
  const bool tested = once_for_all_ && !setting_.request.machine.routed();
  if (setting_.needs_rules() && !tested && !keeps_rules(K)) return std::nullopt;
  const auto found = time(K, bytes, limit, better);
  if (!found || found->seconds >= better) return std::nullopt;
  if (setting_.needs_rules() && !passes(keeping_rules_, K, broken_rule)) return std::nullopt;
  const auto other = [&](const Source& source, const Machine& machine,
                         const ProgressCallback& progress) {
    return other_failure(source, machine, setting_.needs_agreement, progress);
  };
  if (setting_.needs_delivery() && !passes(holding_, K, other)) return std::nullopt;
  return found;
}

/// Does the schedule with K chunks keep the rules of the machine? If a quick test tells that it
/// does not, nobody has asked yet which one it breaks.
bool Packets::keeps_rules(std::uint64_t K) {
  if (keeping_rules_.contains(K)) return true;
  if (root_breaks_ports(*setting_.algorithm, with_chunks(K))) {
    refused_.emplace(K, std::nullopt);
    return false;
  }
  return passes(keeping_rules_, K, broken_rule);
}

/// Calls `failure` for the schedule with K chunks, once for all sizes.
template <typename F>
bool Packets::passes(std::set<std::uint64_t>& passed, std::uint64_t K, F failure) {
  if (passed.contains(K)) return true;
  if (auto why = failure(source(K), setting_.request.machine, request_.progress)) {
    refused_.emplace(K, std::move(*why));
    return false;
  }
  passed.insert(K);
  return true;
}

bool Packets::can_be_built(std::uint64_t K) {
  if (refused_.contains(K)) return false;
  if (buildable_.contains(K)) return true;
  const Request request = with_chunks(K);
  if (auto reason = setting_.algorithm->reason(request)) {
    refused_.emplace(K, Failure{std::move(*reason)});
  } else if (claimed(K).cost.steps > max_transfers / request.problem.ranks) {
    refused_.emplace(
        K, Failure{fmt::format("its schedule for {} chunks is too large to be timed", K)});
  } else {
    buildable_.insert(K);
  }
  return buildable_.contains(K);
}

Request Packets::with_chunks(std::uint64_t K) const {
  Request request = setting_.request;
  request.problem.chunks = static_cast<std::uint32_t>(K);
  return request;
}

Source Packets::source(std::uint64_t K) const {
  return from_algorithm(*setting_.algorithm, with_chunks(K), setting_.spec.text());
}

/// The same with these steps, which are a part of its own.
Source Packets::with_steps(std::uint64_t K, Steps steps) const {
  Source result = source(K);
  result.open = [steps = std::move(steps)] { return stream(steps); };
  return result;
}

/// The same from a row on.
Source Packets::rest(std::uint64_t K, std::uint64_t row) const {
  if (row == 0) return source(K);
  const Steps all = steps(K);
  return with_steps(K, Steps(all.size() - row, [all, row](std::uint64_t index, Transfers& out) {
                      return all.fill(row + index, out);
                    }));
}

bool Packets::too_wide(std::uint64_t K, std::uint64_t width) {
  const std::uint32_t most = setting_.request.machine.width();
  if (most == 0 || width <= most) return false;
  refused_.emplace(K, Failure{fmt::format("its messages carry {} chunks, and {} allows {}", width,
                                          setting_.request.machine.spec(), most)});
  return true;
}

/// The time of the schedule with K chunks; none if its messages are too wide for the machine, or if
/// it is not below `limit` or `better`, and that was noticed on the way. Measured once for all
/// sizes, it is an estimate if K does not divide the size, see timed_exactly(): then estimates are
/// compared with `better`, and what it takes at least with `limit`.
std::optional<PacketChoice> Packets::time(std::uint64_t K, std::uint64_t bytes, double limit,
                                          double better) {
  if (!once_for_all_) return time_of_steps(K, bytes, std::min(limit, better));
  const Machine& machine = setting_.request.machine;
  if (!measured_.contains(K) && slow_by_scaling(K, bytes, limit, better)) return std::nullopt;
  built_.insert(K);
  if (!measured_.contains(K) && too_large(K)) return std::nullopt;
  Measured& known = measured(K);
  Measurement& times = known.times;
  const ChunkSize size = ChunkSize::of(bytes, known.chunks);
  const auto too_slow = [&](const Measurement& m) {
    return m.at(size.smaller) * (1 - 1e-12) >= limit || m.at(size.mean) >= better;
  };
  const auto far_too_slow = [&](const Measurement& m) {
    return m.at(size.smaller) >= limit * spare || m.at(size.mean) >= better * spare;
  };
  const bool tested = setting_.needs_rules() && !machine.routed() && !keeping_rules_.contains(K);
  const std::uint64_t first_rows = tested ? rows_before_sample : 0;
  while (!times.complete() && !too_slow(times)) {
    // A network's packets are under way for several steps, so that their schedule is read whole.
    const bool started = times.rows() >= first_rows;
    if (started && slow_by_sample(K, known, bytes, limit, better)) return std::nullopt;
    const auto enough = [&](const Measurement& m) {
      if (!started && m.rows() >= first_rows) return !machine.routed();
      return !machine.routed() && far_too_slow(m);
    };
    std::optional<StepRules> rules;
    if (tested) rules.emplace(machine);
    times.read(rest(K, times.rows()), machine, request_.model, rules ? &*rules : nullptr, enough,
               request_.progress);
    if (!times.suspect()) continue;
    refused_.emplace(K, std::nullopt);
    built_.erase(K);  // only those that keep the rules count
    return std::nullopt;
  }
  if (too_wide(K, times.width()) || too_slow(times)) return std::nullopt;
  if (setting_.delivers) keeping_rules_.insert(K);  // its steps have all been tested
  return PacketChoice{K, times.steps(), times.at(size.mean)};
}

/// Steps may have many more transfers than messages; the one in the middle stands for all.
bool Packets::too_large(std::uint64_t K) {
  const Steps steps = setting_.algorithm->steps(with_chunks(K));
  if (steps.size() == 0) return false;
  if (!has_more_than(max_transfers / steps.size(), steps, steps.size() / 2)) return false;
  refused_.emplace(K,
                   Failure{fmt::format("its schedule for {} chunks is too large to be timed", K)});
  built_.erase(K);
  return true;
}

Packets::Measured& Packets::measured(std::uint64_t K) {
  const auto known = measured_.find(K);
  if (known != measured_.end()) return known->second;
  Measured fresh{setting_.algorithm->problem(with_chunks(K)).chunks,
                 Measurement(setting_.request.machine, request_.model)};
  return measured_.emplace(K, std::move(fresh)).first->second;
}

/// An evaluated choice with its exact time, if that is below `limit`. Where K does not divide the
/// size, chunks have two sizes, and the schedule is read once more.
std::optional<PacketChoice> Packets::timed_exactly(const std::optional<PacketChoice>& choice,
                                                   std::uint64_t bytes, double limit) {
  if (!choice || bytes % choice->packets == 0 || !measured_.contains(choice->packets))
    return choice;
  Exact& known = exact_[{choice->packets, bytes}];
  if (!known.choice && known.not_below < limit) {
    known.choice = time_of_steps(choice->packets, bytes, limit);
    if (!known.choice) known.not_below = limit;
  }
  return known.choice && known.choice->seconds < limit ? known.choice : std::nullopt;
}

/// Are steps to be kept? Those of rotations are found fast.
bool Packets::can_be_kept(std::uint64_t K) const {
  const Machine& machine = setting_.request.machine;
  return !machine.routed() && !machine.in_network().any() && steps(K).rotated() == nullptr;
}

/// The same, step by step.
std::optional<PacketChoice> Packets::time_of_steps(std::uint64_t K, std::uint64_t bytes,
                                                   double limit) {
  built_.insert(K);
  const Machine& machine = setting_.request.machine;
  const Problem problem = setting_.algorithm->problem(with_chunks(K));
  Outlook outlook{claimed_messages(K).width, least_time(K, bytes)};
  std::optional<Timing> timing;
  if (!kept_.contains(K) && !can_be_kept(K)) {
    timing =
        time_below(limit, source(K), machine, request_.model, bytes, request_.progress, &outlook);
  } else {
    const std::function<Source(std::uint64_t)> rest_of = [&](std::uint64_t row) {
      return rest(K, row);
    };
    const bool few = claimed(K).cost.steps <= max_kept_messages / request_.problem.ranks;
    timing = time_below(limit, RepeatedSource{problem, rest_of, kept_[K], memory_, few}, machine,
                        request_.model, bytes, request_.progress, &outlook);
  }
  if (outlook.least) {
    const LeastTimes fresh{problem.chunks, claimed(K).cost.steps};
    least_times_.emplace(K, fresh).first->second.add(*outlook.least);
  }
  if (!timing || too_wide(K, timing->width)) return std::nullopt;
  return PacketChoice{K, timing->steps, timing->seconds};
}

void Packets::LeastTimes::add(const LinkTime& line) {
  constexpr std::size_t most = 8;
  if (lines.size() < most) {
    lines.push_back(line);
  } else {
    lines[next] = line;
    next = (next + 1) % most;
  }
}

double Packets::LeastTimes::at(std::uint64_t bytes) const {
  const double smaller = ChunkSize::of(bytes, chunks).smaller;
  double least = 0;
  for (const LinkTime& line : lines) least = std::max(least, line.alpha + line.beta * smaller);
  // A path has some waits of a few terms in each step. Where these are few, the bound of a schedule
  // that takes as long as the best one is above the time below which it would be better.
  constexpr double of_step = 64 * std::numeric_limits<double>::epsilon();
  return least * (1 - std::min(1e-12, of_step * static_cast<double>(steps + 1)));
}

}  // namespace schedcc
