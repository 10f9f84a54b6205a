#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/topology.hpp"

namespace schedcc {

/// The links of a topology by their ends.
class LinkIndex {
 public:
  /// `topology` must outlive it.
  explicit LinkIndex(const Topology& topology)
      : links_(topology.links), begin_(topology.nodes() + 1) {
    for (const Topology::Link& link : links_) ++begin_[link.from + std::size_t{1}];
    for (std::size_t v = 0; v + 1 < begin_.size(); ++v) begin_[v + 1] += begin_[v];
  }

  /// The number of a link; none if there is none.
  std::optional<std::uint64_t> find(Rank from, Rank to) const {
    const auto first = links_.begin() + begin_[from];
    const auto last = links_.begin() + begin_[from + std::size_t{1}];
    const auto found = std::ranges::lower_bound(first, last, to, {}, &Topology::Link::to);
    if (found == last || found->to != to) return std::nullopt;
    return static_cast<std::uint64_t>(found - links_.begin());
  }

 private:
  const std::vector<Topology::Link>& links_;
  std::vector<std::ptrdiff_t> begin_;  ///< by node, with a sentinel at the end
};

}  // namespace schedcc
