#pragma once

// Arrays of which only few elements are used, in memory proportional to those.
//
// A block, a cache line, holds N neighbouring elements. Most schedules touch their blocks one after the other
// from the first on; those are a plain array, which grows as long as at least half of it is used. The
// others are in a hash table: pages of 64 blocks with neighbouring numbers are hashed as one, and a block
// that finds its place taken goes to the same place in the next page. Everything starts as T{}.

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
  /// The values of a block, or nullptr if it was never touched.
  T* find(std::uint64_t block) {
    if (block >= dense_.size() && hashed_.empty()) return nullptr;
    Block& found = block < dense_.size() ? dense_[block] : hashed_[slot(block + 1)];
    return found.key == 0 ? nullptr : found.values;
  }
  const T* find(std::uint64_t block) const { return const_cast<BlockTable*>(this)->find(block); }

  /// The values of a block, made if need be. Valid until the next call.
  T* at(std::uint64_t block) {
    if (block < dense_.size() && dense_[block].key != 0) [[likely]] return dense_[block].values;
    return find_or_make(block).values;
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
    for (const auto* blocks : {&dense_, &hashed_}) {
      for (const Block& block : *blocks) {
        if (block.key != 0) f(block.key - 1);
      }
    }
  }

 private:
  struct Block {
    std::uint64_t key = 0;  ///< its number plus one; 0: not touched
    T values[N] = {};
  };

  Block& find_or_make(std::uint64_t block) {
    if (block >= dense_.size()) {
      if (!hashed_.empty() && hashed_[slot(block + 1)].key != 0) return hashed_[slot(block + 1)];
      make_room(block);
    }
    Block& made = block < dense_.size() ? dense_[block] : hashed_[slot(block + 1)];
    ++used_;
    used_hashed_ += block >= dense_.size();
    made.key = block + 1;
    return made;
  }

  /// Makes room for a new block: in the array if half of that will be used, else in the hash table.
  void make_room(std::uint64_t block) {
    if (block < 2 * used_ + 2 * page) {
      dense_.resize(std::max<std::uint64_t>(block + 1, 2 * used_ + 2 * page));
      if (!hashed_.empty()) rehash(hashed_.size());
    } else if ((used_hashed_ + 1) * 4 > hashed_.size() * 3) {
      rehash(hashed_.empty() ? 2 * page : 2 * hashed_.size());
    }
  }

  /// Gives the hash table a new size, and the array what belongs to it by now.
  void rehash(std::size_t size) {
    std::vector<Block> old = std::exchange(hashed_, {});
    hashed_.resize(size);
    shift_ = 64 - static_cast<unsigned>(std::bit_width(size / page - 1));
    used_hashed_ = 0;
    for (const Block& block : old) {
      if (block.key == 0) continue;
      const bool dense = block.key - 1 < dense_.size();
      (dense ? dense_[block.key - 1] : hashed_[slot(block.key)]) = block;
      used_hashed_ += !dense;
    }
  }

  /// Where the block is in the hash table, or the free place where it belongs.
  std::size_t slot(std::uint64_t key) const {
    // Within its page a block has a place of its own, by its lowest bits; which one differs from page to
    // page, since all blocks may agree in those bits.
    const std::uint64_t hash = (key / page) * 0x9e3779b97f4a7c15u;
    std::size_t i = (hash >> shift_) * page + (key ^ hash >> 32) % page;
    while (hashed_[i].key != key && hashed_[i].key != 0) {
      i += page;
      if (i >= hashed_.size()) i -= hashed_.size() - 1;  // the first page again, at the next place
    }
    return i;
  }

  static constexpr std::size_t page = 64;

  std::vector<Block> dense_;   ///< blocks 0, 1, ...
  std::vector<Block> hashed_;  ///< a power of two of pages
  std::size_t used_ = 0, used_hashed_ = 0;
  unsigned shift_ = 0;
};

/// A set of cells, in blocks of 7 words.
class SparseBits {
 public:
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
