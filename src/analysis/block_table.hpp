#pragma once

// Arrays of which only few elements are used, in memory proportional to those.
//
// A block, a cache line, holds N neighbouring elements. Most schedules touch their blocks one after
// the other, starting with the first; those are an array, in pages so that it grows in place, as
// long as at least half of it is used. The others are in a hash table: groups of 64 blocks with
// neighbouring numbers are hashed as one, and a block whose slot is taken goes to the same slot in
// the next group. Everything starts as T{}.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/layout.hpp"
#include "core/integers.hpp"

namespace schedcc {

template <typename T, std::uint32_t N>
class BlockTable {
 public:
  /// The values of a block, or nullptr if neither it nor a block stored with it was touched.
  T* find(std::uint64_t block) {
    if (block < dense_) [[likely]] {
      Page* const home = pages_[block / page].get();
      return home == nullptr ? nullptr : home->blocks[block % page].values;
    }
    return find_hashed(block);
  }
  const T* find(std::uint64_t block) const { return const_cast<BlockTable*>(this)->find(block); }

  /// The values of a block, allocated if necessary. Valid until the next call.
  T* at(std::uint64_t block) {
    if (block < dense_) [[likely]] {
      Page* const home = pages_[block / page].get();
      if (home != nullptr && home->touched[block % page]) [[likely]]
        return home->blocks[block % page].values;
    }
    return make(block);
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
  /// How many blocks were touched.
  std::uint64_t used() const { return used_; }

  /// Calls f(block number) for all blocks that were touched.
  template <typename F>
  void each_block(F f) const {
    for (std::uint64_t block = 0; block < dense_; ++block) {
      const auto& home = pages_[block / page];
      if (home != nullptr && home->touched[block % page]) f(block);
    }
    for (const std::uint64_t key : keys_) {
      if (key != free) f(key);
    }
  }

 private:
  struct alignas(sizeof(T) * N % 64 == 0 ? 64 : alignof(T)) Block {
    T values[N] = {};
  };
  static constexpr std::uint64_t page = 256;  ///< blocks in a page of the array
  struct Page {
    Block blocks[page];
    bool touched[page] = {};
  };

  // Rarely called: not inlined, to keep the callers' loops small.

  [[gnu::noinline]] T* find_hashed(std::uint64_t block) {
    if (keys_.empty()) return nullptr;
    const std::size_t i = slot(block);
    return keys_[i] == free ? nullptr : hashed_[i].values;
  }

  [[gnu::noinline]] T* make(std::uint64_t block) {
    if (block < dense_ || grow_dense(block)) {
      used_ += touch(block) ? 1 : 0;
      return pages_[block / page]->blocks[block % page].values;
    }
    if (keys_.empty() || keys_[slot(block)] == free) {
      if ((used_hashed_ + 1) * 4 > keys_.size() * 3) rehash(std::max(2 * group, 2 * keys_.size()));
      ++used_;
      ++used_hashed_;
      keys_[slot(block)] = block;
    }
    return hashed_[slot(block)].values;
  }

  /// Marks a block of the array as used; true if it was not.
  bool touch(std::uint64_t block) {
    std::unique_ptr<Page>& home = pages_[block / page];
    if (home == nullptr) home = std::make_unique<Page>();
    return !std::exchange(home->touched[block % page], true);
  }

  /// Extends the array to a new block if at least half of it will be used and it grows by at least
  /// half; false if not.
  bool grow_dense(std::uint64_t block) {
    const std::uint64_t size = 2 * (used_ + 1) + page;
    if (block >= size || size < dense_ + dense_ / 2) return false;
    dense_ = ceil_div(size, page) * page;
    pages_.resize(dense_ / page);
    if (!keys_.empty()) rehash(keys_.size());
    return true;
  }

  /// Resizes the hash table, and moves the blocks that the array covers by now into it.
  void rehash(std::size_t size) {
    const std::vector<std::uint64_t> old_keys = std::exchange(keys_, {});
    std::vector<Block> old = std::exchange(hashed_, {});
    keys_.resize(size, free);
    hashed_.resize(size);
    shift_ = 64 - static_cast<unsigned>(std::bit_width(size / group - 1));
    used_hashed_ = 0;
    for (std::size_t i = 0; i < old_keys.size(); ++i) {
      if (old_keys[i] == free) continue;
      if (old_keys[i] < dense_) {
        touch(old_keys[i]);
        pages_[old_keys[i] / page]->blocks[old_keys[i] % page] = std::move(old[i]);
      } else {
        const std::size_t to = slot(old_keys[i]);
        keys_[to] = old_keys[i];
        hashed_[to] = std::move(old[i]);
        ++used_hashed_;
      }
    }
  }

  /// Where the block is in the hash table, or the free slot for it.
  std::size_t slot(std::uint64_t block) const {
    // Within its group a block has a slot of its own, by its lowest bits; the mapping differs from
    // group to group, since all blocks may agree in those bits.
    const std::uint64_t hash = (block / group) * 0x9e3779b97f4a7c15u;
    std::size_t i = (hash >> shift_) * group + (block ^ hash >> 32) % group;
    while (keys_[i] != block && keys_[i] != free) {
      i += group;
      if (i >= keys_.size()) i -= keys_.size() - 1;  // the first group again, at the next slot
    }
    return i;
  }

  static constexpr std::size_t group = 64;
  static constexpr std::uint64_t free = UINT64_MAX;  ///< not a number of a block

  std::vector<std::unique_ptr<Page>> pages_;  ///< of blocks 0, 1, ..., dense_ - 1
  std::uint64_t dense_ = 0;
  std::vector<std::uint64_t> keys_;  ///< a power of two of groups
  std::vector<Block> hashed_;        ///< the blocks of the keys
  std::uint64_t used_ = 0;           ///< blocks touched
  std::uint64_t used_hashed_ = 0;    ///< those of them in the hash table
  unsigned shift_ = 0;
};

/// A set of cells, in blocks of 8 words.
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

