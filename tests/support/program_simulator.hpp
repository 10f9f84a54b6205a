#pragma once

// The oracle of programs: a naive interpreter and a naive search for races, written from the
// description of the format alone. Both share only the structs with the library.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>

#include "schedcc/program.hpp"

namespace naive {

using schedcc::Instruction;
using schedcc::Program;
using schedcc::Rank;

/// Contributions (rank, chunk) and how often each is counted; empty: uninitialized.
using Content = std::map<std::pair<Rank, std::uint32_t>, unsigned>;

struct ProgramRun {
  bool ended = true;      ///< all threadblocks completed
  bool fits = true;       ///< no message had another count than its receive
  bool complete = false;  ///< every output is as the collective defines
};

/// Runs a program; each next step is chosen at random among those that can run. A connection holds
/// `depth` messages. An instruction with more than `chunks` chunks is carried out as several, of up
/// to `chunks` chunks each.
ProgramRun run_program(const Program& program, std::size_t depth, bool in_place,
                       std::mt19937& random,
                       std::size_t chunks = std::numeric_limits<std::size_t>::max());

/// Does a GPU have two unordered instructions, one of which writes a chunk of memory that the other
/// uses, or an instruction that reads a place as one chunk and writes it as another? By the
/// transitive closure over all pairs; for programs that complete.
bool has_race(const Program& program, bool in_place);

/// The length of the longest chain of messages: each is sent after its sender has received the
/// previous one, or follows it on the same connection. For programs that end, and whose messages
/// all have both ends.
std::size_t longest_chain(const Program& program);

}  // namespace naive
