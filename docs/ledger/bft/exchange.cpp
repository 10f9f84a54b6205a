#include "bft/exchange.hpp"

#include <algorithm>

#include "core/integers.hpp"

namespace ledger::BFT {

namespace {

/// The steps of all phases without the latency of a message.
U64 sum(const Capacities& c) {
  U64 result = 0;
  for (U64 i = 0; i < c.size(); ++i) result += ceil_div(U64{1} << (2 * i), c[i]);
  return result;
}

}  // namespace

std::string exchange(std::string_view schedule) {
  return fmt::format("total-exchange:schedule={}", schedule);
}

U64 table_1(U64 n, const Capacities& c) { return std::max(n + 1, ceil_div(n * n, 4 * c.back())); }

U64 equation_1(const Capacities& c) { return sum(c) + c.size() * c.size(); }
U64 equation_2(const Capacities& c) { return sum(c) + 2 * c.size() - 1; }

}  // namespace ledger::BFT
