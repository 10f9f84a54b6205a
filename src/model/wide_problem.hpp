#pragma once

// Problems larger than Rank and Chunk can number, which kernels serve.

#include <cstdint>
#include <string>

#include "schedcc/problem.hpp"

namespace schedcc {

/// `runs` runs of `count` chunks: the first begins with chunk `first`, each `stride` chunks after
/// the one before it.
struct WideRuns {
  std::uint64_t first = 0, count = 0, runs = 1, stride = 0;

  bool contains(std::uint64_t chunk) const;
  std::uint64_t size() const { return count * runs; }
  /// The chunk with number i < size().
  std::uint64_t operator[](std::uint64_t i) const { return first + i / count * stride + i % count; }
};

/// A standard problem whose numbers have 64 bits.
struct WideProblem {
  Collective collective = Collective::broadcast;
  std::uint64_t ranks = 1;
  std::uint64_t root = 0;    ///< 0 where the collective has none
  std::uint64_t chunks = 1;  ///< K
  bool ordered = false;

  WideProblem() = default;
  explicit WideProblem(const Problem& problem)
      : collective(problem.collective),
        ranks(problem.ranks),
        root(problem.root),
        chunks(problem.chunks),
        ordered(problem.ordered) {}

  bool rooted() const { return info(collective).rooted; }
  bool reduction() const { return info(collective).reduction; }
  bool in_blocks() const { return info(collective).in_blocks(); }
  bool declared() const { return info(collective).declared; }
  /// K, P*K or P*P*K; UINT64_MAX if that is more.
  std::uint64_t total_chunks() const;
  /// The chunks that a rank starts with, or with contributions to which; none if they are declared.
  WideRuns start(std::uint64_t rank) const;
  /// The chunks that a rank must end with; none if they are declared.
  WideRuns goal(std::uint64_t rank) const;
  /// Could it be a Problem?
  bool is_narrow() const;
  /// The Problem, if it could be one.
  Problem narrow() const;
  /// Throws InputError if the root is not a rank, if an order is required of a collective that is
  /// not a reduction, or if numbers that kernels compute would not fit in 64 bits.
  void validate() const;
};

/// "broadcast, 8 ranks, root 0, 3 chunks": for messages.
std::string describe(const WideProblem& problem);

}  // namespace schedcc
