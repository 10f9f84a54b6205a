#pragma once

// The command `schedcc-mpirun --calibrate`.

#include "schedcc/mpi.hpp"

namespace schedcc {

/// The options that it adds to the program's.
inline constexpr const char* calibrate_options =
    R"(      --calibrate          measure this machine instead of executing schedules: the
                           latency, overheads and bandwidth of messages within
                           and between nodes. Prints them with 95 %
                           confidence intervals, and writes a machine file for
                           'schedcc cost' and 'schedcc tune'
  -o, --output FILE        --calibrate: the machine file (default: standard output)
      --ranks-per-node M   --calibrate: consecutive ranks that make a node
                           (default: those that can share memory)
      --ports K            --calibrate: messages that a rank has under way at once
                           (default: 4, or as many as there are other ranks)
)";

/// Measures, prints and writes, together with all processes. Options that do not apply, no second
/// process, nodes of different sizes, and a file that cannot be written are UsageErrors, before
/// anything is measured.
void calibrate(const mpi::Arguments& arguments);

}  // namespace schedcc
