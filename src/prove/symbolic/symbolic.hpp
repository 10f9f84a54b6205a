#pragma once

// Symbolic proofs: for every number of packets at once.
//
// A symbolic schedule has the transfers as formulas, those of algorithm/kernel. It is a set of
// *lines*: a rank's line is a formula in the step t, the number of packets K and some indices, that
// says whether a packet is sent, and which. The obligations are about one rank at a time: its
// incoming and its outgoing lines. Ranks whose lines are the same formulas are one case, a
// `RankClass`, and if ranks are words (2^60 of them) all ranks are.
//
// The induction needs the *arrival*: a formula for the step in which a rank receives a packet. It
// is part of the argument, not of the schedule, and not trusted: `delivery` shows that the schedule
// does send that packet to that rank in that step. `causality` then shows that every packet that a
// rank sends has its arrival in an earlier step, or was held at the start. Since the arrival is a
// transfer of the schedule, packets are held before they are sent, by induction over steps, for all
// steps and all K. docs/symbolic-proofs.md has the whole argument.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "prove/sat/solve/solver.hpp"
#include "prove/symbolic/term.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// The kinds of packets: packet p; all of block o; all of the block of o for d; packet j of that.
enum class PacketKind : std::uint8_t { packet, block, pair, pair_packet };
using Packet = std::vector<Term>;

/// The variables that formulas share.
Term step_variable();    ///< "t"
Term chunks_variable();  ///< "K"

/// Transfers that one formula describes, in t, K and its indices.
struct Family {
  std::vector<Term> indices;  ///< variables
  Condition sent{false};
  Term from{0}, to{0};
  Packet packet;
  /// It arrives in step t + delay (0 but on networks: its hops less one).
  Term delay{0};
};

/// A family between two given ranks; its formula has two more parameters, the variables "start" and
/// "place".
struct Edge {
  std::uint32_t family, from, to, start, place;
};

/// If `when` holds and no earlier one does, the packet arrives in step `step` on line `line`, with
/// these indices.
struct Arrival {
  Condition when{false};
  std::size_t line = 0;
  Term step{0};
  std::vector<Term> indices;
  /// The condition on its own variables: it holds for some values of these.
  Condition assumed{true};
};

/// A family as seen from one end: `peer` is at the other one. Trees do not set it.
struct EndFamily {
  std::vector<Term> indices;
  Condition sent{false};
  std::optional<Term> peer;
  Packet packet;
  Term delay{0};
  /// The condition on any two transfers of the line, by their indices.
  std::function<Condition(const std::vector<Term>&, const std::vector<Term>&)> related = nullptr;
  /// Outgoing transfers: the arrival of the packet sent, if it is not in `arrivals`.
  std::optional<Arrival> source = std::nullopt;
};

/// Ranks with the same formulas.
struct RankClass {
  std::optional<std::uint64_t> example;  ///< one of the ranks; none: the class has all ranks
  Condition where{true};                 ///< the condition on the variables of the class
  Term rank{0};                          ///< the rank, or the argument of `rank_of`
  std::function<std::uint64_t(std::uint64_t)> rank_of;
  std::vector<EndFamily> in, out;
  /// Side conditions of the formulas: the message, and the condition that must be unsatisfiable.
  std::vector<std::pair<std::string, Condition>> side_conditions;
  /// A lemma on any two values of a line's first index, the smaller one first, for every K. The
  /// solver proves it, and it is assumed in queries about two transfers of a line.
  std::function<Condition(const Term&, const Term&)> lemma;
  std::function<Condition(const Packet&)> holds;  ///< at the start
  std::function<Condition(const Packet&)> wants;  ///< at the end
  std::function<std::vector<Arrival>(const Packet&)> arrivals;
  /// It may represent more ranks than exist. Then obligations that cannot be proved for it are
  /// proved for its `members`, which represent exactly the existing ones.
  std::size_t members = 0;
  std::function<RankClass(std::size_t)> member = nullptr;
};

struct SymbolicSchedule;
using RankClasses = std::vector<RankClass> (*)(const SymbolicSchedule&,
                                               const PollLimits& poll_limits);

struct SymbolicSchedule {
  std::uint64_t ranks = 0, root = 0;
  PacketKind kind = PacketKind::packet;
  bool rooted = true;        ///< ranks are counted from the root (and renamed for another one)
  bool reversible = false;   ///< reversed in time it is the schedule of a reduction
  bool wide = false;         ///< messages may carry several packets
  bool direct = false;       ///< packets go from their origin to their destination at once
  bool links = false;        ///< ports represent links (fat tree)
  bool simplex = false;      ///< a rank takes part in one message at most
  std::uint64_t period = 0;  ///< not 0: steps and packets are written as period * m + rest
  std::uint64_t run = 0;     ///< trees: what the formulas count modulo
  std::vector<Family> families;
  std::vector<Edge> edges;          ///< trees alone
  Term steps{0};                    ///< the claimed number, a formula in K
  std::string enumerated_property;  ///< a property of every rank that is verified by enumeration,
                                    ///< not by a query; empty: none
  RankClasses rank_classes = nullptr;
};

/// The schedule for K packets, up to some steps after the claimed ones, by enumeration of the
/// indices. For tests, and for counterexamples.
Schedule table(const SymbolicSchedule& schedule, std::uint64_t K);

/// Ranks, edges or transfers that are examined between two calls of `poll_limits`.
inline constexpr std::uint64_t poll_interval = 1U << 12;

/// The number of combinations of indices that `table` and `wrong_transfer` enumerate.
double table_effort(const SymbolicSchedule& schedule, std::uint64_t K);

/// Does the rank, counted from the root, of a schedule with edges receive the packet? By
/// enumeration of its edges and all steps.
bool receives(const SymbolicSchedule& schedule, std::uint64_t rank,
              const std::vector<std::uint64_t>& packet, std::uint64_t K,
              const PollLimits& poll_limits = nullptr);

/// An error of the table for K packets, if there is one: found by following its packets.
std::optional<Counterexample> wrong_transfer(const SymbolicSchedule& schedule, std::uint64_t K,
                                             const PollLimits& poll_limits = nullptr);

/// Proves that shape, ports (links), causality, delivery, redundancy and the number of steps hold
/// for all K >= 1. Stops at the first counterexample, with the smallest K that a few attempts find.
/// If the table for that K is small, the counterexample is an error of the table; if it has none,
/// the argument does not fit the schedule, and the verdict is unknown, as it is if the limits are
/// reached. `unsat` has queries, as SMT-LIB text, that are known to have no solution: they are not
/// asked, and others that have none are added. Schedules with common parts can share it.
SymbolicProof prove(const SymbolicSchedule& schedule, const SymbolicOptions& options,
                    std::unordered_set<std::string>* unsat = nullptr);

/// The packet's chunk for K, or the first one if it is a block.
std::uint64_t chunk_of(const SymbolicSchedule& schedule, const std::vector<std::uint64_t>& packet,
                       std::uint64_t K);

/// An algorithm with a symbolic schedule, and its construction for a request; `chunks` are ignored.
/// `reason`: why there is none for these parameters.
struct SymbolicScheduleEntry {
  std::string_view algorithm;
  std::optional<std::string> (*reason)(const Request&);
  SymbolicSchedule (*make)(const Algorithm&, const Request&, std::uint64_t ranks,
                           const PollLimits& poll_limits);
  std::uint64_t max_ranks;     ///< the limit, if they are listed
  bool powers_of_two = false;  ///< ranks must be one
};
std::span<const SymbolicScheduleEntry> symbolic_schedules();

}  // namespace schedcc::prover
