#include "check/crew.hpp"

#include <algorithm>

namespace schedcc {

bool Crew::all(bool own) const {
  const std::vector<std::string> given = others([&] { return own ? "yes" : "no"; });
  return own && std::ranges::all_of(given, [](const std::string& other) { return other == "yes"; });
}

std::vector<std::string> Crew::others(const std::function<std::string()>& own) const {
  if (team == nullptr) return {};
  std::vector<std::string> all = team->exchange(own());
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(team->rank()));
  return all;
}

}  // namespace schedcc
