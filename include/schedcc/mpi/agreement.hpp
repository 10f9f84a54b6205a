#pragma once

// What all ranks must know before the first message is sent: that no rank's part of the table is
// wrong. A rank that gave up alone would leave the others waiting.

#include <climits>
#include <cstdint>
#include <optional>
#include <string>

#include "schedcc/mpi/library.hpp"
#include "schedcc/mpi/plan.hpp"

namespace schedcc::mpi {

/// What is wrong with a table: all its ranks throw it, with the same words.
class TableError : public Error {
 public:
  using Error::Error;
};

/// What `work` returns, if it throws an Error at no rank; else TableError, with what the first of
/// those ranks found wrong. Collective.
template <typename Work>
auto agreed(const Communicator& comm, Work work) {
  std::optional<decltype(work())> result;
  std::string wrong;
  try {
    result.emplace(work());
  } catch (const Error& error) {
    wrong = error.what();
  }
  int mine = result ? INT_MAX : static_cast<int>(comm.rank()), first = 0;
  check(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm.get()));
  if (first == INT_MAX) return std::move(*result);
  auto length = static_cast<int>(wrong.size());
  check(MPI_Bcast(&length, 1, MPI_INT, first, comm.get()));
  wrong.resize(static_cast<std::size_t>(length));
  check(MPI_Bcast(wrong.data(), length, MPI_CHAR, first, comm.get()));
  throw TableError("rank " + std::to_string(first) + ": " + wrong);
}

/// Is as much sent as received? If not, ranks would wait for ever: TableError. Collective.
inline void expect_balance(const Communicator& comm, const Plan& plan) {
  std::uint64_t local[4] = {}, all[4] = {};
  for (const Message& m : plan.sends) ++local[0], local[1] += m.elements;
  for (const Message& m : plan.receives) ++local[2], local[3] += m.elements;
  check(MPI_Allreduce(local, all, 4, MPI_UINT64_T, MPI_SUM, comm.get()));
  if (all[0] == all[2] && all[1] == all[3]) return;
  const auto amount = [](std::uint64_t messages, std::uint64_t elements) {
    return std::to_string(messages) + (messages == 1 ? " message with " : " messages with ") +
           std::to_string(elements) + " elements";
  };
  throw TableError("the table sends " + amount(all[0], all[1]) + ", and receives " +
                   amount(all[2], all[3]));
}

}  // namespace schedcc::mpi
