#pragma once

// One rank's part of a table, and its data, after agreement of all ranks.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedcc/mpi/agreement.hpp"
#include "schedcc/mpi/elements.hpp"
#include "schedcc/mpi/rank_messages.hpp"

namespace schedcc::mpi {

/// The data: the datatype of an element, and for reductions the operation. Neither may be freed
/// before the executor of the table.
struct Payload {
  MPI_Datatype type = MPI_BYTE;
  MPI_Op op = MPI_OP_NULL;
};

struct RankSetup {
  Layout layout;
  RankMessages messages;
  bool ordered;  ///< must the order of the ranks be kept?
};

/// "broadcast, 8 ranks, root 0, 4 chunks on duplex".
inline std::string describe(const Table& table) {
  const Problem& p = table.problem;
  const bool rooted = is_one_of(p.collective, {"broadcast", "scatter", "gather", "reduce"});
  return p.collective + ", " + counted(p.ranks, "rank") +
         (rooted ? ", root " + std::to_string(p.root) : "") + ", " + counted(p.chunks, "chunk") +
         (p.ordered ? ", ordered" : "") + " on " + table.machine;
}

inline bool commutes(MPI_Op op) {
  int result = 1;
  if (op != MPI_OP_NULL) check(MPI_Op_commutative(op, &result));
  return result != 0;
}

/// Throws Error unless there is an operation for reductions, and the table serves it.
inline void expect_reduction(const Table& table, const RankMessages& messages,
                             const Element& element, MPI_Op op) {
  if (!reduction(table.problem) && !messages.combines()) return;
  if (op == MPI_OP_NULL) throw Error("a reduction needs an operation");
  expect_operation(element, op);
  if (!commutes(op) && !table.problem.ordered) {
    throw Error("the operation is not commutative, and the table does not keep the order");
  }
}

/// The part of this process's rank in `comm`; `whole` as for Layout. Throws TableError, at all
/// ranks, if they do not agree, if one of them cannot execute its part, or if the totals of sends
/// and receives differ. Collective.
inline RankSetup part_of(const Table& table, const Communicator& comm, Cut cut,
                         const Element& element, MPI_Op op, StepOrder pace, bool whole) {
  const bool commutative = commutes(op);
  expect_same(comm,
              {describe(table), "a message of " + counted(cut.elements, "element"),
               "chunks of " + (cut.chunk == 0 ? "the least size" : counted(cut.chunk, "element")),
               "elements of " + counted(static_cast<std::uint64_t>(element.size), "byte"),
               commutative ? "an operation that commutes" : "one that does not commute"});
  RankSetup part = agreed(comm, [&] {
    const RankContext& context = comm.context();
    if (context.size != table.problem.ranks) {
      throw Error("a table for " + std::to_string(table.problem.ranks) +
                  " ranks cannot be executed by " + std::to_string(context.size));
    }
    const std::vector<Operation> program = table.program(context.rank);
    Layout layout(table.problem, cut, context.rank, program, whole);
    RankMessages messages = MessageBuilder(table, context, layout, program, pace).take();
    expect_reduction(table, messages, element, op);
    return RankSetup{std::move(layout), std::move(messages), !commutative && table.problem.ordered};
  });
  expect_balance(comm, part.messages);
  return part;
}

}  // namespace schedcc::mpi
