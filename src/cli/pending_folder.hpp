#pragma once

// The parts of an output: files in a folder next to it.

#include <string>
#include <string_view>

#include "cli/signals.hpp"

namespace schedcc::cli {

/// A folder under a temporary name, until commit(). Without commit() nothing remains: signals that
/// end the program are blocked until the folder is removed, and writing fails once one is pending.
/// Throws OutputError.
class PendingFolder {
 public:
  /// `path`: the folder's final name. A folder that exists keeps its other files; numbered parts,
  /// as 3.ti, replace all numbered files with the same ending.
  explicit PendingFolder(std::string path);
  ~PendingFolder();
  PendingFolder(const PendingFolder&) = delete;
  PendingFolder& operator=(const PendingFolder&) = delete;

  /// Opens a file of the folder, and closes the previous one; `name` has no folder.
  void open(std::string_view name);
  void close();
  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  void remove_leftovers() const;
  void stop_if_interrupted() const;

  SignalBlocker signals_;  // first, so that it is destroyed last
  std::string path_, temporary_;
  int fd_ = -1;
};

}  // namespace schedcc::cli
