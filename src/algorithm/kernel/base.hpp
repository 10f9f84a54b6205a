#ifndef SCHEDCC_LOCAL_BASE_HPP
#define SCHEDCC_LOCAL_BASE_HPP

// Schedules that each rank computes for itself: without a table, and without the schedules of the
// other ranks.
//
// A kernel computes the operations of one rank. It has steps(), the number of steps, and at(rank),
// which returns the rank's schedule; that object keeps what depends only on the rank, so that it is
// computed once. A rank's schedule has
//
//     active_steps()     the steps in which the rank may have operations, as in step_sets.hpp
//     sends(step, f)     calls f(transfer) for each RankTransfer that the rank sends in the step
//     receives(step, f)  calls f(transfer) for each that it receives
//
// Transfers of a step with the same peer and direction are one message. All numbers have 64 bits,
// so that P and the number of chunks may be large; P * P * K has to fit.
//
// Most kernels keep nothing for a rank but its number, and use the schedule `RankSchedule` below.
// They have
//
//     step_data(step)          what depends only on the step; without it, the number of the step
//     senders(data)            the ranks that send in the step; without it, all
//     has_idle()               do some of them never send? Then idle_from(rank) says how many, from
//                              `rank` on
//     sends(rank, data, f)     as above, for a rank that is among the senders
//     receives(rank, data, f)  as above, for any rank
//     active_steps(rank)       as above; without it, all steps
//
// Kernels with many idle steps also number the other steps, which are the rows of `Steps`: rows()
// is their number, step_of(row) the step of a row, step_data_of_row(row) its data.
//
// Formulas that symbolic proofs use as well (prove/symbolic) are templates over the type N of
// numbers: std::uint64_t, or a term, which records how it is computed. Numbers are unsigned; a
// difference may be negative only where the transfer is not valid. Cases are written with `choose`,
// which computes both sides.
//
// Most kernels are for root 0 and one direction. Other roots, the reverse and sequences are made by
// the classes at the end of this file, as model/algebra.hpp makes them of whole schedules.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "algorithm/kernel/step_sets.hpp"
#include "core/integers.hpp"

namespace schedcc::local {

/// Chunks first, first + 1, ..., first + count - 1, to or from a peer. `reduce`: the receiver
/// combines them with what it holds, instead of replacing that.
struct RankTransfer {
  std::uint64_t peer = 0, first = 0, count = 0;
  bool reduce = false;
};

/// The ranks first, first + stride, ... below end.
struct Ranks {
  std::uint64_t first = 0, end = 0, stride = 1;

  bool contains(std::uint64_t rank) const {
    return first <= rank && rank < end && (stride == 1 || (rank - first) % stride == 0);
  }
};

/// The data that a kernel computes for a step.
template <typename Kernel>
auto step_data_of(const Kernel& kernel, std::uint64_t step) {
  if constexpr (requires { kernel.step_data(step); }) {
    return kernel.step_data(step);
  } else {
    return step;
  }
}

/// For kernels in which a rank's schedule is just its number.
template <typename Kernel>
struct RankSchedule {
  Kernel kernel;
  std::uint64_t rank;

  auto active_steps() const {
    if constexpr (requires { kernel.active_steps(rank); }) {
      return kernel.active_steps(rank);
    } else {
      return StepRange{0, kernel.steps(), 1};
    }
  }
  template <typename F>
  void sends(std::uint64_t step, F f) const {
    const auto data = step_data_of(kernel, step);
    if constexpr (requires { kernel.senders(data); }) {
      if (!kernel.senders(data).contains(rank)) return;
    }
    kernel.sends(rank, data, f);
  }
  template <typename F>
  void receives(std::uint64_t step, F f) const {
    kernel.receives(rank, step_data_of(kernel, step), f);
  }
};

/// Functions of numbers, as terms have them.
constexpr std::uint64_t choose(bool condition, std::uint64_t yes, std::uint64_t no) {
  return condition ? yes : no;
}
constexpr std::uint64_t bit_width(std::uint64_t x) {
  return static_cast<std::uint64_t>(std::bit_width(x));
}

/// a + b modulo P, for a < P and b <= P.
template <typename N>
constexpr N add_mod(N a, std::type_identity_t<N> b, std::type_identity_t<N> P) {
  return choose(a < P - b, a + b, a - (P - b));
}
/// a - b modulo P, for a, b < P.
template <typename N>
constexpr N sub_mod(N a, std::type_identity_t<N> b, std::type_identity_t<N> P) {
  return choose(a < b, a + (P - b), a - b);
}

/// For packets that are sent one after another, in S steps each: the packet of step t.
template <typename N>
constexpr N serial_packet(N t, N S) {
  return t / S;
}
/// The same: which of its packet's S steps step t is.
template <typename N>
constexpr N serial_place(N t, N S) {
  return t % S;
}

/// The schedule for another root: `root` is added to each rank, modulo P. If chunks belong to
/// ranks, `shift` is added to each chunk, modulo `total`; a shift of 0 leaves them.
template <typename Kernel>
class Rooted {
 public:
  Rooted(Kernel kernel, std::uint64_t P, std::uint64_t root, std::uint64_t shift = 0,
         std::uint64_t total = 0)
      : kernel_(std::move(kernel)), P_(P), root_(root), shift_(shift), total_(total) {}

