#pragma once

// Transfers as vectors of four words, which processors add and compare at once; arithmetic is
// modulo 2^32.

#include <bit>
#include <cstdint>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// The words of a transfer: src, dst, first, and the number of chunks with the kind.
using TransferWords [[gnu::vector_size(16)]] = std::uint32_t;

/// The bit of the last word that is the kind: set in a reduction.
inline constexpr std::uint32_t kind_bit = std::uint32_t{1} << 31;

inline TransferWords words_of(const Transfer& transfer) {
  return std::bit_cast<TransferWords>(transfer);
}

/// Collects in which bits transfers differ from what they should be.
class Differences {
 public:
  void note(const Transfer& transfer, TransferWords image) { bits_ |= words_of(transfer) ^ image; }
  bool none() const { return (bits_[0] | bits_[1] | bits_[2] | bits_[3]) == 0; }

 private:
  TransferWords bits_{};
};

}  // namespace schedcc
