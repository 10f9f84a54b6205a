#ifndef SCHEDCC_LOCAL_PROGRAM_HPP
#define SCHEDCC_LOCAL_PROGRAM_HPP

// A rank's operations, step by step, as a kernel computes them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

/// The kind of an operation: a send to, or a receive from, the peer.
enum Kind : std::uint8_t { send, receive };
/// The effect of the chunks at the receiver: they replace the chunks that it holds, or are combined
/// with them.
enum Mode : std::uint8_t { copy, reduce };

/// Sends or receives the chunks first, first + 1, ..., first + count - 1. (Tables have records with
/// the same members, of 32 bits; these are computed for any number of ranks.)
struct Operation {
  std::uint64_t step;
  Kind kind;
  std::uint64_t peer;
  std::uint64_t first;
  std::uint64_t count;
  Mode mode;
};

/// Sorts the operations of a step: sends, then receives; by peer, and within a message by chunk,
/// with adjacent runs merged.
inline void put_in_order(std::vector<Operation>& operations) {
  const auto before = [](const Operation& a, const Operation& b) {
    return std::tie(a.kind, a.peer, a.first) < std::tie(b.kind, b.peer, b.first);
  };
  if (!std::is_sorted(operations.begin(), operations.end(), before)) {
    std::sort(operations.begin(), operations.end(), before);
  }
  std::size_t kept = 0;
  for (const Operation& o : operations) {
    Operation* last = kept == 0 ? nullptr : &operations[kept - 1];
    if (last != nullptr && last->kind == o.kind && last->peer == o.peer && last->mode == o.mode &&
        last->first + last->count == o.first) {
      last->count += o.count;
    } else {
      operations[kept++] = o;
    }
  }
  operations.resize(kept);
}

/// Sets `operations` to those of a rank in a step; `place` is the rank's place in the schedule.
template <typename RankSchedule>
void read_step(const RankSchedule& place, std::uint64_t step, std::vector<Operation>& operations) {
  operations.clear();
  const auto add = [&](Kind kind) {
    return [&operations, step, kind](const RankTransfer& p) {
      operations.push_back({step, kind, p.peer, p.first, p.count, p.reduce ? reduce : copy});
    };
  };
  place.sends(step, add(send));
  place.receives(step, add(receive));
  put_in_order(operations);
}

/// The operations of one rank, for a range-based for: in each step first its sends, then its
/// receives, by peer; those of one message are consecutive, by chunk. The operations of a step are
/// computed on demand and not kept.
template <typename Kernel>
class Program {
 public:
  Program(const Kernel& kernel, std::uint64_t rank)
      : place_(kernel.at(rank)), when_(place_.when()) {}

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Operation;
    using difference_type = std::ptrdiff_t;
    using pointer = const Operation*;
    using reference = const Operation&;

    Iterator() = default;
    explicit Iterator(const Program* program) : program_(program), step_(program->when_.next(0)) {
      fill();
    }

    const Operation& operator*() const { return operations_[next_]; }
    const Operation* operator->() const { return &operations_[next_]; }
    Iterator& operator++() {
      if (++next_ == operations_.size()) {
        step_ = program_->when_.next(step_ + 1);
        fill();
      }
      return *this;
    }
    void operator++(int) { ++*this; }
    /// Only the end is equal to the end.
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.program_ == b.program_;
    }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return !(a == b); }

   private:
    /// Advances to a step with operations, or to the end.
    void fill() {
      next_ = 0;
      for (; step_ != never; step_ = program_->when_.next(step_ + 1)) {
        read_step(program_->place_, step_, operations_);
        if (!operations_.empty()) return;
      }
      program_ = nullptr;
    }

    const Program* program_ = nullptr;
    std::uint64_t step_ = 0;
    std::size_t next_ = 0;
    std::vector<Operation> operations_;
  };

  Iterator begin() const { return Iterator(this); }
  Iterator end() const { return {}; }

 private:
  friend class Iterator;
  decltype(std::declval<Kernel>().at(0)) place_;
  decltype(place_.when()) when_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_PROGRAM_HPP
