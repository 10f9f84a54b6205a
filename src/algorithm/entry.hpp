#pragma once

// The entry of an algorithm: a function from a problem to steps, and the properties that the
// catalogue lists.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/scaling.hpp"
#include "schedcc/algorithm.hpp"

namespace schedcc {

class LocalSchedule;
struct LocalRequest;

/// A part of a composition, and what it is asked for.
struct AlgorithmPart {
  Algorithm algorithm;
  Request request;
  /// So many chunks of each of its blocks are not sent.
  std::uint32_t left_out = 0;
};

/// An algorithm, defined at the end of its file.
struct AlgorithmEntry {
  std::string_view name = {};
  std::string_view summary = {};
  std::string_view source = {};  ///< paper, section, equation
  /// The first is the default. Those with `own_problem` have no other.
  std::vector<Collective> collectives = {Collective::custom};
  /// What it was made for; the first is the default. `{h}` is the value of its parameter h,
  /// `{h-1}` one less.
  std::vector<std::string_view> machines = {};
  /// Is it for this request's machine, which is one of `machines`? nullptr: always.
  std::function<bool(const Request&)> fits = nullptr;
  /// Is its schedule for simplex ranks another one than that for duplex ranks, which papers have
  /// formulas for?
  bool other_on_simplex = false;
  std::vector<Parameter> parameters = {};
  /// Are its transfers whole blocks, so that the blocks may be irregular?
  bool whole_blocks = false;
  /// Algorithms for a collective of their own: the problem with its chunks and
  /// its `pre` and `post` lines, for requests that `reason` accepts. The request's `chunks` are K
  /// per block.
  std::function<Problem(const Request&)> own_problem = nullptr;
  /// Why it does not serve a request, in the paper's terms; none if it does.
  std::function<std::optional<std::string>(const Request&)> reason = nullptr;
  /// The same beyond the limits of a Problem. nullptr: as for 2^30 ranks.
  std::optional<std::string> (*wide_reason)(const LocalRequest&) = nullptr;
  /// Reductions: why it cannot keep the order of operands, for P >= 2; none if it can.
  /// nullptr: it never can.
  std::function<std::optional<std::string>(const Request&)> order = nullptr;
  /// Allreduce: do all ranks end with the same expression (the check `agreement`), for P >= 2 and
  /// served requests? nullptr: always.
  std::function<bool(const Request&)> agrees = nullptr;
  /// When they do not, in a few words; empty where `agrees` is nullptr.
  std::string_view disagreement = {};
  /// Its kernel (local.hpp), for a request that it serves, or InputError with the reason why there
  /// is none. nullptr: it never has one, as `whole_only` says.
  std::shared_ptr<const LocalSchedule> (*kernel)(const LocalRequest& request) = nullptr;
  /// Where `kernel` is nullptr: why a rank cannot compute its own operations alone.
  std::string_view whole_only = "its steps are made for all ranks together";
  /// How the schedule for K chunks, or K per block, is made from that for one (model/scaling.hpp),
  /// for P >= 2 and served requests. nullptr: for collectives in blocks by larger blocks if they
  /// are `whole_blocks`, and else not at all.
  std::function<Scaling(const Request&)> scaling = nullptr;
  /// Where it scales: the schedule for K = 1 in phases, which scale one by one. nullptr: it is one
  /// phase, which `build` makes.
  std::function<std::vector<SchedulePhase>(const Request&)> phases = nullptr;
  /// The schedule, for P >= 2; for K = 1 where it scales.
  std::function<Steps(const Request&)> build;
  /// Its steps, for P >= 2, on a machine that it is for.
  std::function<CostClaim(const Request&)> claim;
  /// The values that it chooses for open parameters of the request, for P >= 2 and served requests.
  /// nullptr: there is nothing to choose.
  std::function<ChosenParameters(const Request&)> choose = nullptr;
  /// The number of chunks whose multiples suit it best, or are the only ones that it serves, for
  /// P >= 2 and requests that it serves with some number of chunks. nullptr: 1.
  std::function<std::uint64_t(const Request&)> chunk_unit = nullptr;
  /// It sends along the links of the machines that it was made for: on networks its transfers are
  /// hops, and routers copy and combine.
  bool hops = false;
  /// Fat trees: the longest queue at a link of the routers of levels 1, 2, ..., by its source, for
  /// P >= 2; empty if its source has none.
  std::function<std::vector<std::uint64_t>(const Request&)> queues = nullptr;
  /// Compositions: the parts, for a collective that it serves. It is for the machines that all of
  /// its parts are for, if `fits` says so. nullptr: it has no parts.
  std::function<std::vector<AlgorithmPart>(const Request&)> parts = nullptr;
  /// Is it a sequence, X then Y, for one or for several collectives? Its parts follow from the
  /// collective alone.
  bool sequence = false;
  /// Compositions: the algorithm that it is the reverse of; nullptr: it is none.
  std::shared_ptr<const Algorithm> reverse_of = nullptr;

  /// Its form in the public header; the entry outlives it.
  Algorithm listed() const {
    return Algorithm(std::shared_ptr<const AlgorithmEntry>(std::shared_ptr<void>(), this));
  }
  /// The same, for an entry that was made for it.
  static Algorithm listed(std::shared_ptr<const AlgorithmEntry> entry) {
    return Algorithm(std::move(entry));
  }
  /// The entry of an algorithm.
  static const AlgorithmEntry& of(const Algorithm& algorithm) { return *algorithm.entry_; }
};

/// `AlgorithmEntry::chunk_unit`; 1 if it has none.
std::uint64_t chunk_unit(const Algorithm& algorithm, const Request& request);

/// How the schedule for a request that the algorithm serves is made from that for one chunk, or one
/// per block.
Scaling scaling(const Algorithm& algorithm, const Request& request);
/// The request for one chunk, or one per block.
Request for_one_chunk(Request request);

/// `AlgorithmEntry::scaling` of rules that move whole blocks, for collectives in blocks ...
Scaling larger_blocks(const Request& request);
/// ... and of those that besides send the packets of other collectives one after another, to one
/// rank the last one first.
Scaling blocks_or_packets(const Request& request);

/// The algorithms, in the order in which they are listed.
std::span<const AlgorithmEntry* const> algorithm_entries();

}  // namespace schedcc
