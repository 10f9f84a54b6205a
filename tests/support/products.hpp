#pragma once

// Matrix products, by name.

#include <string>

#include "run.hpp"

namespace products {

using namespace schedcc;

struct ProductCase {
  const Algorithm& algorithm;
  Request request;
};

inline ProductCase ask(const std::string& text, Rank P, std::uint32_t K,
                       const std::string& machine = "duplex", bool ordered = false) {
  const Spec spec = Spec::parse(text);
  Problem problem;
  problem.collective = Collective::custom;
  problem.ranks = P;
  problem.chunks = K;
  problem.ordered = ordered;
  return {find_algorithm(spec.name), run::request(spec, problem, machine)};
}

}  // namespace products
