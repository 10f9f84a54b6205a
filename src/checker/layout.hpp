#pragma once

// Where the element of a (node, chunk) lies in a sparse array.

#include <cstdint>

namespace schedcc {

/// A place in a BlockTable: an element of a block.
struct Cell {
  std::uint64_t block;
  std::uint32_t offset;
};

/// Gives each (node, chunk) a cell in blocks of n w cells: a window of w chunks for each of n
/// neighbouring nodes. In a step many nodes touch neighbouring chunks, so that what is used at a
/// time lies together; blocks of neighbouring nodes follow one another. Where there are fewer than
/// w chunks they are packed, node after node.
template <std::uint32_t w, std::uint32_t n = 8>
class Layout {
 public:
  static constexpr std::uint32_t block_size = n * w;

  Layout(std::uint64_t nodes, std::uint64_t chunks)
      : nodes_(nodes), groups_((nodes + n - 1) / n), chunks_(chunks), packed_(chunks < w) {}

  Cell cell(std::uint32_t node, std::uint64_t chunk) const {
    if (packed_) {
      const std::uint64_t index = node * chunks_ + chunk;
      return {index / block_size, static_cast<std::uint32_t>(index % block_size)};
    }
    const std::uint32_t group = node / n;
    return {chunk / w * groups_ + group,
            (node - group * n) * w + static_cast<std::uint32_t>(chunk % w)};
  }

  /// How many cells of a node follow one another in its block, from this one on.
  std::uint32_t contiguous(const Cell& cell) const {
    return packed_ ? block_size - cell.offset : w - cell.offset % w;
  }

  /// Calls f(node) for the nodes with cells in a block.
  template <typename F>
  void nodes_of(std::uint64_t block, F f) const {
    std::uint64_t node = block % groups_ * n;
    std::uint64_t last = node + n - 1;
    if (packed_) {
      node = block * block_size / chunks_;
      last = (block * block_size + block_size - 1) / chunks_;
    }
    for (; node <= last && node < nodes_; ++node) f(node);
  }

 private:
  std::uint64_t nodes_, groups_, chunks_;
  bool packed_;
};

}  // namespace schedcc
