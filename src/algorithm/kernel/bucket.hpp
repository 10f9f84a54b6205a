#ifndef SCHEDCC_LOCAL_BUCKET_HPP
#define SCHEDCC_LOCAL_BUCKET_HPP

// The bucket allgather: rings along one dimension of a torus after another, the last one first.
//
// While blocks go around the rings of dimension e a rank has those of all ranks that agree with it
// in the dimensions up to e, which follow one another: one block of a vector that is cut into one
// for each row a_0 x ... x a_e. In round i, v at coordinate x sends the row at x + i to its
// neighbour at x - 1. If rows are empty a search can jump to the next that is not.
//
// Source: Jain, Sabharwal 2010, doi 10.1145/1810085.1810093.

#include <cstddef>
#include <vector>

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"

namespace schedcc::local {

/// The ring of a dimension that a rank is on, and the rows that go around it.
struct BucketRing {
  std::uint64_t side, stride;  ///< of the dimension: neighbours are `stride` ranks apart
  Blocks rows;
  std::uint64_t begin, place;  ///< the row at coordinate 0, and the rank's coordinate

  /// The rounds in which a rank sends or receives something; row `place` + i is sent in round i,
  /// the next one received.
  std::uint64_t next(std::uint64_t round) const {
    const std::uint64_t at = add_mod(place, round, side);
    if (!rows.empty(begin + at)) return round;
    const std::uint64_t found = round + empty_from(add_mod<std::uint64_t>(at, 1, side));
    return found < side - 1 ? found : never;
  }
  std::uint64_t previous(std::uint64_t round) const {
    const std::uint64_t at = add_mod(place, round, side);
    if (!rows.empty(begin + add_mod<std::uint64_t>(at, 1, side))) return round;
    const std::uint64_t empty = empty_down_from(at);
    return empty <= round ? round - empty : never;
  }

 private:
  /// How many empty rows there are around the ring, up or down; `side` or more if all are.
  std::uint64_t empty_from(std::uint64_t x) const {
    const std::uint64_t up = rows.empty_from(begin + x);
    return x + up < side ? up : side - x + rows.empty_from(begin);
  }
  std::uint64_t empty_down_from(std::uint64_t x) const {
    const std::uint64_t down = rows.empty_down_from(begin + x);
    return down <= x ? down : x + 1 + rows.empty_down_from(begin + side - 1);
  }
};

/// The steps of a rank that is on such rings, one after another.
struct BucketSteps {
  std::vector<BucketRing> rings;  ///< in the order of steps, each with side - 1 of them

  std::uint64_t next(std::uint64_t step) const {
    std::uint64_t begin = 0;
    for (const BucketRing& ring : rings) {
      const std::uint64_t end = begin + ring.side - 1;
      if (step < end) {
        const std::uint64_t found = ring.next(step < begin ? 0 : step - begin);
        if (found != never) return begin + found;
      }
      begin = end;
    }
    return never;
  }
  std::uint64_t previous(std::uint64_t step) const {
    std::uint64_t begin = 0;
    for (const BucketRing& ring : rings) begin += ring.side - 1;
    for (std::size_t i = rings.size(); i-- > 0;) {
      const std::uint64_t end = begin;
      begin -= rings[i].side - 1;
      if (step < begin || begin == end) continue;
      const std::uint64_t found = rings[i].previous(std::min(step, end - 1) - begin);
      if (found != never) return begin + found;
    }
    return never;
  }
};

/// The allgather of a vector of `total` chunks on a torus with the given sides, ranks in row-major
/// order.
class BucketAllgather {
 public:
  BucketAllgather(std::vector<std::uint64_t> sides, std::uint64_t total)
      : sides_(std::move(sides)), total_(total) {}

  const std::vector<std::uint64_t>& sides() const { return sides_; }
  std::uint64_t total() const { return total_; }
  std::uint64_t steps() const {
    std::uint64_t result = 0;
    for (const std::uint64_t side : sides_) result += side - 1;
    return result;
  }

  struct RankSchedule {
    std::uint64_t rank;
    std::vector<BucketRing> rings;

    BucketSteps active_steps() const { return {rings}; }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      in_round(step, [&](const BucketRing& ring, std::uint64_t round) {
        const auto to = sub_mod<std::uint64_t>(ring.place, 1, ring.side);
        send(ring, to, add_mod(ring.place, round, ring.side), f);
      });
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      in_round(step, [&](const BucketRing& ring, std::uint64_t round) {
        const auto from = add_mod<std::uint64_t>(ring.place, 1, ring.side);
        send(ring, from, add_mod(from, round, ring.side), f);
      });
    }

   private:
    template <typename G>
    void in_round(std::uint64_t step, G g) const {
      for (const BucketRing& ring : rings) {
        if (step < ring.side - 1) return g(ring, step);
        step -= ring.side - 1;
      }
    }
    template <typename F>
    void send(const BucketRing& ring, std::uint64_t peer_place, std::uint64_t row, F f) const {
      const std::uint64_t line = rank - ring.place * ring.stride;
      ring.rows.send(line + peer_place * ring.stride, ring.begin + row, 1, f);
    }
  };
  RankSchedule at(std::uint64_t rank) const {
    RankSchedule own{rank, {}};
    std::uint64_t rows = 1, stride = 1;
    for (const std::uint64_t side : sides_) rows *= side;
    for (std::size_t e = sides_.size(); e-- > 0; rows /= sides_[e], stride *= sides_[e]) {
      const std::uint64_t side = sides_[e], row = rank / stride;
      if (side > 1)
        own.rings.push_back({side, stride, {total_, rows}, row - row % side, row % side});
    }
    return own;
  }

 private:
  std::vector<std::uint64_t> sides_;
  std::uint64_t total_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_BUCKET_HPP
