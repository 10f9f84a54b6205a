#pragma once

// Programs that are run for their output.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace schedcc::cli {

/// How long a program may run, and how much it may print.
struct ChildLimits {
  double seconds;
  std::size_t output;  ///< bytes
  /// Called once the program has printed some 64 KiB; false: the rest is not wanted.
  std::function<bool(std::string_view output)> wanted = {};
  /// Called some times a second while it runs; false: it is to be killed.
  std::function<bool()> alive = {};
};

/// How a program ended.
struct ChildEnd {
  std::string output;  ///< standard output
  std::string errors;  ///< standard error: its last 64 KiB
  int exit_status = 0;
  int signal = 0;          ///< that killed it; 0: none
  bool timed_out = false;  ///< it took longer than `seconds`, and was killed
  bool too_long = false;   ///< it printed more than `output`, and was killed
  bool unwanted = false;   ///< `wanted` or `alive` said no, and it was killed
};

/// Runs a program, found as the shell finds it, with nothing on standard input, in a process group
/// of its own, with the limit on memory that schedcc was started with. When this returns or throws,
/// or a signal ends schedcc, no process of that group remains. May be called by several threads.
/// Throws std::system_error if it cannot be started.
ChildEnd run_child(const std::vector<std::string>& words, const ChildLimits& limits);

/// The first line of what a program printed that has letters: launchers print rules around what
/// they say. Not what the dynamic loader says; in printable characters.
std::string first_message(std::string_view text);

/// The last line of what a program printed that is not empty, in printable characters.
std::string last_line(std::string_view text);

}  // namespace schedcc::cli
