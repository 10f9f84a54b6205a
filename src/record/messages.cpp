#include "record/messages.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/core.h>

namespace schedcc::record {

namespace {

/// Messages that cannot overtake one another: communicator, sender, receiver, tag.
using Envelope = std::tuple<std::uint64_t, Rank, Rank, std::int32_t>;
/// An epoch of a rank's window: of fences, or with one other rank.
using Epoch = std::tuple<std::uint64_t, Rank, std::uint64_t, std::int64_t>;

constexpr std::int64_t by_fence = -1;

class Matching {
 public:
  explicit Matching(const Execution& execution) : execution_(execution) {}

  Messages run() {
    for (Rank rank = 0; rank < execution_.segments.size(); ++rank) sort_events(rank);
    for (auto& [envelope, receives] : receives_) std::ranges::sort(receives);
    for (const auto& [envelope, sends] : sends_) pair(envelope, sends);
    for (const auto& [envelope, receives] : receives_) {
      if (receives.size() > sends_[envelope].size()) {
        problem(fmt::format(
            "rank {} received a message from rank {} that was sent before the collective",
            std::get<2>(envelope), std::get<1>(envelope)));
      }
    }
    for (const Access& access : accesses_) add(access);
    for (auto& [epoch, puts] : puts_) find_conflicts(std::get<1>(epoch), puts);
    return std::move(result_);
  }

 private:
  struct Receive {
    std::uint64_t order;
    std::size_t event;
    std::uint64_t bytes;
    auto operator<=>(const Receive&) const = default;
  };
  /// Data that are put to a place of a window.
  struct Put {
    std::uint64_t begin, end;
    Rank origin;
    auto operator<=>(const Put&) const = default;
  };
  struct Access {
    Rank origin, target;
    std::size_t event;
    Epoch epoch;
    bool get;
    std::string_view data;
  };

  void problem(std::string text) { result_.unsupported.push_back(std::move(text)); }

  void sort_events(Rank rank) {
    const auto& events = execution_.segments[rank].events;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& head = events[i].head;
      Rank peer = 0;
      const bool inside = execution_.rank_of(head.peer, peer);
      const bool fence = head.sync == Sync::fence;
      switch (head.kind) {
        case EventKind::send:
        case EventKind::receive:
        case EventKind::put:
        case EventKind::get:
          if (!inside) {
            problem(fmt::format(
                "rank {} exchanges messages with a rank outside of the communicator", rank));
          } else if (head.kind == EventKind::send) {
            sends_[{head.channel, rank, peer, head.tag}].push_back(i);
          } else if (head.kind == EventKind::receive) {
            receives_[{head.channel, peer, rank, head.tag}].push_back({head.order, i, head.bytes});
          } else {
            const Epoch epoch{head.channel, peer, head.order,
                              fence ? by_fence : std::int64_t{rank}};
            if (head.kind == EventKind::put && head.place != no_place)
              puts_[epoch].push_back({head.place, head.place + head.bytes, rank});
            accesses_.push_back(
                {rank, peer, i, epoch, head.kind == EventKind::get, events[i].payload});
          }
          break;
        case EventKind::open:
        case EventKind::close:
          if (fence || inside) {
            (head.kind == EventKind::open ? opened_ : closed_)[{
                head.channel, rank, head.order, fence ? by_fence : std::int64_t{peer}}] = i;
          }
          break;
        case EventKind::unrecorded:
          unrecorded(rank, events[i].payload);
          break;
        case EventKind::begin:
        case EventKind::end:
          break;
      }
    }
  }

  void unrecorded(Rank rank, std::string_view name) {
    if (!unrecorded_.emplace(name).second) return;
    problem(fmt::format("rank {} calls {}, which is not recorded", rank, name));
  }

  void pair(const Envelope& envelope, const std::vector<std::size_t>& sends) {
    const auto& [channel, src, dst, tag] = envelope;
    const std::vector<Receive>& receives = receives_[envelope];
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const std::string_view data = execution_.segments[src].events[sends[i]].payload;
      if (i >= receives.size()) {
        result_.unreceived.push_back({src, dst, sends[i], 0, data});
        continue;
      }
      if (receives[i].bytes != data.size()) {
        problem(fmt::format("rank {} received {} bytes of a message from rank {}, which has {}",
                            dst, receives[i].bytes, src, data.size()));
      }
      result_.all.push_back({src, dst, sends[i], receives[i].event, data});
    }
  }

  void add(const Access& access) {
    if (access.origin == access.target) return;
    const auto& epochs = access.get ? opened_ : closed_;
    const auto found = epochs.find(access.epoch);
    if (access.get) {
      // An epoch that began before the collective: its data were there at the beginning.
      const std::size_t sent = found == epochs.end() ? 0 : found->second;
      result_.all.push_back({access.target, access.origin, sent, access.event, access.data});
    } else if (found == epochs.end()) {
      result_.unreceived.push_back({access.origin, access.target, access.event, 0, access.data});
    } else {
      result_.all.push_back(
          {access.origin, access.target, access.event, found->second, access.data});
    }
  }

  /// The puts of an epoch of a target.
  void find_conflicts(Rank target, std::vector<Put>& puts) {
    std::ranges::sort(puts);
    const Put* reaching = nullptr;  // the farthest of those before
    for (const Put& put : puts) {
      if (reaching != nullptr && put.begin < reaching->end) {
        const auto [first, second] = std::minmax(reaching->origin, put.origin);
        if (conflicting_.emplace(first, second, target).second)
          result_.conflicts.push_back({first, second, target});
      }
      if (reaching == nullptr || put.end > reaching->end) reaching = &put;
    }
  }

  const Execution& execution_;
  std::map<Envelope, std::vector<std::size_t>> sends_;
  std::map<Envelope, std::vector<Receive>> receives_;
  std::map<Epoch, std::size_t> opened_, closed_;
  std::vector<Access> accesses_;
  std::map<Epoch, std::vector<Put>> puts_;
  std::set<std::tuple<Rank, Rank, Rank>> conflicting_;
  std::set<std::string> unrecorded_;
  Messages result_;
};

}  // namespace

Messages match(const Execution& execution) { return Matching(execution).run(); }

}  // namespace schedcc::record
