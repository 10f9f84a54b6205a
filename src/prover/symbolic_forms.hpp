#pragma once

// The closed forms that there are, each made for a request and P >= 2 ranks. `chunks` of the
// request does not matter.

#include "prover/symbolic.hpp"

namespace schedcc::prover {

// Ranks as words or numbers (symbolic_ranks.cpp).
ClosedForm butterfly_form(const Request& request, std::uint64_t P);
ClosedForm xor_form(const Request& request, std::uint64_t P);
ClosedForm ring_form(const Request& request, std::uint64_t P);
ClosedForm pairwise_form(const Request& request, std::uint64_t P);

// Ranks listed, by edges (symbolic_trees.cpp).
ClosedForm fractional_form(const Request& request, std::uint64_t P);
ClosedForm binary_form(const Request& request, std::uint64_t P);
ClosedForm chain_form(const Request& request, std::uint64_t P);
ClosedForm serial_form(const Algorithm& algorithm, const Request& request, std::uint64_t P);
ClosedForm circulant_form(const Request& request, std::uint64_t P);

}  // namespace schedcc::prover
