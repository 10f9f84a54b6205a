#pragma once

// Where the element of a (node, chunk) lies in a sparse array.

#include <bit>
#include <cstdint>

namespace schedcc {

/// A place in a BlockTable: an element of a block.
struct Cell {
  std::uint64_t block;
  std::uint32_t offset;
};

/// Gives each (node, chunk) a cell in blocks of `size` cells, a power of two: a window of chunks
/// for each of some neighbouring nodes. In a step many nodes touch neighbouring chunks, so that
/// what is used at a time lies together; blocks of neighbouring nodes follow one another. Where
/// there are fewer chunks than fill a window they are packed, node after node. Where there are very
/// many, every node has blocks of its own, so that a long run fills them.
template <std::uint32_t size>
class Layout {
 public:
  Layout(std::uint64_t nodes, std::uint64_t chunks)
      : Layout(nodes, chunks, chunks <= std::uint64_t{1} << 20 ? 8 : 1) {}

  /// `together`: how many nodes share a block, a power of two.
  Layout(std::uint64_t nodes, std::uint64_t chunks, std::uint32_t together)
      : node_bits_(std::bit_width(together) - 1),
        window_bits_(std::bit_width(size / together) - 1),
        nodes_(nodes),
        groups_((nodes + together - 1) / together),
        chunks_(chunks),
        packed_(chunks < size / together) {}

  Cell cell(std::uint32_t node, std::uint64_t chunk) const {
    if (packed_) {
      const std::uint64_t index = node * chunks_ + chunk;
      return {index / size, static_cast<std::uint32_t>(index % size)};
    }
    const std::uint32_t place = node & ((1u << node_bits_) - 1);
    const std::uint32_t offset = static_cast<std::uint32_t>(chunk) & ((1u << window_bits_) - 1);
    return {(chunk >> window_bits_) * groups_ + (node >> node_bits_),
            (place << window_bits_) + offset};
  }

  /// How many cells of a node follow one another in its block, from this one on.
  std::uint32_t contiguous(const Cell& cell) const {
    const std::uint32_t window = packed_ ? size : 1u << window_bits_;
    return window - cell.offset % window;
  }

  /// Calls f(node) for the nodes with cells in a block.
  template <typename F>
  void nodes_of(std::uint64_t block, F f) const {
    std::uint64_t node = block % groups_ << node_bits_;
    std::uint64_t last = node + (1u << node_bits_) - 1;
    if (packed_) {
      node = block * size / chunks_;
      last = (block * size + size - 1) / chunks_;
    }
    for (; node <= last && node < nodes_; ++node) f(node);
  }

 private:
  int node_bits_, window_bits_;
  std::uint64_t nodes_, groups_, chunks_;
  bool packed_;
};

}  // namespace schedcc
