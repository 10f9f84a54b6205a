#pragma once

// Values of options that are lists.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace schedcc::cli {

/// The parts of `text` between separators, one more than there are separators.
std::vector<std::string> split(std::string_view text, char separator);

/// Reads "8", "2..64" or "2,4,8..16": numbers in 1..most, in the order given. Throws InputError and
/// UsageError that name `option`.
std::vector<std::uint32_t> number_list(std::string_view text, std::string_view option,
                                       std::uint32_t most);

}  // namespace schedcc::cli
