#pragma once

// Tables from headers emitted by schedcc, by the names of their namespaces:
//
//   SCHEDCC_MPI_TABLE(tree)  --emit cpp, --emit mpi: the operations of all ranks
//   SCHEDCC_MPI_RANK(tree)   --emit cpp:rank=R: those of one rank, which no other can execute
//   SCHEDCC_MPI_LOCAL(tree)  --emit cpp:local (C++20): each rank computes its own
//
// Ranks may come from different headers, as long as these are of one schedule. The `pre` and `post`
// lines of a custom collective are in none of them.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedcc/mpi/table.hpp"

namespace schedcc::mpi {

/// The constants of a header. Those of cpp:local have 64 bits: a value too large for a Problem
/// saturates, and is refused on execution.
inline Problem problem_of(std::string_view collective, std::uint64_t ranks, std::uint64_t root,
                          std::uint64_t chunks, std::uint64_t total_chunks, bool ordered) {
  const auto narrow = [](std::uint64_t number) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, UINT32_MAX));
  };
  return {std::string(collective),
          narrow(ranks),
          narrow(root),
          narrow(chunks),
          total_chunks,
          ordered,
          {},
          {}};
}

/// Operations of another type with the same members.
template <typename Program>
std::vector<Operation> operations_of(const Program& program) {
  std::vector<Operation> result;
  std::transform(program.begin(), program.end(), std::back_inserter(result), [](const auto& o) {
    return Operation{o.step,
                     static_cast<Kind>(o.kind),
                     static_cast<std::uint32_t>(o.peer),
                     static_cast<std::uint32_t>(o.first),
                     static_cast<std::uint32_t>(o.count),
                     static_cast<Mode>(o.mode)};
  });
  return result;
}

/// A table whose operations are those of `program(rank)`.
template <typename Program>
Table table_of(const char* name, Problem problem, std::string_view machine, Program program) {
  return {name, std::move(problem), std::string(machine),
          [program](std::uint32_t r) { return operations_of(program(r)); }};
}

/// Throws Error unless the operations of the rank are in the table: its index has been damaged.
template <typename Index>
void expect_in_table(const Index& index, std::uint64_t operations, std::uint32_t rank) {
  if (index.size() >= std::uint64_t{rank} + 2 && index[rank] <= index[rank + 1] &&
      index[rank + 1] <= operations) {
    return;
  }
  throw Error("the table's index is damaged: the operations of rank " + std::to_string(rank) +
              " are not in it");
}

/// Throws Error if a table of one rank is executed by another.
inline void expect_rank(std::uint32_t of_table, std::uint32_t rank) {
  if (of_table == rank) return;
  throw Error("the table has only the operations of rank " + std::to_string(of_table));
}

}  // namespace schedcc::mpi

#define SCHEDCC_MPI_PROBLEM(space)                                                        \
  ::schedcc::mpi::problem_of(space::collective, space::ranks, space::root, space::chunks, \
                             space::total_chunks, space::ordered)

#define SCHEDCC_MPI_PROGRAM(space, program) \
  ::schedcc::mpi::table_of(#space, SCHEDCC_MPI_PROBLEM(space), space::machine, program)

#define SCHEDCC_MPI_TABLE(space)                                                    \
  SCHEDCC_MPI_PROGRAM(space, [](std::uint32_t rank_) {                              \
    ::schedcc::mpi::expect_in_table(space::index, space::operations.size(), rank_); \
    return space::program(rank_);                                                   \
  })

#define SCHEDCC_MPI_RANK(space)                        \
  SCHEDCC_MPI_PROGRAM(space, [](std::uint32_t rank_) { \
    ::schedcc::mpi::expect_rank(space::rank, rank_);   \
    return space::program();                           \
  })

#define SCHEDCC_MPI_LOCAL(space) \
  SCHEDCC_MPI_PROGRAM(space, [](std::uint32_t rank_) { return space::program(rank_); })
