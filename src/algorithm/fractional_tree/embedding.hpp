#pragma once

// Embeddings of the fractional tree into networks (FT, section 4): placements of its groups such
// that the messages of a step do not conflict.

#include <cstdint>
#include <optional>
#include <string>

#include "schedcc/algorithm.hpp"

namespace schedcc {

/// A layout of the fractional tree on a network. Members mean what they mean in AlgorithmEntry.
/// Steps count the broadcast of K packets in groups of r PUs.
struct Embedding {
  std::string_view name;
  /// Why it cannot embed groups of r PUs for the request; none if it can.
  std::optional<std::string> (*reason)(const Request&, std::uint64_t r);
  /// The largest r that it may serve; smaller ones may be refused.
  std::uint64_t (*largest)(const Request&);
  Steps (*build)(const Request&, std::uint64_t r);
  CostClaim (*claim)(const Request&, std::uint64_t r);
  bool (*fits)(const Request&, std::uint64_t r);
};

/// The embedding that the parameter `layout` names; nullptr without one.
const Embedding* embedding(const Request& request);

/// The requested r, or one with the fewest steps; 0 if none is served.
std::uint64_t embedded_group(const Embedding& embedding, const Request& request);

/// The claim of a tree on duplex PUs whose last PU receives packet 0 in step D - 1.
constexpr CostClaim embedded_claim(std::uint64_t D, std::uint64_t K, std::uint64_t r) {
  return {.steps = D + K + (K - 1) / r - 1, .width = 1, .steps_formula = "D + s + ceil(s/r) - 2"};
}

}  // namespace schedcc
