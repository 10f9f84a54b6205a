#pragma once

// Writing a schedule: the destination, and the settings of writers.

#include <memory>
#include <string>

#include "cli/emit_format.hpp"
#include "cli/output.hpp"

namespace schedcc::cli {

/// Is it a file rather than standard output?
inline bool is_file_output(const OutputOptions& options) {
  return options.output && *options.output != "-";
}

/// The settings of a writer. `command`: what reproduces the schedule, without its format and file.
EmitOptions emit_options(const Emission& emission, const Machine& machine,
                         const std::string& command, const OutputOptions& options, bool quiet);

/// The destination: a file, or standard output.
class Destination {
 public:
  explicit Destination(const OutputOptions& options) {
    if (is_file_output(options)) file_ = std::make_unique<FileOutput>(*options.output);
  }
  Output& output() { return file_ ? static_cast<Output&>(*file_) : standard_; }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::unique_ptr<FileOutput> file_;
  StandardOutput standard_;
};

}  // namespace schedcc::cli
