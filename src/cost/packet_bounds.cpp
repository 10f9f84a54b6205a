// Lower bounds on the time of a schedule with a given number of chunks, which take less time than
// to read it.
//
// Claims: every step takes a start-up, and the bytes of its largest message, which has one chunk at
// least; all of them together carry the least volume of the problem, and the claimed one.
//
// Scaling: where an algorithm moves larger blocks, or one packet after another (model/scaling.hpp),
// the schedule for K chunks is made from that for one, and so is its time with chunks of the same
// size: that for one with K times the bytes, or K times that for one. The schedule for one chunk is
// measured for all K, as far as it is needed.
//
// Messages: in LogP and LogGP, by what is claimed of them (message_bounds.hpp).
//
// Samples: a part of the transfers of each row (row_sample.hpp).
//
// All are rounded down, so that a schedule which takes as long as the best one is still compared.

#include <algorithm>
#include <cmath>

#include "algorithm/entry.hpp"
#include "cost/bounds.hpp"
#include "cost/message_bounds.hpp"
#include "cost/packets.hpp"
#include "cost/timing.hpp"
#include "machine/overheads.hpp"

namespace schedcc {

namespace {

/// More than the relative errors of sums.
constexpr double rounding = 1e-9;

/// A sample is read until it takes so many times the limit: most of the time is spent on building
/// the schedule again for other sizes.
constexpr double spare_of_sample = 8;

/// The time of the slowest message, with `scale` times the bytes.
double highest(std::span<const LinkTime> messages, double scale) {
  double result = 0;
  for (const LinkTime& m : messages) result = std::max(result, m.alpha + m.beta * scale);
  return result;
}

}  // namespace

Packets::ClaimedLeast Packets::claimed_least(std::uint64_t K) const {
  const auto known = claimed_least_.find(K);
  if (known != claimed_least_.end()) return known->second;
  const auto& [claim, only_steps] = claimed(K);
  const auto [alpha, beta] = least_link(request_.model, setting_.request.machine);
  const bool custom = request_.problem.declared();
  const std::uint64_t volume = only_steps ? claim.steps : custom ? 0 : claim.volume;
  ClaimedLeast result{alpha * static_cast<double>(claim.steps), 0, !custom};
  if (claim.exact && request_.model.linear() && volume != 0) {
    result.per_byte = beta * static_cast<double>(volume);
    result.volume = false;
  }
  return claimed_least_.emplace(K, result).first->second;
}

/// What the least volume of the problem takes.
double Packets::volume_seconds(std::uint64_t bytes) const {
  auto& [size, seconds] = volume_seconds_;
  if (size != bytes || seconds < 0) {
    const Machine& machine = setting_.request.machine;
    size = bytes;
    seconds =
        least_link(request_.model, machine).beta * least_volume(request_.problem, machine, bytes);
  }
  return seconds;
}

/// What is claimed of the messages, if that applies.
CostClaim Packets::claimed_messages(std::uint64_t K) const {
  return setting_.claim_applies ? claimed(K).cost : CostClaim{};
}

/// LogP and LogGP: what messages of K chunks take.
double Packets::least_by_messages(std::uint64_t K, std::uint64_t bytes) const {
  const auto [known, fresh] = least_by_messages_.try_emplace(std::pair(K, bytes));
  if (fresh) {
    known->second = message_bound(with_chunks(K).problem, setting_.request.machine, request_.model,
                                  bytes, claimed_messages(K), memory_) *
                    (1 - rounding);
  }
  return known->second;
}

/// A lower bound on the time of K chunks: their steps, and their volume, or the lower bound on it;
/// or what is known from other sizes.
double Packets::least_time(std::uint64_t K, std::uint64_t bytes) const {
  const auto known = least_times_.find(K);
  const double other = known == least_times_.end() ? 0 : known->second.at(bytes);
  if (!request_.model.synchronous()) return std::max(other, least_by_messages(K, bytes));
  if (known != least_times_.end()) return other;
  if (!setting_.request.machine.ports() || !setting_.claim_applies) return 0;
  const ClaimedLeast least = claimed_least(K);
  const std::uint64_t smaller = bytes / K;
  const double more = least.volume ? volume_seconds(bytes) : 0;
  return (least.seconds + least.per_byte * static_cast<double>(smaller) + more) * (1 - 1e-12);
}

Packets::Single& Packets::single() {
  if (single_) return *single_;
  const Request one = with_chunks(1);
  const Algorithm& algorithm = *setting_.algorithm;
  const bool made_from_one = !request_.problem.declared() &&
                             AlgorithmEntry::of(algorithm).phases == nullptr &&
                             !one.machine.routed() && !algorithm.reason(one);
  single_.emplace(Single{made_from_one ? scaling(algorithm, one) : Scaling::none,
                         Measurement(one.machine, request_.model)});
  return *single_;
}

/// Does the schedule with K chunks take `limit` seconds or more, or its estimate `better`, as that
/// for one chunk tells? The rules of the machine are those for one chunk, which is to be tested
/// first.
bool Packets::slow_by_scaling(std::uint64_t K, std::uint64_t bytes, double limit, double better) {
  if (K == 1 || std::isinf(std::min(limit, better))) return false;
  if (setting_.needs_rules() && !measured_.contains(1) && !refused_.contains(1)) return false;
  auto& [how, times] = single();
  if (how == Scaling::none) return false;
  const ChunkSize size = ChunkSize::of(bytes, K);
  const auto count = static_cast<double>(K);
  const bool packets = by_packets(how);
  const auto slow = [&](const Measurement& m) {
    const auto at = [&](double x) { return packets ? count * m.at(x) : m.at(count * x); };
    return at(size.smaller) * (1 - rounding) >= limit || at(size.mean) * (1 - rounding) >= better;
  };
  if (slow(times)) return true;
  if (times.complete()) return false;
  times.read(rest(1, times.rows()), setting_.request.machine, request_.model, nullptr, slow,
             request_.progress);
  return slow(times);
}

/// The sample of the schedule with K chunks whose messages take the longest with chunks of so many
/// bytes.
std::optional<Packets::Sampled> Packets::sample(std::uint64_t K, double chunk) const {
  const Machine& machine = setting_.request.machine;
  const bool monotonic = !machine.in_network().any() && !overheads_of(machine).any();
  if (request_.model.linear() || machine.routed() || !monotonic) return std::nullopt;
  constexpr std::uint64_t unit = std::uint64_t{1} << 16;
  const Steps all = steps(K);
  const auto clock = own_clock(request_.model, machine);
  const std::uint64_t chunks = setting_.algorithm->problem(with_chunks(K)).chunks;
  MessageReader reader(ChunkBytes(chunks * unit, chunks), false);
  const auto weight = [&](const Step& step) {
    return highest(clock->lines(reader.read(step)), chunk / unit);
  };
  const auto rows = RowSample::of(all, request_.problem.ranks, weight);
  if (!rows) return std::nullopt;
  return Sampled{*rows, Measurement(machine, request_.model)};
}

/// Does the schedule with K chunks take `limit` seconds or more, or its estimate `better`, as a
/// sample of its rows tells?
bool Packets::slow_by_sample(std::uint64_t K, Measured& measured, std::uint64_t bytes, double limit,
                             double better) {
  if (std::isinf(std::min(limit, better))) return false;
  const ChunkSize size = ChunkSize::of(bytes, measured.chunks);
  if (!measured.sampled) {
    measured.sample = sample(K, size.mean);
    measured.sampled = true;
  }
  if (!measured.sample) return false;
  auto& [rows, times] = *measured.sample;
  const auto slow = [&](const Measurement& m, double times_more) {
    return m.at(size.smaller) * (1 - rounding) >= limit * times_more ||
           m.at(size.mean) * (1 - rounding) >= better * times_more;
  };
  if (slow(times, 1)) return true;
  if (times.complete()) return false;
  times.read(
      with_steps(K, rows.steps(steps(K), times.rows())), setting_.request.machine, request_.model,
      nullptr, [&](const Measurement& m) { return slow(m, spare_of_sample); }, request_.progress);
  return slow(times, 1);
}

}  // namespace schedcc
