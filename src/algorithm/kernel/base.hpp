#ifndef SCHEDCC_LOCAL_BASE_HPP
#define SCHEDCC_LOCAL_BASE_HPP

// Schedules that each rank computes for itself, without a table and without the others.
//
// A kernel is a schedule as a closed form. It has `steps()`, and `at(rank)` gives the rank's place
// in it: what depends on the rank alone is worked out there, once. A place has
//
//     when()             the steps in which the rank may have something to do, as in when.hpp
//     sends(step, f)     calls f(part) for all that it sends in a step
//     receives(step, f)  calls f(part) for all that it receives
//
// where parts with the same peer are one message. All numbers have 64 bits, so that P and the
// number of chunks may be as large as they like; P * P * K has to fit.
//
// Most kernels are broadcasts, or the like, from rank 0; what is built of them (another root, the
// reverse, one after the other) stands below, as it does for whole schedules.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "algorithm/kernel/when.hpp"

namespace schedcc::local {

/// Chunks first, first + 1, ..., first + count - 1, to or from a peer. `reduce`: the receiver
/// combines them with what it holds, instead of replacing that.
struct Part {
  std::uint64_t peer = 0, first = 0, count = 0;
  bool reduce = false;
};

/// For kernels in which a rank's place is just its number. Those whose ranks are idle for long have
/// a `when(rank)`.
template <typename Kernel>
struct Place {
  Kernel kernel;
  std::uint64_t rank;

  auto when() const {
    if constexpr (requires { kernel.when(rank); }) {
      return kernel.when(rank);
    } else {
      return When{0, kernel.steps(), 1};
    }
  }
  template <typename F>
  void sends(std::uint64_t step, F f) const {
    kernel.sends(rank, step, f);
  }
  template <typename F>
  void receives(std::uint64_t step, F f) const {
    kernel.receives(rank, step, f);
  }
};

inline std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// ceil(log_r P) for r >= 2 and P >= 1.
inline std::uint64_t ceil_log(std::uint64_t r, std::uint64_t P) {
  std::uint64_t steps = 0;
  for (std::uint64_t left = P; left > 1; left = ceil_div(left, r)) ++steps;
  return steps;
}

inline std::uint64_t power(std::uint64_t r, std::uint64_t e) {
  std::uint64_t result = 1;
  while (e-- > 0) result *= r;
  return result;
}

/// a + b modulo P, for a, b < P.
inline std::uint64_t further(std::uint64_t a, std::uint64_t b, std::uint64_t P) {
  return a < P - b ? a + b : a - (P - b);
}
/// a - b modulo P, for a, b < P.
inline std::uint64_t back(std::uint64_t a, std::uint64_t b, std::uint64_t P) {
  return a >= b ? a - b : a + (P - b);
}

/// From another root: ranks are moved up by `root`, modulo P, and chunks, if they belong to ranks,
/// by `shift` modulo `total`.
template <typename Kernel>
class Rooted {
 public:
  Rooted(Kernel kernel, std::uint64_t P, std::uint64_t root, std::uint64_t shift = 0,
         std::uint64_t total = 0)
      : kernel_(std::move(kernel)), P_(P), root_(root), shift_(shift), total_(total) {}

  std::uint64_t steps() const { return kernel_.steps(); }

  struct Place {
    decltype(std::declval<Kernel>().at(0)) inner;
    std::uint64_t P, root, shift, total;

    auto when() const { return inner.when(); }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      inner.sends(step, [&](const Part& part) { move(part, f); });
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      inner.receives(step, [&](const Part& part) { move(part, f); });
    }

   private:
    template <typename F>
    void move(Part part, F f) const {
      part.peer = further(part.peer, root, P);
      if (shift == 0) return f(part);
      part.first = further(part.first, shift, total);
      const std::uint64_t fits = std::min(part.count, total - part.first);
      f(Part{part.peer, part.first, fits, part.reduce});
      if (fits < part.count) f(Part{part.peer, 0, part.count - fits, part.reduce});
    }
  };
  Place at(std::uint64_t rank) const {
    return {kernel_.at(back(rank, root_, P_)), P_, root_, shift_, total_};
  }

 private:
  Kernel kernel_;
  std::uint64_t P_, root_, shift_, total_;
};

/// Time and direction turned round: what was sent in step t is received, and combined, t steps
/// before the end. The reverse of a broadcast is a reduction; `reduce` = false: that of a scatter,
/// a gather.
template <typename Kernel>
class Reversed {
 public:
  explicit Reversed(Kernel kernel, bool reduce = true)
      : kernel_(std::move(kernel)), reduce_(reduce) {}

  std::uint64_t steps() const { return kernel_.steps(); }

  struct Place {
    decltype(std::declval<Kernel>().at(0)) inner;
    std::uint64_t steps;
    bool reduce;

    auto when() const { return FromTheEnd<decltype(inner.when())>{inner.when(), steps}; }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      inner.receives(steps - 1 - step, [&](Part part) {
        part.reduce = reduce;
        f(part);
      });
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      inner.sends(steps - 1 - step, [&](Part part) {
        part.reduce = reduce;
        f(part);
      });
    }
  };
  Place at(std::uint64_t rank) const { return {kernel_.at(rank), steps(), reduce_}; }

 private:
  Kernel kernel_;
  bool reduce_;
};

/// One schedule, then another.
template <typename First, typename Second>
class Sequence {
 public:
  Sequence(First first, Second second) : first_(std::move(first)), second_(std::move(second)) {}

  std::uint64_t steps() const { return first_.steps() + second_.steps(); }

  struct Place {
    decltype(std::declval<First>().at(0)) first;
    decltype(std::declval<Second>().at(0)) second;
    std::uint64_t middle;

    auto when() const {
      return OneThenOther<decltype(first.when()), decltype(second.when())>{first.when(),
                                                                           second.when(), middle};
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
  Place at(std::uint64_t rank) const { return {first_.at(rank), second_.at(rank), first_.steps()}; }

 private:
  First first_;
  Second second_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_BASE_HPP
