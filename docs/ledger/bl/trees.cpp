// BL, trees: k-ary and k-nomial broadcasts.

#include <cmath>
#include <set>
#include <tuple>

#include "bl/degree.hpp"
#include "bl/sections.hpp"
#include "core/integers.hpp"
#include "core/join.hpp"
#include "measure.hpp"

namespace ledger::BL {

namespace {

const Section trees_section{
    "Trees",
    {
        {"k-ary Tree Broadcast",
         "the best k-ary tree is ternary (\"faster than in a ternary tree?\")",
         "k = 2..64, time k log_k P (α + βs)",
         [](Found& f) {
           for (double k = 2; k <= 64; ++k) {
             if (k != 3) f.holds(3 / std::log(3) < k / std::log(k), "k = {} is better", k);
           }
           f.say("with k sends on each of log_k P levels k / ln k counts: 2.731 for k = 3");
           f.shows("{} steps", steps({"kary-tree:k=3", 81}));
         },
         "schedcc compile kary-tree:k=3 --ranks 81"},
        {"k-ary Tree Broadcast", "the best k is independent of P, α, βs (\"Really?\")",
         "P = 2..4096, k = 2..8, k ceil(log_k P) steps",
         [](Found& f) {
           std::set<U64> best;
           for (U64 P = 2; P <= 4096; ++P) {
             U64 k_best = 2;
             for (U64 k = 3; k <= 8; ++k) {
               if (k * ceil_log(k, P) < k_best * ceil_log(k_best, P)) k_best = k;
             }
             best.insert(k_best);
             f.equal(3, k_best, "P = {}: the best k", P);
           }
           f.say("the best k of whole levels is one of {}", join(best, ", "));
           f.shows("{} steps", steps({"kary-tree:k=2", 4}));
         },
         "schedcc compile kary-tree:k=2 --ranks 4",
         "of α, β and s it is; but levels are whole, so that 4 ranks want k = 2: 4 steps, not 6"},
        {"k-ary Tree Broadcast", "ternary is best, of the trees as they can be scheduled",
         "P = 4, 10, 27, 81, 128, k = 1..9",
         [](Found& f) {
           for (const Rank P : {4U, 10U, 27U, 81U, 128U}) {
             const U64 three = steps({"kary-tree:k=3", P});
             U64 before = P;
             for (U64 k = 1; k <= 9; ++k) {
               const U64 now = steps({named("kary-tree", k), P});
               f.at_least(three, now, "P = {}, k = {}", P, k);
               expect(now <= before && (k == 1 || now <= k * ceil_log(k, P)));
               before = now;
             }
             f.equal(ceil_log2(P), steps({"kary-tree:k=9", P}), "P = {}, k = 9 for lg", P);
           }
           f.shows("{} steps", steps({"kary-tree:k=9", 27}));
         },
         "schedcc compile kary-tree:k=9 --ranks 27",
         "the count of the slide has ranks wait for their level; where they need not, more "
         "successors never hurt for one packet, and from k = lg on it is the binomial tree"},
        {"Faster Trees?", "roots that keep sending (k-nomial) are faster than a k-ary tree",
         "k = 2..8, P = 2..128",
         [](Found& f) {
           for (U64 k = 2; k <= 8; ++k) {
             for (Rank P = 2; P <= 128; ++P) {
               f.at_most(k * ceil_log(k, P), steps({named("knomial-tree", k), P}), "k = {}, P = {}",
                         k, P);
             }
           }
           f.say("at most (k-1) ceil(log_k P) steps, against k ceil(log_k P)");
           f.shows("{} steps", steps({"knomial-tree:k=3", 81}));
         },
         "schedcc compile knomial-tree:k=3 --ranks 81"},
        {"Faster Trees?", "the k-nomial tree takes (k-1) log_k P (α + βs)",
         "P = k^m <= 6561, k = 2..9",
         [](Found& f) {
           for (U64 k = 2; k <= 9; ++k) {
             U64 m = 1;
             for (U64 P = k; P <= 6561; P *= k, ++m) {
               f.equal((k - 1) * m, steps({named("knomial-tree", k), static_cast<Rank>(P)}),
                       "k = {}, P = {}", k, P);
             }
           }
           f.shows("{} steps", steps({"knomial-tree:k=4", 64}));
         },
         "schedcc compile knomial-tree:k=4 --ranks 64"},
        {"Faster Trees?", "for k = 2 it is a binomial tree", "P = 2..128",
         [](Found& f) {
           for (Rank P = 2; P <= 128; ++P) {
             std::set<std::tuple<U64, Rank, Rank>> sets[2];
             for (const auto& [step, t] : transfers({"knomial-tree:k=2", P}))
               sets[0].emplace(step, t.src, t.dst);
             for (const auto& [step, t] : transfers({"binomial-tree", P}))
               sets[1].emplace(step, t.src, t.dst);
             f.holds(sets[0] == sets[1], "P = {}: another tree", P);
           }
           f.say("the same transfers in the same steps");
           f.shows("{} steps", steps({"knomial-tree:k=2", 64}));
         },
         "schedcc compile knomial-tree:k=2 --ranks 64"},
        {"Faster Trees?", "its time rises with k > 1, so that k_opt = 2",
         "k = 1.01 .. 20 by 0.01 for (k-1) / ln k; P = 2..128, k = 2..9 for schedules",
         [](Found& f) {
           for (int i = 101; i < 2000; ++i) {
             const double k = i / 100.0, next = (i + 1) / 100.0;
             f.holds((next - 1) / std::log(next) > (k - 1) / std::log(k), "it falls at k = {}", k);
           }
           for (Rank P = 2; P <= 128; ++P) {
             for (U64 k = 3; k <= 9; ++k) {
               f.at_least(U64{ceil_log2(P)}, steps({named("knomial-tree", k), P}), "k = {}, P = {}",
                          k, P);
             }
           }
           f.shows("{} steps", steps({"knomial-tree:k=3", 64}));
         },
         "schedcc compile knomial-tree:k=3 --ranks 64"},
        {"Faster Trees?", "the binomial tree is asymptotically optimal for s = 1", "P = 2..1024",
         [](Found& f) {
           for (Rank P = 2; P <= 1024; ++P) {
             f.equal(least_steps("broadcast", P, "duplex"), ceil_log2(P), "P = {}", P);
           }
           for (const Rank P : {2U, 100U, 1000U, 1024U}) {
             f.equal(ceil_log2(P), steps({"binomial-tree", P}), "P = {}", P);
           }
           f.say("for one packet it is optimal: lg steps");
           f.shows("10 steps (bound {})", least_steps("broadcast", 1000, "duplex"));
         },
         "schedcc compile binomial-tree --ranks 1000"},
    }};

}  // namespace

Section trees() { return trees_section; }

}  // namespace ledger::BL
