#pragma once

// The cost a α + b β of CC, held against a schedule's steps, a of them, and its volume, b words,
// the sum over the steps of the longest message: a chunk is a word.

#include <string>

#include "ledger.hpp"
#include "measure.hpp"

namespace ledger::CC {

struct Cost {
  U64 steps, volume;
  double time(double alpha, double beta) const {
    return static_cast<double>(steps) * alpha + static_cast<double>(volume) * beta;
  }
};

/// Of a schedule, which must hold, on its algorithm's own machine.
Cost cost(const std::string& algorithm, const std::string& collective, Rank P, std::uint32_t K);

/// Both parts are the printed ones.
void equal(Found& f, const Cost& printed, const Cost& computed, const std::string& where);

}  // namespace ledger::CC
