#pragma once

// The files that belong to an output, in a folder beside it.

#include <string>
#include <string_view>

#include "cli/signals.hpp"

namespace schedcc::cli {

/// A folder under a temporary name, until commit(). Without commit() nothing remains: a signal that
/// would end the program waits until the folder is gone, which is soon, since nothing more is
/// written once one waits. Throws OutputError.
class PartFolder {
 public:
  /// `path`: the folder's name in the end. One that is there already keeps what it has under other
  /// names; but where parts have numbers, as 3.ti, they take the place of all that are named so.
  explicit PartFolder(std::string path);
  ~PartFolder();
  PartFolder(const PartFolder&) = delete;
  PartFolder& operator=(const PartFolder&) = delete;

  /// Opens a file of the folder, and closes the one before; `name` is no path.
  void open(std::string_view name);
  void close();
  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  void remove_leftovers() const;
  void stop_if_interrupted() const;

  SignalsHeld signals_;  // first, so that they are let go last
  std::string path_, temporary_;
  int fd_ = -1;
};

}  // namespace schedcc::cli
