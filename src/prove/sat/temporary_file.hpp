#pragma once

// Files that are there whole or not at all.

#include <string>

namespace schedcc::prover {

/// A file that is written as PATH.part, by whomever, and is called PATH when it is kept. Without
/// keep() nothing remains of it.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  /// Where to write to.
  std::string part() const { return path_ + ".part"; }
  /// Throws InputError where it cannot be written.
  void write(const std::string& text) const;
  /// Throws InputError.
  void keep();

 private:
  std::string path_;
  bool kept_ = false;
};

}  // namespace schedcc::prover
