#pragma once

// The memory that schedcc may use, for code that can compute its needs in advance.

#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/saturating.hpp"

namespace schedcc {

/// In bytes: the memory of the machine, or the limit on the address space where that is less.
std::uint64_t usable_memory();

/// Limits the address space of this process to usable_memory(). Called once.
void limit_address_space();

/// While one exists, programs that are started get the limit that this process was started with:
/// what they reserve is theirs to decide. Other threads wait for one another, not for more than a
/// start.
class OriginalLimit {
 public:
  OriginalLimit();
  ~OriginalLimit();
  OriginalLimit(const OriginalLimit&) = delete;
  OriginalLimit& operator=(const OriginalLimit&) = delete;

 private:
  std::scoped_lock<std::mutex> alone_;
};

/// Throws LimitError where `bytes`, the least that `what` ("a tree of 3 ranks") takes, are more
/// than usable_memory().
void require_memory(Saturating bytes, std::string_view what);

/// Before one more item: throws LimitError where the vector has to grow and cannot.
template <typename T>
void require_room(const std::vector<T>& items, std::string_view what) {
  if (items.size() < items.capacity()) return;
  constexpr std::uint64_t copies = 3;  // the old elements, and room for twice as many
  require_memory(Saturating(items.size()) * (copies * sizeof(T)), what);
}

}  // namespace schedcc