  std::uint64_t steps() const { return kernel_.steps(); }
  const Kernel& inner() const { return kernel_; }
  std::uint64_t root() const { return root_; }
  std::uint64_t shift() const { return shift_; }
  std::uint64_t total() const { return total_; }

  struct RankSchedule {
    decltype(std::declval<Kernel>().at(0)) inner;
    std::uint64_t P, root, shift, total;

    auto active_steps() const { return inner.active_steps(); }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      inner.sends(step, [&](const RankTransfer& part) { move(part, f); });
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      inner.receives(step, [&](const RankTransfer& part) { move(part, f); });
    }

   private:
    template <typename F>
    void move(RankTransfer part, F f) const {
      part.peer = add_mod(part.peer, root, P);
      if (shift == 0) return f(part);
      part.first = add_mod(part.first, shift, total);
      const std::uint64_t fits = std::min(part.count, total - part.first);
      f(RankTransfer{part.peer, part.first, fits, part.reduce});
      if (fits < part.count) f(RankTransfer{part.peer, 0, part.count - fits, part.reduce});
    }
  };
  RankSchedule at(std::uint64_t rank) const {
    return {kernel_.at(sub_mod(rank, root_, P_)), P_, root_, shift_, total_};
  }

 private:
  Kernel kernel_;
  std::uint64_t P_, root_, shift_, total_;
};

/// The reverse: what is sent in step t is received in step T - 1 - t of T, and combined if `reduce`
/// is set. So a broadcast becomes a reduction, and without `reduce` a scatter a gather.
template <typename Kernel>
class Reversed {
 public:
  explicit Reversed(Kernel kernel, bool reduce = true)
      : kernel_(std::move(kernel)), reduce_(reduce) {}

  std::uint64_t steps() const { return kernel_.steps(); }
  const Kernel& inner() const { return kernel_; }
  bool reduces() const { return reduce_; }

  struct RankSchedule {
    decltype(std::declval<Kernel>().at(0)) inner;
    std::uint64_t steps;
    bool reduce;

    auto active_steps() const {
      return ReversedSteps<decltype(inner.active_steps())>{inner.active_steps(), steps};
    }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      inner.receives(steps - 1 - step, [&](RankTransfer part) {
        part.reduce = reduce;
        f(part);
      });
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      inner.sends(steps - 1 - step, [&](RankTransfer part) {
        part.reduce = reduce;
        f(part);
      });
    }
  };
  RankSchedule at(std::uint64_t rank) const { return {kernel_.at(rank), steps(), reduce_}; }

 private:
  Kernel kernel_;
  bool reduce_;
};

/// The first schedule, and then the second.
template <typename First, typename Second>
class Sequence {
 public:
  Sequence(First first, Second second) : first_(std::move(first)), second_(std::move(second)) {}

  std::uint64_t steps() const { return first_.steps() + second_.steps(); }
  const First& first() const { return first_; }
  const Second& second() const { return second_; }

  struct RankSchedule {
    decltype(std::declval<First>().at(0)) first;
    decltype(std::declval<Second>().at(0)) second;
    std::uint64_t middle;

    auto active_steps() const {
      return ConcatenatedSteps<decltype(first.active_steps()), decltype(second.active_steps())>{
          first.active_steps(), second.active_steps(), middle};
    }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      step < middle ? first.sends(step, f) : second.sends(step - middle, f);
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      step < middle ? first.receives(step, f) : second.receives(step - middle, f);
    }
  };
  RankSchedule at(std::uint64_t rank) const {
    return {first_.at(rank), second_.at(rank), first_.steps()};
  }

 private:
  First first_;
  Second second_;
};

/// On LogP, where steps are cycles: the same sends, which are received `delay` cycles after they
/// begin, and held after `latency` ones.
template <typename Kernel>
class Delayed {
 public:
  Delayed(Kernel kernel, std::uint64_t delay, std::uint64_t latency)
      : kernel_(std::move(kernel)), delay_(delay), latency_(latency) {}

  std::uint64_t steps() const { return kernel_.steps() == 0 ? 0 : kernel_.steps() - 1 + latency_; }
  const Kernel& inner() const { return kernel_; }

  struct RankSchedule {
    decltype(std::declval<Kernel>().at(0)) inner;
    std::uint64_t delay;

    auto active_steps() const {
      return EchoedSteps<decltype(inner.active_steps())>{inner.active_steps(), delay};
    }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      inner.sends(step, f);
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      if (step >= delay) inner.receives(step - delay, f);
    }
  };
  RankSchedule at(std::uint64_t rank) const { return {kernel_.at(rank), delay_}; }

 private:
  Kernel kernel_;
  std::uint64_t delay_, latency_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_BASE_HPP
