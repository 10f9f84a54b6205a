#pragma once

// The number of packets that a message should be cut into, exactly.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace schedcc {

/// The largest number that is not above `n` and has at most four binary digits before zeros.
inline std::uint64_t rounded_down(std::uint64_t n) {
  const auto digits = static_cast<int>(std::bit_width(n));
  return digits <= 4 ? n : n >> (digits - 4) << (digits - 4);
}

struct PacketChoice {
  std::uint64_t packets = 0;  ///< 0: none is better than the best one known before
  std::uint64_t steps = 0;
  double seconds = std::numeric_limits<double>::infinity();
};

/// A message of `bytes`, cut into s packets of ceil(bytes / s) at most.
struct PacketCost {
  std::uint64_t bytes;
  double startup, per_byte;

  double packet(std::uint64_t s) const {
    const std::uint64_t largest = bytes == 0 ? 0 : (bytes - 1) / s + 1;
    return startup + per_byte * static_cast<double>(largest);
  }
};

/// The least number of steps that every further packet adds: none for `any`; one in a pipeline of
/// ranks with one port.
enum class Growth : std::uint8_t { any, step_each };

/// A lower bound on (before + s) cost.packet(s) over real s in first..last.
inline double least_with_growth(double before, double first, double last, const PacketCost& cost) {
  const double bytes = cost.per_byte * static_cast<double>(cost.bytes);
  double s = first;
  if (before > 0) {
    s = cost.startup > 0 ? std::clamp(std::sqrt(before * bytes / cost.startup), first, last) : last;
  }
  return (before + s) * (cost.startup + bytes / s) * (1 - 1e-12);  // rounded down
}

/// The least s in 1..most for which steps(s) cost.packet(s) is least, if that is below
/// `best.seconds`; else `best`. `steps` must not decrease, and must grow as `growth` says.
///
/// Branch and bound. On a <= s <= b the product is at least steps(a) cost.packet(b), and where
/// steps grow also (steps(a) - a + s) (startup + per_byte bytes / s), which has one minimum over
/// real s. An interval that cannot contain a better s is discarded, any other is halved. After
/// 2^18 evaluations, intervals that can improve the time by less than a thousandth are discarded,
/// too. `evaluated` counts the evaluations; it may start with those of earlier calls.
template <typename F>
PacketChoice best_packets(F steps, std::uint64_t most, const PacketCost& cost,
                          PacketChoice best = {}, Growth growth = Growth::any,
                          std::uint64_t* evaluated = nullptr) {
  struct Counts {
    std::uint64_t first, last, steps;  ///< steps(first)
  };
  std::uint64_t local_count = 0;
  std::uint64_t& count = evaluated == nullptr ? local_count : *evaluated;
  const auto evaluate = [&](std::uint64_t s) {
    ++count;
    const std::uint64_t needed = steps(s);
    const double seconds = static_cast<double>(needed) * cost.packet(s);
    if (seconds < best.seconds || (seconds == best.seconds && s < best.packets)) {
      best = {s, needed, seconds};
    }
    return needed;
  };
  const auto with_growth = [&](const Counts& i) {
    const auto first = static_cast<double>(i.first);
    return least_with_growth(static_cast<double>(i.steps) - first, first,
                             static_cast<double>(i.last), cost);
  };
  const auto cannot_improve = [&](const Counts& i) {
    constexpr std::uint64_t many = std::uint64_t{1} << 18;
    const double better = count < many ? best.seconds : best.seconds * 0.999;
    return static_cast<double>(i.steps) * cost.packet(i.last) > better ||
           (growth == Growth::step_each && with_growth(i) > better);
  };
  std::vector<Counts> open{{1, most, evaluate(1)}};
  while (!open.empty()) {
    const Counts i = open.back();
    open.pop_back();
    if (i.first == i.last || cannot_improve(i)) continue;
    // The geometric mean: both halves are then equally likely.
    const auto middle = static_cast<std::uint64_t>(
        std::sqrt(static_cast<double>(i.first) * static_cast<double>(i.last)));
    const std::uint64_t cut = std::clamp(middle, i.first + 1, i.last);
    const Counts upper{cut, i.last, evaluate(cut)};
    const Counts lower{i.first, cut - 1, i.steps};
    open.push_back(upper);
    open.push_back(lower);
  }
  return best;
}

}  // namespace schedcc
