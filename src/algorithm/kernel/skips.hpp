#ifndef SCHEDCC_LOCAL_SKIPS_HPP
#define SCHEDCC_LOCAL_SKIPS_HPP

// Whole blocks in a circulant graph: in every round all ranks send over the same distance, a skip.
//
// Source: Träff 2024, arXiv 2410.14234.

#include <cstddef>
#include <utility>
#include <vector>

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"

namespace schedcc::local {

/// Calls f with the chunks of blocks b .. b+count-1 modulo P, for b < P and count <= P.
template <typename F>
void send_around(const Blocks& blocks, std::uint64_t peer, std::uint64_t b, std::uint64_t count,
                 F f) {
  const std::uint64_t fits = std::min(count, blocks.P - b);
  blocks.send(peer, b, fits, f);
  if (fits < count) blocks.send(peer, 0, count - fits, f);
}

/// Descending skips s_0 = P > s_1 > ... > s_n = 1, where s_k - s_{k+1} <= s_{k+1}.
using Skips = std::vector<std::uint64_t>;

/// s_{k+1} = ceil(s_k / 2).
inline Skips halved_skips(std::uint64_t P) {
  Skips skips{P};
  while (skips.back() > 1) skips.push_back(ceil_div(skips.back(), 2));
  return skips;
}
/// The powers of two below P.
inline Skips doubled_skips(std::uint64_t P) {
  Skips skips{P};
  for (std::uint64_t i = ceil_log(2, P); i-- > 0;) skips.push_back(std::uint64_t{1} << i);
  return skips;
}

/// A round: its skip, and the next larger one.
struct SkipStep {
  std::uint64_t skip, above;
};

/// The allgather: the smallest skip first. Before the round from s to s' = s_k > s rank v has the
/// blocks v .. v+s-1 (modulo P); it sends to v - s as many as are missing of s', starting with its
/// own.
class SkipAllgather {
 public:
  SkipAllgather(std::uint64_t P, std::uint64_t total, Skips skips)
      : blocks_{total, P}, skips_(std::move(skips)) {}

  std::uint64_t steps() const { return skips_.size() - 1; }
  RankSchedule<SkipAllgather> at(std::uint64_t rank) const { return {*this, rank}; }

  SkipStep step_data(std::uint64_t step) const {
    const std::size_t k = skips_.size() - 1 - step;
    return {skips_[k], skips_[k - 1]};
  }
  template <typename F>
  void sends(std::uint64_t rank, const SkipStep& data, F f) const {
    send_around(blocks_, sub_mod(rank, data.skip, blocks_.P), rank, data.above - data.skip, f);
  }
  template <typename F>
  void receives(std::uint64_t rank, const SkipStep& data, F f) const {
    const std::uint64_t from = add_mod(rank, data.skip, blocks_.P);
    send_around(blocks_, from, from, data.above - data.skip, f);
  }

 private:
  Blocks blocks_;
  Skips skips_;
};

/// The total exchange of K chunks a block: the largest skip first. In the round from s' to s every
/// rank sends the blocks that have to go s .. s'-1 ranks further to the rank s further.
class SkipExchange {
 public:
  SkipExchange(std::uint64_t P, std::uint64_t K, Skips skips)
      : P_(P), K_(K), skips_(std::move(skips)) {}

  std::uint64_t steps() const { return skips_.size() - 1; }
  RankSchedule<SkipExchange> at(std::uint64_t rank) const { return {*this, rank}; }

  /// A block, by how far its destination is from its origin, and from the rank that has it.
  struct Item {
    std::uint64_t distance, left;
  };
  struct StepData {
    std::uint64_t skip;
    std::vector<Item> items;
  };
  StepData step_data(std::uint64_t step) const {
    StepData result{skips_[step + 1], {}};
    for (std::uint64_t distance = 1; distance < P_; ++distance) {
      std::uint64_t left = distance;
      for (std::uint64_t k = 1; k <= step; ++k) left -= left >= skips_[k] ? skips_[k] : 0;
      if (left >= result.skip) result.items.push_back({distance, left});
    }
    return result;
  }
  template <typename F>
  void sends(std::uint64_t rank, const StepData& data, F f) const {
    items(rank, add_mod(rank, data.skip, P_), data, f);
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    const std::uint64_t from = sub_mod(rank, data.skip, P_);
    items(from, from, data, f);
  }

 private:
  template <typename F>
  void items(std::uint64_t sender, std::uint64_t peer, const StepData& data, F f) const {
    for (const Item& item : data.items) {
      const std::uint64_t origin = sub_mod(sender, item.distance - item.left, P_);
      f(RankTransfer{peer, (origin * P_ + add_mod(origin, item.distance, P_)) * K_, K_, false});
    }
  }

  std::uint64_t P_, K_;
  Skips skips_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_SKIPS_HPP
