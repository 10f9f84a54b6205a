#include "cli/number_list.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "cli/usage_error.hpp"
#include "schedcc/spec.hpp"

namespace schedcc::cli {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    result.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

std::vector<std::uint32_t> number_list(std::string_view text, std::string_view option,
                                       std::uint32_t most) {
  constexpr std::uint64_t widest = 1'000'000;
  std::vector<std::uint32_t> result;
  for (const std::string& part : split(text, ',')) {
    const std::size_t dots = part.find("..");
    const std::uint64_t first = parse_number(part.substr(0, dots), option, 1, most);
    const std::uint64_t last = dots == std::string::npos
                                   ? first
                                   : parse_number(part.substr(dots + 2), option, first, most);
    if (last - first > widest) {
      throw UsageError(
          fmt::format("{}: the range {} has more than {} numbers", option, part, widest));
    }
    for (std::uint64_t i = first; i <= last; ++i) result.push_back(static_cast<std::uint32_t>(i));
  }
  return result;
}

}  // namespace schedcc::cli
