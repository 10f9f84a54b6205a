// The time of a schedule with a given number of chunks, and whether it is a choice at all. Checks,
// and the times as functions of the size of a chunk, are kept for all sizes.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "cost/bounds.hpp"
#include "cost/packets.hpp"
#include "cost/timing.hpp"

namespace schedcc {

/// The time of the schedule with K chunks, if it holds, if it may be below `limit`, and if it is
/// below `better`, with which estimates are compared.
std::optional<PacketChoice> Packets::valid_time(std::uint64_t K, std::uint64_t bytes, double limit,
                                                double better) {
  if (!can_be_built(K)) return std::nullopt;
  if (setting_.needs_rules() && !passes(keeping_rules_, K, broken_rule)) return std::nullopt;
  const auto found = time(K, bytes, once_for_all_ ? limit : std::min(limit, better));
  if (!found || found->seconds >= better) return std::nullopt;
  const auto other = [&](const Source& source, const Machine& machine,
                         const ProgressCallback& progress) {
    return other_failure(source, machine, setting_.needs_agreement, progress);
  };
  if (setting_.needs_delivery() && !passes(holding_, K, other)) return std::nullopt;
  return found;
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

/// A lower bound on the time of K chunks: their steps, and their volume, or the lower bound on it.
double Packets::least_time(std::uint64_t K, std::uint64_t bytes) const {
  const Machine& machine = setting_.request.machine;
  if (!request_.model.synchronous() || !machine.ports() || !setting_.claim_applies) return 0;
  const auto& [claim, only_steps] = claimed(K);
  const auto [alpha, beta] = least_link(request_.model, machine);
  double least = alpha * static_cast<double>(claim.steps);
  const bool custom = request_.problem.declared();
  const std::uint64_t volume = only_steps ? claim.steps : custom ? 0 : claim.volume;
  if (claim.exact && request_.model.linear() && volume != 0) {
    const std::uint64_t smaller = bytes / K;
    least += beta * static_cast<double>(volume) * static_cast<double>(smaller);
  } else if (!custom)
    least += beta * least_volume(request_.problem, machine, bytes);
  return least * (1 - 1e-12);  // rounded down
}

bool Packets::too_wide(std::uint64_t K, std::uint64_t width) {
  const std::uint32_t most = setting_.request.machine.width();
  if (most == 0 || width <= most) return false;
  refused_.emplace(K, Failure{fmt::format("its messages carry {} chunks, and {} allows {}", width,
                                          setting_.request.machine.spec(), most)});
  return true;
}

/// The time of the schedule with K chunks; none if its messages are too wide for the machine, or if
/// it is not below `limit` and that was noticed on the way. Measured once for all sizes, it is an
/// estimate if K does not divide the size, see timed_exactly().
std::optional<PacketChoice> Packets::time(std::uint64_t K, std::uint64_t bytes, double limit) {
  if (!once_for_all_) return time_of_steps(K, bytes, limit);
  built_.insert(K);
  auto known = measured_.find(K);
  if (known == measured_.end()) known = measured_.emplace(K, measure(source(K))).first;
  const Measured& measured = known->second;
  if (too_wide(K, measured.width)) return std::nullopt;
  const std::uint64_t smaller = bytes / measured.chunks;
  const double least = measured.profile.at(static_cast<double>(smaller));
  if (least * (1 - 1e-12) >= limit) return std::nullopt;
  const double chunk = static_cast<double>(bytes) / static_cast<double>(measured.chunks);
  return PacketChoice{K, measured.steps, measured.profile.at(chunk)};
}

/// An evaluated choice with its exact time, if that is below `limit`. Where K does not divide the
/// size, chunks have two sizes, and the schedule is read once more.
std::optional<PacketChoice> Packets::timed_exactly(const std::optional<PacketChoice>& choice,
                                                   std::uint64_t bytes, double limit) {
  if (!choice || bytes % choice->packets == 0 || !measured_.contains(choice->packets))
    return choice;
  const auto known = exact_.find({choice->packets, bytes});
  if (known != exact_.end())
    return known->second.seconds < limit ? std::optional(known->second) : std::nullopt;
  const auto result = time_of_steps(choice->packets, bytes, limit);
  if (result) exact_.emplace(std::pair(choice->packets, bytes), *result);
  return result;
}

/// The same, step by step.
std::optional<PacketChoice> Packets::time_of_steps(std::uint64_t K, std::uint64_t bytes,
                                                   double limit) {
  built_.insert(K);
  const auto timing = time_below(limit, source(K), setting_.request.machine, request_.model, bytes,
                                 request_.progress);
  if (!timing || too_wide(K, timing->width)) return std::nullopt;
  return PacketChoice{K, timing->steps, timing->seconds};
}

Packets::Measured Packets::measure(const Source& source) const {
  const std::uint64_t chunks = source.problem.chunks;
  if (!request_.model.linear()) {
    auto [timing, profile] =
        profiled(source, setting_.request.machine, request_.model, request_.progress);
    return {timing.steps, timing.width, chunks, std::move(profile)};
  }
  // Without bytes, and what every byte in a chunk adds.
  CostModel startup = request_.model, bytes = request_.model;
  startup.beta = 0;
  bytes.alpha = 0;
  const auto timings =
      times(source, setting_.request.machine, {startup, bytes}, chunks, request_.progress);
  Measured result{timings[0].steps, timings[0].width, chunks, {}};
  result.profile.add(std::array{LinkTime{timings[0].seconds, timings[1].seconds}});
  return result;
}

}  // namespace schedcc
