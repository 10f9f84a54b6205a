// Bine: the rules for numbers of ranks that are not powers of two, word for word.

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <vector>

#include "algorithm/shapes.hpp"
#include "algorithm/swing_tree.hpp"
#include "core/integers.hpp"
#include "ledger.hpp"
#include "measure.hpp"
#include "model/algebra.hpp"
#include "schedcc/check.hpp"

namespace ledger {

namespace {

/// The h-bit negabinary form of v, if it fits.
std::optional<U64> negabinary(std::int64_t v, U64 h) {
  U64 result = 0;
  for (U64 i = 0; v != 0; ++i) {
    if (i == h) return std::nullopt;
    const std::int64_t digit = v & 1;
    result |= static_cast<U64>(digit) << i;
    v = (v - digit) / -2;
  }
  return result;
}

/// nu(b) for the form v of b.
std::optional<U64> nu(std::int64_t v, U64 h) {
  const auto form = negabinary(v, h);
  if (!form) return std::nullopt;
  const U64 gray = *form ^ (*form >> 1);
  U64 result = 0;
  for (U64 i = 0; i < h; ++i) result |= (gray >> i & 1) << (h - 1 - i);
  return result;
}

/// The step in which rank 0 sends block b: h - 1 less the highest bit of nu(b). Of two forms the
/// one with the smaller nu is taken, or the second one: b - P, P - b.
U64 step_of(Rank b, Rank P, bool smaller) {
  const U64 h = ceil_log2(P);
  const std::int64_t v = b, p = P;
  const auto first = nu(b % 2 == 1 ? v : -v, h), second = nu(b % 2 == 1 ? v - p : p - v, h);
  const U64 chosen = !first    ? second.value_or(0)
                     : !second ? *first
                     : smaller ? std::min(*first, *second)
                               : *second;
  return h - static_cast<U64>(std::bit_width(chosen));
}

/// The reduce-scatter block by block.
Steps block_by_block(Rank P, bool smaller) {
  return every_step(ceil_log2(P), [=](U64 i, Transfers& out) {
    for (Rank r = 0; r < P; ++r) {
      for (Rank b = 1; b < P; ++b) {
        const Rank block = r % 2 == 0 ? (r + b) % P : (r + P - b) % P;
        if (step_of(b, P, smaller) != i) continue;
        out.push_back(transfer(r, static_cast<Rank>(swing_partner(r, i, P)), block, 1, true));
      }
    }
  });
}

Steps whole_vectors(Rank P) {
  return every_step(ceil_log2(P), [=](U64 i, Transfers& out) {
    for (Rank r = 0; r < P; ++r)
      out.push_back(transfer(r, static_cast<Rank>(swing_partner(r, i, P)), 0, 1, true));
  });
}

bool is_right(Collective collective, Rank P, const Steps& steps) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = P;
  auto rows = stream(steps);
  const auto schedule = std::make_shared<const Schedule>(collect(*rows));
  return check(from_schedule(problem, schedule), make_machine("duplex", P)).verdict() ==
         Verdict::holds;
}

const Section section{
    "Numbers of ranks that are not powers of two",
    {{"libbine, block by block",
      "reduce-scatter and allgather serve every even P, each block in the step given by the "
      "highest bit of nu",
      "even P = 2..80; of two forms the one with the smaller nu",
      [](Found& f) {
        for (Rank P = 2; P <= 80; P += 2)
          f.holds(is_right(Collective::reduce_scatter, P, block_by_block(P, true)),
                  "P = {} is violated", P);
        f.shows("violated delivery");
      },
      "schedcc verify schedules/bad/bine-blocks-74.sched",
      "a rank sends a block before contributions to it have arrived; `bine` takes the tree of a "
      "block that grows backwards from its rank"},
     {"first repository, block by block", "the same, of two forms b - P or P - b", "even P = 2..40",
      [](Found& f) {
        for (Rank P = 2; P <= 40; P += 2)
          f.holds(is_right(Collective::reduce_scatter, P, block_by_block(P, false)),
                  "P = {} is violated", P);
        f.shows("violated delivery");
      },
      "schedcc verify schedules/bad/bine-blocks-10.sched", "as above"},
     {"butterfly",
      "ceil(log2 P) steps for every even P (by trees that grow backwards from each block's rank)",
      "even P = 2..128, reduce-scatter",
      [](Found& f) {
        for (Rank P = 2; P <= 128; P += 2)
          f.equal(ceil_log2(P), steps({"bine", P, 1, "duplex", "reduce-scatter"}), "P = {}", P);
        f.shows("holds");
      },
      "schedcc compile bine --collective reduce-scatter --ranks 74 >/dev/null"},
     {"butterfly",
      "the allreduce of whole vectors in ceil(log2 P) steps, taken as it is for even P",
      "even P = 2..40",
      [](Found& f) {
        for (Rank P = 2; P <= 40; P += 2)
          f.holds(is_right(Collective::allreduce, P, whole_vectors(P)), "P = {} is violated", P);
        f.shows("violated delivery");
      },
      "schedcc verify schedules/bad/bine-whole-6.sched",
      "contributions count twice unless P = 2^h; `bine:whole` folds the excess ranks first"}}};

}  // namespace

Paper bine() {
  return {"Bine",
          "Bine Trees: Enhancing Collective Operations by Optimizing Communication Locality",
          {section},
          {"Traffic over global links and times on real systems: about hardware."}};
}

}  // namespace ledger
