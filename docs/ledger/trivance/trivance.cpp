// Trivance: the allreduce of whole vectors.

#include <memory>

#include "algorithm/shapes.hpp"
#include "core/integers.hpp"
#include "ledger.hpp"
#include "measure.hpp"
#include "model/algebra.hpp"
#include "schedcc/check.hpp"

namespace ledger {

namespace {

/// Whole vectors to both sides, at the distances 3^k, the last one ceil((P - 3^(L-1))/2).
Steps whole_vectors(Rank P) {
  const U64 L = ceil_log(3, P);
  return every_step(L, [=](U64 k, Transfers& out) {
    const U64 d = k + 1 == L ? ceil_div(P - power(3, k), 2) : power(3, k);
    for (Rank r = 0; r < P; ++r) {
      const auto up = static_cast<Rank>((r + d) % P), down = static_cast<Rank>((r + P - d) % P);
      out.push_back(transfer(r, up, 0, 1, true));
      if (down != up) out.push_back(transfer(r, down, 0, 1, true));
    }
  });
}

bool is_right(Rank P) {
  Problem problem;
  problem.collective = Collective::allreduce;
  problem.ranks = P;
  auto rows = stream(whole_vectors(P));
  const auto schedule = std::make_shared<const Schedule>(collect(*rows));
  return check(from_schedule(problem, schedule), make_machine("kport:k=2", P)).verdict() ==
         Verdict::holds;
}

const Section section{
    "Allreduce on a ring",
    {{"latency-optimal variant", "whole vectors in ceil(log3 P) steps, for P = 3^h",
      "P = 3, 9, 27, 81",
      [](Found& f) {
        for (const Rank P : {3U, 9U, 27U, 81U}) f.holds(is_right(P), "P = {} is violated", P);
        f.shows("3 steps");
      },
      "schedcc compile trivance:whole --ranks 27 --machine kport:k=2 >/dev/null"},
     {"latency-optimal variant",
      "the same for other P, with the last distance ceil((P - 3^(L-1))/2), L = ceil(log3 P), and "
      "full windows",
      "P = 2..40",
      [](Found& f) {
        for (Rank P = 2; P <= 40; ++P) f.holds(is_right(P), "P = {} is violated", P);
        f.shows("violated delivery");
      },
      "schedcc verify schedules/bad/trivance-whole-4.sched",
      "the windows of the last step overlap, so that contributions count twice, unless P = 2 or "
      "3^h; how the paper avoids it is not in its text"},
     {"bandwidth-optimal variant", "reduce-scatter and allgather, ceil(log3 P) steps each",
      "P = 2..128",
      [](Found& f) {
        for (Rank P = 2; P <= 128; ++P)
          f.equal(2 * ceil_log(3, P), steps({"trivance", P, P, "kport:k=2", "allreduce"}), "P = {}",
                  P);
        f.shows("holds");
      },
      "schedcc compile trivance --ranks 100 --chunks 100 --machine kport:k=2 >/dev/null"}}};

}  // namespace

Paper trivance() {
  return {"Trivance",
          "Trivance, arXiv 2602.17254",
          {section},
          {"Ports that are mirrored to balance their load: not pinned down in the text."}};
}

}  // namespace ledger
