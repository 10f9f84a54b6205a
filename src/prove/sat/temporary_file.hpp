#pragma once

// Files that are written whole or not at all.

#include <string>

namespace schedcc::prover {

/// A file that is written as PATH.part, and renamed to PATH by keep(). Without keep() it is
/// removed.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  /// The path to write to.
  std::string part() const { return path_ + ".part"; }
  /// Throws InputError if it cannot be written.
  void write(const std::string& text) const;
  /// Throws InputError.
  void keep();

 private:
  std::string path_;
  bool kept_ = false;
};

}  // namespace schedcc::prover
