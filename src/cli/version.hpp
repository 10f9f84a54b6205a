#pragma once

#include <string>

namespace schedcc::cli {

/// What --version prints: a line with the version, then what schedcc was built by and with.
std::string version();

}  // namespace schedcc::cli
