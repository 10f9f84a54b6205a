#pragma once

// Executes a generated table: a thread for each rank carries out the rank's operations, one after
// the other, with real payload, and at the end every word of it is compared with what the
// collective is defined to give. It shares no code with schedcc: the definitions are written down
// again, from docs/semantics.md, "Collectives".

#include <cstdint>
#include <string>
#include <vector>

namespace execute {

struct Operation {
  std::uint64_t step;
  bool receive;
  std::uint32_t peer, first, count;
  bool reduce;
};

struct Table {
  std::string collective;
  std::uint32_t ranks, root, chunks;
  std::uint64_t total_chunks;
  bool ordered;
  std::vector<std::vector<Operation>> programs;  ///< by rank
};

/// What went wrong; empty if everything is as it should be.
std::string run(const Table& table);

}  // namespace execute
