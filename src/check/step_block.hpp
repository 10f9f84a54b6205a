#pragma once

// Consecutive steps in memory of their own, for the stages of a check by several threads.

#include <cstdint>
#include <span>
#include <vector>

#include "schedcc/schedule.hpp"

namespace schedcc {

class StepBlock {
 public:
  /// Removes all steps. Memory is kept for the next ones.
  void clear() {
    steps_.clear();
    transfers_.clear();
    lines_.clear();
    origins_.clear();
  }

  /// Appends a copy of a step.
  void add(const Step& step) {
    steps_.push_back(step);
    append(transfers_, step.transfers);
    append(lines_, step.lines);
    append(origins_, step.origins);
  }

  /// To be called when all steps are added, before they are read.
  void finish() {
    Places next{transfers_.data(), lines_.data(), origins_.data()};
    for (Step& step : steps_) {
      move(step.transfers, next.transfers);
      move(step.lines, next.lines);
      move(step.origins, next.origins);
    }
  }

  std::span<const Step> steps() const { return steps_; }
  /// What it takes in memory, in transfers.
  std::uint64_t weight() const {
    constexpr std::uint64_t of_step = sizeof(Step) / sizeof(Transfer);
    constexpr std::uint64_t of_origin = sizeof(Origin) / sizeof(Transfer);
    return transfers_.size() + of_step * steps_.size() + of_origin * origins_.size();
  }

 private:
  /// Where the next step has its transfers, lines and origins.
  struct Places {
    const Transfer* transfers;
    const std::uint32_t* lines;
    const Origin* origins;
  };

  template <typename T>
  static void append(std::vector<T>& all, std::span<const T> some) {
    all.insert(all.end(), some.begin(), some.end());
  }
  template <typename T>
  static void move(std::span<const T>& span, const T*& next) {
    span = {next, span.size()};
    next += span.size();
  }

  std::vector<Step> steps_;
  Transfers transfers_;
  std::vector<std::uint32_t> lines_;
  std::vector<Origin> origins_;
};

}  // namespace schedcc
