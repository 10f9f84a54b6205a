#pragma once

// Reductions whose operator is not commutative. What a rank holds of a chunk is a run of ranks'
// contributions, combined in their order; what arrives is another run. Runs that meet are combined,
// the lower one on the left; one that meets no other is kept beside until the gap is closed.
//
// Which run arrives when is the same in every execution. So it is found out once: the ranks go
// through the table and exchange, in place of the chunks, the first and the last of their ranks.

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "schedcc/mpi/library.hpp"
#include "schedcc/mpi/plan.hpp"

namespace schedcc::mpi {

/// Contributions of the ranks low .. high - 1.
struct Interval {
  std::uint32_t low, high;
};

/// For each receive, the intervals of its chunks, in the order of its pieces. Collective.
inline std::vector<std::vector<Interval>> arriving_intervals(const Plan& plan, const Layout& layout,
                                                             const Communicator& comm) {
  static_assert(sizeof(Interval) == 2 * sizeof(std::uint32_t));
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
  while (s < plan.sends.size() || r < plan.receives.size()) {
    std::vector<Interval> message;
    if (r == plan.receives.size() ||
        (s < plan.sends.size() && plan.sends[s].order < plan.receives[r].order)) {
      const Message& m = plan.sends[s++];
      each(m, [&](const Interval& h, bool) { message.push_back(h); });
      sent.push_back(std::move(message));
      requests.emplace_back();
      check(MPI_Isend(sent.back().data(), static_cast<int>(2 * sent.back().size()), MPI_UINT32_T,
                      static_cast<int>(m.peer), m.tag, comm.get(), &requests.back()));
    } else {
      const Message& m = plan.receives[r++];
      each(m, [&](const Interval& h, bool) { message.push_back(h); });
      check(MPI_Recv(message.data(), static_cast<int>(2 * message.size()), MPI_UINT32_T,
                     static_cast<int>(m.peer), m.tag, comm.get(), MPI_STATUS_IGNORE));
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

/// What a rank holds of each chunk, as runs of contributions.
class OrderedChunks {
 public:
  OrderedChunks(const Element& element, MPI_Op op, std::uint64_t chunks, std::uint32_t rank)
      : element_(element), op_(op), chunks_(chunks), rank_(rank) {}

  /// Every chunk is the rank's own again.
  void reset() {
    for (std::vector<Segment>& segments : chunks_) {
      segments.clear();
      segments.push_back({{rank_, rank_ + 1}, nullptr});
    }
  }
  /// The chunk in its place was replaced.
  void replace(std::uint64_t chunk, Interval by) {
    chunks_[chunk].clear();
    chunks_[chunk].push_back({by, nullptr});
  }
  /// `data`, which may be overwritten, joins what is held; `place` is the chunk's own.
  void join(std::uint64_t chunk, Interval interval, std::byte* data, std::byte* place,
            std::uint64_t elements) {
    std::vector<Segment>& segments = chunks_[chunk];
    Segment joined{interval, nullptr};
    bool in_place = false;  // does the result belong there?
    const auto data_of = [&](Segment& s) { return s.kept ? s.kept->start() : place; };
    for (std::size_t i = 0; i < segments.size();) {
      Segment& s = segments[i];
      const bool left = s.interval.high == joined.interval.low;
      if (!left && s.interval.low != joined.interval.high) {
        ++i;
        continue;
      }
      if (left) {
        combine(data_of(s), data, elements, element_, op_);
        joined.interval.low = s.interval.low;
      } else {
        combine(data, data_of(s), elements, element_, op_);
        copy_elements(data_of(s), data, elements, element_);
        joined.interval.high = s.interval.high;
      }
      in_place = in_place || !s.kept;
      segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    }
    if (!in_place) joined.kept = std::make_unique<Buffer>(element_, elements);
    copy_elements(data, data_of(joined), elements, element_);
    segments.push_back(std::move(joined));
  }

 private:
  struct Segment {
    Interval interval;
    std::unique_ptr<Buffer> kept;  ///< nullptr: in the chunk's place
  };

  const Element& element_;
  MPI_Op op_;
  std::vector<std::vector<Segment>> chunks_;
  std::uint32_t rank_;
};

}  // namespace schedcc::mpi
