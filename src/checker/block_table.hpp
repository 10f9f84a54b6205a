#pragma once

// Arrays of which only few elements are used, in memory proportional to those.
//
// A hash table of cache lines: a block holds N neighbouring elements and its number, so that one look-up
// costs one line, and neighbours share it. Pages of 64 blocks with neighbouring numbers are hashed as one;
// a block that finds its place taken goes to the same place in the next page. So whoever works on
// neighbouring blocks stays within few pages of memory. Everything starts as T{}.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "checker/layout.hpp"

namespace schedcc {

template <typename T, std::uint32_t N>
class BlockTable {
 public:
  static constexpr std::uint32_t block_size = N;

  /// The values of a block, or nullptr if it was never touched.
  T* find(std::uint64_t block) {
    if (blocks_.empty()) return nullptr;
    Block& found = blocks_[slot(block + 1)];
    return found.key == 0 ? nullptr : found.values;
  }
  const T* find(std::uint64_t block) const { return const_cast<BlockTable*>(this)->find(block); }

  /// The values of a block, made if need be. Valid until the next call.
  T* at(std::uint64_t block) {
    if (blocks_.empty()) grow();
    Block* found = &blocks_[slot(block + 1)];
    if (found->key == 0) {
      if ((used_ + 1) * 4 > blocks_.size() * 3) {
        grow();
        found = &blocks_[slot(block + 1)];
      }
      found->key = block + 1;
      ++used_;
    }
    return found->values;
  }

  T& at(const Cell& cell) { return at(cell.block)[cell.offset]; }
  T* find(const Cell& cell) {
    T* const values = find(cell.block);
    return values == nullptr ? nullptr : values + cell.offset;
  }
  /// The value of an element; T{} if it was never touched.
  T get(const Cell& cell) const {
    const T* const values = find(cell.block);
    return values == nullptr ? T{} : values[cell.offset];
  }

  bool empty() const { return used_ == 0; }

  /// Calls f(block number) for all blocks that were touched.
  template <typename F>
  void each_block(F f) const {
    for (const Block& block : blocks_) {
      if (block.key != 0) f(block.key - 1);
    }
  }

 private:
  struct Block {
    std::uint64_t key = 0;  ///< its number plus one; 0: free
    T values[N] = {};
  };

  /// Where the block is, or the free place where it belongs.
  std::size_t slot(std::uint64_t key) const {
    // Within its page a block has a place of its own, by its lowest bits; which one differs from page to
    // page, since all blocks may agree in those bits.
    const std::uint64_t hash = (key / page) * 0x9e3779b97f4a7c15u;
    std::size_t i = (hash >> shift_) * page + (key ^ hash >> 32) % page;
    while (blocks_[i].key != key && blocks_[i].key != 0) {
      i += page;
      if (i >= blocks_.size()) i -= blocks_.size() - 1;  // the first page again, at the next place
    }
    return i;
  }

  void grow() {
    std::vector<Block> old = std::exchange(blocks_, {});
    blocks_.resize(old.empty() ? 2 * page : 2 * old.size());
    shift_ = 64 - static_cast<unsigned>(std::bit_width(blocks_.size() / page - 1));
    for (Block& block : old) {
      if (block.key != 0) blocks_[slot(block.key)] = block;
    }
  }

  static constexpr std::size_t page = 64;

  std::vector<Block> blocks_;  ///< a power of two of pages
  std::size_t used_ = 0;
  unsigned shift_ = 0;
};

/// A set of cells, in blocks of 448 bits.
class SparseBits {
 public:
  static constexpr std::uint32_t block_size = 7 * 64;

  bool test(const Cell& cell) const {
    const std::uint64_t* const words = words_.find(cell.block);
    return words != nullptr && (words[cell.offset / 64] >> cell.offset % 64 & 1) != 0;
  }

  /// Adds a cell; false if it was there.
  bool set(const Cell& cell) {
    std::uint64_t& word = words_.at(cell.block)[cell.offset / 64];
    const std::uint64_t bit = std::uint64_t{1} << cell.offset % 64;
    const bool added = (word & bit) == 0;
    word |= bit;
    return added;
  }

  /// Adds `count` neighbouring cells of a block.
  void set(const Cell& cell, std::uint32_t count) {
    std::uint64_t* const words = words_.at(cell.block);
    each_word(cell.offset, count,
              [&](std::uint32_t word, std::uint64_t mask) { words[word] |= mask; });
  }

  /// How many of `count` neighbouring cells of a block are in the set.
  std::uint32_t count(const Cell& cell, std::uint32_t count) const {
    const std::uint64_t* const words = words_.find(cell.block);
    if (words == nullptr) return 0;
    std::uint32_t present = 0;
    each_word(cell.offset, count, [&](std::uint32_t word, std::uint64_t mask) {
      const std::uint64_t here = words[word] & mask;
      if (here != 0) present += static_cast<std::uint32_t>(std::popcount(here));
    });
    return present;
  }

  /// Are all of `count` neighbouring cells of a block in the set?
  bool all(const Cell& cell, std::uint32_t count) const {
    const std::uint64_t* const words = words_.find(cell.block);
    bool all = words != nullptr;
    if (all) {
      each_word(cell.offset, count, [&](std::uint32_t word, std::uint64_t mask) {
        all = all && (words[word] & mask) == mask;
      });
    }
    return all;
  }

  bool empty() const { return words_.empty(); }

  /// Calls f(block) for the blocks in which any was added.
  template <typename F>
  void each_block(F f) const {
    words_.each_block(f);
  }

 private:
  template <typename F>
  static void each_word(std::uint32_t first, std::uint32_t count, F f) {
    while (count > 0) {
      const std::uint32_t offset = first % 64;
      const std::uint32_t here = std::min(count, 64 - offset);
      f(first / 64, (~std::uint64_t{0} >> (64 - here)) << offset);
      first += here;
      count -= here;
    }
  }

  BlockTable<std::uint64_t, 7> words_;
};

/// A value per node, in blocks that exist from the first use on.
template <typename T>
class NodeArray {
 public:
  T& operator[](std::uint32_t node) {
    const std::size_t block = node / size;
    if (block >= blocks_.size() || blocks_[block] == nullptr) make(block);
    return blocks_[block][node % size];
  }

  void clear() { blocks_.clear(); }

 private:
  void make(std::size_t block) {
    if (block >= blocks_.size()) blocks_.resize(block + 1);
    blocks_[block] = std::make_unique<T[]>(size);
  }

  static constexpr std::uint32_t size = 4096;
  std::vector<std::unique_ptr<T[]>> blocks_;
};

}  // namespace schedcc
