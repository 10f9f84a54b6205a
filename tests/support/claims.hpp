#pragma once

// What an algorithm claims of its schedules, against what the checks find in them. A request that
// is refused has a reason, and is refused because of the order of operands only if the schedule
// would break that order.

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/spec.hpp"

namespace claims {

using namespace schedcc;

/// The chunks that the busiest rank sends, or receives, and the messages, one after another, that
/// lead to the first chunk of some rank; of a reduction, backwards, to its last one.
struct MessageCounts {
  std::uint64_t busiest = 0, hops = 0;
};

inline MessageCounts message_counts(const Source& source) {
  std::vector<Transfer> transfers;
  const auto steps = source.open();
  for (Step step; steps->next(step);)
    transfers.insert(transfers.end(), step.transfers.begin(), step.transfers.end());
  if (source.problem.collective == Collective::reduce) {
    std::ranges::reverse(transfers);
    for (Transfer& t : transfers) std::swap(t.src, t.dst);
  }
  std::map<Rank, std::uint64_t> sent, received;
  std::map<std::pair<Rank, Chunk>, std::uint64_t> hops;
  MessageCounts result;
  for (const Transfer& t : transfers) {
    const std::uint64_t before = hops[{t.src, t.first}];
    for (Chunk c = t.first; c < t.first + t.count; ++c) hops[{t.dst, c}] = before + 1;
    if (received[t.dst] == 0) result.hops = std::max(result.hops, before + 1);
    result.busiest = std::max({result.busiest, sent[t.src] += t.count, received[t.dst] += t.count});
  }
  return result;
}

inline Request request_to(const Algorithm& algorithm, Collective collective, Rank P,
                          std::uint32_t K, Rank root, std::string_view machine,
                          const Spec& spec = {}) {
  Request r;
  r.problem.collective = collective;
  r.problem.ranks = P;
  r.problem.chunks = K;
  r.problem.root = root;
  r.machine = make_machine(machine, P);
  r.parameters = spec.check(algorithm.parameters, algorithm.name);
  return r;
}

/// Fails the test if the schedule for a request does not hold, or is not as it is claimed to be.
inline void check_claim(const Algorithm& algorithm, const Request& r) {
  if (!algorithm.made_for(r)) return;
  if (const auto why = algorithm.reason(r)) {
    if (why->empty()) FAIL_CHECK("a refusal without a reason");
    return;
  }
  const Report report = check(from_algorithm(algorithm, r, std::string(algorithm.name)), r.machine);
  const auto what = [&] {
    return fmt::format("{}: {} on {}", algorithm.name, describe(r.problem), r.machine.spec());
  };
  // Catch2's macros cost more than a small schedule, so that only what is wrong goes through them.
  if (report.verdict() != Verdict::holds) {
    FAIL_CHECK(what() << ": " << (report.findings.empty() ? "" : report.findings[0].message));
  }
  if (report.findings_total != 0 && algorithm.agrees(r)) FAIL_CHECK(what() << " has warnings");
  if (report.below_bound) FAIL_CHECK(what() << " is below the bound");
  if (r.problem.ranks == 1) {
    if (report.steps != 0) FAIL_CHECK(what() << " takes steps");
    return;
  }
  const CostClaim claim = algorithm.claim(r);
  if (claim.width != 0 && report.width > claim.width) {
    FAIL_CHECK(what() << " has a message of " << report.width << " chunks, claimed "
                      << claim.width);
  }
  if (claim.volume != 0 && report.volume != claim.volume) {
    FAIL_CHECK(what() << " has volume " << report.volume << ", claimed " << claim.volume);
  }
  const bool in_every_step = claim.width == 1 && claim.exact && !claim.idle && !r.machine.timing();
  if (in_every_step && report.volume != report.steps) {
    FAIL_CHECK(what() << " has volume " << report.volume << " in " << report.steps << " steps");
  }
  if (claim.busiest != 0 || claim.hops != 0) {
    const auto counts = message_counts(from_algorithm(algorithm, r, std::string(algorithm.name)));
    if (counts.busiest < claim.busiest || counts.hops < claim.hops) {
      FAIL_CHECK(what() << " has a rank of " << counts.busiest << " chunks and a path of "
                        << counts.hops << " messages, claimed " << claim.busiest << " and "
                        << claim.hops);
    }
  }
  if (claim.exact ? report.steps != claim.steps : report.steps > claim.steps) {
    FAIL_CHECK(what() << " takes " << report.steps << " steps, claimed " << claim.steps);
  }
}

/// Is the order of operands refused just where it would be broken? Returns whether it is kept.
inline bool order_is_exact(const Algorithm& algorithm, const Request& r) {
  Request ordered = r;
  ordered.problem.ordered = true;
  const bool serves = !algorithm.reason(ordered);
  // What is refused is built as if the order did not matter.
  Source source = from_algorithm(algorithm, serves ? ordered : r, std::string(algorithm.name));
  source.problem.ordered = true;
  const bool holds = check(source, r.machine).verdict() == Verdict::holds;
  if (serves != holds) {
    FAIL_CHECK(algorithm.name << ": " << describe(r.problem) << " on " << r.machine.spec()
                              << " in order: serves " << serves << ", holds " << holds);
  }
  return serves;
}

}  // namespace claims
