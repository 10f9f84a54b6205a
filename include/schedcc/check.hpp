#pragma once

// Checking: every property of a schedule, decided while the steps of a source are streamed.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/machine.hpp"
#include "schedcc/report.hpp"
#include "schedcc/source.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// The order of a rank's blocking calls of a step, for the check `deadlock` (docs/semantics.md,
/// "Deadlock"). On LogP calls are ordered by their times.
enum class Blocking : std::uint8_t {
  sendrecv,    ///< all of them are posted together
  send_first,  ///< its sends, then its receives
  recv_first,  ///< its receives, then its sends
  program,     ///< in the order of the step's transfers, a message at its first one
};

/// A schedule on a machine.
struct OtherSchedule {
  Source source;
  Machine machine;
};

/// Which checks are run, with which parameters, and what is reported on the way.
struct CheckOptions {
  std::optional<std::vector<std::string>> checks = {};  ///< by name; none given: all that apply
  bool strict = false;                                  ///< warnings are errors
  bool strict_format = false;                           ///< notes of the checks are errors
  Blocking blocking = Blocking::sendrecv;
  std::uint64_t eager = 0;  ///< messages per pair that are buffered; 0: rendezvous
  /// The most chunks that a queue may have (the check `buffers`); none given: any number.
  std::optional<std::uint64_t> max_buffer = {};
  /// Programs: messages that a channel between two threadblocks holds, each instruction being one;
  /// none given: by the protocol, in the largest call that the program serves.
  std::optional<std::uint64_t> fifo = {};
  /// A schedule for the same problem, whose sums those of the checked one are compared with (the
  /// check `same-as`); nullptr: none.
  std::shared_ptr<const OtherSchedule> same_as = nullptr;
  /// The most findings that a report lists, at most 2^16; each check has a part of them. The others
  /// are only counted.
  std::size_t max_findings = 20;
  bool fail_fast = false;  ///< end at the step of the first error: only the verdict is needed
  /// The most threads that check one schedule; 0: as many as there are processors. The report is
  /// the same for any number. The source is read by one of them at a time.
  unsigned jobs = 1;
  /// Called from time to time, by the thread that called `check`, with the number of transfers read
  /// so far; may throw to stop.
  std::function<void(std::uint64_t)> progress = {};
};

/// Checks a source on a machine. Memory is proportional to the schedule, never to the numbers in a
/// header. For a program, its threadblocks are checked, regardless of the machine. Throws
/// InputError for a malformed source, a name in `checks` that does not exist, or a schedule in
/// `same_as` that is for another problem, one without sums, or a program.
Report check(const Source& source, const Machine& machine, const CheckOptions& options = {});

/// A check as listed; its function is internal to the checker.
struct CheckInfo {
  std::string_view name;
  std::string_view summary;
};
/// The checks of schedules, in the order in which they are listed.
std::vector<CheckInfo> checks();
/// The checks of programs; some have the names of checks of schedules.
std::span<const CheckInfo> program_checks();
/// The checks of schedules, and those of programs that have names of their own.
std::vector<CheckInfo> all_checks();
/// Throws InputError, with the nearest names, for a name that no check has.
void require_checks(std::span<const std::string> names);

}  // namespace schedcc

#pragma GCC visibility pop
