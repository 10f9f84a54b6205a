#pragma once

// The input of the runtime: a problem, and for every rank its operations in the order of the table.
// Each process uses only those of its own rank, so that they may be computed, and those of others
// be missing. emitted.hpp makes tables from emitted headers.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/mpi/operation.hpp"

namespace schedcc::mpi {

/// An error in a table, a message or an argument.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "1 rank", "2 ranks".
inline std::string counted(std::uint64_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

/// ceil(a / b) for b >= 1. (As core/integers.hpp has it, which is not installed.)
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b == 0 ? 0 : 1);
}

/// A run of chunks.
struct Run {
  std::uint32_t first, count;
  std::uint64_t end() const { return std::uint64_t{first} + count; }
};

/// A line of a custom collective: a run that a rank starts with, or must end with.
struct Holding {
  std::uint32_t rank, first, count;
  bool reduced;  ///< combined from all who start with it
};

/// A collective, as docs/semantics.md, "Collectives", defines it.
struct Problem {
  std::string collective;  ///< "broadcast", "reduce-scatter", ..., "custom"
  std::uint32_t ranks = 1;
  std::uint32_t root = 0;
  std::uint32_t chunks = 1;        ///< of a message, or of a block; custom: in all
  std::uint64_t total_chunks = 1;  ///< of all blocks
  bool ordered = false;            ///< does the schedule keep the order of the ranks?
  std::vector<Holding> pre, post;  ///< custom only
};

/// A schedule by rank.
struct Table {
  std::string name;
  Problem problem;
  std::string machine;  ///< its specification: "kport:k=2"
  /// A rank's operations, in the order of the table: on LogP machines by cycles, on all others in
  /// each step first its sends, then its receives.
  std::function<std::vector<Operation>(std::uint32_t rank)> program;
};

/// The process that executes a program: a rank among `size`, with tags up to `last_tag`.
struct RankContext {
  std::uint32_t rank = 0, size = 1;
  std::uint64_t last_tag = 32767;  ///< the least that MPI guarantees

  /// A step's tag. Messages of steps that share a tag are distinguished by their order: MPI
  /// delivers messages of equal tags from one rank to another in the order in which they were sent.
  int tag(std::uint64_t step) const { return static_cast<int>(step % (last_tag + 1)); }
};

/// How many messages a rank may have under way at once, and the LogP machine's distance between
/// the start of a send and that of its receive (0 elsewhere).
struct Ports {
  std::uint64_t send, receive, both, delay;
};

/// The value of `key` in a specification "name:key=value,..."; 0 if it has none. No more than 2^32
/// are distinguished.
inline std::uint64_t parameter(std::string_view spec, std::string_view key) {
  for (std::size_t at = spec.find(':'); at < spec.size(); at = spec.find(',', at + 1)) {
    const std::string_view rest = spec.substr(at + 1);
    if (rest.substr(0, key.size()) != key || rest.substr(key.size(), 1) != "=") continue;
    std::uint64_t value = 0;
    for (std::size_t i = key.size() + 1; i < rest.size() && rest[i] >= '0' && rest[i] <= '9'; ++i) {
      const auto digit = static_cast<std::uint64_t>(rest[i] - '0');
      value = std::min(10 * value + digit, std::uint64_t{1} << 32);
    }
    return value;
  }
  return 0;
}

/// The limits of a machine; without a rule, or if a step breaks it, `busiest`, the most messages of
/// this rank in a step.
inline Ports ports_of(std::string_view machine, const Ports& busiest) {
  const std::string_view name = machine.substr(0, machine.find(':'));
  const auto at_least = [&](std::uint64_t one_way, std::uint64_t both, std::uint64_t delay) {
    return Ports{std::max(one_way, busiest.send), std::max(one_way, busiest.receive),
                 std::max(both, busiest.both), delay};
  };
  if (name == "simplex") return at_least(1, 1, 0);
  if (name == "kport" || name == "bsp") {
    const std::uint64_t k = parameter(machine, name == "bsp" ? "h" : "k");
    return at_least(std::max<std::uint64_t>(k, 1), 2 * std::max<std::uint64_t>(k, 1), 0);
  }
  if (name == "logp") {
    const std::uint64_t L = parameter(machine, "L"), g = parameter(machine, "g");
    const std::uint64_t capacity = std::max<std::uint64_t>(1, g == 0 ? L : ceil_div(L, g));
    return at_least(capacity, 2 * capacity, L + parameter(machine, "o"));
  }
  return at_least(1, 2, 0);
}

}  // namespace schedcc::mpi
