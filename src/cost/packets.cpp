// If the number of steps determines the time, the best K is the exact optimum over the integers,
// and no schedule is built. Other schedules are evaluated, for a few K each:
//
//   1            the fewest messages
//   P, 2^h       for messages cut for the ranks, 2^h being the largest power of two that is not
//                above P: parts of equal size if blocks go to all ranks, or to halves of them
//   2P, P 2^h    so that both are of equal size
//   2, 4, ...    powers of two, if more chunks mean more steps, as in a pipeline, and the most
//                chunks that take as many steps as each of these, if that is claimed; then
//                all these K are at most 4096
//   c, 2c, ...   if the algorithm divides blocks, or messages, into c parts; just c if more chunks
//                do not mean more steps
//
// The time of each is a function of the size of a chunk (measurement.hpp), so that it is evaluated
// once for all sizes, and only as far as it is needed: a schedule is abandoned when its first steps
// take longer than the best one known. The times of LogP and LogGP are not such functions: there a
// schedule is timed for its size.
//
// An algorithm for another machine is a choice if its schedule passes the checks. So that few
// schedules are checked, and each of them once for all sizes, it is evaluated only for the K of the
// list, the fastest first; if steps determine the time, for the optimum too, rounded to four binary
// digits. The rules of the machine, which most schedules break in their first steps, are tested
// (step_rules.hpp) as steps are timed, and the checks come after the timing.

#include "cost/packets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "algorithm/entry.hpp"
#include "cost/claimed_time.hpp"
#include "cost/timing.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// As max_transfers, if the best number of chunks follows from the claim, and has to be timed.
constexpr std::uint64_t max_timed = std::uint64_t{1} << 22;

/// The most chunks that are tried if more of them mean more steps.
constexpr std::uint64_t max_in_pipelines = 4096;

/// The relative loss allowed for choices that are too large to be evaluated.
constexpr double negligible = 1e-5;

/// The least number of packets, found by bisection, that is as good as `best` within a negligible
/// difference: up to the best number more packets take less time, apart from steps that are added
/// in groups.
template <typename F>
PacketChoice fewest_packets(F steps, const PacketCost& cost, PacketChoice best) {
  const double good = best.seconds * (1 + negligible);
  std::uint64_t low = 0;  // too few
  while (best.packets - low > 1) {
    const std::uint64_t middle = low + (best.packets - low) / 2;
    const std::uint64_t needed = steps(middle);
    const double seconds = static_cast<double>(needed) * cost.packet(middle);
    if (seconds <= good) {
      best = {middle, needed, seconds};
    } else {
      low = middle;
    }
  }
  return best;
}

/// On one port, a further packet takes at least one step.
Growth growth(const Setting& setting) {
  return one_message_each(*setting.algorithm, setting.request) ? Growth::step_each : Growth::any;
}

/// The claimed steps by the number of chunks; for many of them, so the request is copied once.
auto claimed_steps(const Setting& setting) {
  return [algorithm = setting.algorithm,
          request = std::make_shared<Request>(setting.request)](std::uint64_t K) {
    request->problem.chunks = static_cast<std::uint32_t>(K);
    return algorithm->claim(*request).steps;
  };
}

}  // namespace

Packets::Packets(const TuneRequest& request, Setting setting, SearchMemory& memory)
    : request_(request),
      setting_(std::move(setting)),
      memory_(memory),
      once_for_all_(
          request.model.linear() ||
          (request.model.synchronous() && has_profiles(request.model, setting_.request.machine))) {}

std::optional<PacketChoice> Packets::best(std::uint64_t bytes, double limit, std::uint64_t near,
                                          std::uint64_t& evaluated) {
  if (request_.problem.ranks == 1) return PacketChoice{request_.chunks.value_or(1), 0, 0};
  return any_packets() ? of_all(bytes, limit, evaluated)
                       : timed_exactly(best_of_tried(bytes, limit, near), bytes, limit);
}

std::optional<PacketRange> Packets::range_of_best(std::uint64_t bytes, double limit,
                                                  std::uint64_t near, std::uint64_t& evaluated) {
  const bool estimated = request_.problem.ranks > 1 && !any_packets();
  const auto found =
      estimated ? best_of_tried(bytes, limit, near) : best(bytes, limit, near, evaluated);
  return found ? std::optional(range(*found, bytes)) : std::nullopt;
}

std::optional<PacketRange> Packets::range_with(std::uint64_t K, std::uint64_t bytes, double limit) {
  if (request_.problem.ranks == 1 || any_packets()) {
    const auto found = with(K, bytes, limit);
    return found ? std::optional(PacketRange{K, found->seconds, found->seconds}) : std::nullopt;
  }
  if (least_time(K, bytes) > limit) return std::nullopt;
  const auto found = valid_time(K, bytes, limit, HUGE_VAL);
  return found ? std::optional(range(*found, bytes)) : std::nullopt;
}

