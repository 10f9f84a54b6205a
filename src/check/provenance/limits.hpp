#pragma once

// How far the causes of wrong data are followed, which takes time and memory beyond those of the
// check itself.

#include <cstddef>
#include <cstdint>

namespace schedcc::provenance {

/// Limits of the second pass.
struct Limits {
  std::size_t ranks = 256;  ///< that end with a wrong value, of which the wrong chunks are listed
  std::size_t ranks_at_least = 20;   ///< regardless of time
  std::size_t chunks = 1024;         ///< that are followed
  std::size_t transfers = 1u << 17;  ///< of all of these together
  std::uint64_t work = 1u << 22;     ///< transfers that are replayed
};

}  // namespace schedcc::provenance
