#pragma once

// Exchanges along the dimensions of a hypercube, P = 2^h, which several algorithms use. (Headers:
// blocks.hpp, doubling.hpp.)

#include <cstdint>
#include <string_view>

#include <fmt/core.h>

#include "algorithm/kernel/doubling.hpp"
#include "algorithm/local_terms.hpp"

namespace schedcc {

/// An allgather of the request's vector by recursive doubling.
inline local_terms::Term<local::DoublingAllgather> doubling_allgather(const LocalRequest& r) {
  const local_terms::Vector v(r);
  return {{r.problem.ranks, v.total}, fmt::format("DoublingAllgather(ranks, {})", v.text)};
}

/// Allreduce of K chunks on P = 2^h ranks, the expression `text`, by recursive halving, then
/// doubling, in 2h steps. In step i < h partners differ in bit i.
inline auto butterfly_allreduce(std::uint64_t P, std::uint64_t K, std::string_view text) {
  const local::DoublingAllgather doubling(P, K);
  const local_terms::Term<local::BitsReversed<local::DoublingAllgather>> renamed{
      {doubling, P}, fmt::format("BitsReversed(DoublingAllgather({0}, chunks), {0})", text)};
  return sequence(reverse_reducing(renamed), renamed);
}

}  // namespace schedcc
