// LIB: allreduce of whole vectors, and of packets along two trees.

#include <algorithm>
#include <set>
#include <vector>

#include "core/integers.hpp"
#include "libraries/sections.hpp"
#include "measure.hpp"

namespace ledger::LIB {

namespace {

/// The ranks that pass packets of one of the two trees on to others.
std::set<Rank> inner_ranks(Rank P, Chunk tree) {
  std::set<Rank> result;
  for (const auto& [step, t] : transfers(Case{"double-binary-tree", P, 2, "", "allreduce"})) {
    if (t.reduce == 0 && t.first % 2 == tree) result.insert(t.src);
  }
  return result;
}

/// How many ranks pass on packets of both trees.
std::size_t inner_in_both(Rank P) {
  const std::set<Rank> first = inner_ranks(P, 0), second = inner_ranks(P, 1);
  return static_cast<std::size_t>(
      std::ranges::count_if(first, [&](Rank v) { return second.contains(v); }));
}

/// The census by its own rule, in which a rank holds two values: E, the sum over the m ranks before
/// it, and I, that with its own contribution. In each round it sends either to a rank, and what
/// comes from further ranks extends both. P - 1, written to base k + 1, gives the rounds.
struct Census {
  U64 rounds = 0;
  bool complete = true;     ///< every rank ends with each contribution once
  bool one_message = true;  ///< in each round it gets at most one value from a rank, k in all
};

Census census(U64 P, U64 k) {
  std::vector<U64> digits;
  for (U64 rest = P - 1; rest > 0; rest /= k + 1) digits.insert(digits.begin(), rest % (k + 1));
  using Counts = std::vector<U64>;  // of the contributions of all ranks
  std::vector<Counts> E(P, Counts(P)), I = E;
  for (U64 r = 0; r < P; ++r) I[r][r] = 1;
  Census result{digits.size()};
  U64 m = 0;
  const auto add = [](Counts& to, const Counts& from) {
    for (std::size_t x = 0; x < to.size(); ++x) to[x] += from[x];
  };
  for (const U64 digit : digits) {
    std::vector<Counts> next = E;
    for (U64 r = 0; r < P; ++r) {
      std::set<U64> senders;
      U64 messages = 0;
      const auto get = [&](U64 distance, const Counts& piece) {
        senders.insert(distance % P);
        ++messages;
        add(next[r], piece);
      };
      U64 off = m;
      for (U64 i = 0; i < digit; ++i, off += m + 1) get(off + 1, I[(r + P - (off + 1) % P) % P]);
      for (U64 i = digit; m > 0 && i < k; ++i, off += m) get(off, E[(r + P - off % P) % P]);
      result.one_message &= senders.size() == messages && messages <= k && !senders.contains(0);
    }
    E = next;
    I = next;
    for (U64 r = 0; r < P; ++r) ++I[r][r];
    m = (k + 1) * m + digit;
  }
  for (const Counts& counts : I) result.complete &= counts == Counts(P, 1);
  return result;
}

const Section vectors_section{
    "Whole vectors, and two trees",
    {
        {"MPICH, recexch_algo.c",
         "recursive exchange takes log_k Q steps, Q the largest power of k that is not above P, "
         "and two more unless Q = P",
         "reduce-scatter in order, P = 2..66, k = 2..8",
         [](Found& f) {
           for (U64 k = 2; k <= 8; ++k) {
             for (Rank P = 2; P <= 66; ++P) {
               const U64 radix = std::min<U64>(k, P), above = ceil_log(radix, P);
               const bool power = schedcc::power(radix, above) == P;
               Case c{fmt::format("recexch:k={}", k), P, 1, "", "reduce-scatter"};
               c.ordered = true;
               f.equal(power ? above : above + 1, steps(c), "P = {}, k = {}", P, k);
             }
           }
           f.shows("4 steps (bound 3)");
         },
         "schedcc compile recexch:k=3 --collective reduce-scatter --ordered --ranks 11 >/dev/null"},
        {"Bar-Noy, Kipnis, Schieber 1993, Parallel Processing Letters 3 (1)",
         "an allreduce of one item in log_(k+1) P rounds, rounded up, for any P, with k messages "
         "from and to a rank in a round",
         "P = 2..66, k = 1..4; the paper's rounds",
         [](Found& f) {
           for (U64 k = 1; k <= 4; ++k) {
             for (Rank P = 2; P <= 66; ++P) {
               const Census found = census(P, k);
               f.equal(ceil_log(k + 1, P), found.rounds, "P = {}, k = {}", P, k);
               f.holds(found.complete && found.one_message, "P = {}, k = {}", P, k);
             }
           }
           f.shows("T = 2: impossible");
         },
         "schedcc prove --collective allreduce --ranks 3 --steps 2",
         {},
         "in those rounds a rank sends to some the sum of all that it has got, to others that with "
         "its own contribution, and adds what it gets to both. A schedule's message brings a chunk "
         "as its sender holds it, into the same chunk, so that no second chunk can take the place "
         "of the other sum; and then P = 3 takes 3 steps"},
        {"NCCL, src/graph/trees.cc", "no rank passes packets on in both trees", "P = 3..66",
         [](Found& f) {
           for (Rank P = 3; P <= 66; ++P)
             f.equal(0, inner_in_both(P), "P = {}: ranks inside both trees", P);
           f.shows("0 -> 2 : 1");
         },
         "schedcc compile double-binary-tree --ranks 3 --chunks 2 | sed -n '/step 2/,$p'",
         "for odd P rank 0, the root of the first tree, has a child in the second"},
        {"the same", "the trees have at most lg levels below their roots: 2 lg + s/2 - 1 steps",
         "P = 2..130; 2, 6 and 14 packets",
         [](Found& f) {
           for (Rank P = 2; P <= 130; ++P) {
             for (const std::uint32_t K : {2U, 6U, 14U})
               f.equal(2 * ceil_log2(P) + K / 2 - 1, steps({"double-binary-tree", P, K}),
                       "P = {}, s = {}", P, K);
           }
           f.shows("13 steps");
         },
         "schedcc compile double-binary-tree --ranks 32 --chunks 8 >/dev/null"},
    }};

}  // namespace

Section vectors() { return vectors_section; }

}  // namespace ledger::LIB
