#pragma once

// Where the element of a (node, chunk) lies in a sparse array.

#include <cstdint>

namespace schedcc {

/// A place in a BlockTable: an element of a block.
struct Cell {
  std::uint64_t block;
  std::uint32_t offset;
};

/// Gives each (node, chunk) a cell in blocks of W elements. In a step many nodes touch neighbouring chunks,
/// so that blocks go by windows of W chunks, the nodes side by side within a window: what is used at a time
/// lies together. Where there are fewer than W chunks they are packed, node after node.
template <std::uint32_t W>
class Layout {
 public:
  Layout(std::uint64_t nodes, std::uint64_t chunks)
      : nodes_(nodes), chunks_(chunks), packed_(chunks < W) {}

  Cell cell(std::uint64_t node, std::uint64_t chunk) const {
    if (packed_) {
      const std::uint64_t index = node * chunks_ + chunk;
      return {index / W, static_cast<std::uint32_t>(index % W)};
    }
    return {chunk / W * nodes_ + node, static_cast<std::uint32_t>(chunk % W)};
  }

  /// Calls f(node) for the nodes with elements in a block.
  template <typename F>
  void nodes_of(std::uint64_t block, F f) const {
    if (!packed_) return f(block % nodes_);
    const std::uint64_t last = (block * W + W - 1) / chunks_;
    for (std::uint64_t node = block * W / chunks_; node <= last && node < nodes_; ++node) f(node);
  }

 private:
  std::uint64_t nodes_, chunks_;
  bool packed_;
};

}  // namespace schedcc
