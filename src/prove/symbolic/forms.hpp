#pragma once

// The symbolic schedules, each made for a request and P >= 2 ranks. `chunks` of the request is
// ignored.

#include <string>

#include "prove/symbolic/symbolic.hpp"

namespace schedcc::prover {

// Ranks as words or numbers (ranks.cpp).
SymbolicSchedule butterfly_form(const Request& request, std::uint64_t P);
SymbolicSchedule xor_form(const Request& request, std::uint64_t P);
SymbolicSchedule ring_form(const Request& request, std::uint64_t P);
SymbolicSchedule pairwise_form(const Request& request, std::uint64_t P);

// Ranks listed, by edges (trees.cpp, circulant.cpp). `watch` is called from time to time while
// edges are listed; an exception from it ends that.
SymbolicSchedule fractional_form(const Request& request, std::uint64_t P,
                                 const std::function<void()>& watch);
SymbolicSchedule binary_form(const Request& request, std::uint64_t P,
                             const std::function<void()>& watch);
SymbolicSchedule chain_form(const Request& request, std::uint64_t P,
                            const std::function<void()>& watch);
SymbolicSchedule serial_form(const Algorithm& algorithm, const Request& request, std::uint64_t P,
                             const std::function<void()>& watch);
SymbolicSchedule circulant_form(const Request& request, std::uint64_t P,
                                const std::function<void()>& watch);

/// A formula as text: "3 K + 4", "K", "4".
std::string steps_text(std::uint64_t factor, std::uint64_t constant);

}  // namespace schedcc::prover
