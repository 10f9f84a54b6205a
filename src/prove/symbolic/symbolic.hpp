#pragma once

// Proofs about closed forms: for every number of packets at once.
//
// A closed form says who sends which packet in which step, by the formulas of algorithm/kernel.
// Here it is a set of *lines*: a rank's line is a formula in the step t, the number of packets K
// and some indices, that says whether something is sent, and which packet. What is to be proved
// speaks of one rank at a time: of the lines that come in, and of those that go out. Ranks whose
// lines are the same formulas are one case, a `RankClass`, and where ranks are words (2^60 of
// them) they all are.
//
// What makes it finite is the *arrival*: a formula for the step in which a rank receives a packet.
// It is part of the argument, not of the schedule, and nothing is believed of it: `delivery` shows
// that the schedule does send that packet to that rank in that step. `causality` then shows that
// whatever a rank sends has its arrival in an earlier step, or was there at the start. Since the
// arrival is a transfer of the schedule, packets are held before they are sent, by induction over
// steps, for all steps and all K. docs/symbolic-proofs.md has the whole argument.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prove/sat/solver.hpp"
#include "prove/symbolic/term.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// What a packet is: packet p; all of block o; all of the block of o for d; packet j of that.
enum class PacketKind : std::uint8_t { packet, block, pair, pair_packet };
using Packet = std::vector<Term>;

/// The variables that formulas have in common.
Term step_variable();    ///< "t"
Term chunks_variable();  ///< "K"

/// A kind of transfers, as a formula in t, K and its indices.
struct Family {
  std::vector<Term> indices;  ///< variables
  Truth sent{false};
  Term from{0}, to{0};
  Packet packet;
  /// It arrives in step t + delay (0 but on networks: its hops less one).
  Term delay{0};
};

/// A kind of transfers between two given ranks: a family whose formula also has these parameters,
/// the variables "start" and "place".
struct Edge {
  std::uint32_t family, from, to, start, place;
};

/// Where `when` holds and none of those before did, the packet comes in step `step` on line `line`,
/// with these indices.
struct Arrival {
  Truth when{false};
  std::size_t line = 0;
  Term step{0};
  std::vector<Term> indices;
  /// What is known of the variables in it that are its own: for some values of these it holds.
  Truth known{true};
};

/// A family as it looks from one end: `peer` is at the other one. Trees leave it out.
struct EndFamily {
  std::vector<Term> indices;
  Truth sent{false};
  std::optional<Term> peer;
  Packet packet;
  Term delay{0};
  /// What is known of any two transfers of the line, by their indices.
  std::function<Truth(const std::vector<Term>&, const std::vector<Term>&)> related = nullptr;
  /// Of outgoing ones: the arrival of what is sent, if it is not to be looked up in `arrivals`.
  std::optional<Arrival> source = std::nullopt;
};

/// Ranks that see the same formulas.
struct RankClass {
  std::optional<std::uint64_t> example;  ///< one of the ranks; none: they are all of this kind
  Truth where{true};                     ///< which ranks, in variables of their own
  Term rank{0};                          ///< the rank, or what `named` turns into one
  std::function<std::uint64_t(std::uint64_t)> named;
  std::vector<EndFamily> in, out;
  /// What must not be, for the lines to be what they are said to be: what is wrong, and when.
  std::vector<std::pair<std::string, Truth>> impossible;
  /// What holds of any two values of a line's first index, the smaller one first, whatever K is.
  /// The solver proves it, and is told so where it is asked about two transfers of a line.
  std::function<Truth(const Term&, const Term&)> lemma;
  std::function<Truth(const Packet&)> holds;  ///< at the start
  std::function<Truth(const Packet&)> wants;  ///< at the end
  std::function<std::vector<Arrival>(const Packet&)> arrivals;
  /// It may stand for more than the ranks that there are. Then what cannot be proved of it is
  /// proved of its `members`, which stand for these and no others.
  std::size_t members = 0;
  std::function<RankClass(std::size_t)> member = nullptr;
};

struct SymbolicSchedule;
using RankClasses = std::vector<RankClass> (*)(const SymbolicSchedule&,
                                               const std::function<void()>& watch);

struct SymbolicSchedule {
  std::uint64_t ranks = 0, root = 0;
  PacketKind kind = PacketKind::packet;
  bool rooted = true;        ///< ranks are counted from the root (and renamed for another one)
  bool reversible = false;   ///< backwards it is the schedule of a reduction
  bool wide = false;         ///< messages may carry several packets
  bool direct = false;       ///< packets go from their origin to their destination at once
  bool links = false;        ///< ports stand for links (fat tree)
  bool simplex = false;      ///< a rank takes part in one message at most
  std::uint64_t period = 0;  ///< steps and packets are written as period * m + rest; 0: not
  std::uint64_t run = 0;     ///< trees: what the formulas count modulo
  std::vector<Family> families;
  std::vector<Edge> edges;  ///< trees alone
  Term steps{0};            ///< the promise, a formula in K
  std::string steps_text;   ///< the same for people: "K + 40"
  std::string counted;      ///< what is said of every rank and no query proves; empty: nothing
  /// `watch` is called now and then; what it throws ends the work.
  RankClasses rank_classes = nullptr;
};

/// The schedule that the closed form gives for K packets, up to some steps after the promised ones:
/// by trying all values of the indices. For tests, and for counterexamples.
Schedule table(const SymbolicSchedule& form, std::uint64_t K);

/// How many transfers `table` and `wrong_transfer` try.
double table_effort(const SymbolicSchedule& form, std::uint64_t K);

/// Does the rank, counted from the root, of a form with edges receive the packet? By trying its
/// edges in all steps. `watch` is called now and then; what it throws ends the work.
bool receives(const SymbolicSchedule& form, std::uint64_t rank,
              const std::vector<std::uint64_t>& packet, std::uint64_t K,
              const std::function<void()>& watch = nullptr);

/// What is wrong with the table for K packets, if anything is: found by following its packets.
/// `watch` is called now and then; what it throws ends the work.
std::optional<Counterexample> wrong_transfer(const SymbolicSchedule& form, std::uint64_t K,
                                             const std::function<void()>& watch = nullptr);

/// Proves that shape, ports (links), causality, delivery, redundancy and the number of steps hold
/// for all K >= 1. Stops at the first counterexample, whose K is as small as a few attempts find
/// it. Where the table for that K is small, the counterexample is what is wrong with it; if nothing
/// is, the argument does not fit the schedule, and the verdict is unknown, as it is where the
/// limits are reached.
SymbolicProof prove(const SymbolicSchedule& form, const SymbolicOptions& options);

/// The packet's chunk for K, or the first one where it is a block.
std::uint64_t chunk_of(const SymbolicSchedule& form, const std::vector<std::uint64_t>& packet,
                       std::uint64_t K);

/// An algorithm with a closed form, and how to get it for a request; `chunks` do not matter.
/// `refuse`: why there is none for these parameters. `watch` is called now and then; what it throws
/// ends the work.
struct SymbolicScheduleEntry {
  std::string_view algorithm;
  std::optional<std::string> (*refuse)(const Request&);
  SymbolicSchedule (*make)(const Algorithm&, const Request&, std::uint64_t ranks,
                           const std::function<void()>& watch);
  std::uint64_t most_ranks;    ///< where they are listed, what can be held
  bool powers_of_two = false;  ///< ranks must be one
};
std::span<const SymbolicScheduleEntry> symbolic_schedules();

}  // namespace schedcc::prover
