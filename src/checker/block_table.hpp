#pragma once

// Arrays over 64-bit indices of which only few are used, in memory proportional to those.
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

namespace schedcc {

template <typename T, std::size_t N>
class BlockTable {
 public:
  static constexpr std::uint64_t block_size = N;

  struct Block {
    std::uint64_t key = 0;  ///< number of the block plus one; 0: free
    T values[N] = {};
    /// The index of its first element.
    std::uint64_t first() const { return (key - 1) * N; }
  };

  /// The element, or nullptr if nothing near it was ever touched.
  T* find(std::uint64_t index) {
    if (blocks_.empty()) return nullptr;
    Block& block = blocks_[slot(index / N + 1)];
    return block.key == 0 ? nullptr : &block.values[index % N];
  }
  const T* find(std::uint64_t index) const { return const_cast<BlockTable*>(this)->find(index); }

  /// The value; T{} if it was never touched.
  T get(std::uint64_t index) const {
    const T* found = find(index);
    return found == nullptr ? T{} : *found;
  }

  /// The element, made if need be. Valid until the next call.
  T& at(std::uint64_t index) {
    const std::uint64_t key = index / N + 1;
    if (blocks_.empty()) grow();
    Block* block = &blocks_[slot(key)];
    if (block->key == 0) {
      if ((used_ + 1) * 4 > blocks_.size() * 3) {
        grow();
        block = &blocks_[slot(key)];
      }
      block->key = key;
      ++used_;
    }
    return block->values[index % N];
  }

  bool empty() const { return used_ == 0; }

  /// Calls f(block) for all blocks that were touched.
  template <typename F>
  void each_block(F f) const {
    for (const Block& block : blocks_) {
      if (block.key != 0) f(block);
    }
  }

 private:
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

/// A set of 64-bit numbers, of which runs are added and tested.
class SparseBits {
 public:
  bool test(std::uint64_t index) const {
    const std::uint64_t* word = words_.find(index / 64);
    return word != nullptr && (*word >> index % 64 & 1) != 0;
  }

  /// Adds `index`; false if it was there.
  bool set(std::uint64_t index) {
    std::uint64_t& word = words_.at(index / 64);
    const std::uint64_t bit = std::uint64_t{1} << index % 64;
    const bool added = (word & bit) == 0;
    word |= bit;
    return added;
  }

  /// Adds first .. first+count-1; how many of them were new.
  std::uint64_t set(std::uint64_t first, std::uint64_t count) {
    std::uint64_t added = 0;
    each_word(first, count, [&](std::uint64_t index, std::uint64_t mask) {
      std::uint64_t& word = words_.at(index);
      added += static_cast<std::uint64_t>(std::popcount(mask & ~word));
      word |= mask;
    });
    return added;
  }

  bool empty() const { return words_.empty(); }

  /// How many of first .. first+count-1 are in the set.
  std::uint64_t count(std::uint64_t first, std::uint64_t count) const {
    std::uint64_t present = 0;
    each_word(first, count, [&](std::uint64_t index, std::uint64_t mask) {
      present += static_cast<std::uint64_t>(std::popcount(words_.get(index) & mask));
    });
    return present;
  }

  /// Numbers are kept by windows of so many.
  static constexpr std::uint64_t window = 7 * 64;

  /// Calls f(first number) for the windows in which any was added.
  template <typename F>
  void each_window(F f) const {
    words_.each_block([&](const auto& block) { f(block.first() * 64); });
  }

 private:
  template <typename F>
  static void each_word(std::uint64_t first, std::uint64_t count, F f) {
    while (count > 0) {
      const std::uint64_t offset = first % 64;
      const std::uint64_t here = std::min(count, 64 - offset);
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
