#pragma once

// The maps of inputs and outputs of an SCCL file, beside its chunks.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "format/sccl/document.hpp"

namespace schedcc {

/// What ranks hold and want of an address.
struct ScclAddress {
  using Ranks = std::vector<Rank>;  ///< ascending

  Ranks pre, post;                  ///< of any of its chunks
  std::uint32_t contributions = 0;  ///< chunks at the address
  /// Does each chunk begin at one rank and end there and at all ranks behind it, as in a scan?
  bool prefixes = false;
  ScclDocument::Location
      uneven;                 ///< the first chunk that ends elsewhere than the one before; line 0
  ScclDocument::Location at;  ///< of the first of them
  bool reduced() const { return contributions > 1; }
};
/// The addresses of the collective, by their numbers.
using ScclAddresses = std::map<std::uint32_t, ScclAddress>;

/// Throws InputError with the place where the maps do not say, of every rank, what the chunks say.
void check_sccl_maps(const ScclDocument& document, const ScclAddresses& addresses,
                     const std::string& file);

}  // namespace schedcc
