#pragma once

// Output: standard output, or a file that is written whole or not at all.

#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "cli/signals.hpp"
#include "schedcc/format.hpp"

namespace schedcc::cli {

/// Output that cannot be written (exit status 2).
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The reader of standard output has closed the pipe. Ends the program as SIGPIPE does, without a
/// message.
class ClosedPipe : public OutputError {
 public:
  using OutputError::OutputError;
};

/// Writes to standard error. Errors of writing are ignored: there is nowhere to report them.
void print_error(std::string_view text) noexcept;

/// Writes all of it; throws OutputError that names `name`, ClosedPipe for a pipe without a reader.
void write_all(int fd, std::string_view text, const std::string& name);

/// The same for a file that is no terminal: progress that is shown stays.
void write_bytes(int fd, std::string_view text, const std::string& name);

/// Standard output, unbuffered beyond the pieces that it is given.
class StandardOutput : public Output {
 public:
  void write(std::string_view text) override;
  /// Has anything been written?
  static bool used() { return used_; }

 private:
  static inline bool used_ = false;
};

class PendingFolder;

/// Is it standard output: `-`, as in `-o -`, or /dev/stdout?
bool is_standard_output(std::string_view path);

/// Throws UsageError if more than one of these options takes standard output.
void check_shared_output(std::initializer_list<std::pair<std::string_view, bool>> takes);

/// Makes a folder and its parents, unless they exist. Throws OutputError that names it.
void make_folder(const std::string& path);

/// A file under a temporary name in the same folder, until commit(). Without commit() nothing
/// remains, also when a signal ends the program. Standard output (`-`), and existing files that are
/// not regular (devices, pipes), are written to directly. The file's parts are files in the folder
/// NAME.d next to it.
class FileOutput : public Output {
 public:
  explicit FileOutput(const std::string& path);
  ~FileOutput() override;
  FileOutput(const FileOutput&) = delete;
  FileOutput& operator=(const FileOutput&) = delete;

  void write(std::string_view text) override;
  std::string begin_part(std::string_view name) override;
  void commit();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;       ///< as the user named it
  std::string target_;     ///< with symbolic links resolved
  std::string temporary_;  ///< empty: written directly
  int fd_ = -1;
  std::optional<RemoveOnSignal> remove_on_signal_;
  std::unique_ptr<PendingFolder> parts_;
  bool in_part_ = false;
};

}  // namespace schedcc::cli
