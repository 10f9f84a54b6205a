// BL, the optimal broadcast in LogP: Karp's tree.

#include <algorithm>
#include <set>

#include "bl/degree.hpp"
#include "bl/sections.hpp"
#include "measure.hpp"

namespace ledger::BL {

namespace {

const Section logp_optimal_section{
    "Example: Optimal Broadcast",
    {
        {"can we do better?", "a fixed k in all stages might not be optimal",
         "the 95 models; P = 2, 5, 8, 33; k = 2..8",
         [](Found& f) {
           U64 better = 0;
           for (const LogP& m : logp_models()) {
             for (const Rank P : {2U, 5U, 8U, 33U}) {
               const U64 karp = steps({"karp", P, 1, spec(m)});
               U64 least = UINT64_MAX;
               for (U64 k = 2; k <= 8; ++k) {
                 least = std::min(least, steps({named("logp-knomial", k), P, 1, spec(m)}));
               }
               f.at_most(least, karp, "P = {}, {}", P, spec(m));
               if (karp < least) ++better;
             }
           }
           f.holds(better > 0, "no tree of Karp's is better");
           f.say("Karp's tree is never slower than the best k-nomial tree, and faster {} times",
                 better);
           f.shows("{} cycles", steps({"logp-binomial", 8, 1, spec({6, 2, 4})}));
         },
         "schedcc compile logp-binomial --ranks 8 --machine logp:L=6,o=2,g=4"},
        {"Optimal Broadcast",
         "each process that received the value sends it on, and receives it exactly once",
         "the 95 models; P = 2, 8, 33",
         [](Found& f) {
           for (const LogP& m : logp_models()) {
             for (const Rank P : {2U, 8U, 33U}) {
               std::set<Rank> received;
               for (const Sent& s : transfers({"karp", P, 1, spec(m)})) {
                 f.holds(received.insert(s.transfer.dst).second, "P = {}, {}: twice", P, spec(m));
               }
               f.equal(P - 1, received.size(), "P = {}, {}", P, spec(m));
             }
           }
           f.shows("7 transfers");
         },
         "schedcc compile karp --ranks 8 --machine logp:L=6,o=2,g=4"},
        {"P = 8, L = 6, g = 4, o = 2", "the optimal tree takes 24 cycles (the picture's example)",
         "",
         [](Found& f) {
           const Report karp = checked({"karp", 8, 1, spec({6, 2, 4})});
           f.equal(24, karp.steps, "time");
           f.equal(24, *karp.lower_bound->steps, "bound");
           f.say("{} cycles, and no schedule takes less; the binomial tree takes {}", karp.steps,
                 steps({"logp-binomial", 8, 1, spec({6, 2, 4})}));
           f.shows("{} cycles (bound {})", karp.steps, *karp.lower_bound->steps);
         },
         "schedcc compile karp --ranks 8 --machine logp:L=6,o=2,g=4"},
        {"Optimal Broadcast Runtime",
         "P(t), the PEs reached by t, is a generalized Fibonacci recurrence (o > g)",
         "L = 1, 6, o = 2, 5, g = 1, 2; L = 6, o = 2, g = 4; L = 2, o = 1, g = 7; t up to P(t) = "
         "3000",
         [](Found& f) {
           for (const LogP& m : {LogP{1, 2, 1}, LogP{6, 2, 1}, LogP{1, 5, 2}, LogP{6, 5, 2},
                                 LogP{6, 2, 4}, LogP{2, 1, 7}}) {
             std::vector<U64> P{1};
             for (U64 t = 1; P.back() < 3000; ++t) {
               const U64 later = t >= m.spacing() ? P[t - m.spacing()] : 1;
               P.push_back(t < m.latency() ? 1 : later + P[t - m.latency()]);
             }
             for (U64 t = 1; t < P.size(); ++t) {
               if (P[t] == P[t - 1]) continue;
               for (const U64 ranks : {P[t - 1] + 1, P[t]}) {
                 f.equal(t, least_steps("broadcast", static_cast<Rank>(ranks), spec(m)),
                         "{} ranks of {}", ranks, spec(m));
               }
             }
           }
           f.say("P(t) = P(t - max(o, g)) + P(t - L - 2o), P(t) = 1 for t less than L + 2o");
           f.shows("{} cycles", steps({"karp", 1000, 1, spec({6, 5, 2})}));
         },
         "schedcc compile karp --ranks 1000 --machine logp:L=6,o=5,g=2"},
    }};

}  // namespace

Section logp_optimal() { return logp_optimal_section; }

}  // namespace ledger::BL
