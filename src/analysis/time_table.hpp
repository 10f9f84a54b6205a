#pragma once

// A time for each (node, chunk), in little more than a byte each.
//
// The times in a block, those of some neighbouring chunks at neighbouring nodes, are nearly always
// close to one another, since a chunk stays close to its nodes for a few steps: the block holds a
// base, and each time as an offset from it. A block in which one is too far away gets 64 bits for
// each.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "analysis/block_table.hpp"
#include "analysis/layout.hpp"
#include "model/runs.hpp"

namespace schedcc {

class TimeTable {
 public:
  static constexpr std::uint32_t block_size = 64;

  explicit TimeTable(const Layout<block_size>& layout) : layout_(layout) {}

  /// Sets a time that is not set yet; false if it is. Nothing earlier than `earliest` will be set
  /// from now on. Both are positive, and below 2^63.
  bool put(std::uint32_t node, std::uint32_t chunk, std::uint64_t time, std::uint64_t earliest) {
    const Cell cell = layout_.cell(node, chunk);
    Block* block = blocks_.find(cell.block);
    if (block == nullptr || block->base == 0) [[unlikely]] {
      block = blocks_.at(cell.block);
      block->base = earliest;
    }
    if (block->after[cell.offset] != Distance::none) return false;
    set(*block, cell.offset, time);
    return true;
  }

  /// Returns a time, 0 if it is not set, and sets it to `now` + 1 if it is `now` or earlier.
  std::uint64_t renew(std::uint32_t node, std::uint32_t chunk, std::uint64_t now) {
    const Cell cell = layout_.cell(node, chunk);
    Block* const block = blocks_.find(cell.block);
    if (block == nullptr || block->after[cell.offset] == Distance::none) return 0;
    const std::uint64_t time = get(*block, cell.offset);
    if (time <= now) set(*block, cell.offset, now + 1);
    return time;
  }

  /// How many times of a run of chunks are set.
  std::uint64_t count(std::uint32_t node, Run run) const {
    std::uint64_t number = 0;
    for (std::uint64_t chunk = run.first; chunk < end(run);) {
      const Cell cell = layout_.cell(node, chunk);
      const std::uint64_t here =
          std::min<std::uint64_t>(end(run) - chunk, layout_.contiguous(cell));
      if (const Block* const block = blocks_.find(cell.block)) {
        for (std::uint64_t i = 0; i < here; ++i)
          number += block->after[cell.offset + i] != Distance::none ? 1 : 0;
      }
      chunk += here;
    }
    return number;
  }

  /// For how many times there is memory.
  std::uint64_t cells() const { return blocks_.used() * block_size; }

  /// Calls f(node, run of chunks, their time) for all times that are set.
  template <typename F>
  void each(F f) const {
    for (const std::uint64_t number : layout_.blocks_by_nodes(blocks_)) {
      const Block& block = *blocks_.find(number);
      std::uint32_t next = 0;
      for (std::uint32_t i = 0; i < block_size; i = next) {
        next = i + 1;
        if (block.after[i] == Distance::none) continue;
        const std::uint64_t time = get(block, i);
        while (next < block_size && block.after[next] != Distance::none && get(block, next) == time)
          ++next;
        layout_.each_run({number, i}, next - i, [&](Rank node, Run run) { f(node, run, time); });
      }
    }
  }

 private:
  using Wide = std::array<std::uint64_t, block_size>;
  static constexpr std::uint64_t wide = std::uint64_t{1} << 63;

  /// How far a time is from a block's base, plus one. (A type of its own, since bytes may alias
  /// anything, so that the compiler would reload everything after each store.)
  enum class Distance : std::uint8_t { none = 0 };

  struct Block {
    std::uint64_t base = 0;  ///< or `wide` and an index; 0: there are no times yet
    std::array<Distance, block_size> after{};
  };

  std::uint64_t get(const Block& block, std::uint32_t offset) const {
    if (block.base >= wide) [[unlikely]]
      return wide_[block.base - wide][offset];
    return block.base + static_cast<std::uint8_t>(block.after[offset]) - 1;
  }

  void set(Block& block, std::uint32_t offset, std::uint64_t time) {
    if (time - block.base < 255) [[likely]] {
      block.after[offset] = static_cast<Distance>(time - block.base + 1);
    } else {
      set_wide(block, offset, time);
    }
  }

  [[gnu::noinline]] void set_wide(Block& block, std::uint32_t offset, std::uint64_t time) {
    if (block.base < wide) {
      Wide times;
      for (std::uint32_t i = 0; i < times.size(); ++i) times[i] = get(block, i);
      block.base = wide + wide_.size();
      wide_.push_back(times);
    }
    block.after[offset] = Distance{1};
    wide_[block.base - wide][offset] = time;
  }

  Layout<block_size> layout_;
  BlockTable<Block, 1> blocks_;
  std::vector<Wide> wide_;
};

}  // namespace schedcc
