#pragma once

// Requests for a problem on a machine, without parameters; algorithms by their specifications.

#include <cstdint>
#include <memory>
#include <string>

#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
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

/// The algorithm with this specification, or composition.
inline std::shared_ptr<const schedcc::Algorithm> algorithm_of(const std::string& text) {
  return schedcc::named_algorithm(schedcc::algorithm_spec(text));
}

/// Why a specification of an algorithm is refused; empty if it is not.
inline std::string algorithm_error(const std::string& text) {
  try {
    algorithm_of(text);
  } catch (const schedcc::InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace requests
