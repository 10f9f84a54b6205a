#include "cli/number_list.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "cli/usage_error.hpp"
#include "schedcc/error.hpp"
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

namespace {

/// The first and the last number of A..B, or the only one.
std::pair<std::uint64_t, std::uint64_t> ends_of(std::string_view part, std::string_view option,
                                                std::uint32_t most) {
  const std::size_t dots = part.find("..");
  const auto number = [&](std::string_view text, std::uint64_t least) {
    return parse_number(text, option, least, most);
  };
  if (dots == std::string_view::npos) {
    const std::uint64_t only = number(part, 1);
    return {only, only};
  }
  try {
    const std::uint64_t first = number(part.substr(0, dots), 1);
    return {first, number(part.substr(dots + 2), first)};
  } catch (const InputError&) {
    throw UsageError(fmt::format(
        "{}: '{}' is not a range of whole numbers in 1..{}, from a smaller to a larger one, as in "
        "2..64",
        option, part, most));
  }
}

}  // namespace

std::vector<std::uint32_t> number_list(std::string_view text, std::string_view option,
                                       std::uint32_t most) {
  constexpr std::uint64_t widest = 1'000'000;
  std::vector<std::uint32_t> result;
  for (const std::string& part : split(text, ',')) {
    const auto [first, last] = ends_of(part, option, most);
    if (last - first > widest) {
      throw UsageError(
          fmt::format("{}: the range {} has more than {} numbers", option, part, widest));
    }
    for (std::uint64_t i = first; i <= last; ++i) result.push_back(static_cast<std::uint32_t>(i));
  }
  return result;
}

}  // namespace schedcc::cli
