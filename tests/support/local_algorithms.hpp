#pragma once

#include <string_view>
#include <vector>

#include "algorithm/entry.hpp"
#include "schedcc/algorithm.hpp"

namespace schedcc {

/// The algorithms that have kernels, at least for some requests, as they are listed.
inline std::vector<std::string_view> local_algorithms() {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : algorithms()) {
    if (AlgorithmEntry::of(*algorithm).kernel != nullptr) names.push_back(algorithm->name);
  }
  return names;
}

}  // namespace schedcc
