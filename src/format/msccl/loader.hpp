#pragma once

// What a runtime that loads MSCCL XML takes from the head of a file, by which it chooses one of
// several for a call; and why it does not load a file.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/lint_finding.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

/// ROCm/rccl reads all files of a folder (MSCCL_ALGO_DIR); microsoft/msccl those of a list
/// (MSCCL_XML_FILES), in which the largest size is excluded.
enum class MscclLoader : std::uint8_t { rccl, msccl };
std::string_view name(MscclLoader loader);

/// The head of a program, as a loader reads it.
struct MscclHead {
  std::string collective;  ///< the word of the file
  std::string protocol;
  std::uint64_t ranks = 0, channels = 0, chunks_per_loop = 0;
  bool in_place = false, out_of_place = false;
  /// The sizes of calls that it serves, both included: of the message, or of all blocks of a rank.
  std::uint64_t min_bytes = 0, max_bytes = UINT64_MAX;
  SourceLocation sizes;  ///< where the least size is stated
  /// Why the loader does not load it: errors.
  std::vector<LintFinding> findings;

  bool loaded() const { return findings.empty(); }
};

/// Reads the head of a program that the reader of programs accepts. Throws InputError.
MscclHead read_msccl_head(std::string_view text, const std::string& file, MscclLoader loader);

}  // namespace schedcc
