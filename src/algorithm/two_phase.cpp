// Two-phase broadcast, pipelined: the root hands every part of the message out in blocks, and
// whoever has got a block sends it to all others.
//
// A part is P - 1 chunks, one for each rank but the root. In every period everybody sends to
// everybody: the root the blocks of the next part, the others what they got in the period before;
// to the root nobody sends. So nobody receives more than P - 1 chunks in a period, the root sends
// no more, and s packets take ceil(s/(P-1)) + 1 periods. With k ports, in which rank r sends to the
// ranks r + kq + 1 .. r + kq + k in step q, a period is ceil((P-1)/k) steps. For k = P - 1 that is
// one step, and for S parts of a message of b bytes at most (S + 1)(l + g b/S) in the BSP model:
// with the best S about (sqrt(l) + sqrt(g b))^2, where one start-up and all bytes are l + g b.
//
// Where the last part is a single chunk, its holder sends nothing in the end of the last period,
// which is the root's turn.
//
// Source: CC, Other collectives in BSP (broadcast as a scatter, then an allgather), of which this
// is the pipeline.

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"

namespace schedcc {

namespace {

struct Periods {
  std::uint64_t P, K;
  std::uint64_t k;  ///< ports: 1..P-1

  explicit Periods(const Request& r)
      : P(r.problem.ranks), K(r.problem.chunks), k(std::min(ports_of(r), P - 1)) {}

  std::uint64_t parts() const { return ceil_div(K, P - 1); }
  std::uint64_t length() const { return ceil_div(P - 1, k); }
  /// The chunks of a part.
  std::uint64_t blocks(std::uint64_t part) const { return std::min(P - 1, K - part * (P - 1)); }
  bool single() const { return blocks(parts() - 1) == 1; }
  std::uint64_t steps() const {
    if (P == 2) return K;
    return parts() * length() + ceil_div(single() ? P - 2 : P - 1, k);
  }
  std::string_view formula() const {
    if (P == 2) return "s";
    return single() ? "ceil(s/(P - 1)) ceil((P - 1)/k) + ceil((P - 2)/k)"
                    : "(ceil(s/(P - 1)) + 1) ceil((P - 1)/k)";
  }
};

void send(std::uint64_t from, std::uint64_t to, std::uint64_t chunk, Transfers& out) {
  out.push_back(copy(static_cast<Rank>(from), static_cast<Rank>(to), static_cast<Chunk>(chunk)));
}

Steps build(const Request& r) {
  const Periods periods(r);
  const auto steps = every_step(periods.steps(), [periods](std::uint64_t step, Transfers& out) {
    const auto [P, K, k] = periods;
    const std::uint64_t period = step / periods.length(), q = step % periods.length();
    for (std::uint64_t far = q * k + 1; far <= std::min(q * k + k, P - 1); ++far) {
      if (period < periods.parts() && far <= periods.blocks(period))
        send(0, far, period * (P - 1) + far - 1, out);
      if (period == 0) continue;
      for (std::uint64_t rank = 1; rank <= periods.blocks(period - 1); ++rank) {
        const std::uint64_t to = (rank + far) % P;
        if (to != 0) send(rank, to, (period - 1) * (P - 1) + rank - 1, out);
      }
    }
  });
  return rooted(r.problem, steps);
}

}  // namespace

extern const Algorithm two_phase_algorithm;
const Algorithm two_phase_algorithm{
    .name = "two-phase",
    .summary = "everybody gets a block of each part of the message, and sends it to all others",
    .source = "CC, Other collectives in BSP, pipelined",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"bsp:h=2", "bsp", "kport"},
    .refuse = [](const Request& r) -> std::optional<std::string> {
      if (ports_of(r) > 1) return std::nullopt;
      return fmt::format(
          "with one port it is a slow chain; it is for machines with more, as bsp:h={}",
          std::max<std::uint64_t>(2, r.problem.ranks - 1));
    },
    .order = [](const Request& r) { return trees_in_order(r, build); },
    .build = build,
    .promise =
        [](const Request& r) {
          const Periods periods(r);
          return Promise{.steps = periods.steps(),
                         .width = 1,
                         .idle = periods.K < periods.P - 1,
                         .steps_formula = periods.formula()};
        },
};

}  // namespace schedcc
