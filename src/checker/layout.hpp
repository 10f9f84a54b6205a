#pragma once

// Where the element of a (node, chunk) lies in a sparse array.

#include <cstdint>

namespace schedcc {

/// Gives each (node, chunk) an index. In a step many nodes touch neighbouring chunks, so that indices go
/// by windows of W chunks, the nodes side by side within a window: what is used at a time lies together.
/// Where there are fewer than W chunks they are packed, node after node.
template <std::uint64_t W>
class Layout {
 public:
  Layout(std::uint64_t nodes, std::uint64_t chunks)
      : nodes_(nodes), chunks_(chunks), packed_(chunks < W) {}

  std::uint64_t index(std::uint64_t node, std::uint64_t chunk) const {
    if (packed_) return node * chunks_ + chunk;
    return (chunk / W * nodes_ + node) * W + chunk % W;
  }

  /// How many chunks from `chunk` on follow one another in index.
  std::uint64_t contiguous(std::uint64_t chunk) const {
    return packed_ ? chunks_ - chunk : W - chunk % W;
  }

  /// Calls f(node) for the nodes with elements among the W from index `first` on, a multiple of W.
  template <typename F>
  void nodes_at(std::uint64_t first, F f) const {
    if (!packed_) return f(first / W % nodes_);
    const std::uint64_t last = (first + W - 1) / chunks_;
    for (std::uint64_t node = first / chunks_; node <= last && node < nodes_; ++node) f(node);
  }

 private:
  std::uint64_t nodes_, chunks_;
  bool packed_;
};

}  // namespace schedcc
