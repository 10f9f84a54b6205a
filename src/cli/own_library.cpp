#include "cli/own_library.hpp"

#include <filesystem>
#include <system_error>

namespace schedcc::cli {

namespace fs = std::filesystem;

std::optional<std::string> own_library(const std::string& name) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& folder : {program, program / SCHEDCC_LIBRARY_FOLDER}) {
    if (fs::exists(folder / name, ignored)) return (folder / name).lexically_normal().string();
  }
  return std::nullopt;
}

}  // namespace schedcc::cli
