#include "algorithm/shapes.hpp"

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "algorithm/kernel/blocks.hpp"
#include "core/memory.hpp"

namespace schedcc {

Run vector_block(std::uint64_t K, std::uint64_t P, std::uint64_t b, std::uint64_t count) {
  const local::Blocks blocks{K, P};
  const std::uint64_t begin = blocks.begin(b), end = blocks.begin(b + count);
  return {static_cast<Chunk>(begin), static_cast<std::uint32_t>(end - begin)};
}

CostClaim all_blocks_once(const Problem& problem, std::uint64_t steps,
                          std::string_view steps_formula) {
  return {.steps = steps,
          .volume = std::uint64_t{problem.chunks} * (problem.ranks - 1),
          .steps_formula = steps_formula,
          .volume_formula = "P - 1"};
}

CostClaim one_block_a_step(const Problem& problem) {
  return all_blocks_once(problem, problem.ranks - 1, "P - 1");
}

void require_memory_for_ranks(std::uint64_t ranks, std::uint64_t bytes, std::string_view what) {
  require_memory(Saturating(ranks) * bytes, fmt::format("{} of {} ranks", what, ranks));
}

std::uint64_t ports_of(const Machine& machine) {
  const PortLimits* ports = machine.ports();
  return ports ? std::max<std::uint64_t>(1, std::min(ports->send, ports->receive)) : 1;
}

std::uint64_t chain_gap(const Machine& machine) { return machine.simplex() ? 2 : 1; }

std::optional<std::string> power_of_two_refusal(std::uint64_t P) {
  if (std::has_single_bit(P)) return std::nullopt;
  return fmt::format("it needs P = 2^h ranks, and {} is not a power of two", P);
}

std::optional<std::string> powers_of_two_only(const Request& request) {
  return power_of_two_refusal(request.problem.ranks);
}

ChosenParameters chosen_if_open(const Request& request, std::string name, std::string value) {
  if (request.parameters.has(name)) return {};
  return {{std::move(name), std::move(value)}};
}

std::optional<std::string> always_in_order(const Request&) { return std::nullopt; }

std::optional<std::string> backwards_in_order(const Steps& steps, std::uint64_t ranks,
                                              std::uint64_t chunks) {
  std::vector<Contributions> sums(ranks * chunks);  // of rank r and chunk c: r * chunks + c
  for (std::uint64_t i = 0; i < sums.size(); ++i) {
    const auto rank = static_cast<Rank>(i / chunks);
    sums[i] = {rank, rank, 1};
  }
  Transfers row;
  for (std::uint64_t i = steps.size(); i-- > 0;) {
    row.clear();
    steps.fill(i, row);
    for (const Transfer& t : row) {
      for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c) {
        const Contributions& child = sums[t.dst * chunks + c];
        if (!child.is_interval()) {
          return fmt::format(
              "rank {} would send {} contributions between ranks {} and {} that are not an "
              "interval of ranks",
              t.dst, child.count, child.low, child.high);
        }
        sums[t.src * chunks + c].add(child);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> trees_in_order(const Request& request,
                                          const std::function<Steps(const Request&)>& build) {
  Request forward = request;
  forward.problem.collective = Collective::broadcast;
  const auto why =
      backwards_in_order(build(forward), request.problem.ranks, request.problem.chunks);
  if (!why) return std::nullopt;
  return fmt::format("with root {} {}", request.problem.root, *why);
}

}  // namespace schedcc
