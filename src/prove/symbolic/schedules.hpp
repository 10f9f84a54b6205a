#pragma once

// The symbolic schedules, each made for a request and P >= 2 ranks. `chunks` of the request is
// ignored.

#include <string>

#include "prove/symbolic/symbolic.hpp"

namespace schedcc::prover {

// Ranks as words or numbers (ranks.cpp).
SymbolicSchedule symbolic_butterfly(const Request& request, std::uint64_t P);
SymbolicSchedule symbolic_xor(const Request& request, std::uint64_t P);
SymbolicSchedule symbolic_ring(const Request& request, std::uint64_t P);
SymbolicSchedule symbolic_pairwise(const Request& request, std::uint64_t P);

// Ranks listed, by edges (trees.cpp, circulant.cpp). `poll_limits` is called while edges are
// listed.
SymbolicSchedule symbolic_fractional(const Request& request, std::uint64_t P,
                                     const PollLimits& poll_limits);
SymbolicSchedule symbolic_binary(const Request& request, std::uint64_t P,
                                 const PollLimits& poll_limits);
SymbolicSchedule symbolic_chain(const Request& request, std::uint64_t P,
                                const PollLimits& poll_limits);
SymbolicSchedule symbolic_serial(const Algorithm& algorithm, const Request& request,
                                 std::uint64_t P, const PollLimits& poll_limits);
SymbolicSchedule symbolic_circulant(const Request& request, std::uint64_t P,
                                    const PollLimits& poll_limits);

/// A number of steps a K + b as text, "3 K + 4", "K", "4"; also with a term ceil(K/r), a quotient
/// of the formula.
std::string steps_text(const Term& steps);

}  // namespace schedcc::prover