/// What is known of the time of an evaluated choice without reading its schedule again.
PacketRange Packets::range(const PacketChoice& choice, std::uint64_t bytes) const {
  const std::uint64_t K = choice.packets;
  const auto known = measured_.find(K);
  if (bytes % K == 0 || known == measured_.end()) return {K, choice.seconds, choice.seconds};
  const Measurement& times = known->second.times;
  const double smaller = ChunkSize::of(bytes, known->second.chunks).smaller;
  return {K, times.at(smaller), times.at(smaller + 1)};
}

std::optional<PacketChoice> Packets::with(std::uint64_t K, std::uint64_t bytes, double limit) {
  if (request_.problem.ranks == 1) return PacketChoice{K, 0, 0};
  if (!any_packets()) {
    if (least_time(K, bytes) > limit) return std::nullopt;
    return timed_exactly(valid_time(K, bytes, limit, HUGE_VAL), bytes, limit);
  }
  const CostClaim& all = claimed(K).cost;
  const double seconds = static_cast<double>(all.steps) * packet_cost(bytes).packet(K);
  if (all.exact || !can_be_built(K))
    return seconds < limit ? std::optional(PacketChoice{K, all.steps, seconds}) : std::nullopt;
  const auto found = timed_exactly(time(K, bytes, limit, HUGE_VAL), bytes, limit);
  return found && found->seconds < limit ? found : std::nullopt;
}

const Failure& Packets::why() const {
  static const Failure nothing;
  if (serves_ || refused_.empty()) return nothing;
  auto& [K, failure] = *refused_.begin();
  if (!failure) failure = broken_rule(source(K), setting_.request.machine, request_.progress);
  if (!failure) throw InternalError("a step is refused that breaks no rule");
  return *failure;
}

const Packets::Claimed& Packets::claimed(std::uint64_t K) const {
  const auto known = claimed_.find(K);
  if (known != claimed_.end()) return known->second;
  const CostClaim cost = setting_.claim(K);
  return claimed_.emplace(K, Claimed{cost, setting_.time_follows_from_steps(cost, request_.model)})
      .first->second;
}

/// Is the best K found among all numbers?
bool Packets::any_packets() const {
  return !setting_.needs_check && claimed(request_.chunks.value_or(1)).steps_suffice;
}

std::optional<PacketChoice> Packets::of_all(std::uint64_t bytes, double limit,
                                            std::uint64_t& evaluated) {
  const PacketCost packet = packet_cost(bytes);
  serves_ = true;
  // A claimed maximum may exceed the actual number.
  const bool exact = claimed(1).cost.exact;
  PacketChoice best{0, 0, exact ? limit : HUGE_VAL};
  const auto steps = claimed_steps(setting_);
  if (request_.chunks) {
    const std::uint64_t needed = steps(*request_.chunks);
    best = {*request_.chunks, needed,
            static_cast<double>(needed) * packet.packet(*request_.chunks)};
  } else {
    best = best_packets(steps, max_chunks(bytes), packet, best, growth(setting_), &evaluated);
    const std::uint64_t most = exact ? max_transfers : max_timed;
    if (best.packets != 0 && best.steps > most / request_.problem.ranks)
      best = fewest_packets(steps, packet, best);
  }
  if (best.packets == 0) return std::nullopt;
  if (!exact && can_be_built(best.packets)) {
    if (const auto real =
            timed_exactly(time(best.packets, bytes, HUGE_VAL, HUGE_VAL), bytes, HUGE_VAL))
      return real;
  }
  return best;
}

PacketCost Packets::packet_cost(std::uint64_t bytes) const {
  return {bytes, request_.model.alpha, request_.model.beta};
}

/// K is at most the number of bytes, and small enough for chunk numbers.
std::uint64_t Packets::max_chunks(std::uint64_t bytes) const {
  std::uint64_t most = max_transfer_count;
  for (int i = 0; i < info(request_.problem.collective).blocks; ++i) {
    most = std::min<std::uint64_t>(most, UINT32_MAX) / request_.problem.ranks;
  }
  return std::clamp<std::uint64_t>(bytes, 1, std::max<std::uint64_t>(most, 1));
}

std::vector<std::uint64_t> Packets::tried(std::uint64_t bytes) const {
  if (request_.chunks || request_.problem.ranks == 1 || any_packets()) return {};
  if (claimed(1).steps_suffice) return to_try(bytes);
  const std::uint64_t most = max_chunks(bytes);
  const auto known = tried_.find(most);
  return known != tried_.end() ? known->second : tried_.emplace(most, to_try(bytes)).first->second;
}

