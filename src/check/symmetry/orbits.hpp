#pragma once

// Is a step symmetric, and what does one rank do in it?

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "check/symmetry/images.hpp"
#include "check/symmetry/message_images.hpp"
#include "check/symmetry/symmetry.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// The transfers of a step as the images of a few, the seeds.
///
/// An orbit is a transfer with its images under g_0, ..., g_(P-1); a step that consists of orbits
/// is symmetric. Only steps are recognised whose transfers are in one of two orders: sender by
/// sender, the images of all seeds under g_0, then those under g_1, and so on; or orbit by orbit,
/// the images of the first seed, then those of the next. They are those in which rules make steps,
/// rank by rank or distance by distance. Where the chunks of a message are in ascending order, as
/// in files, messages are compared instead (message_images.hpp).
class Orbits {
 public:
  explicit Orbits(const Symmetry& symmetry);

  /// All transfers of a step. False if it is not seen to be symmetric.
  bool read(std::span<const Transfer> transfers);

  /// Only the seeds of a step, sender by sender; false if they have no orbits.
  bool read_seeds(std::span<const Transfer> seeds);
  /// Are these the images of the seeds under g_first, ..., g_(end-1)?
  bool are_images(std::span<const Transfer> transfers, Rank first, Rank end) const;

  std::size_t seeds() const { return seeds_.size(); }
  /// The transfers that rank 0 sends in the step read last, then those that it receives.
  Transfers of_rank_zero() const;

 private:
  template <typename Renamings>
  struct Images {
    Renamings renamings;
    std::vector<typename Renamings::Seed> seeds;
  };

  bool add_seed(const Transfer& transfer);
  bool read_in_order(std::span<const Transfer> transfers);
  bool by_orbits(std::span<const Transfer> transfers) const;

  Symmetry symmetry_;
  MessageImages messages_;
  Transfers seeds_;
  std::variant<Images<Rotations>, Images<ExclusiveOrs>, Images<Reflections>> images_;
};

}  // namespace schedcc
