#pragma once

// Progress on a terminal, for work that takes longer than a second; silent everywhere else.

#include <chrono>
#include <cstdint>
#include <string>

namespace schedcc::cli {

class Progress {
 public:
  /// `what` names the work; nothing is shown if `enabled` is false or standard error is not a
  /// terminal.
  Progress(std::string what, bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Erases the line, if one is shown. All output calls it first, so that no report is appended to
  /// a line of progress; so does a signal that ends the program.
  static void erase() noexcept;

  /// Reports the amount done, of `total` if that is known; only the time if `unit` is empty.
  void show(std::uint64_t done, std::string_view unit, std::uint64_t total = 0);

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool enabled_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace schedcc::cli
