#pragma once

// Do all ranks end with the same sums, where each of them completes its own?
//
// Let the chunks of a sum have the same names for all ranks, and let G be the exclusive ors. Rank
// r's expression of a chunk is that of rank 0 with the ranks renamed by g_r. So all ranks have the
// same expression if every renaming leaves rank 0's as it is: if its stabilizer is all of G. Known
// to be in the stabilizer, a subgroup, is:
//
//   - of a rank's own contribution, g_0;
//   - of a copy g_s(X), what is in that of X, since renamings commute;
//   - of X + g_s(X), that is where rank 0 adds what rank s has in the same state as itself, what is
//     in that of X, and g_s: it exchanges the two operands, and the order of operands does not
//     matter. This is recursive doubling.
//
// Of other sums only g_0 is taken to be in it, so that too little may be known, but never too much.
// A subgroup is a vector space over the field of two elements, and has a basis in echelon form.

#include <map>
#include <vector>

#include "analysis/chunk_table.hpp"

namespace schedcc {

class SumStabilizers {
 public:
  SumStabilizers(Rank ranks, std::uint64_t chunks);

  /// Rank 0 adds to its values of these chunks those of rank `from`.
  void add_images(const Run& run, Rank from);
  /// It adds something else.
  void forget(const Run& run);
  /// Is every chunk's sum the same at all ranks?
  bool all_same() const;

 private:
  using Number = std::uint32_t;
  /// Numbers with different highest bits, each without the highest bits of the others; descending.
  using Basis = std::vector<Rank>;

  Number number(Basis basis);
  Number with(Number subgroup, Rank element);

  unsigned dimension_;  ///< of G
  std::uint64_t chunks_;
  std::vector<Basis> subgroups_;  ///< 0: only g_0
  std::map<Basis, Number> numbers_;
  ChunkTable<Number, 16> of_chunks_;
};

}  // namespace schedcc
