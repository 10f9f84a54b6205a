#pragma once

// Other names by which users know collectives, algorithms and options. They are accepted where
// users type a name; files and reports have the names of the lists.

#include <cstdint>
#include <string_view>
#include <vector>

namespace schedcc {

enum class AliasKind : std::uint8_t { collective, algorithm, option };

/// The name in the list that `name` is an alias of; `name` itself if it is none.
std::string_view without_alias(AliasKind kind, std::string_view name);

/// The aliases of a name in a list, in order.
std::vector<std::string_view> aliases_of(AliasKind kind, std::string_view name);

}  // namespace schedcc
