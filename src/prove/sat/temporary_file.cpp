#include "prove/sat/temporary_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw InputError(fmt::format("cannot write {}: {}", path, why));
}

}  // namespace

TemporaryFile::~TemporaryFile() {
  if (kept_) return;
  std::error_code ignored;  // the file may not exist
  std::filesystem::remove(part(), ignored);
}

void TemporaryFile::write(const std::string& text) const {
  errno = 0;
  std::ofstream file(part(), std::ios::binary);
  file << text;
  if (!file.flush()) fail(path_, std::strerror(errno));
}

void TemporaryFile::keep() {
  std::error_code error;
  std::filesystem::rename(part(), path_, error);
  if (error) fail(path_, error.message());
  kept_ = true;
}

}  // namespace schedcc::prover
