#pragma once

// Tori of ranks: their sides, coordinates, and the order in which their dimensions take turns.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedcc/algorithm.hpp"

namespace schedcc {

struct LocalRequest;

/// Sides of a torus of ranks in row-major order: the last coordinate varies fastest.
using TorusSides = std::vector<Rank>;

/// The coordinates of ranks, or of offsets, on a torus.
class TorusCoordinates {
 public:
  explicit TorusCoordinates(const TorusSides& sides);

  Rank of(Rank rank, std::size_t dimension) const {
    return static_cast<Rank>(rank / strides_[dimension] % sides_[dimension]);
  }
  /// The rank that has the coordinate `to` in place of `from`, and else those of `rank`.
  Rank moved(Rank rank, std::size_t dimension, std::uint64_t from, std::uint64_t to) const {
    return static_cast<Rank>(rank + (to - from) * strides_[dimension]);
  }

 private:
  TorusSides sides_;
  std::vector<std::uint64_t> strides_;  ///< between neighbours in each dimension
};

/// The sides that the parameter `sides` states, "4x4x2", without those of 1; if it is not given
/// those of a machine `torus`, or `otherwise`.
TorusSides torus_sides(const Request& request, const TorusSides& otherwise);
/// The same for kernels, with sides of any length.
std::vector<std::uint64_t> torus_sides(const LocalRequest& request,
                                       const std::vector<std::uint64_t>& otherwise);
/// Why the sides that are given are not those of P ranks; none if they are.
std::optional<std::string> sides_refusal(const Request& request);
std::optional<std::string> sides_mismatch(const Parameters& parameters, std::uint64_t P);

/// The dimension that step i of part p moves along, and how often it has been moved along before:
/// dimension p first, then one after another, those that have had their `visits` left out.
struct DimensionTurn {
  std::size_t dimension;
  std::uint64_t turn;
};
std::vector<DimensionTurn> round_robin(const std::vector<std::uint64_t>& visits, std::size_t first);

}  // namespace schedcc
