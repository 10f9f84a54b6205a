#pragma once

// The folder that --certificate names.

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "cli/output.hpp"

namespace schedcc::cli {

/// What a manifest begins with: a title, and who wrote it.
std::string manifest_head(std::string_view title);

/// A folder in which nothing but one certificate shall be: all its files, and manifest.md, which
/// names each of them. What an earlier certificate has left, and its manifest names, goes.
class CertificateFolder {
 public:
  /// Makes the folder, unless it is there. Throws OutputError where that cannot be, or where there
  /// is something in it that no manifest of schedcc names; nothing is removed then.
  explicit CertificateFolder(std::string path);

  /// Removes what the earlier certificate left. Throws OutputError.
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
