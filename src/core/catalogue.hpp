#pragma once

// Lists of entries in the form of the public headers.

#include <span>
#include <vector>

namespace schedcc {

/// A `Listed` for each entry, and the list of them in the order of the entries.
template <typename Listed>
class Catalogue {
 public:
  template <typename Entry>
  explicit Catalogue(std::span<const Entry* const> entries) {
    for (const Entry* entry : entries) listed_.push_back(entry->listed());
    for (const Listed& item : listed_) list_.push_back(&item);
  }
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  std::span<const Listed* const> list() const { return list_; }

 private:
  std::vector<Listed> listed_;
  std::vector<const Listed*> list_;
};

}  // namespace schedcc
