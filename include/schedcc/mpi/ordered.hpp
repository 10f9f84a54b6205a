#pragma once

// Reductions whose operator is not commutative. The value of a chunk at a rank is a run of ranks'
// contributions, combined in their order; a message brings another run. Adjacent runs are combined,
// the lower one on the left; others are kept separately until the gap is closed.
//
// The runs of each message are the same in every execution. So they are determined once: the ranks
// execute the table and exchange, in place of the chunks, the first and the last of their ranks.

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "schedcc/mpi/elements.hpp"
#include "schedcc/mpi/rank_messages.hpp"

namespace schedcc::mpi {

/// Contributions of the ranks low .. high - 1.
struct Interval {
  std::uint32_t low, high;
};

/// Receives an interval for each chunk of a message.
inline void receive_intervals(const Message& m, std::vector<Interval>& intervals,
                              const Communicator& comm) {
  static_assert(sizeof(Interval) == 2 * sizeof(std::uint32_t));
  const auto count = static_cast<int>(2 * intervals.size());
  int arrived = 0;
  MPI_Status status;
  check(MPI_Recv(intervals.data(), count, MPI_UINT32_T, static_cast<int>(m.peer), m.tag, comm.get(),
                 &status),
        m.place("from"));
  check(MPI_Get_count(&status, MPI_UINT32_T, &arrived), m.place("from"));
  if (arrived == count) return;
  throw Error(m.place("from") + counted(static_cast<std::uint64_t>(arrived / 2), "chunk") +
              ", not " + std::to_string(count / 2));
}

/// For each receive, the intervals of its chunks, in the order of its pieces. Collective.
inline std::vector<std::vector<Interval>> arriving_intervals(const RankMessages& messages,
                                                             const Layout& layout,
                                                             const Communicator& comm) {
  std::vector<Interval> held(layout.kept(), {comm.rank(), comm.rank() + 1});
  std::list<std::vector<Interval>> sent;  // until they have been received
  std::vector<MPI_Request> requests;
  std::vector<std::vector<Interval>> result;
  const auto each = [&](const Message& m, auto visit) {
    for (const Piece& piece : m.pieces) {
      for (std::uint32_t i = 0; i < piece.chunks.count; ++i) {
        visit(held[layout.index(piece.chunks.first) + i], piece.combined);
      }
    }
  };
  std::size_t s = 0, r = 0;
  while (s < messages.sends.size() || r < messages.receives.size()) {
    std::vector<Interval> message;
    const auto take = [&](const Interval& h, bool) { message.push_back(h); };
    if (r == messages.receives.size() ||
        (s < messages.sends.size() && messages.sends[s].order < messages.receives[r].order)) {
      const Message& m = messages.sends[s++];
      each(m, take);
      sent.push_back(std::move(message));
      requests.emplace_back();
      check(MPI_Isend(sent.back().data(), static_cast<int>(2 * sent.back().size()), MPI_UINT32_T,
                      static_cast<int>(m.peer), m.tag, comm.get(), &requests.back()),
            m.place("to"));
    } else {
      const Message& m = messages.receives[r++];
      each(m, take);
      receive_intervals(m, message, comm);
      std::size_t i = 0;
      each(m, [&](Interval& h, bool combined) {
        const Interval& a = message[i++];
        h = combined ? Interval{std::min(h.low, a.low), std::max(h.high, a.high)} : a;
      });
      result.push_back(std::move(message));
    }
  }
  check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  return result;
}

/// The values of a rank's chunks, as runs of contributions.
class OrderedChunks {
 public:
  OrderedChunks(const Element& element, MPI_Op op, std::uint64_t chunks, const Communicator& comm)
      : element_(element), op_(op), chunks_(chunks), comm_(comm) {}

  /// Resets every chunk to the rank's own contribution.
  void reset() {
    for (std::vector<Segment>& segments : chunks_) {
      segments.clear();
      segments.push_back({{comm_.rank(), comm_.rank() + 1}, nullptr});
    }
  }
  /// Records that the chunk in its place was replaced.
  void replace(std::uint64_t chunk, Interval by) {
    chunks_[chunk].clear();
    chunks_[chunk].push_back({by, nullptr});
  }
  /// Combines `data`, which may be overwritten, with the held runs; `place` is the chunk's own.
  void join(std::uint64_t chunk, Interval interval, std::byte* data, std::byte* place,
            std::uint64_t elements) {
    std::vector<Segment>& segments = chunks_[chunk];
    const auto data_of = [&](Segment& s) { return s.kept ? s.kept->start() : place; };
    std::optional<Segment> left =
        taken(segments, [&](const Interval& other) { return other.high == interval.low; });
    std::optional<Segment> right =
        taken(segments, [&](const Interval& other) { return other.low == interval.high; });
    if (right) combine(data, data_of(*right), elements, element_, op_);
    std::byte* const result = right ? data_of(*right) : data;
    if (left) combine(data_of(*left), result, elements, element_, op_);

    Segment joined{
        {left ? left->interval.low : interval.low, right ? right->interval.high : interval.high},
        nullptr};
    const bool in_place = (left && !left->kept) || (right && !right->kept);
    if (!in_place) {
      joined.kept = right  ? std::move(right->kept)
                    : left ? std::move(left->kept)
                           : std::make_unique<Buffer>(element_, elements);
    }
    if (data_of(joined) != result) {
      copy_elements(result, data_of(joined), elements, element_, comm_);
    }
    segments.push_back(std::move(joined));
  }

 private:
  struct Segment {
    Interval interval;
    std::unique_ptr<Buffer> kept;  ///< nullptr: in the chunk's place
  };

  /// Removes the segment whose interval satisfies the predicate; there is at most one.
  template <typename Such>
  static std::optional<Segment> taken(std::vector<Segment>& segments, Such such) {
    const auto found = std::find_if(segments.begin(), segments.end(),
                                    [&](const Segment& s) { return such(s.interval); });
    if (found == segments.end()) return std::nullopt;
    std::optional<Segment> result(std::move(*found));
    segments.erase(found);
    return result;
  }

  const Element& element_;
  MPI_Op op_;
  std::vector<std::vector<Segment>> chunks_;
  const Communicator& comm_;
};

}  // namespace schedcc::mpi
