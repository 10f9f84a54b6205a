// Everything in the folder of a certificate counts as part of it, so files of an earlier
// certificate are removed: those that the manifest in the folder names between backquotes. If there
// are other files, the folder is refused.

#include "cli/certificate_folder.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/core.h>

#include "schedcc/version.hpp"

namespace schedcc::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_name = "manifest.md";
constexpr std::array<std::string_view, 5> endings{".smt2", ".cnf", ".drat", ".derived", ".sched"};

/// The files that a manifest names between backquotes; none if schedcc did not write it.
std::set<std::string> named(const fs::path& path) {
  std::error_code ignored;  // then it is not a file
  if (!fs::is_regular_file(fs::symlink_status(path, ignored))) return {};
  std::ifstream file(path);
  std::string title, empty, line;
  std::getline(file, title);
  std::getline(file, empty);
  std::set<std::string> result;
  for (bool first = true; std::getline(file, line); first = false) {
    const bool ours = title.starts_with("# ") && line.starts_with("schedcc ") &&
                      line.find(" prove: ") != std::string::npos;
    if (first && !ours) return {};
    if (first) result.insert(manifest_name);
    std::istringstream pieces(line);
    std::string piece;
    for (bool quoted = false; std::getline(pieces, piece, '`'); quoted = !quoted) {
      std::istringstream words(quoted ? piece : "");
      for (std::string word; words >> word;) {
        const auto ends = [&](std::string_view ending) { return word.ends_with(ending); };
        if (std::ranges::any_of(endings, ends)) result.insert(word);
      }
    }
  }
  return result;
}

}  // namespace

std::string manifest_head(std::string_view title) {
  return fmt::format("# {}\n\nschedcc " SCHEDCC_VERSION " prove: ", title);
}

CertificateFolder::CertificateFolder(std::string path) : path_(std::move(path)) {
  make_folder(path_);
  const std::set<std::string> known = named(fs::path(path_) / manifest_name);
  std::set<std::string> unknown;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;  // then it is not a file
    const bool ours = known.contains(name) && fs::is_regular_file(entry->symlink_status(ignored));
    if (ours) {
      earlier_.insert(name);
    } else {
      unknown.insert(name);
    }
  }
  if (error) throw OutputError(fmt::format("cannot read {}: {}", path_, error.message()));
  if (!unknown.empty()) {
    throw OutputError(fmt::format(
        "{} contains '{}', which no manifest of schedcc names; a certificate needs a folder of "
        "its own",
        path_, *unknown.begin()));
  }
  manifest_ = std::make_unique<FileOutput>(fmt::format("{}/{}", path_, manifest_name));
}

void CertificateFolder::clear() {
  for (const std::string& name : earlier_) {
    std::error_code error;
    fs::remove(fs::path(path_) / name, error);
    if (!error) continue;
    throw OutputError(fmt::format("cannot remove {}/{}: {}", path_, name, error.message()));
  }
}

void CertificateFolder::commit(std::string_view manifest) {
  manifest_->write(manifest);
  manifest_->commit();
}

}  // namespace schedcc::cli
