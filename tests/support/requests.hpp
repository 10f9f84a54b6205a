#pragma once

// Requests for a problem on a machine, without parameters.

#include <cstdint>
#include <string>

#include "schedcc/algorithm.hpp"
#include "schedcc/machine.hpp"

namespace requests {

inline schedcc::Request request(schedcc::Collective collective, schedcc::Rank P, std::uint32_t K,
                                const std::string& machine = "duplex", schedcc::Rank root = 0) {
  schedcc::Request r;
  r.problem.collective = collective;
  r.problem.ranks = P;
  r.problem.root = root;
  r.problem.chunks = K;
  r.machine = schedcc::make_machine(machine, P);
  return r;
}

}  // namespace requests
