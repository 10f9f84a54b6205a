#pragma once

// Groups the causes of several chunks: all errors that one transfer, or a missing one, causes are
// reported once.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "check/provenance/causes.hpp"
#include "check/provenance/unused_transfers.hpp"

namespace schedcc::provenance {

/// How much a cause affects, over all chunks.
struct Extent {
  std::set<Rank> ranks = {};            ///< that end with a wrong value
  std::uint64_t goals = 0;              ///< chunks of these ranks
  std::uint64_t failing = 0, gaps = 0;  ///< transfers, chunk by chunk
};

/// A cause, as it is seen at one chunk, and its extent.
struct Group {
  Cause cause;
  Chunk chunk;
  std::optional<ChunkTransfer> transfer, other, earlier;  ///< as the cause names them
  std::optional<ChunkTransfer> lacking, gap;              ///< the first transfer that has the fault
  Rank goal = 0;                           ///< that ends wrong, and is named, if any does
  std::optional<ChunkTransfer> due = {};   ///< of those that fail, the first on the way to `goal`
  std::optional<ChunkTransfer> last_sent;  ///< by `cause.node`, before `transfer` came to it
  /// If a transfer is missing: the one that makes the wrong value or, if there is none, the last
  /// that carries the chunk.
  std::optional<ChunkTransfer> made_by, last;
  /// Malformed transfers that would bring the chunk to `cause.node`, and by which those send it
  /// that have it and do not send it otherwise.
  std::optional<ChunkTransfer> malformed_arrival = {}, malformed_send = {};
  std::optional<UnusedTransfer> unused =
      {};  ///< what `cause.node` may have received in place of the chunk
  Extent extent = {};
};

class Groups {
 public:
  void add(const History& history, const Cause& cause);
  /// The ranks to which no transfer brings a chunk that they need, ascending; and the unused
  /// transfers to them.
  std::vector<Rank> absent() const;
  void note(const std::map<Rank, UnusedTransfer>& unused);
  /// At the first chunk of which transfers fail, or are out of order, in the order of the schedule.
  std::vector<Group> by_place() const;
  /// At the first chunk of which ranks end with a wrong value, by rank and chunk.
  std::vector<Group> by_goal() const;
  /// The transfers of a history that are causes elsewhere.
  std::vector<std::size_t> moves_of(const History& history) const;

 private:
  using Key = std::tuple<Cause::Kind, Rank, std::optional<Name>>;
  static Key key(const History& history, const Cause& cause);

  /// A cause at the first chunk that shows errors of transfers, and of ranks at the end: what is
  /// said of the one chunk need not be true of the other.
  struct Entry {
    std::optional<Group> of_transfers = {}, of_ranks = {};
    Extent extent = {};
  };
  static Group seen_at(const History& history, const Cause& cause);
  std::vector<Group> all(std::optional<Group> Entry::*which) const;

  std::map<Key, std::size_t> known_;
  std::set<Name> named_;
  std::vector<Entry> entries_;
};

}  // namespace schedcc::provenance
