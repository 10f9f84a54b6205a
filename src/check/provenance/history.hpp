#pragma once

// The history of a chunk: every transfer that carries it, in order, at the level of the input.

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/reporter.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::provenance {

/// The identity of a transfer: several of one line, or of one message of an algorithm, are one.
struct Name {
  std::uint64_t step;
  Rank src, dst;
  std::uint32_t line;
  friend auto operator<=>(const Name&, const Name&) = default;
};

/// A transfer of the chunk.
struct ChunkTransfer {
  LocatedTransfer where;
  std::uint64_t arrives;  ///< the first step in which its destination can send its chunks
  std::size_t index;      ///< among the transfers of its step

  Rank src() const { return where.transfer.src; }
  Rank dst() const { return where.transfer.dst; }
  bool reduce() const { return where.transfer.reduce != 0; }
  Name name() const { return {where.step, src(), dst(), where.line}; }
  TransferLocation location() const { return {where.step, src(), dst(), reduce(), where.line}; }
};

struct History {
  Chunk chunk;
  std::vector<ChunkTransfer> transfers;       ///< in the order of the schedule
  std::vector<ChunkTransfer> malformed = {};  ///< those that do not count; they never arrive
};

/// A transfer is sent, or arrives.
struct Action {
  std::uint64_t time;
  bool sends;
  std::size_t transfer;
};
/// Those of the transfers of a history, in the order in which they happen: of a step arrivals
/// first.
std::vector<Action> actions(const History& history);

/// The step from which the destination of a transfer that leaves in `step` holds its chunks.
using ArrivalTime = std::function<std::uint64_t(std::uint64_t step, const Transfer&)>;

/// The source of the steps, and the names used in messages.
struct Origins {
  const Problem& problem;
  std::function<std::unique_ptr<StepStream>()> open;  ///< at the level of the input
  std::function<bool(const Transfer&)> well_formed;   ///< does a transfer of `open` count?
  ArrivalTime arrives;
  std::function<std::string(Rank)> node;  ///< "rank 3"
};

/// The histories of the chunks, the most important first; of as many chunks as have at most `most`
/// transfers in total. Memory: those transfers.
std::vector<History> record(const Origins& origins, std::span<const Chunk> chunks,
                            std::size_t most);

}  // namespace schedcc::provenance
