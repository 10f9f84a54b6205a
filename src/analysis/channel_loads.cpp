#include "analysis/channel_loads.hpp"

#include <algorithm>
#include <bit>

namespace schedcc {

namespace {

/// A set of numbers below `size` with access to its k-th smallest member: a Fenwick tree.
class RankedSet {
 public:
  explicit RankedSet(std::size_t size) : counts_(size + 1) {}

  void insert(std::size_t member) { add(member, 1); }
  void erase(std::size_t member) { add(member, -1); }

  /// Member number k = 0, 1, ... in rising order; there are more than k.
  std::size_t operator[](std::uint64_t k) const {
    std::size_t at = 0;
    for (std::size_t step = std::bit_floor(counts_.size()); step > 0; step /= 2) {
      const std::size_t next = at + step;
      if (next >= counts_.size() || static_cast<std::uint64_t>(counts_[next]) > k) continue;
      k -= static_cast<std::uint64_t>(counts_[next]);
      at = next;
    }
    return at;
  }

 private:
  void add(std::size_t member, std::int64_t by) {
    for (std::size_t i = member + 1; i < counts_.size(); i += i & (~i + 1)) counts_[i] += by;
  }

  std::vector<std::int64_t> counts_;  ///< [i]: of the members i - lowest bit of i .. i - 1
};

/// Calls `cross` for each border, and f(first, count) for each segment between borders.
template <typename Borders, typename Cross, typename F>
void each_segment(const Borders& borders, Cross cross, F f) {
  for (std::size_t i = 0; i < borders.size();) {
    const std::uint64_t channel = borders[i].channel;
    for (; i < borders.size() && borders[i].channel == channel; ++i) cross(borders[i]);
    if (i < borders.size()) f(channel, borders[i].channel - channel);
  }
}

}  // namespace

void ChannelLoads::read(const std::vector<Channels::Run>& runs) {
  boundaries_.clear();
  overloads_.clear();
  most_ = 0;
  overloaded_ = false;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    boundaries_.push_back({runs[i].first, i, true});
    boundaries_.push_back({runs[i].first + runs[i].count, i, false});
  }
  std::ranges::sort(boundaries_, {}, &Boundary::channel);
  sweep();
  if (overloaded_) find_overloads(runs);
}

void ChannelLoads::sweep() {
  std::uint64_t begun = 0, ended = 0;
  each_segment(
      boundaries_, [&](const Boundary& b) { ++(b.begins ? begun : ended); },
      [&](std::uint64_t first, std::uint64_t) {
        const std::uint64_t load = begun - ended;
        most_ = std::max(most_, load);
        if (load > 0 && load > channels_.capacity(first)) overloaded_ = true;
      });
}

void ChannelLoads::find_overloads(const std::vector<Channels::Run>& runs) {
  RankedSet here(runs.size());
  std::uint64_t load = 0;
  each_segment(
      boundaries_,
      [&](const Boundary& b) {
        if (b.begins) {
          here.insert(b.run);
          ++load;
        } else {
          here.erase(b.run);
          --load;
        }
      },
      [&](std::uint64_t first, std::uint64_t count) {
        if (load == 0) return;
        const std::uint64_t capacity = channels_.capacity(first);
        if (load > capacity) overloads_.push_back({here[capacity], first, count});
      });
  std::ranges::stable_sort(overloads_, [&](const Overload& a, const Overload& b) {
    if (a.run != b.run) return a.run < b.run;
    return runs[a.run].falling ? a.first > b.first : a.first < b.first;
  });
}

}  // namespace schedcc
