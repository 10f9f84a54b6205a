// The list of symbolic schedules.

#include "prove/symbolic/schedules.hpp"

#include <string>
#include <vector>

#include <fmt/core.h>

#include "core/integers.hpp"
#include "core/join.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

constexpr std::uint64_t max_words = std::uint64_t{1} << 60;
constexpr std::uint64_t max_listed = std::uint64_t{1} << 22;
constexpr std::uint64_t max_in_graph = std::uint64_t{1} << 20;  ///< each with q edges

std::optional<std::string> any(const Request&) { return std::nullopt; }

std::optional<std::string> on_duplex(const Request& r) {
  if (r.machine.simplex()) {
    return "its formulas are for duplex, not simplex";
  }
  return std::nullopt;
}

std::optional<std::string> given_group(const Request& r) {
  if (r.parameters.has("layout")) return "there are no formulas for layouts on networks";
  if (r.parameters.has("coupled")) return "there are no formulas for couples";
  if (!r.parameters.has("r")) return "r=... is needed: the default r depends on K";
  return on_duplex(r);
}

std::optional<std::string> one_port(const Request& r) {
  if (r.parameters.integer("ports") == 1) return std::nullopt;
  return "its formulas are for one port";
}

template <SymbolicSchedule (*make)(const Request&, std::uint64_t)>
SymbolicSchedule plain(const Algorithm&, const Request& request, std::uint64_t P,
                       const PollLimits&) {
  return make(request, P);
}

template <SymbolicSchedule (*make)(const Request&, std::uint64_t, const PollLimits&)>
SymbolicSchedule listed(const Algorithm&, const Request& request, std::uint64_t P,
                        const PollLimits& poll_limits) {
  return make(request, P, poll_limits);
}

/// The constant by which a formula divides; 1 if there is none.
std::uint64_t divisor(const Node& node) {
  if (node.op == Op::divide) return node.arguments[1]->value;
  for (const NodePtr& argument : node.arguments) {
    if (const std::uint64_t by = divisor(*argument); by != 1) return by;
  }
  return 1;
}

}  // namespace

std::string steps_text(const Term& steps) {
  const std::uint64_t r = divisor(*steps.node());
  const auto at = [&](std::uint64_t K) { return evaluate(steps, {{"K", K}}); };
  const auto quotient = [r](std::uint64_t K) { return r > 1 ? ceil_div(K, r) : 0; };
  const std::uint64_t factor = (at(2 * r) - at(r) - (quotient(2 * r) - quotient(r))) / r;
  const std::uint64_t constant = at(r) - factor * r - quotient(r);
  for (const std::uint64_t K : {r + 1, 3 * r + 2}) {
    if (at(K) != factor * K + quotient(K) + constant)
      throw InternalError("a number of steps is not linear in K");
  }
  std::vector<std::string> sum;
  if (factor > 0) sum.push_back(factor == 1 ? "K" : fmt::format("{} K", factor));
  if (r > 1) sum.push_back(fmt::format("ceil(K/{})", r));
  if (constant > 0 || sum.empty()) sum.push_back(fmt::format("{}", constant));
  return join(sum, " + ");
}

std::span<const SymbolicScheduleEntry> symbolic_schedules() {
  static const std::vector<SymbolicScheduleEntry> list{
      {"binary-tree", on_duplex, listed<symbolic_binary>, max_listed},
      {"binomial-tree", any, symbolic_serial, max_listed},
      {"butterfly", any, plain<symbolic_butterfly>, max_words, true},
      {"chain", any, listed<symbolic_chain>, max_listed},
      {"circulant", any, listed<symbolic_circulant>, max_in_graph},
      {"fractional-tree", given_group, listed<symbolic_fractional>, max_listed},
      {"knomial-tree", one_port, symbolic_serial, max_listed},
      {"linear", one_port, symbolic_serial, max_listed},
      {"pairwise", one_port, plain<symbolic_pairwise>, max_words},
      {"ring", any, plain<symbolic_ring>, max_words},
      {"xor", any, plain<symbolic_xor>, max_words, true},
  };
  return list;
}

}  // namespace schedcc::prover
