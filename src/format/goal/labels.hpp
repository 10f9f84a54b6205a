#pragma once

// The labels of a rank of a GOAL program.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace schedcc {

/// Most programs number their labels: l1, l2, ... Those of such a series are found by their number,
/// in the order of the file, which for millions of labels is several times faster than a hash
/// table; all others by a table of open addressing. A rank with few labels costs little after one
/// with many.
class GoalLabels {
 public:
  /// Forgets all labels, in time proportional to their number.
  void clear();
  /// False, with no change, if the label is there already. Its characters must outlive it.
  bool insert(std::string_view label, std::uint32_t operation);
  /// The operation that has the label.
  std::optional<std::uint32_t> find(std::string_view label) const;

 private:
  struct Entry {
    std::string_view label;
    std::uint32_t operation;
  };
  /// A label that ends with a number, without zeros before it.
  struct NumberedLabel {
    std::string_view prefix;
    std::uint64_t number;
  };
  /// Labels of a prefix and consecutive numbers, starting with `first`.
  struct Series {
    std::string_view prefix;
    std::uint64_t first;
    std::vector<std::uint32_t> operations;
    bool has(std::uint64_t number) const { return number - first < operations.size(); }
    bool ends_before(std::uint64_t number) const { return number - first == operations.size(); }
  };

  static std::optional<NumberedLabel> numbered(std::string_view label);
  /// The series of a prefix; nullptr if there is none.
  const Series* series_of(std::string_view prefix) const;
  void insert_entry(std::string_view label, std::uint32_t operation);
  std::optional<std::uint32_t> find_entry(std::string_view label) const;
  /// The slot of a label, or the free one where it would be.
  std::size_t slot_of(std::string_view label) const;
  void grow();

  std::vector<Series> series_;  ///< the first `open_` are in use, with different prefixes
  std::size_t open_ = 0;
  std::vector<Entry> entries_;                                         ///< in no series
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(16);  ///< entry + 1; 0: free
  std::size_t mask_ = 15;  ///< the slots in use are a power of two
};

}  // namespace schedcc
