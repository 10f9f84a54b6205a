#pragma once

// The part of a check that one of several processes makes.
//
// Every process reads all steps. The checks of single steps are made of the steps of its share; the
// state of those that follow chunks from step to step is kept for the chunks of its share, by
// transfers that are cut to them; and queues are those of its ranks and routers.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/route_ends.hpp"
#include "core/partition.hpp"
#include "model/runs.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// The share of process `number`, 0..of-1.
struct Share {
  std::size_t number = 0, of = 1;

  bool whole() const { return of == 1; }
  /// The first of `count` neighbouring things that belong to it, and the one after the last.
  std::pair<std::uint64_t, std::uint64_t> among(std::uint64_t count) const {
    return part_of(count, number, of);
  }
  /// Those that belong to it: of an alltoall all chunks of some origins, as Holdings require.
  Run chunks(const Problem& problem) const {
    const bool rows = problem.collective == Collective::alltoall;
    const std::uint64_t row = rows ? std::uint64_t{problem.ranks} * problem.chunks : 1;
    const auto [first, next] = among(problem.total_chunks() / row);
    return {static_cast<Chunk>(first * row), static_cast<std::uint32_t>((next - first) * row)};
  }
  /// Does the step belong to it? Either each belongs to one process, or all to the first.
  bool has_step(std::uint64_t step, bool shared) const {
    return shared ? step % of == number : number == 0;
  }
};

/// Steps with the chunks of a part alone.
class StepCut {
 public:
  explicit StepCut(const Run& part) : part_(part) {}

  /// The step cut to the part; valid until the next call, and as long as the step.
  const Step& read(const Step& step);
  /// Its transfers by the ends of their routes.
  const RouteEnds& ends() const { return ends_; }

 private:
  void add(const Step& step, std::size_t i, const Run& chunks);

  Run part_;
  Step step_;
  Transfers transfers_;
  std::vector<std::uint32_t> lines_;
  std::vector<Origin> origins_;
  RouteEnds ends_;
};

/// A number that differs, in all likelihood, if two processes do not read the same.
class SourceHash {
 public:
  /// The starts and goals of a problem.
  void add(const Problem& problem);
  void add(const Step& step);
  std::uint64_t value() const { return even_ ^ odd_ << 1 ^ odd_ >> 63; }

 private:
  void mix(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;
    even_ = (even_ ^ a) * factor;
    odd_ = (odd_ ^ b) * factor;
    even_ ^= even_ >> 32;
    odd_ ^= odd_ >> 29;
  }

  std::uint64_t even_ = 1, odd_ = 2;
};

}  // namespace schedcc
