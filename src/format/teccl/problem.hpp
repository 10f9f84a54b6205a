#pragma once

// The collective of a schedule of TE-CCL.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "format/teccl/document.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::teccl {

/// The GPUs that a document names, as ranks in ascending order. Throws InputError if one of them is
/// a switch as well.
class Gpus {
 public:
  Gpus(const Document& document, const std::string& file);

  Rank count() const { return static_cast<Rank>(ids_.size()); }
  /// The rank of a GPU that the document names.
  Rank rank(std::uint32_t id) const;
  /// "ranks 0-2 are the GPUs 1-2, 4"; empty if their numbers are the ranks.
  std::string renumbered() const;

 private:
  std::vector<std::uint32_t> ids_;
};

/// The problem, and the chunks of schedcc that a chunk of the document is.
class TecclProblem {
 public:
  /// `parts`: those of each chunk. Throws InputError with the location for duplicate
  /// demands, for demands that are met from the start, and for more chunks than there can be.
  TecclProblem(const Document& document, const Gpus& gpus, std::uint64_t parts,
               const std::string& file);

  const Problem& problem() const { return problem_; }
  /// The first part of the chunk of a demand; the others follow.
  Chunk first(const Document::Demand& demand) const;

 private:
  bool is_allgather(const Document& document) const;
  bool is_alltoall(const Document& document) const;
  void make_custom(const Document& document);

  const Gpus& gpus_;
  std::uint64_t parts_, of_rank_ = 0;  ///< chunks of the document that a rank has, or that a pair
  std::map<std::pair<std::uint32_t, std::uint32_t>, Chunk> numbers_;  ///< custom: by source, chunk
  Problem problem_;
};

}  // namespace schedcc::teccl
