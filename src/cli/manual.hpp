#pragma once

#include <string>

namespace schedcc::cli {

/// The manual page schedcc(1), which 'schedcc --man' prints.
std::string manual();

}  // namespace schedcc::cli