  bool empty() const { return words_.empty(); }
  /// How many blocks were touched.
  std::uint64_t used() const { return words_.used(); }

  /// Calls f(block) for the blocks in which any was added.
  template <typename F>
  void each_block(F f) const {
    words_.each_block(f);
  }

  /// Calls f(first cell, their number) for neighbouring cells of a block that are in the set, which
  /// make up all that are.
  template <typename F>
  void each_run_in(std::uint64_t block, F f) const {
    const std::uint64_t* const words = words_.find(block);
    for (std::uint32_t word = 0; word < 8; ++word) {
      std::uint32_t count = 0;
      for (std::uint32_t bit = 0; bit < 64; bit += count) {
        const std::uint64_t left = words[word] >> bit;
        if (left == 0) break;
        bit += static_cast<std::uint32_t>(std::countr_zero(left));
        count = static_cast<std::uint32_t>(std::countr_one(words[word] >> bit));
        f(Cell{block, word * 64 + bit}, count);
      }
    }
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

  BlockTable<std::uint64_t, 8> words_;
};

/// A value per node, at first T{}. References stay valid.
///
/// The first nodes are in pages, small, since most schedules have few of them; the rest, of which
/// a machine may have billions, are in a hash table of blocks.
template <typename T>
class NodeArray {
 public:
  T& operator[](std::uint32_t node) {
    const std::size_t number = node / page;
    if (number >= pages_.size() || pages_[number] == nullptr) [[unlikely]]
      return find(node);
    return pages_[number][node % page];
  }

  void clear() {
    pages_.clear();
    blocks_.clear();
  }

 private:
  [[gnu::noinline]] T& find(std::uint32_t node) {
    if (node >= paged) return blocks_[node / block][node % block];
    const std::size_t number = node / page;
    if (number >= pages_.size()) pages_.resize(number + 1);
    pages_[number] = std::make_unique<T[]>(page);
    return pages_[number][node % page];
  }

  /// At most 4 KiB, since a search makes many arrays for few nodes.
  static constexpr std::uint32_t page =
      std::bit_floor(std::clamp(4096u / std::uint32_t{sizeof(T)}, 16u, 512u));
  static constexpr std::uint32_t block = 16;
  static constexpr std::uint32_t paged = std::uint32_t{1} << 22;  ///< nodes that are in pages
  std::vector<std::unique_ptr<T[]>> pages_;
  std::unordered_map<std::uint32_t, std::array<T, block>> blocks_;
};

}  // namespace schedcc
