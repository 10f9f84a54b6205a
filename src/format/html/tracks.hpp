#pragma once

// A program for GPUs as the data of a page: a track for each threadblock, on it its instructions,
// and from one to the other messages and what they wait for.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/selection.hpp"
#include "format/text.hpp"
#include "program/findings.hpp"
#include "schedcc/plan.hpp"
#include "schedcc/program.hpp"
#include "schedcc/report.hpp"

namespace schedcc::html {

/// A threadblock; or the memory of a GPU, which others access.
struct Track {
  Rank gpu;
  std::uint32_t block = program::none;  ///< none: the memory
  std::uint32_t first = 0;              ///< of its instructions; those of a track are consecutive
};

/// An instruction of a program, or an operation of a plan.
struct TrackInstruction {
  std::uint32_t track;
  std::string text;    ///< "put i[0-3] > 1:o[0-3]", beginning with its operation
  std::string detail;  ///< lines: what it reads and writes, its peers and channels
  std::uint32_t line = 0;
};

struct TrackLink {
  /// The page draws the first three as messages, the others as waits.
  enum class Kind : std::uint8_t { copied, added, dependency, signal } kind;
  /// An instruction, or (none) the memory of a GPU that it accesses.
  struct End {
    std::uint32_t track;
    std::uint32_t instruction = program::none;
  };
  End from, to;
  Slot slot = {};  ///< the first chunk that moves
  std::uint32_t count = 1;
};

struct Tracks {
  std::string_view noun = {};                   ///< what messages call an instruction
  std::vector<Track> tracks = {};               ///< by GPU: first its memory, if it has that track
  std::vector<std::uint32_t> first_track = {};  ///< by GPU, and the end
  std::vector<TrackInstruction> instructions = {};
  std::vector<TrackLink> links = {};
  std::vector<std::vector<std::uint32_t>> barriers = {};  ///< instructions that end together
};

/// "s[2]", "s[2-5]".
std::string chunks_text(BufferKind buffer, std::int64_t first, std::uint32_t count);

/// Both throw InputError for more than a page can hold.
Tracks tracks_of(const Program& program);
/// Also if the operations cannot be followed (program/plan/links.hpp).
Tracks tracks_of(const Plan& plan);

/// The members of the page's data from "ranks" to "steps". Times are the longest chains of
/// instructions that wait for one another; those of a deadlock, which never start, follow all
/// others. `selection`: GPUs, and times. `report` may be nullptr.
void write_tracks(const Tracks& tracks, const Selection& selection, const Report* report,
                  Text& out);

}  // namespace schedcc::html
