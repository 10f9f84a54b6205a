#pragma once

// Parts of the composition levels(X, Y), see levels.cpp: which algorithms do its
// stages, and on which ranks and chunks.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithm/composition/composition.hpp"
#include "algorithm/entry.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::two_levels {

/// The collectives within the nodes before and after that between them, with all ranks or with
/// leaders.
struct LevelPhases {
  Collective whole;
  std::optional<Collective> before, after;  ///< none: nothing is done
  bool leaders;

  /// That between the nodes: an exclusive scan is one that includes each rank, moved by a rank.
  Collective between() const { return whole == Collective::exscan ? Collective::scan : whole; }
  /// Do stages overlap in one segment? The blocks of the own node need not wait for those of the
  /// others, nor these for them.
  bool own_node_apart() const {
    return !leaders && (whole == Collective::allgather || whole == Collective::reduce_scatter);
  }
};
/// The algorithms of the phases.
struct LevelAlgorithms {
  LevelPhases phases;
  std::optional<Algorithm> before, between, after;
};
/// How X within nodes and Y between them make the collective; none if they cannot. `leaders`: by
/// leaders only.
std::optional<LevelAlgorithms> algorithms_for(Collective whole, const WithinNodes& x,
                                              const Algorithm& y, bool leaders);
/// What X would have to be for, with this Y: "for allgather X is for allgather, or for gather and
/// broadcast".
std::string wanted_within(const Algorithm& y, bool leaders);
/// The collectives that levels make, the default first.
std::span<const Collective> level_collectives();

/// Maps the ranks and chunks of a part to those of the whole: rank v to `rank` + v * `rank_stride`.
/// A chunk of the part stands for `scale` consecutive ones. The chunks are units of `unit` chunks
/// each; the number of a unit has digits, the lowest one first, each of which moves it. A copy of
/// the part for another node, or rail, is moved further, modulo `wrap` chunks.
struct IndexMapping {
  struct Digit {
    std::uint64_t radix = 1, stride = 0;
  };
  std::uint64_t rank = 0, rank_stride = 1;
  std::uint64_t chunk = 0, scale = 1, unit = UINT64_MAX;
  std::array<Digit, 4> digits{};
  std::uint64_t next_rank = 0, next_chunk = 0;  ///< of the next copy
  std::uint64_t wrap = UINT64_MAX;

  std::uint64_t unit_at(std::uint64_t u) const {
    std::uint64_t result = chunk;
    for (const auto& [radix, stride] : digits) {
      result += u % radix * stride;
      u /= radix;
    }
    return result;
  }
  void move(std::uint64_t copy, Transfer& t) const {
    t.src += static_cast<Rank>(copy * next_rank);
    t.dst += static_cast<Rank>(copy * next_rank);
    t.first = static_cast<Chunk>((t.first + copy * next_chunk) % wrap);
  }
  void append(const Transfer& run, Transfers& out) const {
    const std::uint64_t first = run.first * scale, end = first + run.count * scale;
    for (std::uint64_t c = first, next = 0; c < end; c = next) {
      const std::uint64_t u = c / unit;
      next = unit == UINT64_MAX ? end : std::min(end, (u + 1) * unit);
      Transfer& t = out.emplace_back(run);
      t.src = static_cast<Rank>(rank + run.src * rank_stride);
      t.dst = static_cast<Rank>(rank + run.dst * rank_stride);
      t.first = static_cast<Chunk>(unit_at(u) + c % unit);
      t.count = static_cast<std::uint32_t>(next - c) & max_transfer_count;
    }
  }
};

/// A part that is done in `copies` nodes, or on rails, at once.
struct Group {
  AlgorithmPart part;
  std::uint64_t total;  ///< chunks of its vector, if it is cut into nearly equal blocks; else 0
  std::uint64_t copies;
  IndexMapping mapping;
  bool within = true;   ///< within nodes, by X? Else between them, by Y.
  bool helper = false;  ///< is its algorithm neither of X nor of Y?
};
/// Groups that act at the same time.
using Stage = std::vector<Group>;

/// The stages of a composition, one after the other, none of them empty. With segments a stage here
/// is what acts at the same time: stage j of segment i is in i + j.
std::vector<Stage> all_stages(const Request& r, const LevelOptions& options,
                              const LevelAlgorithms& algorithms);

}  // namespace schedcc::two_levels
