#pragma once

// Is a step symmetric, and what does one rank do in it?

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "check/symmetry/symmetry.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// The transfers of a step as the images of a few.
///
/// An orbit is a transfer with its images under g_0, ..., g_(P-1); a step that consists of orbits
/// is symmetric. Only steps are recognised whose transfers are in one of two orders: sender by
/// sender, the image of each transfer m rows later, or orbit by orbit, P rows each. They are those
/// in which rules make steps, rank by rank or distance by distance.
class Orbits {
 public:
  explicit Orbits(const Symmetry& symmetry);

  /// False if the step is not seen to be symmetric.
  bool read(std::span<const Transfer> transfers);
  /// The transfers that rank 0 sends in the step read last, then those that it receives.
  std::span<const Transfer> of_rank_zero() const { return of_rank_zero_; }

 private:
  /// The words of a transfer: src, dst, first, and the number of chunks with the kind.
  using Words = std::array<std::uint32_t, 4>;

  /// A transfer, and what the words of its images are computed from.
  struct Seed {
    Words words;
    // All are 0 if its chunks are not renamed.
    std::uint32_t block;        ///< the number of its first block
    std::uint32_t row, column;  ///< the coordinates of this block
    std::uint32_t spread;       ///< what is added to, or xored with, `block` has this factor
    std::uint32_t inner;        ///< exclusive ors: a mask of the bits that number its blocks
  };

  Seed seed(const Transfer& transfer) const;
  bool well_formed(const Transfer& transfer) const;
  template <Symmetry::Group group>
  Words image(const Seed& seed, Rank by) const;
  template <Symmetry::Group group>
  bool compare(std::span<const Transfer> transfers, bool by_orbits) const;
  bool orbit_of_rotations(const Seed& seed, const Transfer* transfers) const;
  void project();

  Symmetry symmetry_;
  std::uint32_t row_wrap_, column_wrap_;  ///< what `first` loses where a coordinate wraps
  std::vector<Seed> seeds_;
  Transfers sources_;  ///< of the seeds
  Transfers of_rank_zero_;
};

}  // namespace schedcc
