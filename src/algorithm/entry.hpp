#pragma once

// The entry of an algorithm: a function from a problem to steps, and the properties that the
// catalogue lists.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/algorithm.hpp"

namespace schedcc {

/// An algorithm, defined at the end of its file.
struct AlgorithmEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view source;              ///< paper, section, equation
  std::vector<Collective> collectives;  ///< the first is the default
  /// What it was made for; the first is the default. `{h}` is the value of its parameter h.
  std::vector<std::string_view> machines;
  /// Is it for this request's machine, which is one of `machines`? nullptr: always.
  bool (*fits)(const Request&) = nullptr;
  std::vector<Parameter> parameters = {};
  /// Are its transfers whole blocks, so that the blocks may be irregular?
  bool whole_blocks = false;
  /// Algorithms for a collective of their own (Collective::custom): the problem with its chunks and
  /// its `pre` and `post` lines, for requests that `refuse` accepts. The request's `chunks` are K
  /// per block.
  Problem (*own_problem)(const Request&) = nullptr;
  /// Why it does not serve a request, in the paper's terms; none if it does.
  std::optional<std::string> (*refuse)(const Request&) = nullptr;
  /// Reductions: why it cannot keep the order of operands, for P >= 2; none if it can.
  /// nullptr: it never can.
  std::optional<std::string> (*order)(const Request&) = nullptr;
  /// The schedule, for P >= 2.
  Steps (*build)(const Request&);
  /// Its steps, for P >= 2, on a machine that it is for.
  CostClaim (*claim)(const Request&);
  /// The values that it chooses for open parameters of the request, for P >= 2 and served requests.
  /// nullptr: there is nothing to choose.
  Chosen (*choose)(const Request&) = nullptr;
  /// Its transfers are hops over the links of the machines that it was made for: routers copy and
  /// combine.
  bool hops = false;
  /// Fat trees: the longest queue at a link of the routers of levels 1, 2, ..., by its source, for
  /// P >= 2; empty if its source has none.
  std::vector<std::uint64_t> (*queues)(const Request&) = nullptr;

  /// Its form in the public header.
  Algorithm listed() const { return Algorithm(*this); }
  /// The entry of an algorithm.
  static const AlgorithmEntry& of(const Algorithm& algorithm) { return *algorithm.entry_; }
};

/// All of them, in the order in which they are listed.
std::span<const AlgorithmEntry* const> algorithm_entries();

}  // namespace schedcc
