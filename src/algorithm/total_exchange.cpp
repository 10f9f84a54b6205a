// Total exchange on fat trees, by the paper's schedules and two better ones. (n = P = 2^h leaves,
// c_i packets a step on the branches of level i; a packet of phase i has its ends in the two halves
// of a subtree of height i.)
//
// `scatters` One leaf after another scatters its blocks, furthest first, on any capacities:
//              n (n+1) steps. The leaf sends along the masks n-1, n-2, ..., 1, to itself xor mask.
// `paired`     Two leaves at a time, k and k xor n/2, along the same masks: half of that. While
//              one sends its packets of phase h, so does the other, in the opposite
//              direction; its last two arrive together with the other's first two of phase h-1,
//              but in the other's own quarter of the leaves. For K = 1 the last packet of a
//              scatter is delayed by a step, which scatters can afford, to avoid those as well.
// `phases` First the exchange between the halves of the whole tree, then between
//              the quarters, and so on. A branch of level i carries 4^(i-1) packets of phase
//              i, c_i a step, then the last must arrive: ceil(4^(i-1) / c_i) + 2i - 1 steps, (1).
// `pipelined`  Phase i-1 starts two steps after phase i's last dispatch, and its first packets
//              arrive right after: the sum of ceil(4^(i-1) / c_i), and once 2h - 1, (2).
// `coloured`   All phases at the same time. In phase i of the above the lower branches have room
//              to spare: on constant capacities a third of the steps too many. See
//              fattree_colouring.cpp: within the latency of the load of the most loaded
//              branch, for any capacities, and optimal on constant ones. K > 1: the schedule for
//              one packet, K times, where that is optimal, too.
// `juggled`    The optimum on exponential capacities, n + 2h - 3. See juggling.cpp.
//
// For K packets a block every 4^(i-1) and n - 1 is multiplied by K.
//
// The paper states (1) and (2) for any capacities. But a branch of level i gets its packets from
// two of level i-1, so that in phase i it carries min(c_i, 2 c_(i-1), 4 c_(i-2), ...) at most. With
// these for c_i both formulas are always correct; as printed they are if c_i <= 2 c_(i-1).
//
// In a phase c_i leaves of each half of a subtree send in each step, distributed evenly over its
// branches, to destinations distributed likewise. If c_i divides the half or is a multiple of it
// these are leaves at equal distances, sending along one mask; else they are coloured.
//
// Source: BFT, section 5, equations (1) and (2).

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "algorithm/fat_tree.hpp"
#include "algorithm/fattree_colouring.hpp"
#include "algorithm/juggling.hpp"
#include "algorithm/shapes.hpp"
#include "model/scaling.hpp"

