// The list of symbolic schedules.

#include "prove/symbolic/schedules.hpp"

#include <fmt/core.h>

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
                       const std::function<void()>&) {
  return make(request, P);
}

template <SymbolicSchedule (*make)(const Request&, std::uint64_t, const std::function<void()>&)>
SymbolicSchedule listed(const Algorithm&, const Request& request, std::uint64_t P,
                        const PollLimits& poll_limits) {
  return make(request, P, poll_limits);
}

}  // namespace

std::string steps_text(std::uint64_t factor, std::uint64_t constant) {
  if (factor == 0) return fmt::format("{}", constant);
  const std::string product = factor == 1 ? "K" : fmt::format("{} K", factor);
  return constant == 0 ? product : fmt::format("{} + {}", product, constant);
}

std::span<const SymbolicScheduleEntry> symbolic_schedules() {
  static const std::vector<SymbolicScheduleEntry> list{
      {"binary-tree", on_duplex, listed<symbolic_binary>, max_listed},
      {"binomial-tree", any, symbolic_serial, max_listed},
      {"butterfly", any, plain<symbolic_butterfly>, max_words, true},
      {"chain", any, listed<symbolic_chain>, max_listed},
      {"circulant", any, listed<symbolic_circulant>, max_in_graph},
      {"fractional-tree", given_group, listed<symbolic_fractional>, max_listed},
      {"knomial-tree", any, symbolic_serial, max_listed},
      {"linear", any, symbolic_serial, max_listed},
      {"pairwise", one_port, plain<symbolic_pairwise>, max_words},
      {"ring", any, plain<symbolic_ring>, max_words},
      {"xor", any, plain<symbolic_xor>, max_words, true},
  };
  return list;
}

}  // namespace schedcc::prover
