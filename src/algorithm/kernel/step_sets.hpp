#ifndef SCHEDCC_LOCAL_STEP_SETS_HPP
#define SCHEDCC_LOCAL_STEP_SETS_HPP

// The steps in which a rank has operations: sets of steps with the next and the previous one, found
// without visiting the steps in between.
//
// Such a set has
//
//     next(step)      its first step >= `step`, or `never`
//     previous(step)  its last step up to `step`, or `never`
//
// each in O(log P). It may contain some steps without operations, at most log P between two with
// operations.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace schedcc::local {

/// No step.
inline constexpr std::uint64_t never = ~std::uint64_t{0};

/// The steps begin, begin + stride, ... below end.
struct StepRange {
  std::uint64_t begin = 0, end = 0, stride = 1;

  std::uint64_t next(std::uint64_t step) const {
    if (begin >= end) return never;
    if (step <= begin) return begin;
    const std::uint64_t past = (step - begin) % stride;
    const std::uint64_t found = past == 0 ? step : step + (stride - past);
    return found < end ? found : never;
  }
  std::uint64_t previous(std::uint64_t step) const {
    if (begin >= end || step < begin) return never;
    const std::uint64_t last = std::min(step, end - 1);
    return last - (last - begin) % stride;
  }
};

/// The steps of a few sets, which follow one another.
struct StepRanges {
  std::vector<StepRange> parts;

  std::uint64_t next(std::uint64_t step) const {
    for (const StepRange& part : parts) {
      if (const std::uint64_t found = part.next(step); found != never) return found;
    }
    return never;
  }
  std::uint64_t previous(std::uint64_t step) const {
    for (std::size_t i = parts.size(); i-- > 0;) {
      if (const std::uint64_t found = parts[i].previous(step); found != never) return found;
    }
    return never;
  }
};

/// The steps of any of a few sets.
struct StepUnion {
  std::vector<StepRange> parts;

  std::uint64_t next(std::uint64_t step) const {
    std::uint64_t first = never;
    for (const StepRange& part : parts) first = std::min(first, part.next(step));
    return first;
  }
  std::uint64_t previous(std::uint64_t step) const {
    std::uint64_t last = never;
    for (const StepRange& part : parts) {
      const std::uint64_t found = part.previous(step);
      if (found != never && (last == never || found > last)) last = found;
    }
    return last;
  }
};

/// The steps of a set, all below `length`, repeated.
template <typename Set>
struct RepeatedSteps {
  Set set;
  std::uint64_t length, times;

  std::uint64_t next(std::uint64_t step) const {
    if (length == 0 || step / length >= times) return never;
    const std::uint64_t round = step / length;
    if (const std::uint64_t found = set.next(step % length); found != never) {
      return round * length + found;
    }
    const std::uint64_t first = set.next(0);
    return first == never || round + 1 == times ? never : (round + 1) * length + first;
  }
  std::uint64_t previous(std::uint64_t step) const {
    if (length == 0 || times == 0) return never;
    const std::uint64_t from = std::min(step, length * times - 1), round = from / length;
    if (const std::uint64_t found = set.previous(from % length); found != never) {
      return round * length + found;
    }
    const std::uint64_t last = set.previous(length - 1);
    return last == never || round == 0 ? never : (round - 1) * length + last;
  }
};

/// The steps of a set, all below `steps`, counted from the end.
template <typename Set>
struct ReversedSteps {
  Set set;
  std::uint64_t steps;

  std::uint64_t next(std::uint64_t step) const {
    return step >= steps ? never : turned(set.previous(steps - 1 - step));
  }
  std::uint64_t previous(std::uint64_t step) const {
    return steps == 0 ? never : turned(set.next(steps - 1 - std::min(step, steps - 1)));
  }

 private:
  std::uint64_t turned(std::uint64_t step) const {
    return step == never ? never : steps - 1 - step;
  }
};

/// The steps of a set, and the same `delay` later.
template <typename Set>
struct EchoedSteps {
  Set set;
  std::uint64_t delay;

  std::uint64_t next(std::uint64_t step) const {
    const std::uint64_t late = set.next(step < delay ? 0 : step - delay);
    return std::min(set.next(step), late == never ? never : late + delay);
  }
  std::uint64_t previous(std::uint64_t step) const {
    const std::uint64_t own = set.previous(step);
    const std::uint64_t late = step < delay ? never : set.previous(step - delay);
    if (late == never) return own;
    return own == never ? late + delay : std::max(own, late + delay);
  }
};

/// The steps of one set, all below `middle`, and those of another, counted from there.
template <typename First, typename Second>
struct ConcatenatedSteps {
  First first;
  Second second;
  std::uint64_t middle;

  std::uint64_t next(std::uint64_t step) const {
    if (step < middle) {
      if (const std::uint64_t found = first.next(step); found != never) return found;
    }
    const std::uint64_t found = second.next(std::max(step, middle) - middle);
    return found == never ? never : middle + found;
  }
  std::uint64_t previous(std::uint64_t step) const {
    if (step >= middle) {
      const std::uint64_t found = second.previous(step - middle);
      if (found != never) return middle + found;
    }
    return middle == 0 ? never : first.previous(std::min(step, middle - 1));
  }
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_STEP_SETS_HPP
