#pragma once

// Executes a generated table: a thread for each rank executes the rank's operations, one after
// another, with real data, and at the end all words are compared with the definition of the
// collective. It shares no code with schedcc: the definitions are written again, from
// docs/semantics.md, "Collectives".

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

/// The first error; empty if there is none.
std::string run(const Table& table);

}  // namespace execute
