#pragma once

// The collective of an SCCL file.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "format/sccl/document.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

struct ScclCollective {
  Problem problem;
  std::uint64_t parts = 1;               ///< chunks to each address of the collective
  std::map<std::uint32_t, Chunk> first;  ///< by address of the collective: its first chunk

  /// The chunk at an address of the instance; none if there is no such address.
  std::optional<Chunk> chunk(std::uint32_t address) const;
};

/// Throws InputError with the location if the chunks, the maps, the names and the numbers of the
/// file contradict one another. Time and memory follow from the length of the file.
ScclCollective sccl_collective(const ScclDocument& document, const std::string& file);

/// The name of the collective in msccl-tools ("ReduceScatter", or "Custom"), and its runtime name.
std::string_view sccl_name(Collective collective);
std::string_view sccl_runtime_name(Collective collective);

}  // namespace schedcc
