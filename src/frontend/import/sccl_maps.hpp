#pragma once

// The maps of inputs and outputs of an SCCL file, beside its chunks.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontend/import/sccl_document.hpp"

namespace schedcc {

/// What ranks hold and want of an address.
struct ScclAddress {
  using Ranks = std::vector<Rank>;  ///< ascending

  Ranks pre, post;
  std::uint32_t contributions = 0;  ///< chunks at the address
  ScclDocument::Spot at;            ///< of the first of them
  bool reduced() const { return contributions > 1; }
};
/// The addresses of the collective, by their numbers.
using ScclAddresses = std::map<std::uint32_t, ScclAddress>;

/// Throws InputError with the place where the maps do not say, of every rank, what the chunks say.
void check_sccl_maps(const ScclDocument& document, const ScclAddresses& addresses,
                     const std::string& file);

}  // namespace schedcc
