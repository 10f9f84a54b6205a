#include "check/period/timed_packets.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/block_table.hpp"
#include "check/shape.hpp"
#include "core/seldom.hpp"

namespace schedcc {

namespace {

/// Compares the transfers of a schedule, in order, with those of its first packet.
class TimedPackets {
 public:
  TimedPackets(const Problem& problem, const LogP& machine)
      : problem_(problem), machine_(machine) {}

  /// Is the next transfer as it should be? One that the check `shape` drops is not.
  bool read(std::uint64_t time, const Transfer& t) {
    if (t.count != 1 || !well_formed(t, problem_, problem_.ranks)) return false;
    Packet& packet = packets_[t.first];
    if (!packet.begun) begin(packet, time);
    if (packet.number == 0) {
      first_.push_back({time, t});
      return stays(t.src, time, machine_.o) &&
             stays(t.dst, time + machine_.receive_delay(), machine_.o);
    }
    if (packet.shift == 0 || packet.shift != packet.number * distance_ ||
        packet.next == first_.size())
      return false;
    const auto& [then, as] = first_[packet.next++];
    return time == then + packet.shift && t.src == as.src && t.dst == as.dst &&
           t.reduce == as.reduce;
  }

  /// Were all packets the same, and did none meet another one?
  bool complete() {
    if (begun_ != problem_.chunks || longest_ > distance_) return false;
    for (Chunk chunk = 0; chunk < problem_.chunks; ++chunk) {
      const Packet& packet = packets_[chunk];
      if (packet.number != 0 && packet.next != first_.size()) return false;
    }
    return true;
  }

  /// The rows of the first two packets, as chunks 0 and 1.
  std::shared_ptr<const Schedule> two() const {
    auto result = std::make_shared<Schedule>();
    std::uint64_t last = UINT64_MAX;
    const auto add = [&](std::uint64_t time, Transfer t, Chunk chunk) {
      if (std::exchange(last, time) != time) result->begin_step(time);
      t.first = chunk;
      result->add(t);
    };
    for (std::size_t i = 0, k = 0; k < first_.size();) {
      const std::uint64_t second = first_[k].time + distance_;
      if (i < first_.size() && first_[i].time <= second) {
        add(first_[i].time, first_[i].transfer, 0);
        ++i;
      } else {
        add(second, first_[k].transfer, 1);
        ++k;
      }
    }
    return result;
  }

  /// How many transfers each has, and how many cycles one is behind the other.
  std::uint64_t size() const { return first_.size(); }
  std::uint64_t distance() const { return distance_; }

 private:
  struct Packet {
    bool begun = false;
    std::uint64_t number = 0, shift = 0;
    std::size_t next = 0;  ///< the next of the first packet's transfers
  };
  struct Timed {
    std::uint64_t time;
    Transfer transfer;
  };
  /// Of the first packet at a rank, from the start of a call.
  struct Stay {
    bool begun = false;
    std::uint64_t begin = 0, end = 0;
  };

  void begin(Packet& packet, std::uint64_t time) {
    packet.begun = true;
    packet.number = begun_++;
    if (packet.number == 0) return;
    packet.shift = time - first_.front().time;
    if (packet.number == 1) distance_ = packet.shift;
  }

  /// A call of the first packet. False if it is known to stay too long.
  bool stays(Rank rank, std::uint64_t from, std::uint64_t busy) {
    Stay& stay = stays_[rank];
    const std::uint64_t until = from + std::max<std::uint64_t>(busy, 1);
    stay = stay.begun ? Stay{true, std::min(stay.begin, from), std::max(stay.end, until)}
                      : Stay{true, from, until};
    longest_ = std::max(longest_, stay.end - stay.begin);
    return begun_ < 2 || longest_ <= distance_;
  }

  const Problem& problem_;
  LogP machine_;
  NodeArray<Packet> packets_;  ///< by chunk
  NodeArray<Stay> stays_;      ///< by rank
  std::vector<Timed> first_;   ///< transfers
  std::uint64_t begun_ = 0;    ///< packets
  std::uint64_t distance_ = 0, longest_ = 0;
};

}  // namespace

std::optional<Excerpt> two_packets(const Source& source, const LogP& machine,
                                   const std::function<void(std::uint64_t)>& progress) {
  const std::uint32_t chunks = source.problem.chunks;
  if (chunks < 3) return std::nullopt;
  TimedPackets packets(source.problem, machine);
  Seldom seldom(progress);
  std::uint64_t transfers = 0, rows = 0;
  const auto steps = source.open();
  for (Step step; steps->next(step);) {
    if (step.transfers.empty()) continue;
    if (step.rounds != 1) return std::nullopt;
    for (const Transfer& t : step.transfers) {
      if (!packets.read(step.number, t)) return std::nullopt;
    }
    ++rows;
    seldom(transfers += step.transfers.size());
  }
  if (!packets.complete()) return std::nullopt;
  const auto two = packets.two();
  const std::uint64_t others = chunks - 2;
  // Messages have one chunk, so that the volume is the number of rows.
  Excerpt result{source,
                 {.steps = others * packets.distance(),
                  .transfers = others * packets.size(),
                  .messages = others * packets.size(),
                  .volume = rows - two->size(),
                  .single_chunks = true}};
  result.source.problem.chunks = 2;
  result.source.open = [two] { return stream(two); };
  return result;
}

}  // namespace schedcc
