#pragma once

// Names that users type: finding them in a list, and suggestions for those that are not in it.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace schedcc {

/// The candidate that a misspelt name resembles, without regard to case; empty if there is none.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);
/// "; did you mean 'X'?" with the nearest candidate, or "; there are X, Y, Z", or none.
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates);
/// "unknown WHAT 'NAME'", and a suggestion.
std::string unknown(std::string_view what, std::string_view name,
                    std::span<const std::string_view> candidates);
/// Throws InputError: an unknown name. A long list is not printed; `schedcc list WHATs` is named
/// instead.
[[noreturn]] void throw_unknown(std::string_view what, std::string_view name,
                                std::span<const std::string_view> candidates);

/// The entry of `list` with this name. Throws InputError with the nearest names if there is none.
template <typename Entry>
const Entry& find_named(std::span<const Entry* const> list, std::string_view what,
                        std::string_view name) {
  std::vector<std::string_view> names;
  for (const Entry* entry : list) {
    if (entry->name == name) return *entry;
    names.push_back(entry->name);
  }
  throw_unknown(what, name, names);
}

}  // namespace schedcc
