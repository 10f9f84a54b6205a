#include "cli/pending_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <vector>

#include <fmt/core.h>

#include "cli/output.hpp"

namespace schedcc::cli {

namespace {

/// A part's name without the number at its beginning.
std::string kind_of(const std::string& name) {
  return name.substr(std::min(name.find_first_not_of("0123456789"), name.size()));
}

}  // namespace

PendingFolder::PendingFolder(std::string path) : path_(std::move(path)) {
  std::string name = path_ + ".XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) fail(errno);
  temporary_ = name;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(temporary_.c_str(), 0777 & ~mask);
}

PendingFolder::~PendingFolder() {
  if (fd_ >= 0) ::close(fd_);
  std::error_code ignored;  // nothing more can be done
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
}

void PendingFolder::open(std::string_view name) {
  close();
  stop_if_interrupted();
  fd_ = ::open(fmt::format("{}/{}", temporary_, name).c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) fail(errno);
}

void PendingFolder::close() {
  if (fd_ < 0) return;
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail(errno);
}

void PendingFolder::write(std::string_view text) {
  stop_if_interrupted();
  write_all(fd_, text, path_);
}

void PendingFolder::commit() {
  close();
  stop_if_interrupted();
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    if (errno != ENOTEMPTY && errno != EEXIST) fail(errno);
    remove_leftovers();
    for (const auto& entry : std::filesystem::directory_iterator(temporary_)) {
      const std::string target = path_ + '/' + entry.path().filename().string();
      if (::rename(entry.path().c_str(), target.c_str()) != 0) fail(errno);
    }
    ::rmdir(temporary_.c_str());
  }
  temporary_.clear();
}

/// Parts that differ only in the number at the beginning of their names replace all such parts that
/// are in the folder.
void PendingFolder::remove_leftovers() const {
  std::set<std::string> kinds;
  for (const auto& part : std::filesystem::directory_iterator(temporary_)) {
    kinds.insert(kind_of(part.path().filename().string()));
  }
  std::vector<std::filesystem::path> leftovers;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    const std::string kind = kind_of(name);
    const bool is_new = std::filesystem::exists(std::filesystem::path(temporary_) / name);
    if (kind != name && kinds.contains(kind) && !is_new) leftovers.push_back(entry.path());
  }
  for (const std::filesystem::path& path : leftovers) ::unlink(path.c_str());
}

void PendingFolder::stop_if_interrupted() const {
  if (signals_.any_pending())
    throw OutputError(fmt::format("interrupted; {} was not written", path_));
}

void PendingFolder::fail(int error) const {
  throw OutputError(fmt::format("cannot write {}: {}", path_, std::strerror(error)));
}

}  // namespace schedcc::cli
