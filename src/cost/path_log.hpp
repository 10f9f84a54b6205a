#pragma once

// Critical paths under construction: each message refers to the one that it waited for. Messages on
// no rank's path are dropped.

#include <cstdint>
#include <vector>

#include "schedcc/cost.hpp"

namespace schedcc {

class PathLog {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// A log that is not `recording` does nothing.
  explicit PathLog(bool recording) : recording_(recording) {}

  /// A message that had to wait for `before`. It is kept until it is dropped.
  std::uint32_t add(const TimedMessage& message, std::uint32_t before) {
    return recording_ ? record(message, before) : none;
  }
  /// Adds or removes a user; `none` is allowed.
  void keep(std::uint32_t path) {
    if (path != none) ++nodes_[path].users;
  }
  void drop(std::uint32_t path) {
    if (path != none) release(path);
  }
  /// Makes `to` a user of `path` instead of what it used before.
  void assign(std::uint32_t& to, std::uint32_t path) {
    keep(path);
    drop(to);
    to = path;
  }

  /// The messages up to and including `path`, in order.
  std::vector<TimedMessage> messages(std::uint32_t path) const;

 private:
  struct Node {
    TimedMessage message;
    std::uint32_t before;  ///< of a free node: the next free one
    std::uint32_t users;
  };

  std::uint32_t record(const TimedMessage& message, std::uint32_t before);
  void release(std::uint32_t path);

  bool recording_;
  std::vector<Node> nodes_;
  std::uint32_t free_ = none;
};

}  // namespace schedcc
