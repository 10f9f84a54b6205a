#pragma once

// What a sweep has judged so far, in a file, so that one that was interrupted can go on.
//
// A sweep is a list of tasks, of which each has a number of cases in a fixed order. The file begins
// with a header, which states the sweep: the program, the algorithms, the ranges and the options.
// Each further line is the tally of some consecutive cases of a task, the first of them the one
// after those of the lines before, with a checksum. A sum of tallies does not depend on where they
// were cut, so that a sweep which takes what it finds here for judged, and judges the rest, has the
// report of one that judges all.
//
// Lines are appended whole, by all threads, and by all processes of a job. Whoever is killed while
// writing leaves a line without its end; nobody else can be in the midst of one, so that it is cut
// off before the next one is appended. A line that has its end, but not its checksum, or that does
// not continue its task, means that the file is damaged: it is refused, as is that of another
// sweep.

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sweep_line.hpp"
#include "cli/sweep_tally.hpp"

namespace schedcc::cli {

class Job;

/// The first cases of a task, which have been judged.
struct Judged {
  std::uint64_t cases = 0;
  Tally tally = {};
};

/// The file of --resume. In a job process 0 reads it, and all append to it.
class SweepState {
 public:
  /// Opens the file, or makes it. `header`: what states this sweep, in lines; `sizes`: the number
  /// of cases of each task. Throws InputError, with the line, for a file that is not the state of
  /// this sweep, and OutputError for one that cannot be written.
  SweepState(std::string path, std::string header, const std::vector<std::uint64_t>& sizes,
             Job* job);
  ~SweepState();
  SweepState(const SweepState&) = delete;
  SweepState& operator=(const SweepState&) = delete;

  /// For each task what had been judged when the file was opened.
  const std::vector<Judged>& judged() const { return judged_; }

  /// Appends a line; for any thread. After an error nothing more is appended.
  void append(const SweepLine& line);

 private:
  void open(int flags);
  std::string begin();
  std::string read(std::uint64_t first, std::uint64_t last) const;
  std::uint64_t size() const;
  void take(std::string_view text, const std::vector<std::uint64_t>& sizes);
  void cut(std::uint64_t size) const;
  void cut_unfinished_line() const;
  [[noreturn]] void refuse(std::uint32_t line, const std::string& why) const;

  std::string path_, header_;
  int fd_ = -1;
  bool failed_ = false;
  std::mutex mutex_;
  std::vector<Judged> judged_;
};

}  // namespace schedcc::cli
