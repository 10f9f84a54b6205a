#pragma once

#include <cstdint>
#include <functional>

namespace schedcc {

/// Passes a rising count on to a function, or to none, now and then: calls cost time where each
/// stands for few transfers.
class Seldom {
 public:
  /// `progress` has to outlive it.
  explicit Seldom(const std::function<void(std::uint64_t)>& progress) : progress_(progress) {}

  void operator()(std::uint64_t count) {
    constexpr std::uint64_t interval = 1 << 18;
    if (!progress_ || count - last_ < interval) return;
    last_ = count;
    progress_(count);
  }

 private:
  const std::function<void(std::uint64_t)>& progress_;
  std::uint64_t last_ = 0;
};

}  // namespace schedcc
