#include "core/names.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/core.h>

#include "core/join.hpp"
#include "core/printable.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_letter(char a, char b) { return lower(a) == lower(b); }

/// The number of letters to insert, remove, change or swap to turn `a` into `b`, without regard to
/// case.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  std::iota(d[0].begin(), d[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                          d[i - 1][j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1])) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

/// More names than these are not listed in a message.
constexpr std::size_t max_listed = 20;

}  // namespace

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  // Long names cost quadratic time and resemble no candidate.
  const std::string_view shown = name.substr(0, 64);
  std::string_view nearest;
  std::size_t least = shown.size() / 3 + 1;  // this many edits are too many
  for (const std::string_view candidate : candidates) {
    std::size_t far = distance(shown, candidate);
    if (shown.size() >= 3 && candidate.starts_with(shown)) far = std::min<std::size_t>(far, 1);
    if (far < least || (nearest.empty() && far == 1))
      std::tie(least, nearest) = std::pair(far, candidate);
  }
  return nearest;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  if (const std::string_view near = nearest(name, candidates); !near.empty())
    return fmt::format("; did you mean '{}'?", near);
  if (candidates.empty()) return "; there are none";
  return fmt::format("; there {} {}", candidates.size() == 1 ? "is" : "are",
                     join(candidates, ", "));
}

std::string unknown(std::string_view what, std::string_view name,
                    std::span<const std::string_view> candidates) {
  return fmt::format("unknown {} '{}'{}", what, printable(name), suggestion(name, candidates));
}

void throw_unknown(std::string_view what, std::string_view name,
                   std::span<const std::string_view> candidates) {
  if (candidates.size() > max_listed && nearest(name, candidates).empty()) {
    throw InputError(fmt::format("unknown {} '{}'; there are {} (schedcc list {}s)", what,
                                 printable(name), candidates.size(), what));
  }
  throw InputError(unknown(what, name, candidates));
}

}  // namespace schedcc
