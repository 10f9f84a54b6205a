#pragma once

#include <atomic>
#include <cstdint>

namespace schedcc {

/// What tables of one object may take together, in entries. For several threads at once.
class EntryBudget {
 public:
  explicit EntryBudget(std::uint64_t entries) : left_(entries) {}

  /// Takes so many entries; false, and none are taken, if fewer are left.
  bool claim(std::uint64_t entries) {
    std::uint64_t left = left_;
    while (left >= entries) {
      if (left_.compare_exchange_weak(left, left - entries)) return true;
    }
    return false;
  }

 private:
  std::atomic<std::uint64_t> left_;
};

}  // namespace schedcc
