#pragma once

// Something for each cell of a GPU's memory that a program uses.
//
// The cells of a memory of usual size are found by their numbers. A file may state any size, so
// that those of a larger one are found by hashing: memory is proportional to the cells that are
// used.

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace schedcc::program {

template <typename T>
class CellTable {
 public:
  /// For a memory of so many cells; there may be more.
  explicit CellTable(std::uint64_t cells) : direct_(cells <= usual ? cells : 0, none) {}

  /// What is known of a cell; none (nullptr) if nothing is.
  const T* find(std::uint64_t cell) const {
    if (cell < direct_.size()) return direct_[cell] == none ? nullptr : &values_[direct_[cell]];
    const auto found = hashed_.find(cell);
    return found == hashed_.end() ? nullptr : &values_[found->second];
  }

  /// The same, made if there is none. Valid until the next call.
  T& operator[](std::uint64_t cell) {
    const auto next = static_cast<std::uint32_t>(values_.size());
    std::uint32_t& place =
        cell < direct_.size() ? direct_[cell] : hashed_.try_emplace(cell, none).first->second;
    if (place == none) {
      place = next;
      values_.emplace_back();
    }
    return values_[place];
  }

 private:
  static constexpr std::uint64_t usual = 1 << 16;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  std::vector<T> values_;
  std::vector<std::uint32_t> direct_;                        ///< by cell: the place in values_
  std::unordered_map<std::uint64_t, std::uint32_t> hashed_;  ///< of the others
};

}  // namespace schedcc::program
