#pragma once

// A number for each of some processes, none of which becomes smaller.
//
// The numbers are in pages, which clocks share: of many processes few go on between one clock and
// the next, and a page that two clocks share is neither compared nor copied.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace schedcc {

class VectorClock {
 public:
  /// Of so many processes, all 0.
  explicit VectorClock(std::size_t processes);

  std::uint32_t operator[](std::size_t process) const {
    return (*pages_[process / page_size])[process % page_size];
  }
  void set(std::size_t process, std::uint32_t number);

  /// How two clocks differ.
  struct Difference {
    bool less = false;     ///< a number of the first is less than that of the second
    bool greater = false;  ///< a number of the first is greater
  };
  static Difference compare(const VectorClock& a, const VectorClock& b);

  /// Makes each number the larger one of both clocks.
  void join(const VectorClock& other);

 private:
  static constexpr std::size_t page_size = 32;  ///< numbers: two cache lines
  using Page = std::array<std::uint32_t, page_size>;
  using PagePtr = std::shared_ptr<const Page>;

  static Difference compare(const Page& a, const Page& b);

  std::vector<PagePtr> pages_;
};

}  // namespace schedcc
