#pragma once

// The folder that --certificate names.

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "cli/output.hpp"

namespace schedcc::cli {

/// The beginning of a manifest: a title, and the program that wrote it.
std::string manifest_head(std::string_view title);

/// A folder that contains one certificate and nothing else: its files, and manifest.md, which names
/// each of them. The files that the manifest of an earlier certificate names are replaced.
class CertificateFolder {
 public:
  /// Makes the folder if it does not exist. Throws OutputError if that fails, or if the folder has
  /// files that no manifest of schedcc names; in that case nothing is removed.
  explicit CertificateFolder(std::string path);

  /// Removes the files of the earlier certificate. Throws OutputError.
  void clear();
  const std::string& path() const { return path_; }
  /// Writes manifest.md.
  void commit(std::string_view manifest);

 private:
  std::string path_;
  std::set<std::string> earlier_;  ///< names
  std::unique_ptr<FileOutput> manifest_;
};

}  // namespace schedcc::cli
