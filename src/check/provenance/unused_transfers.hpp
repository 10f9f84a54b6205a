#pragma once

// Transfers of chunks that their destination does not need, perhaps in place of chunks that it
// lacks.

#include <map>
#include <span>

#include "check/provenance/history.hpp"

namespace schedcc::provenance {

/// A transfer, and a chunk that its destination neither must end with nor sends on.
struct UnusedTransfer {
  ChunkTransfer transfer;
  Chunk chunk;
};

/// The first for each of the ranks, which are ascending; none for ranks that send very much.
std::map<Rank, UnusedTransfer> find_unused(const Origins& origins, std::span<const Rank> ranks);

}  // namespace schedcc::provenance
