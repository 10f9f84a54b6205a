#pragma once

// The images of transfers, compared with the transfers of a step.
//
// All of a check by symmetry but a small part is spent here. Transfers are compared as words
// (transfer_words.hpp), modulo 2^32; numbers of chunks are below.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "check/symmetry/symmetry.hpp"
#include "check/transfer_words.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// Numbers below 2^31, which processors compare faster than words.
using Numbers [[gnu::vector_size(16)]] = std::int32_t;

/// By rotations, or by translations of a torus: these add to rows and columns, each of which may
/// wrap. P is below 2^31.
class Rotations {
 public:
  explicit Rotations(const Symmetry& symmetry)
      : P_(symmetry.ranks()),
        columns_(symmetry.group() == Symmetry::Group::translations ? symmetry.columns() : 0) {
    const std::uint32_t K = symmetry.block(), all = static_cast<std::uint32_t>(symmetry.chunks());
    if (symmetry.coordinates() == 0) {
      step_ = TransferWords{1, 1, 0, 0};
      wrap_ = TransferWords{P_, P_, 0, 0};
    } else {
      const bool pairs = symmetry.coordinates() == 2;
      step_ = TransferWords{1, 1, pairs ? (P_ + 1) * K : K, 0};
      wrap_ = TransferWords{P_, P_, all, 0};
      if (pairs) column_wrap_ = TransferWords{0, 0, P_ * K, 0};
    }
    if (columns_ != 0) column_wrap_ = TransferWords{columns_, columns_, step_[2] * columns_, 0};
  }

  /// A transfer, and the numbers that may wrap, which takes `wrap_` or `column_wrap_` from the
  /// word: its ranks, and the coordinates of its block; or the rows and columns of ranks and block.
  struct Seed {
    TransferWords words;
    Numbers wrapping, column;
  };
  static Seed seed(const Symmetry& symmetry, const Transfer& t) {
    const bool pairs = symmetry.coordinates() == 2;
    const std::uint32_t P = symmetry.ranks();
    const std::uint32_t block = symmetry.coordinates() == 0 ? 0 : t.first / symmetry.block();
    if (symmetry.group() == Symmetry::Group::translations) {
      const Rank n = symmetry.columns();
      return {words_of(t), Numbers{number(t.src / n), number(t.dst / n), number(block / n), 0},
              Numbers{number(t.src % n), number(t.dst % n), number(block % n), 0}};
    }
    return {words_of(t),
            Numbers{number(t.src), number(t.dst), number(pairs ? block / P : block), 0},
            Numbers{0, 0, number(pairs ? block % P : 0), 0}};
  }

  TransferWords image(const Seed& seed, Rank by) const { return image(seed, at(by)); }

  /// Are the transfers the images of the seeds under g_by?
  void compare(std::span<const Seed> seeds, Rank by, const Transfer* transfers,
               Differences& differences) const {
    const Place place = at(by);
    for (const Seed& seed : seeds) differences.note(*transfers++, image(seed, place));
  }
  /// Is every `stride`-th transfer an image of the seed, those under g_first, ..., g_(end-1)?
  /// Between the ranks at which one of its numbers wraps these are an arithmetic progression.
  void compare_orbit(const Seed& seed, Rank first, Rank end, const Transfer* transfers,
                     std::size_t stride, Differences& differences) const {
    if (columns_ != 0) {
      for (Rank by = first; by < end; ++by, transfers += stride)
        differences.note(*transfers, image(seed, by));
      return;
    }
    std::array<Rank, 6> cuts{first, P_ - static_cast<Rank>(seed.column[2]), end};
    for (std::size_t i = 0; i < 3; ++i) cuts[3 + i] = P_ - static_cast<Rank>(seed.wrapping[i]);
    for (Rank& cut : cuts) cut = std::clamp(cut, first, end);
    std::ranges::sort(cuts);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts[i] == cuts[i + 1]) continue;
      TransferWords expected = image(seed, cuts[i]);
      for (Rank by = cuts[i]; by < cuts[i + 1]; ++by, expected += step_, transfers += stride)
        differences.note(*transfers, expected);
    }
  }

 private:
  /// What the images under one rotation have in common.
  struct Place {
    TransferWords moved;
    Numbers last, last_column;  ///< numbers above them wrap
  };
  Place at(Rank by) const {
    std::int32_t last = number(P_ - by) - 1, last_column = last;
    if (columns_ != 0) {
      const Rank row = by / columns_;
      last = number(P_ / columns_ - row) - 1;
      last_column = number(columns_ - (by - row * columns_)) - 1;
    }
    return {step_ * by, Numbers{last, last, last, last},
            Numbers{last_column, last_column, last_column, last_column}};
  }
  TransferWords image(const Seed& seed, const Place& place) const {
    const auto wraps = std::bit_cast<TransferWords>(seed.wrapping > place.last);
    const auto column_wraps = std::bit_cast<TransferWords>(seed.column > place.last_column);
    return seed.words + place.moved - (wraps & wrap_) - (column_wraps & column_wrap_);
  }
  static std::int32_t number(std::uint32_t below_limit) {
    return static_cast<std::int32_t>(below_limit);
  }

  Rank P_, columns_;  ///< of the torus; 0: rotations
  TransferWords step_, wrap_, column_wrap_{};
};

