#include "program/fifo.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "program/limits.hpp"

namespace schedcc::program {

namespace {

struct Protocol {
  std::string_view name;
  std::uint64_t depth;  ///< messages
  std::uint64_t bytes;  ///< of data in a message
};

/// Bytes: the default buffer (init.cc, computeBuffSizes) over 8 slots, times the slots of a
/// message, less the flags. Simple has 1 MiB on ARM (4 MiB elsewhere), LL and LL128 have least in
/// rccl: 8 lines * 256 threads * 8 slots * 16 bytes, half of them flags; 28 words * 256 threads * 8
/// slots * 8 bytes, one word of 8 a flag.
constexpr std::array<Protocol, 3> protocols{{
    {"Simple", 2, (1U << 20) / 8 * 4},
    {"LL", 8, 8 * 256 * 16 / 2},
    {"LL128", 8, 28 * 256 * 8 / 8 * 7},
}};

const Protocol& protocol(const Program& program) {
  const auto found = std::ranges::find(protocols, program.protocol, &Protocol::name);
  return found == protocols.end() ? protocols.front() : *found;
}

std::uint64_t chunks_per_loop(const Program& program) {
  return std::max<std::uint64_t>(program.chunks_per_loop, 1);
}

}  // namespace

Fifo fifo_in_calls(const Program& program, std::uint64_t bytes) {
  const auto& [name, depth, room] = protocol(program);
  if (bytes == 0) return {depth, 1};
  const std::uint64_t chunk = (bytes - 1) / chunks_per_loop(program) + 1;
  const std::uint64_t chunks = std::clamp<std::uint64_t>(room / chunk, 1, limits::count);
  return {depth, static_cast<std::uint32_t>(chunks)};
}

std::uint64_t largest_call(const Program& program, std::uint32_t chunks) {
  return chunks_per_loop(program) * (protocol(program).bytes / chunks);
}

}  // namespace schedcc::program
