#pragma once

// Functions that the tests of the runtime share: expectations, and tables for four ranks.

#include <cstdio>
#include <string>
#include <vector>

#include "schedcc/mpi.hpp"

using namespace schedcc::mpi;

inline int rank = 0;

inline void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "rank %d: %s\n", rank, what.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Calls `work`, which must throw an Error that says `message`.
template <typename Work>
void expect_error(const std::string& message, Work work) {
  try {
    work();
  } catch (const Error& error) {
    expect(std::string(error.what()).find(message) != std::string::npos, error.what());
    return;
  }
  expect(false, "no error: " + message);
}

/// A test's main function: `work`, with the rank known, within five minutes.
template <typename Work>
int run_tests(int argc, char** argv, Work work) {
  return with_mpi(argc, argv, [&] {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const Watchdog watchdog(300);
    Watchdog::start(nullptr);
    work();
    return 0;
  });
}

/// A table in which rank r has the operations `programs[r]`.
inline Table table_of(Problem problem, std::string machine,
                      std::vector<std::vector<Operation>> programs) {
  return {"test", std::move(problem), std::move(machine),
          [programs](std::uint32_t r) { return programs[r]; }};
}

/// A chain 0 -> 1 -> 2 -> 3 of so many chunks, with a step in so many.
inline Table chain(std::uint32_t chunks, const std::string& machine = "duplex",
                   std::uint64_t stride = 1) {
  std::vector<std::vector<Operation>> programs(4);
  for (std::uint64_t step = 0; step < chunks + 2; ++step) {
    for (const Kind kind : {send, receive}) {
      for (std::uint32_t r = 0; r < 4; ++r) {
        const std::uint64_t chunk =
            step - (kind == send ? r : r - 1);  // above all if r = 0 receives
        if (chunk >= chunks || (kind == send ? r == 3 : r == 0)) continue;
        programs[r].push_back({step * stride, kind, kind == send ? r + 1 : r - 1,
                               static_cast<std::uint32_t>(chunk), 1, copy});
      }
    }
  }
  return table_of({"broadcast", 4, 0, chunks, chunks, false, {}, {}}, machine, programs);
}

/// Neighbours 0, 1 and 2, 3 exchange their chunk in one step, which both send and receive.
inline Table exchange(Mode mode) {
  const std::vector<Holding> pre{
      {0, 0, 1, false}, {1, 0, 1, false}, {2, 1, 1, false}, {3, 1, 1, false}};
  std::vector<std::vector<Operation>> programs(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const std::uint32_t peer = r ^ 1, chunk = r / 2;
    programs[r] = {{0, send, peer, chunk, 1, mode}, {0, receive, peer, chunk, 1, mode}};
  }
  return table_of({"custom", 4, 0, 2, 2, false, pre, {}}, "duplex", programs);
}
