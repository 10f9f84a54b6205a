// The tables of symbolic schedules, and their errors.

#include <algorithm>
#include <map>
#include <set>

#include "prove/symbolic/symbolic.hpp"
#include "prove/symbolic/violations.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

std::uint64_t chunk_of(const SymbolicSchedule& schedule, const std::vector<std::uint64_t>& packet,
                       std::uint64_t K) {
  switch (schedule.kind) {
    case PacketKind::packet:
      return packet[0];
    case PacketKind::block:
      return packet[0] * K;
    case PacketKind::pair:
      return (packet[0] * schedule.ranks + packet[1]) * K;
    case PacketKind::pair_packet:
      return (packet[0] * schedule.ranks + packet[1]) * K + packet[2];
  }
  throw InternalError("a kind of packets without a rule");
}

namespace {

constexpr std::uint64_t steps_beyond = 8;  ///< that are enumerated after the claimed ones

using Numbers = std::vector<std::uint64_t>;

/// A transfer; ranks are counted from the root.
struct PacketTransfer {
  std::uint64_t step, arrives, from, to;
  Numbers packet;
};

/// Tries all values of the indices.
class Enumeration {
 public:
  Enumeration(const SymbolicSchedule& schedule, std::uint64_t K, PollLimits poll_limits = nullptr)
      : schedule_(schedule), K_(K), poll_limits_(std::move(poll_limits)) {
    values_["K"] = K;
  }

  std::uint64_t steps() const { return evaluate(schedule_.steps, values_); }
  std::vector<PacketTransfer> sent() {
    for (std::uint64_t t = 0; t < steps() + steps_beyond; ++t) {
      values_["t"] = t;
      if (schedule_.edges.empty()) {
        for (const Family& family : schedule_.families) each(family, 0);
      }
      for (const Edge& edge : schedule_.edges) {
        values_["start"] = edge.start;
        values_["place"] = edge.place;
        add(schedule_.families[edge.family], edge.from, edge.to);
      }
    }
    return std::move(sent_);
  }

 private:
  void each(const Family& family, std::size_t next) {
    if (next == family.indices.size()) {
      return add(family, evaluate(family.from, values_), evaluate(family.to, values_));
    }
    const Node& index = *family.indices[next].node();
    const std::uint64_t end = index.value > 0 ? index.value : K_;
    for (std::uint64_t x = 0; x < end; ++x) {
      values_[index.name] = x;
      each(family, next + 1);
    }
  }
  void add(const Family& family, std::uint64_t from, std::uint64_t to) {
    if (++tried_ % poll_interval == 0 && poll_limits_) poll_limits_();
    if (!evaluate(family.sent, values_)) return;
    const std::uint64_t t = values_["t"];
    Numbers packet;
    for (const Term& part : family.packet) packet.push_back(evaluate(part, values_));
    sent_.push_back({t, t + evaluate(family.delay, values_), from, to, std::move(packet)});
  }

  const SymbolicSchedule& schedule_;
  std::uint64_t K_;
  PollLimits poll_limits_;
  std::uint64_t tried_ = 0;
  Values values_;
  std::vector<PacketTransfer> sent_;
};

std::uint64_t from_root(const SymbolicSchedule& schedule, std::uint64_t v) {
  return schedule.rooted && v < schedule.ranks ? (v + schedule.root) % schedule.ranks : v;
}

/// Follows the packets of a table.
class PacketTracker {
 public:
  PacketTracker(const SymbolicSchedule& schedule, std::uint64_t K) : schedule_(schedule), K_(K) {}

  std::optional<Counterexample> run(const PollLimits& poll_limits) {
    Enumeration enumeration(schedule_, K_, poll_limits);
    const std::uint64_t steps = enumeration.steps();
    const std::vector<PacketTransfer> all = enumeration.sent();
    for (const PacketTransfer& s : all) {
      if (!exists(s)) return wrong("shape", violation::shape, s.from, s.step, s.packet);
    }
    for (const PacketTransfer& s : all) {
      const bool twice_out = !out_.insert({s.from, s.step}).second;
      const bool twice_in = !in_.insert({s.to, s.arrives}).second;
      const char* const ports = schedule_.links ? "links" : "ports";
      if (twice_out) return wrong(ports, violation::two_sends, s.from, s.step, s.packet);
      if (twice_in) return wrong(ports, violation::two_receives, s.to, s.arrives, s.packet);
      if (!arrivals_.emplace(std::pair(s.to, s.packet), s.arrives).second ||
          holds(s.to, s.packet)) {
        return wrong("redundancy", violation::redundancy, s.to, s.arrives, s.packet);
      }
    }
    for (const PacketTransfer& s : all) {
      if (schedule_.simplex && in_.contains({s.from, s.step})) {
        return wrong("ports", violation::send_and_receive, s.from, s.step, s.packet);
      }
      const auto arrival = arrivals_.find({s.from, s.packet});
      if (!holds(s.from, s.packet) && (arrival == arrivals_.end() || arrival->second >= s.step)) {
        return wrong("causality", violation::causality, s.from, s.step, s.packet);
      }
      if (s.arrives >= steps) {
        return wrong("bound", violation::bound, s.to, s.arrives, s.packet);
      }
    }
    return missing(steps);
  }

