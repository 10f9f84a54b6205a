#pragma once

// The numbers of values that are kept in a table; finds the number of a value, in 8 bytes per
// value.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace schedcc {

/// The numbers that collections of what ranks hold have in common.
struct HeldIds {
  using Id = std::uint32_t;
  static constexpr Id unset = 0;  ///< never assigned: free for the caller
  static constexpr Id empty = 1;  ///< nothing is held
  static constexpr Id value = 2;  ///< the value of a chunk that is only copied
};

/// A hash table of numbers. The caller keeps the values that they represent, and supplies their
/// hash and comparison.
class IdIndex {
 public:
  using Id = std::uint32_t;
  static constexpr Id none = UINT32_MAX;

  /// The number with this hash for which `equal(id)` holds; `none` if there is none.
  template <typename Equal>
  Id find(std::uint64_t hash, Equal equal) const {
    if (slots_.empty()) return none;
    for (std::size_t i = first(hash);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i] == none || equal(slots_[i])) return slots_[i];
    }
  }

  /// Adds a number that is not in the table. `hash_of(id)` is the hash of any number in it.
  template <typename HashOf>
  void add(Id id, HashOf hash_of) {
    make_room(hash_of);
    place(id, hash_of(id));
    ++used_;
  }

  /// Leaves room for as many numbers as there were.
  void clear() {
    if (used_ > 0) slots_.assign(std::max<std::size_t>(64, std::bit_ceil(2 * used_)), none);
    used_ = 0;
  }

  /// A hash of two numbers.
  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t hash = (a ^ b * 0xff51afd7ed558ccdu) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    return hash * 0xd6e8feb86659fd93u;
  }

 private:
  std::size_t first(std::uint64_t hash) const { return (hash >> 24) & (slots_.size() - 1); }
  /// For one more number.
  template <typename HashOf>
  void make_room(HashOf hash_of) {
    if ((used_ + 1) * 2 <= slots_.size()) return;
    std::vector<Id> old(std::max<std::size_t>(64, 2 * slots_.size()), none);
    old.swap(slots_);
    for (const Id known : old) {
      if (known != none) place(known, hash_of(known));
    }
  }
  void place(Id id, std::uint64_t hash) {
    std::size_t i = first(hash);
    while (slots_[i] != none) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = id;
  }

  std::vector<Id> slots_;  ///< a power of two of them, at most half in use
  std::size_t used_ = 0;
};

}  // namespace schedcc
