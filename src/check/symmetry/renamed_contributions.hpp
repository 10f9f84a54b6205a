#pragma once

// Collections of contributions after a renaming of the ranks.

#include <unordered_map>

#include "analysis/contributions.hpp"
#include "check/symmetry/symmetry.hpp"

namespace schedcc {

class RenamedContributions {
 public:
  using Id = Contributions::Id;

  RenamedContributions(const Symmetry& symmetry, Contributions& contributions)
      : symmetry_(symmetry), contributions_(contributions) {}

  /// A collection in which no contribution is more than once, after renaming by g_by.
  Id operator()(Id id, Rank by) {
    if (id == Contributions::empty || id == Contributions::value || by == 0) return id;
    const auto [known, added] = renamed_.try_emplace(std::uint64_t{id} << 32 | by);
    if (added) known->second = rename(id, by);
    return known->second;
  }

 private:
  Id rename(Id id, Rank by) const;

  Symmetry symmetry_;
  Contributions& contributions_;
  std::unordered_map<std::uint64_t, Id> renamed_;
};

}  // namespace schedcc
