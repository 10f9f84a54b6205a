// A certificate is a folder, so what lies there from another time would be taken for a part of it.
// Scripts run again, so what is surely from such a time is removed: files that the manifest which
// is there names between backquotes. Anything else is somebody's, and the folder is refused.

#include "cli/certificate_folder.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/core.h>

namespace schedcc::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_name = "manifest.md";
constexpr std::array<std::string_view, 5> endings{".smt2", ".cnf", ".drat", ".derived", ".sched"};

/// The words between backquotes of a manifest that schedcc has written; else there are none.
std::set<std::string> named(const fs::path& path) {
  std::error_code ignored;  // then it is no file
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
  std::set<std::string> strange;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;  // then it is no file
    const bool ours = known.contains(name) && fs::is_regular_file(entry->symlink_status(ignored));
    if (ours) {
      earlier_.insert(name);
    } else {
      strange.insert(name);
    }
  }
  if (error) throw OutputError(fmt::format("cannot read {}: {}", path_, error.message()));
  if (!strange.empty()) {
    throw OutputError(fmt::format(
        "{} is not empty, and no manifest of schedcc there names '{}'; a certificate needs a "
        "folder of its own",
        path_, *strange.begin()));
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
