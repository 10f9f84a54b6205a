#pragma once

// Lists of entries in the form of the public headers.

#include <span>
#include <vector>

namespace schedcc {

/// A `Thing` for each entry, and the list of them in the order of the entries.
template <typename Thing>
class Catalogue {
 public:
  template <typename Entry>
  explicit Catalogue(std::span<const Entry* const> entries) {
    for (const Entry* entry : entries) things_.push_back(entry->listed());
    for (const Thing& thing : things_) list_.push_back(&thing);
  }
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  std::span<const Thing* const> list() const { return list_; }

 private:
  std::vector<Thing> things_;
  std::vector<const Thing*> list_;
};

}  // namespace schedcc
