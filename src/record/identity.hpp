#pragma once

// The numbers by which data are distinguished. The recorder fills the buffers of the program with
// them, and the analysis recognises them in messages.
//
// Data are words of 4 or 8 bytes. The words of a collective are numbered like its chunks
// (docs/semantics.md, "Collectives"), with `length` words in place of K chunks. A word that is only
// copied is its number times an odd constant, so that no two are equal. A contribution to a sum is
// a random number of rank and word (SplitMix64: Steele, Lea, Flood 2014): sums of different
// contributions differ, except with probability 2^-32 (32 bits), 2^-64, or 2^-44 (double, in which
// sums up to 2^53 are exact, so that numbers have 44 bits).

#include <cstdint>
#include <string_view>

#include "record/log.hpp"

namespace schedcc::record {

/// The ranks for which sums of doubles are exact, counting each contribution up to four times.
inline constexpr std::uint64_t max_ranks_of_double = 128;

constexpr std::uint64_t word_bytes(WordKind kind) {
  return kind == WordKind::copied32 || kind == WordKind::sum32 ? 4 : 8;
}
constexpr bool sums(WordKind kind) { return kind >= WordKind::sum32; }

/// Each byte of the memory for a result, before the program runs.
inline constexpr unsigned char poison_byte = 0xa5;

/// The image of a word as an integer. Doubles are integers below 2^53.
constexpr std::uint64_t identity(WordKind kind, std::uint64_t rank, std::uint64_t word) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  if (kind == WordKind::copied64) return (word + 1) * odd;
  if (kind == WordKind::copied32) return static_cast<std::uint32_t>((word + 1) * odd);
  std::uint64_t z = (word + 1) * odd + (rank + 1) * 0xd1342543de82ef95;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return kind == WordKind::sum64 ? z : kind == WordKind::sum32 ? z >> 32 : z >> 20;
}

/// The sum of two images.
constexpr std::uint64_t sum(WordKind kind, std::uint64_t a, std::uint64_t b) {
  return kind == WordKind::sum32 ? static_cast<std::uint32_t>(a + b) : a + b;
}

/// Words in a buffer, in order: `blocks` runs of `length` each, `stride` apart, starting with
/// `first`.
struct StridedRange {
  std::uint64_t first = 0, length = 0, blocks = 0, stride = 0;

  std::uint64_t size() const { return length * blocks; }
  std::uint64_t operator[](std::uint64_t i) const {
    return first + i / length * stride + i % length;
  }
};

/// The words that a rank starts with, and those that it ends with, in the order in which they are
/// in its buffers.
struct BufferLayout {
  StridedRange start, goal;
  std::uint64_t words = 0;  ///< of the collective, in all
  bool reduction = false, known = false;
};

constexpr bool rooted(std::string_view collective) {
  return collective == "broadcast" || collective == "scatter" || collective == "gather" ||
         collective == "reduce";
}

constexpr BufferLayout buffer_layout(std::string_view collective, std::uint64_t P,
                                     std::uint64_t rank, std::uint64_t root, std::uint64_t n) {
  const StridedRange message{0, n, 1, 0}, all{0, n, P, n}, own{rank * n, n, 1, 0}, none{};
  const bool is_root = rank == root;
  if (collective == "broadcast") return {is_root ? message : none, message, n, false, true};
  if (collective == "scatter") return {is_root ? all : none, own, P * n, false, true};
  if (collective == "gather") return {own, is_root ? all : none, P * n, false, true};
  if (collective == "allgather") return {own, all, P * n, false, true};
  if (collective == "alltoall")
    return {{rank * P * n, n, P, n}, {rank * n, n, P, P * n}, P * P * n, false, true};
  if (collective == "reduce") return {message, is_root ? message : none, n, true, true};
  if (collective == "reduce-scatter") return {all, own, P * n, true, true};
  if (collective == "allreduce" || collective == "scan") return {message, message, n, true, true};
  if (collective == "exscan") return {message, rank == 0 ? none : message, n, true, true};
  return {};
}

/// Where the data are in the buffer of the result, if they are in place: the index of the first.
constexpr std::uint64_t in_place_offset(std::string_view collective, std::uint64_t rank,
                                        std::uint64_t n) {
  return collective == "allgather" || collective == "gather" ? rank * n : 0;
}

}  // namespace schedcc::record
