#pragma once

// The parts into which the chunks of a schedule are cut, so that every volume is a whole number of
// them.

#include <cstdint>
#include <span>
#include <vector>

namespace schedcc::teccl {

/// The volumes of the paths of one demand, in units of 10^-12 of a chunk, each in 1..10^12.
using Volumes = std::vector<std::uint64_t>;

/// A volume is read as a fraction at most this far away from it, in the same units: 2 * 10^-6.
/// TE-CCL rounds flows to six decimals and takes the difference of two of them.
inline constexpr std::uint64_t tolerance = 2'000'000;
/// Denominators up to the first are tried one by one; then the second, which every volume has.
inline constexpr std::uint64_t max_tried_parts = std::uint64_t{1} << 16;
inline constexpr std::uint64_t max_parts = 1'000'000;

/// Are there fractions n_i / parts, all above 0, that are within the tolerance and make up 1?
bool fit(std::span<const std::uint64_t> volumes, std::uint64_t parts);

/// The least number of parts with which the volumes of all demands fit; each fits with
/// `max_parts`.
std::uint64_t common_parts(std::vector<Volumes> demands);

/// The fractions n_i / parts of `fit`, as numbers of parts. The volumes fit.
std::vector<std::uint32_t> split(std::span<const std::uint64_t> volumes, std::uint64_t parts);

}  // namespace schedcc::teccl
