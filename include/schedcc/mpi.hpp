#pragma once

// Executes the tables of schedcc over MPI. Header-only, C++17; needs nothing but an MPI library.
//
//   #include "tree.hpp"  // schedcc compile fractional-tree --ranks 64 --chunks 24 -o tree.hpp
//   #include <schedcc/mpi.hpp>
//
//   using namespace schedcc::mpi;
//   const Table table = SCHEDCC_MPI_TABLE(tree);
//   Executor broadcast(table, MPI_COMM_WORLD, Cut{elements}, Payload{MPI_DOUBLE});
//   // ... the root puts chunk c at broadcast.at(c) ...
//   broadcast.run(); // any number of times
//
// A process needs only its own rank's operations. Headers with the operations of one rank only
// (`--emit cpp:rank=R`), or that compute them (`cpp:local`), can be used as well: see emitted.hpp.
//
// An executor prepares memory, datatypes and dependencies once. `run` starts each message as soon
// as its data are there and a port is free, and has no more under way than the machine of the
// schedule allows. See docs/mpi.md.

#include "schedcc/mpi/emitted.hpp"
#include "schedcc/mpi/executor.hpp"
#include "schedcc/mpi/program.hpp"
