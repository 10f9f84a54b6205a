#pragma once

// The layout of chunks: the elements of the message that each one has, and its place at a rank.
//
// A message (or block) of n elements is cut into K chunks of s = ceil(n / K) elements; the last
// ones are shorter, or empty, if K s > n. A rank keeps only chunks that it ever touches, in the
// order of their numbers, so that runs of chunks are runs in memory and nothing has to be packed.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedcc/mpi/collective.hpp"

namespace schedcc::mpi {

/// How a message is cut. Sizes are in elements of the datatype.
struct Cut {
  std::uint64_t elements = 0;  ///< of the message, or of a block; custom: of all chunks together
  std::uint64_t chunk = 0;     ///< of a chunk; 0: ceil(elements / chunks)
};

class Layout {
 public:
  /// `program` is the rank's own. `whole`: there is a place for every chunk, touched or not. Throws
  /// Error if the cut does not fit or a chunk does not exist.
  Layout(const Problem& problem, Cut cut, std::uint32_t rank, const std::vector<Operation>& program,
         bool whole = false)
      : chunks_(problem.chunks), cut_(cut) {
    expect_consistent(problem);
    if (cut.elements > max_elements / (problem.total_chunks / chunks_ + 1)) {
      throw Error("the message is too large to be addressed");
    }
    const std::uint64_t least = ceil_div(cut.elements, chunks_);
    if (cut_.chunk == 0) cut_.chunk = std::max<std::uint64_t>(least, 1);
    if (cut_.chunk < least) throw Error("the chunks are too small for the message");
    if (cut_.chunk > max_elements) throw Error("the chunks are too large to be addressed");
    std::vector<Run> touched = starts(problem, rank);
    for (const Run& run : goals(problem, rank)) touched.push_back(run);
    for (const Operation& o : program) touched.push_back({o.first, o.count});
    for (const Run& run : touched) {
      if (run.end() > problem.total_chunks) {
        throw Error("there is no chunk " + std::to_string(run.end() - 1));
      }
    }
    if (whole) touched = {{0, static_cast<std::uint32_t>(problem.total_chunks)}};
    keep(std::move(touched));
  }

  /// The elements of all chunks below `chunk`: its offset in the whole message.
  std::uint64_t before(std::uint64_t chunk) const {
    // Capped by the total, to avoid overflow.
    const std::uint64_t of_block = chunk % chunks_;
    const std::uint64_t each =
        std::min(cut_.chunk, cut_.elements / std::max<std::uint64_t>(of_block, 1) + 1);
    return chunk / chunks_ * cut_.elements + std::min(of_block * each, cut_.elements);
  }
  std::uint64_t size(const Run& run) const { return before(run.end()) - before(run.first); }
  /// The offset of a chunk that the rank touches, in elements from the start of its buffer.
  std::uint64_t place(std::uint32_t chunk) const {
    const StoredRun& p = part(chunk);
    return p.place + before(chunk) - before(p.run.first);
  }
  /// The number of a chunk among those that the rank touches, 0 .. kept() - 1.
  std::uint64_t index(std::uint32_t chunk) const {
    const StoredRun& p = part(chunk);
    return p.index + (chunk - p.run.first);
  }
  std::uint64_t kept() const { return kept_; }
  /// The size of the rank's buffer, in elements.
  std::uint64_t elements() const { return elements_; }
  /// The chunks that the rank keeps: runs, ascending, with gaps between them.
  std::vector<Run> runs() const {
    std::vector<Run> result;
    for (const StoredRun& p : parts_) result.push_back(p.run);
    return result;
  }

 private:
  static constexpr std::uint64_t max_elements = std::uint64_t{1} << 48;

  struct StoredRun {
    Run run;
    std::uint64_t place, index;
  };

  void keep(std::vector<Run> touched) {
    std::sort(touched.begin(), touched.end(),
              [](const Run& a, const Run& b) { return a.first < b.first; });
    for (const Run& run : touched) {
      if (run.count == 0) continue;
      if (!parts_.empty() && run.first <= parts_.back().run.end()) {
        Run& last = parts_.back().run;
        last.count = static_cast<std::uint32_t>(std::max(last.end(), run.end()) - last.first);
      } else {
        parts_.push_back({run, 0, 0});
      }
    }
    for (StoredRun& p : parts_) {
      p.place = elements_;
      p.index = kept_;
      elements_ += size(p.run);
      kept_ += p.run.count;
    }
  }

  const StoredRun& part(std::uint32_t chunk) const {
    const auto after =
        std::upper_bound(parts_.begin(), parts_.end(), chunk,
                         [](std::uint32_t c, const StoredRun& p) { return c < p.run.first; });
    if (after == parts_.begin() || chunk >= (after - 1)->run.end()) {
      throw Error("this rank does not use chunk " + std::to_string(chunk));
    }
    return *(after - 1);
  }

  std::uint64_t chunks_;
  Cut cut_;
  std::vector<StoredRun> parts_;
  std::uint64_t elements_ = 0, kept_ = 0;
};

}  // namespace schedcc::mpi
