#pragma once

// Words by their values: a hash table with open addressing, since a recording has millions of them.

#include <cstdint>
#include <optional>
#include <vector>

namespace schedcc::record {

class ValueIndex {
 public:
  /// Adds a value; if it is there already, its first word remains.
  void insert(std::uint64_t value, std::uint32_t word) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place(value)];
    if (slot.used) return;
    slot = {value, word, true};
    ++size_;
  }

  std::optional<std::uint32_t> find(std::uint64_t value) const {
    if (slots_.empty()) return std::nullopt;
    const Slot& slot = slots_[place(value)];
    return slot.used ? std::optional(slot.word) : std::nullopt;
  }

 private:
  struct Slot {
    std::uint64_t value = 0;
    std::uint32_t word = 0;
    bool used = false;
  };

  /// Its slot, or the free one where it belongs. Values are random already, but not their low bits.
  std::size_t place(std::uint64_t value) const {
    std::size_t i = (value * 0x9e3779b97f4a7c15) >> 20 & (slots_.size() - 1);
    while (slots_[i].used && slots_[i].value != value) i = (i + 1) & (slots_.size() - 1);
    return i;
  }

  void grow() {
    std::vector<Slot> before(slots_.empty() ? 64 : 2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before) {
      if (slot.used) slots_[place(slot.value)] = slot;
    }
  }

  std::vector<Slot> slots_;  ///< a power of two
  std::size_t size_ = 0;
};

}  // namespace schedcc::record
