// The operations are sorted by rank by counting them first: two passes over the source, and no more
// in memory than the operations themselves.

#include "format/table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "analysis/message_groups.hpp"
#include "core/memory.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cpp {

namespace {

/// A run of chunks that one message carries.
struct Piece {
  Rank src, dst;
  Chunk first;
  std::uint32_t count;
  bool reduce;
  std::size_t message = 0;  ///< its number in the step; set if a step has copies and reductions
};

/// The messages of a step in pieces; the pieces of a message are adjacent.
class Pieces {
 public:
  std::span<const Piece> operator()(const Step& step) {
    pieces_.clear();
    messages_(step, [&](const WrittenMessage& m) {
      for (const Run& run : m.runs) {
        pieces_.push_back({m.src, m.dst, run.first, run.count, m.reduce});
      }
    });
    const auto copies = std::ranges::count(pieces_, false, &Piece::reduce);
    if (copies != 0 && copies != std::ssize(pieces_)) join_modes();
    return pieces_;
  }

 private:
  /// The copies and the reductions of a message are separate; here they become adjacent.
  void join_modes() {
    ends_.clear();
    for (const Piece& p : pieces_) ends_.push_back(copy(p.src, p.dst, 0));
    groups_.read(ends_);
    for (std::size_t i = 0; i < pieces_.size(); ++i) pieces_[i].message = groups_.of(i);
    std::ranges::stable_sort(pieces_, {}, &Piece::message);
  }

  CanonicalMessages messages_;
  std::vector<Piece> pieces_;
  Transfers ends_;  ///< of the pieces
  MessageGroups groups_;
};

mpi::Mode mode(const Piece& piece) { return piece.reduce ? mpi::reduce : mpi::copy; }

/// Calls `visit(rank, operation)` for every operation of the schedule; those of a rank come in step
/// order, the sends of a step before its receives. (LogP: each kind in the order of its starts.)
template <typename Visit>
void for_each_operation(const Source& source, const Machine& machine, Visit visit) {
  const std::uint64_t delay = machine.receive_delay();
  const auto stream = source.open();
  Pieces pieces;
  for (Step step; stream->next(step);) {
    const std::span<const Piece> all = pieces(step);
    for (const Piece& p : all) {
      visit(p.src, Operation{step.number, mpi::send, p.dst, p.first, p.count, mode(p)});
    }
    for (const Piece& p : all) {
      visit(p.dst, Operation{step.number + delay, mpi::receive, p.src, p.first, p.count, mode(p)});
    }
  }
}

Totals count_steps(const Source& source, const Machine& machine) {
  Totals totals;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    if (step.transfers.empty()) continue;
    totals.steps = step.number + machine.latency();
    totals.transfers += step.transfers.size();
  }
  return totals;
}

/// The first pass: where each rank's operations begin. Memory grows with the ranks that have
/// operations.
std::vector<std::uint64_t> count_operations(const Source& source, const Machine& machine) {
  std::vector<std::uint64_t> index{0};
  std::uint64_t count = 0;
  constexpr std::uint64_t often = 1 << 16;
  for_each_operation(source, machine, [&](Rank rank, const Operation& o) {
    if (++count % often == 0) {
      require_memory(Saturating(count) * sizeof(Operation),
                     "a table of the operations of all ranks");
    }
    if (rank >= source.problem.ranks) {
      throw InputError(
          fmt::format("step {} has a transfer of rank {}, which is not one of the {} ranks", o.step,
                      rank, source.problem.ranks));
    }
    if (rank + std::size_t{1} >= index.size()) index.resize(rank + std::size_t{2});
    ++index[rank + std::size_t{1}];
  });
  for (std::size_t i = 1; i < index.size(); ++i) index[i] += index[i - 1];
  return index;
}

/// On LogP sends and receives of a rank interleave. If o = 0 lets both start at once, a receive
/// comes first: its chunks may be sent in the same cycle.
void sort_by_start(std::span<Operation> of_rank) {
  std::ranges::stable_sort(
      of_rank, {}, [](const Operation& o) { return std::pair(o.step, o.kind == mpi::send); });
}

}  // namespace

std::vector<std::span<const Operation>> messages_of(std::span<const Operation> operations) {
  std::vector<std::span<const Operation>> messages;
  while (!operations.empty()) {
    const Operation& first = operations.front();
    const auto end = std::ranges::find_if(operations, [&](const Operation& o) {
      return o.step != first.step || o.peer != first.peer || o.kind != first.kind;
    });
    messages.push_back(operations.first(static_cast<std::size_t>(end - operations.begin())));
    operations = operations.subspan(messages.back().size());
  }
  return messages;
}

Table by_rank(const Source& source, const Machine& machine) {
  std::vector<std::uint64_t> index = count_operations(source, machine);
  Table table{count_steps(source, machine), std::move(index), {}};
  table.totals.operations = table.index.back();
  table.operations.resize(table.index.back());
  std::vector<std::uint64_t> next = table.index;
  for_each_operation(source, machine, [&](Rank rank, const Operation& operation) {
    if (rank + std::size_t{1} >= next.size() || next[rank] == table.index[rank + 1]) {
      throw InputError({source.file}, "the schedule changed while it was read");
    }
    table.operations[next[rank]++] = operation;
  });
  if (machine.timing()) {
    for (std::size_t rank = 0; rank + 1 < table.index.size(); ++rank) {
      sort_by_start(std::span(table.operations)
                        .subspan(table.index[rank], table.index[rank + 1] - table.index[rank]));
    }
  }
  return table;
}

Table by_rank(const Source& source, const Machine& machine, Rank rank) {
  Table table{count_steps(source, machine), {}, {}};
  for_each_operation(source, machine, [&](Rank r, const Operation& operation) {
    if (r != rank) return;
    require_room(table.operations, "a table of a rank's operations");
    table.operations.push_back(operation);
  });
  table.totals.operations = table.operations.size();
  if (machine.timing()) sort_by_start(table.operations);
  return table;
}

}  // namespace schedcc::cpp
