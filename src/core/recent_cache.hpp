#pragma once

// A cache of results that take long to compute, for the arguments that were added last.

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

namespace schedcc {

/// May be used by several threads, of which one computes at a time.
template <typename Key, typename Value>
class RecentCache {
 public:
  /// Keeps the values of that many keys.
  explicit RecentCache(std::size_t kept) : kept_(kept) {}

  /// The value of a key: the one that is kept, or make().
  template <typename F>
  std::shared_ptr<const Value> get(const Key& key, F make) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, value] : values_) {
      if (known == key) return value;
    }
    values_.emplace_front(key, std::make_shared<const Value>(make()));
    if (values_.size() > kept_) values_.pop_back();
    return values_.front().second;
  }

 private:
  std::size_t kept_;
  std::mutex mutex_;
  std::deque<std::pair<Key, std::shared_ptr<const Value>>> values_;
};

}  // namespace schedcc