/// Comparisons image by image, for renamings that have `image`.
template <typename Renamings>
class OneByOne {
 public:
  /// Are the transfers the images of the seeds under g_by?
  void compare(const auto& seeds, Rank by, const Transfer* transfers,
               Differences& differences) const {
    for (const auto& seed : seeds) differences.note(*transfers++, image(seed, by));
  }
  /// Is every `stride`-th transfer an image of the seed, those under g_first, ..., g_(end-1)?
  void compare_orbit(const auto& seed, Rank first, Rank end, const Transfer* transfers,
                     std::size_t stride, Differences& differences) const {
    for (Rank by = first; by < end; ++by, transfers += stride)
      differences.note(*transfers, image(seed, by));
  }

 private:
  TransferWords image(const auto& seed, Rank by) const {
    return static_cast<const Renamings&>(*this).image(seed, by);
  }
};

/// By rotations and reflections: r - x is -x, rotated by r.
class Reflections : public OneByOne<Reflections> {
 public:
  explicit Reflections(const Symmetry& symmetry) : rotations_(symmetry) {}

  /// A transfer as it is, and with ranks and blocks x as -x.
  struct Seed {
    Rotations::Seed even, odd;
  };
  static Seed seed(const Symmetry& symmetry, const Transfer& t) {
    const std::uint32_t P = symmetry.ranks(), K = symmetry.block();
    const auto negated = [P](std::uint32_t x) { return x == 0 ? 0 : P - x; };
    Transfer odd = t;
    odd.src = negated(t.src);
    odd.dst = negated(t.dst);
    const std::uint32_t block = symmetry.coordinates() == 0 ? 0 : t.first / K;
    if (symmetry.coordinates() == 1) odd.first = negated(block) * K + t.first % K;
    if (symmetry.coordinates() == 2)
      odd.first = (negated(block / P) * P + negated(block % P)) * K + t.first % K;
    return {Rotations::seed(symmetry, t), Rotations::seed(symmetry, odd)};
  }

  TransferWords image(const Seed& seed, Rank by) const {
    return rotations_.image(by % 2 == 0 ? seed.even : seed.odd, by);
  }

 private:
  Rotations rotations_;
};

/// By exclusive ors.
class ExclusiveOrs : public OneByOne<ExclusiveOrs> {
 public:
  explicit ExclusiveOrs(const Symmetry& symmetry) : chunks_(symmetry.block()) {
    if (symmetry.coordinates() != 0)
      spread_ = symmetry.coordinates() == 2 ? symmetry.ranks() + 1 : 1;
  }

  /// A transfer, the number of its first block, and a mask of the bits that number its blocks.
  struct Seed {
    TransferWords words;
    std::uint32_t block, inner;
  };
  static Seed seed(const Symmetry& symmetry, const Transfer& t) {
    if (symmetry.coordinates() == 0) return {words_of(t), 0, 0};
    const std::uint32_t blocks = t.count / symmetry.block();
    return {words_of(t), t.first / symmetry.block(), blocks > 1 ? blocks - 1 : 0};
  }

  TransferWords image(const Seed& seed, Rank by) const {
    const std::uint32_t renamed = (seed.block ^ by * spread_) & ~seed.inner;
    return (seed.words ^ TransferWords{by, by, 0, 0}) +
           TransferWords{0, 0, (renamed - seed.block) * chunks_, 0};
  }

 private:
  std::uint32_t chunks_, spread_ = 0;  ///< g_r renames blocks by exclusive or of r * spread
};

}  // namespace schedcc
