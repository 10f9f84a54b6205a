#pragma once

// Where the element of a (node, chunk) lies in a sparse array.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// An element of a block in a BlockTable.
struct Cell {
  std::uint64_t block;
  std::uint32_t offset;
};

/// Gives each (node, chunk) a cell in blocks of `size` cells, a power of two: a window of chunks
/// for each of some neighbouring nodes. In a step many nodes touch neighbouring chunks, so that
/// cells in use at a time are close together; blocks of neighbouring nodes follow one another.
/// Where there are fewer chunks than fill a window it is smaller, and more nodes share a block.
/// Where there are very many, every node has blocks of its own, so that a long run fills them.
template <std::uint32_t size>
class Layout {
 public:
  Layout(std::uint64_t nodes, std::uint64_t chunks)
      : Layout(nodes, chunks, least_together(chunks)) {}

  /// `together`: the least number of nodes that share a block, a power of two. The chunks are
  /// first, first + 1, ...
  Layout(std::uint64_t nodes, std::uint64_t chunks, std::uint32_t together, Chunk first = 0)
      : window_bits_(static_cast<std::uint32_t>(
            std::bit_width(std::clamp<std::uint64_t>(chunks, 1, size / together) - 1))),
        node_bits_(std::bit_width(size - 1) - window_bits_),
        usual_(window_bits_ == std::uint32_t{std::bit_width(size / usual_nodes)} - 1),
        first_(first),
        nodes_(nodes),
        groups_(((nodes - 1) >> node_bits_) + 1) {}

  /// The cells of a part of the chunks.
  Layout(std::uint64_t nodes, const Run& part)
      : Layout(nodes, part.count, least_together(part.count), part.first) {}

  Cell cell(std::uint32_t node, std::uint64_t chunk) const {
    chunk -= first_;
    if (usual_) [[likely]] {
      constexpr std::uint32_t window = size / usual_nodes;
      return {chunk / window * groups_ + node / usual_nodes,
              node % usual_nodes * window + static_cast<std::uint32_t>(chunk % window)};
    }
    const std::uint32_t place = node & ((1u << node_bits_) - 1);
    const std::uint32_t offset = static_cast<std::uint32_t>(chunk) & ((1u << window_bits_) - 1);
    return {(chunk >> window_bits_) * groups_ + (node >> node_bits_),
            (place << window_bits_) + offset};
  }

  /// How many cells of a node follow one another in its block, this one included.
  std::uint32_t contiguous(const Cell& cell) const {
    const std::uint32_t window = 1u << window_bits_;
    return window - (cell.offset & (window - 1));
  }

  /// The node and the chunk that have a cell.
  std::pair<Rank, Chunk> place(const Cell& cell) const {
    const std::uint64_t node = (cell.block % groups_ << node_bits_) + (cell.offset >> window_bits_);
    const std::uint64_t chunk = first_ + (cell.block / groups_ << window_bits_) +
                                (cell.offset & ((1u << window_bits_) - 1));
    return {static_cast<Rank>(node), static_cast<Chunk>(chunk)};
  }

  /// Calls f(node, run of its chunks) for `count` cells that follow one another in a block.
  template <typename F>
  void each_run(Cell first, std::uint32_t count, F f) const {
    while (count > 0) {
      const std::uint32_t here = std::min(count, contiguous(first));
      const auto [node, chunk] = place(first);
      f(node, Run{chunk, here});
      first.offset += here;
      count -= here;
    }
  }

  /// Is it cheaper to make runs of what `blocks` blocks hold, which costs more than a look-up, than
  /// to look up each block in which up to `chunks` chunks are at each of up to `nodes` nodes?
  bool runs_pay(std::uint64_t blocks, std::uint64_t chunks, std::uint64_t nodes) const {
    const std::uint64_t nodes_in_blocks = std::min(nodes_, blocks << node_bits_);  // at most
    const std::uint64_t lookups = chunks / size * std::min(nodes, nodes_in_blocks);
    return lookups / 64 / size > blocks;
  }

  /// The blocks of a table that have been written to, those of a node one after the other, in the
  /// order of its chunks.
  template <typename Table>
  std::vector<std::uint64_t> blocks_by_nodes(const Table& table) const {
    std::vector<std::uint64_t> blocks;
    table.each_block([&](std::uint64_t block) { blocks.push_back(block); });
    std::ranges::sort(blocks, {}, [this](std::uint64_t block) {
      return std::pair(block % groups_, block / groups_);
    });
    return blocks;
  }

  /// The nodes with cells in the blocks of a table that have been written to, for which used(first
  /// cell, count) is true.
  template <typename Table, typename Used>
  std::vector<Rank> nodes_of(const Table& table, Used used) const {
    std::vector<Rank> nodes;
    table.each_block([&](std::uint64_t block) {
      const std::uint64_t first = block % groups_ << node_bits_;
      const std::uint64_t next = std::min(nodes_, first + (std::uint64_t{1} << node_bits_));
      for (std::uint64_t node = first; node < next; ++node) {
        const auto offset = static_cast<std::uint32_t>(node - first) << window_bits_;
        if (used(Cell{block, offset}, 1u << window_bits_)) nodes.push_back(static_cast<Rank>(node));
      }
    });
    return nodes;
  }

 private:
  static constexpr std::uint32_t usual_nodes = 8;  ///< in a block; known when compiled, for speed

  static constexpr std::uint32_t least_together(std::uint64_t chunks) {
    return chunks <= std::uint64_t{1} << 20 ? usual_nodes : 1;
  }

  std::uint32_t window_bits_, node_bits_;
  bool usual_;
  Chunk first_;
  std::uint64_t nodes_, groups_;
};

}  // namespace schedcc
