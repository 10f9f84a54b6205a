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
#include "schedcc/mpi/operation.hpp"

namespace schedcc::local {

using mpi::Kind, mpi::send, mpi::receive;
using mpi::Mode, mpi::copy, mpi::reduce;

/// An operation of a table (mpi::Operation), with peer and chunks of 64 bits.
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

/// Sets `operations` to those of a rank in a step; `own` is the rank's schedule.
template <typename RankSchedule>
void read_step(const RankSchedule& own, std::uint64_t step, std::vector<Operation>& operations) {
  operations.clear();
  const auto add = [&](Kind kind) {
    return [&operations, step, kind](const RankTransfer& p) {
      operations.push_back({step, kind, p.peer, p.first, p.count, p.reduce ? reduce : copy});
    };
  };
  own.sends(step, add(send));
  own.receives(step, add(receive));
  put_in_order(operations);
}

/// The operations of one rank, for a range-based for: in each step first its sends, then its
/// receives, by peer; those of one message are consecutive, by chunk. The operations of a step are
/// computed on demand and not kept.
template <typename Kernel>
class Program {
 public:
  Program(const Kernel& kernel, std::uint64_t rank)
      : own_(kernel.at(rank)), active_steps_(own_.active_steps()) {}

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Operation;
    using difference_type = std::ptrdiff_t;
    using pointer = const Operation*;
    using reference = const Operation&;

    Iterator() = default;
    explicit Iterator(const Program* program)
        : program_(program), step_(program->active_steps_.next(0)) {
      fill();
    }

    const Operation& operator*() const { return operations_[next_]; }
    const Operation* operator->() const { return &operations_[next_]; }
    Iterator& operator++() {
      if (++next_ == operations_.size()) {
        step_ = program_->active_steps_.next(step_ + 1);
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
      for (; step_ != never; step_ = program_->active_steps_.next(step_ + 1)) {
        read_step(program_->own_, step_, operations_);
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
  decltype(std::declval<Kernel>().at(0)) own_;
  decltype(own_.active_steps()) active_steps_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_PROGRAM_HPP
