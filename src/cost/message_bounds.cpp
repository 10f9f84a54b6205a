// A lower bound of LogP and LogGP that depends on the number of chunks.
//
// The bounds of bounds.cpp hold for any messages, and are met by a few long ones. But a schedule of
// K chunks, of which a message carries w at most, needs K / w messages wherever the whole message
// must come to a rank, and each of them has the b bytes of a chunk, or more. With x(b) = (b - 1) G
//
//   Karp's tree    is one of such messages: their latency is L + x(b), their gap g + x(b);
//   and after it   come all messages of the last rank but the first, m - 1 of them. Each begins
//                  max(o, g + x) after the one before, so that the other bytes n take at least
//                  (m - 1) max(o, g), and also n G + (m - 1) (g - G), which grows with m if g >= G.
//                  If g < G, it is least for the shortest messages: n (G - (G - g) / b).
//
// In the same way all messages of the rank that must send most, or receive most, are m - 1 gaps
// apart after the first; and some rank sends as many chunks as ranks do in the mean. An algorithm
// may claim more: that some rank sends or receives more, or that a path of h messages leads to the
// first chunk of some rank, h (2o + L + x), so that all of that rank's other messages come after
// it. Of a reduction, they come before its last one. So pipelines of too many chunks need not be
// timed: they take the more time, the more steps they have.
//
// Sources: as of the bounds of LogP and LogGP in bounds.cpp.

#include "cost/message_bounds.hpp"

#include <algorithm>

#include "analysis/demand.hpp"
#include "core/integers.hpp"
#include "cost/bounds.hpp"
#include "cost/optimum.hpp"
#include "cost/reals.hpp"

namespace schedcc {

namespace {

/// What the bytes of a message add to its latency, and to its gap.
double bytes_take(const CostModel& model, std::uint64_t bytes) {
  return bytes == 0 ? 0 : to_double(bytes - 1) * model.G;
}

/// The least time between the first and the last of some messages that a rank sends, or receives:
/// the others have `bytes` together, and are `more` at least, each with `least` bytes or more.
double spaced(const CostModel& model, double bytes, double more, std::uint64_t least) {
  const double calls = more * std::max(model.o, model.g);
  if (model.g >= model.G) return std::max(calls, bytes * model.G + more * (model.g - model.G));
  const double shortest = to_double(std::max<std::uint64_t>(least, 1));
  return std::max(calls, bytes * (model.G - (model.G - model.g) / shortest));
}

}  // namespace

double message_bound(const Problem& problem, const Machine& machine, const CostModel& model,
                     std::uint64_t bytes, const CostClaim& claim, SearchMemory& memory) {
  if (model.of_machine || problem.declared() || problem.ranks == 1) return 0;
  if (problem.tokens()) bytes = 0;
  Problem whole = problem;
  whole.chunks = 1;
  const Demand need = demand(demand(whole), whole, machine);
  const std::uint64_t least = bytes / problem.chunks;
  // A message without bytes takes as long as one with a byte.
  const double counted = to_double(std::max<std::uint64_t>(least, 1));
  const auto messages = [&](double chunks) {  // but for the first
    return claim.width == 0 ? 0 : std::max(chunks / to_double(claim.width) - 1, 0.0);
  };
  /// Between the first and the last message of a rank with so many bytes and chunks.
  const auto between = [&](double all_bytes, double chunks) {
    return spaced(model, std::max(all_bytes - counted, 0.0), messages(chunks), least);
  };
  const double first = 2 * model.o + model.L + bytes_take(model, least);
  double seconds = 0;
  const auto raise = [&](double bound) { seconds = std::max(seconds, bound); };
  const double blocks = to_double(need.busiest);
  if (blocks > 0) raise(first + between(blocks * to_double(bytes), blocks * problem.chunks));
  const double mean = to_double(need.all) / problem.ranks * problem.chunks;
  const double busiest = std::max(to_double(claim.busiest), mean);
  if (busiest > 0) raise(first + between(busiest * to_double(least), busiest));
  CostModel of_least = model;
  const double more = bytes_take(model, rounded_down(least));  // few sizes, and so few trees
  of_least.L += more;
  of_least.g += more;
  const double rest = whole_message(problem) ? between(to_double(bytes), problem.chunks) : 0;
  if (claim.hops > 0) raise(to_double(claim.hops) * first + rest);
  if (const auto tree = memory.karp_seconds(need.reach, of_least)) raise(*tree + rest);
  return seconds;
}

}  // namespace schedcc
