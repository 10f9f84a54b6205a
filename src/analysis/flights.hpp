#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace schedcc {

/// The transfers under way, by the time at which they arrive. `Load` is a set that arrives
/// together: it has clear(), and keeps its memory for later transfers.
template <typename Load>
class Flights {
 public:
  /// What arrives at `time`.
  Load& at(std::uint64_t time) {
    const auto found = loads_.find(time);
    if (found != loads_.end()) return found->second;
    if (spare_.empty()) return loads_[time];
    spare_.key() = time;
    return loads_.insert(std::move(spare_)).position->second;
  }

  /// Calls f(load) for what arrives at `time` or earlier, in order of time.
  template <typename F>
  void arrive(std::uint64_t time, F f) {
    while (!loads_.empty() && loads_.begin()->first <= time) {
      spare_ = loads_.extract(loads_.begin());
      f(spare_.mapped());
      spare_.mapped().clear();
    }
  }

 private:
  std::map<std::uint64_t, Load> loads_;
  typename std::map<std::uint64_t, Load>::node_type spare_;
};

}  // namespace schedcc
