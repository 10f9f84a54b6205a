#include "bft/capacities.hpp"
#include "core/join.hpp"

#include <algorithm>

namespace ledger::BFT {

std::string fattree(const Capacities& c) { return fmt::format("fattree:cap={}", join(c, ",")); }

Capacities constant(U64 h) { return Capacities(h, 1); }

Capacities exponential(U64 h) {
  Capacities c;
  for (U64 i = 0; i < h; ++i) c.push_back(U64{1} << i);
  return c;
}

std::vector<Capacities> doubling(U64 h) {
  std::vector<Capacities> all;
  for (U64 which = 0; which < U64{1} << (h - 1); ++which) {
    Capacities c{1};
    for (U64 i = 1; i < h; ++i) c.push_back(c.back() << (which >> (i - 1) & 1));
    all.push_back(c);
  }
  return all;
}

std::vector<Capacities> single_links(U64 h) {
  std::vector<Capacities> all{constant(h), exponential(h)};
  const std::vector<Capacities> patterns{{1, 1, 3, 3, 5}, {1, 4, 4, 7}, {1, 2, 3, 5, 8, 13}};
  for (const Capacities& pattern : patterns) {
    Capacities c;
    for (U64 i = 0; i < h; ++i) c.push_back(pattern[std::min<U64>(i, pattern.size() - 1)]);
    all.push_back(c);
  }
  return all;
}

}  // namespace ledger::BFT
