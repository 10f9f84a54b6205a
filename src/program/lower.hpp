#pragma once

// From a schedule to a program.

#include <string>

#include "program/chunk_placement.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/program.hpp"
#include "schedcc/source.hpp"

namespace schedcc::program {

struct LoweringOptions {
  Calls calls = Calls::out_of_place;
  /// The least number of channels to spread the chunks over.
  std::uint32_t channels = 1;
  std::string protocol = "Simple";
  std::string runtime = "msccl";  ///< whose limits it keeps
};

/// The program that does what the schedule says, on the machine on which its messages take their
/// time. It completes in calls of any size, or its `max_bytes` says up to which. Throws InputError,
/// naming the limit and the place, where there is none that keeps to the limits of the runtimes,
/// and for steps that are not well-formed.
Program lower(const Source& source, const Machine& machine, const LoweringOptions& options);

}  // namespace schedcc::program