/// If a pipeline takes packets in groups, the largest K' < 2 K with as many steps as K: its last
/// group is full.
std::uint64_t Packets::full_groups(std::uint64_t K) const {
  const auto [known, fresh] = full_groups_.try_emplace(K, K);
  if (!fresh) return known->second;
  const auto steps = claimed_steps(setting_);
  const std::uint64_t needed = claimed(K).cost.steps;
  std::uint64_t& most = known->second;
  if (steps(K + 1) > needed) return most;
  for (std::uint64_t more = 2 * K; most + 1 < more;) {
    const std::uint64_t middle = most + (more - most) / 2;
    (steps(middle) <= needed ? most : more) = middle;
  }
  return most;
}

std::vector<std::uint64_t> Packets::to_try(std::uint64_t bytes) const {
  // If a message has all of its chunks in a step, blocks suffice as packets.
  const bool blocks = request_.problem.in_blocks() && !setting_.request.machine.routed();
  const bool longer = setting_.claim_applies ? is_pipeline(max_chunks(bytes)) : !blocks;
  const std::uint64_t most = std::min(max_chunks(bytes), longer ? max_in_pipelines : UINT64_MAX);
  std::vector<std::uint64_t> result{1};
  if (!request_.problem.in_blocks()) {
    const std::uint64_t P = request_.problem.ranks, acting = std::bit_floor(P);
    for (const std::uint64_t K : {acting, P, 2 * P, P * acting}) {
      // Where there are fewer bytes than ranks, single bytes: but schedules that have to be checked
      // must be the same for every size.
      const bool few = K <= P && !setting_.needs_check;
      if (K <= most || few) result.push_back(std::min(most, K));
    }
  }
  for (std::uint64_t K = 2; longer && K <= most; K *= 2) {
    result.push_back(K);
    if (setting_.claim_applies) result.push_back(std::min(most, full_groups(K)));
  }
  const std::uint64_t unit = chunk_unit(*setting_.algorithm, setting_.request);
  for (std::uint64_t K = unit; unit > 1 && K <= most && (longer || K == unit); K *= 2)
    result.push_back(K);
  if (claimed(1).steps_suffice) result.push_back(rounded_optimum(bytes, most));
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// Do more chunks mean more steps, if all ranks, and all parts, have some already?
bool Packets::is_pipeline(std::uint64_t most) const {
  const std::uint64_t parts = std::max<std::uint64_t>(
      request_.problem.ranks, chunk_unit(*setting_.algorithm, setting_.request));
  return claimed(std::min(most, parts)).cost.steps != claimed(std::min(most, 3 * parts)).cost.steps;
}

/// The best K up to `most` if steps determine the time, rounded to four binary digits, so that
/// neighbouring sizes share it.
std::uint64_t Packets::rounded_optimum(std::uint64_t bytes, std::uint64_t most) const {
  return rounded_down(
      best_packets(claimed_steps(setting_), most, packet_cost(bytes), {}, growth(setting_))
          .packets);
}

/// The numbers of chunks to evaluate: the nearest to the guess first, and the fastest if that is
/// known.
std::vector<std::uint64_t> Packets::in_order(std::uint64_t bytes, std::uint64_t near) const {
  std::vector<std::uint64_t> result = tried(bytes);
  if (result.empty()) result = {*request_.chunks};
  if (near != 0) {
    std::ranges::stable_sort(result, {}, [&](std::uint64_t K) {
      return std::abs(std::log2(static_cast<double>(K)) - std::log2(static_cast<double>(near)));
    });
  }
  if (setting_.needs_check)
    std::ranges::stable_sort(result, {}, [&](std::uint64_t K) { return least_time(K, bytes); });
  return result;
}

/// Its time is an estimate if measured once for all sizes; see timed_exactly().
std::optional<PacketChoice> Packets::best_of_tried(std::uint64_t bytes, double limit,
                                                   std::uint64_t near) {
  std::optional<PacketChoice> best;
  for (const std::uint64_t K : in_order(bytes, near)) {
    const double known = best ? best->seconds : HUGE_VAL;
    if (least_time(K, bytes) > std::min(known, limit)) continue;
    // Of two with the same time the smaller K is chosen, in any order of evaluation. Times of other
    // models are sums, and equal up to rounding.
    const double rounding = request_.model.linear() ? 0 : 1e-12;
    const double still_good = best && K < best->packets
                                  ? std::nextafter(known * (1 + rounding), HUGE_VAL)
                                  : known * (1 - rounding);
    const auto found = valid_time(K, bytes, limit, still_good);
    if (found) best = found;
    serves_ |= found || (!setting_.needs_check && !refused_.contains(K));
  }
  return best;
}

}  // namespace schedcc
