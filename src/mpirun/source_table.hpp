#pragma once

// The tables that schedcc-mpirun executes, of algorithms and files. Independent of the MPI library.

#include <string>

#include "schedcc/mpi/table.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// Options that describe a source; empty: not given.
struct SourceOptions {
  std::string format, machine, collective, root, problem, ranks, chunks;
};

/// The table of an algorithm or a file. An algorithm has as many ranks as there are processes, if
/// `options` states no number. Throws InputError.
mpi::Table source_table(const std::string& path, const SourceOptions& options, Rank processes);

}  // namespace schedcc