namespace schedcc::total_exchange_algorithm {

namespace {

/// One scatter after another; of the leaves q and, if `paired`, q xor n/2 together.
Steps scatters(Rank n, std::uint32_t K, bool paired) {
  const std::uint64_t sends = std::uint64_t{K} * (n - 1);
  return Steps((paired ? n / 2 : n) * sends, [=](std::uint64_t row, Transfers& out) {
    const auto q = static_cast<Rank>(row / sends);
    const std::uint64_t x = row % sends;
    const auto mask = static_cast<Rank>(n - 1 - x / K);
    for (const Rank k : {q, q ^ (n / 2)}) {
      const Rank to = k ^ mask;
      out.push_back(copy(k, to, (k * n + to) * K + static_cast<Chunk>(x % K)));
      if (!paired) break;
    }
    const bool held_back = K == 1 && n >= 4 && mask == 1;
    return q * leaf_steps(n, K) + x + (held_back ? 1 : 0);
  });
}

/// Phase i: its start, and the sends of the leaves below a node of level i in its steps.
struct Phase {
  std::uint32_t i;
  std::uint64_t start, length;
  std::uint64_t c;                           ///< packets a step in each direction
  std::shared_ptr<const Schedule> coloured;  ///< of the leaves 0..2^i-1; none: by formula
};

std::uint64_t phase_length(std::uint32_t i, std::uint64_t c, std::uint64_t K) {
  return ceil_div(K << (2 * (i - 1)), c);
}

/// Can the senders of a step of phase i be leaves at equal distances?
bool at_equal_distances(std::uint32_t i, std::uint64_t c) {
  const std::uint64_t half = std::uint64_t{1} << (i - 1);
  return half % c == 0 || c % half == 0;
}

std::vector<Phase> phases(Rank n, std::uint32_t K, std::span<const std::uint64_t> c,
                          bool pipelined) {
  std::vector<Phase> result;
  std::uint64_t start = 0;
  for (std::uint32_t i = ceil_log2(n); i >= 1; --i) {
    Phase phase{i, start, phase_length(i, c[i - 1], K), c[i - 1], nullptr};
    if (!at_equal_distances(i, c[i - 1])) {
      phase.coloured = std::make_shared<const Schedule>(colour_exchange(c.first(i), K, n, i));
    }
    result.push_back(phase);
    start += phase.length + (pipelined ? 2 : 2 * i - 1);
  }
  return result;
}

/// Step `s` of a phase in the subtree of the leaves 0..2^i-1.
void fill_phase(const Phase& phase, std::uint64_t s, Rank n, std::uint32_t K, Transfers& out) {
  if (phase.coloured) {
    const auto transfers = (*phase.coloured)[s].transfers;
    out.insert(out.end(), transfers.begin(), transfers.end());
    return;
  }
  const std::uint64_t half = std::uint64_t{1} << (phase.i - 1);
  const std::uint64_t senders = std::min(half, phase.c);  // along one mask
  const std::uint64_t end = std::min((s + 1) * phase.c, K * half * half);
  for (std::uint64_t x = s * phase.c; x < end; ++x) {
    const std::uint64_t a = x % half;
    const std::uint64_t l = x / half % half;
    const auto j = static_cast<Chunk>(x / half / half);
    const auto left = static_cast<Rank>(a / senders + a % senders * (half / senders));
    const auto mask = static_cast<Rank>(half + l);
    for (const Rank k : {left, static_cast<Rank>(left + half)}) {
      out.push_back(copy(k, k ^ mask, (k * n + (k ^ mask)) * K + j));
    }
  }
}

Steps in_phases(Rank n, std::uint32_t K, std::span<const std::uint64_t> c, bool pipelined) {
  const auto plan = std::make_shared<const std::vector<Phase>>(phases(n, K, c, pipelined));
  std::uint64_t size = 0;
  for (const Phase& phase : *plan) size += phase.length;
  return Steps(size, [=](std::uint64_t row, Transfers& out) {
    auto phase = plan->begin();
    for (; row >= phase->length; ++phase) row -= phase->length;
    const std::size_t begin = out.size();
    fill_phase(*phase, row, n, K, out);
    const std::size_t end = out.size();
    for (Rank base = Rank{1} << phase->i; base < n; base += Rank{1} << phase->i) {
      for (std::size_t t = begin; t < end; ++t) {
        Transfer moved = out[t];
        moved.src += base;
        moved.dst += base;
        moved.first += base * (n + 1) * K;
        out.push_back(moved);
      }
    }
    return phase->start + row;
  });
}

Steps coloured(Rank n, std::uint32_t K, std::span<const std::uint64_t> c) {
  if (K > 1) {
    if (const auto found = colour_periodically(c, K))
      return in_packets(as_steps(found->packets), K, found->period);
  }
  return as_steps(std::make_shared<const Schedule>(colour_exchange(c, K, n)));
}

const std::vector<std::uint64_t>& capacities(const Request& r) {
  return r.machine.shape<FatTree>()->capacities;
}

/// The limit on packets in memory, some tens of bytes each.
constexpr std::uint64_t max_packets = std::uint64_t{1} << 28;

/// The number of `coloured` packets, or those of one phase, in memory.
std::uint64_t packets_held(const Request& r, std::string_view schedule) {
  const std::uint64_t K = r.problem.chunks;
  if (schedule == "coloured") return r.problem.total_chunks();
  if (schedule != "phases" && schedule != "pipelined") return 0;
  const auto c = sustained(capacities(r));
  std::uint64_t sum = 0;
  for (std::uint32_t i = 1; i <= c.size(); ++i) {
    if (!at_equal_distances(i, c[i - 1])) sum += 2 * K << (2 * (i - 1));
  }
  return sum;
}

bool is_exponential(std::span<const std::uint64_t> c) {
  for (std::size_t i = 1; i <= c.size(); ++i) {
    if (c[i - 1] != std::uint64_t{1} << (i - 1)) return false;
  }
  return true;
}

/// The requested schedule, or the one with the fewest steps.
std::string_view schedule(const Request& r) {
  if (r.parameters.has("schedule")) return r.parameters.text("schedule");
  if (r.problem.ranks >= 8 && is_exponential(sustained(capacities(r)))) return "juggled";
  return r.problem.total_chunks() <= max_packets ? "coloured" : "pipelined";
}

std::optional<std::string> reason(const Request& r) {
  if (auto why = powers_of_two_only(r)) return why;
  const Rank n = r.problem.ranks;
  if (n == 1) return std::nullopt;
  if (r.machine.shape<FatTree>() == nullptr) {
    return fmt::format("it needs a fat tree and the capacities of its branches, not '{}'",
                       r.machine.spec());
  }
  const auto& c = capacities(r);
  const std::string_view name = schedule(r);
  if (const std::uint64_t held = packets_held(r, name); held > max_packets) {
    return fmt::format("schedule={} would hold {} packets in memory, and 2^28 at most are allowed",
                       name, held);
  }
  if (name != "juggled") return std::nullopt;
  if (n < 8) return fmt::format("schedule=juggled needs n >= 8 leaves, not {}", n);
  for (std::size_t i = 1; i <= c.size(); ++i) {
    if (c[i - 1] < std::uint64_t{1} << (i - 1)) {
      return fmt::format(
          "schedule=juggled needs exponential capacities, c_i >= 2^(i-1), and c_{} is {}", i,
          c[i - 1]);
    }
  }
  return std::nullopt;
}

Steps build(const Request& r) {
  const Rank n = r.problem.ranks;
  const std::uint32_t K = r.problem.chunks;
  const auto c = sustained(capacities(r));
  const std::string_view name = schedule(r);
  if (name == "scatters" || name == "paired") return scatters(n, K, name == "paired");
  if (name == "phases" || name == "pipelined") return in_phases(n, K, c, name == "pipelined");
  if (name == "juggled") return juggled_exchange(n, K);
  return coloured(n, K, c);
}

CostClaim claim(const Request& r) {
  const std::uint64_t n = r.problem.ranks, K = r.problem.chunks;
  const std::uint64_t h = ceil_log2(n);
  const auto c = sustained(capacities(r));
  const std::string_view name = schedule(r);
  if (name == "scatters")
    return {.steps = n * leaf_steps(n, K), .steps_formula = "n times the steps of a scatter"};
  if (name == "paired")
    return {.steps = n / 2 * leaf_steps(n, K), .steps_formula = "n/2 times the steps of a scatter"};
  if (name == "juggled")
    return {.steps = K * (n - 1) + 2 * h - 2, .steps_formula = "s (n - 1) + 2h - 2"};
  if (name == "coloured") {
    return {.steps = colour_steps(c, static_cast<std::uint32_t>(K)),
            .exact = false,
            .steps_formula = "the busiest branch's packets + 2h"};
  }
  std::uint64_t sum = 0;
  for (std::uint32_t i = 1; i <= h; ++i) sum += phase_length(i, c[i - 1], K);
  if (name == "phases")
    return {.steps = sum + h * h, .steps_formula = "sum of ceil(s 4^(i-1) / c_i) + 2i - 1"};
  return {.steps = sum + 2 * h - 1, .steps_formula = "sum of ceil(s 4^(i-1) / c_i), + 2h - 1"};
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "total-exchange",
    .summary = "total exchange on any fat tree, without queues",
    .source = "BFT, section 5, equations (1) and (2)",
    .collectives = {Collective::alltoall},
    .machines = {"fattree"},
    .parameters = {{.name = "schedule",
                    .summary = "scatters, paired, phases, pipelined, coloured or juggled (default: "
                               "the one with the fewest steps)",
                    .kind = Parameter::Kind::text,
                    .choices = {"scatters", "paired", "phases", "pipelined", "coloured",
                                "juggled"}}},
    .reason = reason,
    .whole_only = "its packets are given times on the links of the whole tree together",
    .build = build,
    .claim = claim,
    .choose =
        [](const Request& r) { return chosen_if_open(r, "schedule", std::string(schedule(r))); },
};

}  // namespace schedcc::total_exchange_algorithm
