#pragma once

// Compares the maps of inputs and outputs of an SCCL file with its chunks.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "format/sccl/document.hpp"

namespace schedcc {

/// The ranks that hold and want an address.
struct ScclAddress {
  using Ranks = std::vector<Rank>;  ///< ascending

  Ranks pre, post;                  ///< of any of its chunks
  std::uint32_t contributions = 0;  ///< chunks at the address
  /// Does each chunk begin at one rank and end there and at all ranks after it, as in a scan?
  bool prefixes = false;
  Position uneven;  ///< the first chunk that ends at other ranks than the previous one; line 0
  Position at;      ///< of the first of them
  bool reduced() const { return contributions > 1; }
};
/// The addresses of the collective, by their numbers.
using ScclAddresses = std::map<std::uint32_t, ScclAddress>;

/// Throws InputError with the location if the maps do not agree with the chunks for every rank.
void check_sccl_maps(const ScclDocument& document, const ScclAddresses& addresses,
                     const std::string& file);

}  // namespace schedcc