 private:
  bool exists(const PacketTransfer& s) const {
    const bool chunks =
        schedule_.kind == PacketKind::packet || schedule_.kind == PacketKind::pair_packet;
    for (std::size_t i = 0; i < s.packet.size(); ++i) {
      const bool chunk = chunks && i + 1 == s.packet.size();
      if (s.packet[i] >= (chunk ? K_ : schedule_.ranks)) return false;
    }
    return s.from < schedule_.ranks && s.to < schedule_.ranks && s.from != s.to;
  }
  bool holds(std::uint64_t rank, const Numbers& packet) const {
    return schedule_.kind == PacketKind::packet ? rank == 0 : packet[0] == rank;
  }
  /// A packet that a rank wants and does not receive.
  std::optional<Counterexample> missing(std::uint64_t steps) const {
    const std::uint64_t P = schedule_.ranks;
    const bool pairs =
        schedule_.kind == PacketKind::pair || schedule_.kind == PacketKind::pair_packet;
    const bool chunks =
        schedule_.kind == PacketKind::packet || schedule_.kind == PacketKind::pair_packet;
    for (std::uint64_t v = 0; v < P; ++v) {
      for (std::uint64_t origin = 0; origin < (schedule_.kind == PacketKind::packet ? 1 : P);
           ++origin) {
        for (std::uint64_t j = 0; j < (chunks ? K_ : 1); ++j) {
          Numbers packet;
          if (schedule_.kind != PacketKind::packet) packet.push_back(origin);
          if (pairs) packet.push_back(v);
          if (chunks) packet.push_back(j);
          if (holds(v, packet) || arrivals_.contains({v, packet})) continue;
          return wrong("delivery", violation::delivery, v, steps, packet);
        }
      }
    }
    return std::nullopt;
  }
  Counterexample wrong(const char* check, const char* what, std::uint64_t rank, std::uint64_t step,
                       const Numbers& packet) const {
    return {check, what, K_, from_root(schedule_, rank), step, packet};
  }

  const SymbolicSchedule& schedule_;
  std::uint64_t K_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> out_, in_;  ///< rank and step
  std::map<std::pair<std::uint64_t, Numbers>, std::uint64_t> arrivals_;
};

}  // namespace

Schedule table(const SymbolicSchedule& schedule, std::uint64_t K) {
  const bool block = schedule.kind == PacketKind::block || schedule.kind == PacketKind::pair;
  Schedule result;
  std::optional<std::uint64_t> step;
  for (const PacketTransfer& s : Enumeration(schedule, K).sent()) {
    if (step != s.step) result.begin_step(s.step);
    step = s.step;
    result.add(copy(static_cast<Rank>(from_root(schedule, s.from)),
                    static_cast<Rank>(from_root(schedule, s.to)),
                    static_cast<Chunk>(chunk_of(schedule, s.packet, K)),
                    block ? static_cast<std::uint32_t>(K) : 1));
  }
  return result;
}

double table_effort(const SymbolicSchedule& schedule, std::uint64_t K) {
  auto tried = static_cast<double>(schedule.edges.size());
  for (const Family& family : schedule.families) {
    if (!schedule.edges.empty()) break;
    double values = 1;
    for (const Term& index : family.indices) {
      const std::uint64_t bound = index.node()->value;
      values *= static_cast<double>(bound > 0 ? bound : K);
    }
    tried += values;
  }
  return tried * static_cast<double>(evaluate(schedule.steps, {{"K", K}}) + steps_beyond);
}

bool receives(const SymbolicSchedule& schedule, std::uint64_t rank,
              const std::vector<std::uint64_t>& packet, std::uint64_t K,
              const PollLimits& poll_limits) {
  SymbolicSchedule alone = schedule;
  std::erase_if(alone.edges, [&](const Edge& e) { return e.to != rank; });
  const std::vector<PacketTransfer> sent = Enumeration(alone, K, poll_limits).sent();
  return std::ranges::any_of(
      sent, [&](const PacketTransfer& s) { return s.to == rank && s.packet == packet; });
}

std::optional<Counterexample> wrong_transfer(const SymbolicSchedule& schedule, std::uint64_t K,
                                             const PollLimits& poll_limits) {
  return PacketTracker(schedule, K).run(poll_limits);
}

}  // namespace schedcc::prover
