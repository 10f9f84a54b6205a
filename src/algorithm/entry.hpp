#pragma once

// How an algorithm is written: a function from a problem to steps, with the facts that the
// catalogue lists.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/algorithm.hpp"

namespace schedcc {

/// An algorithm: the last lines of its file.
struct AlgorithmEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view source;              ///< paper, section, equation
  std::vector<Collective> collectives;  ///< the first is the default
  /// What it was made for; the first is the default. `{h}` is the value of its parameter h.
  std::vector<std::string_view> machines;
  /// Was it made for this request's machine, which is one of `machines`? nullptr: always.
  bool (*fits)(const Request&) = nullptr;
  std::vector<Parameter> parameters = {};
  /// Are its transfers whole blocks, so that the blocks may be irregular?
  bool whole_blocks = false;
  /// Algorithms for a collective of their own (Collective::custom): the problem with its chunks and
  /// its `pre` and `post` lines, for what `refuse` lets pass. The request's `chunks` are K per
  /// block.
  Problem (*own_problem)(const Request&) = nullptr;
  /// Why it does not serve a request, in the paper's terms; nothing if it does.
  std::optional<std::string> (*refuse)(const Request&) = nullptr;
  /// Reductions: why it cannot keep the order of operands, for P >= 2; nothing if it can.
  std::optional<std::string> (*order)(const Request&) = nullptr;
  /// The schedule, for P >= 2.
  Steps (*build)(const Request&);
  /// Its steps, for P >= 2, on a machine that it was made for.
  CostClaim (*claim)(const Request&);
  /// The values that it chooses for parameters which the request leaves open, for P >= 2 and what
  /// it serves. nullptr: there is nothing to choose.
  Chosen (*choose)(const Request&) = nullptr;
  /// Its transfers are hops over the links of the machines that it was made for: routers copy and
  /// combine.
  bool hops = false;
  /// Fat trees: what its source says of the longest queue at a link of the routers of levels 1, 2,
  /// ..., for P >= 2; empty where it says nothing.
  std::vector<std::uint64_t> (*queues)(const Request&) = nullptr;

  /// As the public header has it.
  Algorithm listed() const { return Algorithm(*this); }
  /// The entry of an algorithm.
  static const AlgorithmEntry& of(const Algorithm& algorithm) { return *algorithm.entry_; }
};

/// All of them, in the order in which they are listed.
std::span<const AlgorithmEntry* const> algorithm_entries();

}  // namespace schedcc
