#pragma once

// Symmetries of an instance: permutations of nodes and of chunks.

#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/formula.hpp"

namespace schedcc::prover {

/// A renaming of nodes and chunks that preserves the instance.
struct Symmetry {
  std::vector<Rank> node;
  std::vector<Chunk> chunk;
};

/// Some symmetries: neighbours among chunks for the same nodes, and for each pair of nodes a < b a
/// renaming that fixes the nodes below a and maps a to b, if one is found; of interchangeable
/// ranks, neighbours only (the others follow). Without `nodes` all nodes are fixed.
std::vector<Symmetry> symmetries(const Instance& instance, const std::vector<Delivery>& chunks,
                                 bool nodes = true, const PollLimits& poll_limits = nullptr);

/// Renamings that exchange all ranks in pairs, and of whose products only the identity leaves a
/// rank in place.
std::vector<Symmetry> pairings(const Instance& instance, const std::vector<Delivery>& chunks,
                               const PollLimits& poll_limits = nullptr);

/// All products of renamings of the numbers below `count`, each a list of images; the first is the
/// identity.
template <typename Number>
std::vector<std::vector<Number>> products(const std::vector<std::vector<Number>>& renamings,
                                          std::size_t count) {
  std::vector<std::vector<Number>> result(1, std::vector<Number>(count));
  std::iota(result.front().begin(), result.front().end(), Number{0});
  for (const std::vector<Number>& renaming : renamings) {
    for (std::size_t i = 0, before = result.size(); i < before; ++i) {
      std::vector<Number> product = result[i];
      for (Number& number : product) number = renaming[number];
      result.push_back(std::move(product));
    }
  }
  return result;
}

/// Places, of which renamings make others: each has the number of another one of its orbit, finally
/// its own (union-find).
class Orbits {
 public:
  explicit Orbits(std::size_t places) : of_(places) {
    std::iota(of_.begin(), of_.end(), std::size_t{0});
  }
  std::size_t operator[](std::size_t place) {
    while (of_[place] != place) place = of_[place] = of_[of_[place]];
    return place;
  }
  void join(std::size_t a, std::size_t b) { of_[(*this)[a]] = (*this)[b]; }

 private:
  std::vector<std::size_t> of_;
};

/// The lex-leader constraint of a symmetry: a schedule does not come after its image: in the first
/// of some times in which they differ, the schedule's is earlier. Sound for any number of
/// symmetries together, if the times are in the same order for all. Only a few times are compared.
class LexLeader {
 public:
  explicit LexLeader(Formula& formula) : formula_(formula) {}

  /// Compares the next time, of the schedule and of its image, as literals that are true from that
  /// time. Returns whether to compare further times.
  bool compare(std::span<const Literal> a, std::span<const Literal> b);

 private:
  Formula& formula_;
  Literal equal_ = Formula::yes;  ///< so far
  int compared_ = 0;
};

}  // namespace schedcc::prover
