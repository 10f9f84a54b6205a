// BFT, section 3: furthest-first scattering.

#include <algorithm>
#include <map>

#include "bft/capacities.hpp"
#include "bft/sections.hpp"
#include "measure.hpp"

namespace ledger::BFT {

namespace {

const Section scattering_section{
    "3 Scattering",
    {
        {"sections 1 and 3",
         "a gathering algorithm is a scattering one with the data paths reversed",
         "n = 2..64, all roots at n <= 16",
         [](Found& f) {
           for (Rank n = 2; n <= 64; n *= 2) {
             for (Rank root = 0; root < n; root += n <= 16 ? 1 : 13) {
               f.equal(steps({"furthest-first", n, 1, "", "scatter", root}),
                       steps({"furthest-first", n, 1, "", "gather", root}), "n = {}, root {}", n,
                       root);
             }
           }
           f.shows("gather, 8 ranks, root 3, 1 chunk on fattree:cap=constant: 9 steps");
         },
         "schedcc compile furthest-first --collective gather --ranks 8 --root 3"},
        {"Theorem 1", "furthest-first scattering is optimal, n + 1 steps",
         "n = 4..1024; c_1 = 1: constant, exponential, three others",
         [](Found& f) {
           each_tree(1024, [&](U64, Rank n, const std::string& machine) {
             const Report r = checked({"furthest-first", n, 1, machine});
             f.equal(n + 1, r.steps, "{} leaves of {}", n, machine);
             f.equal(n + 1, *r.lower_bound->steps, "{} leaves of {}: bound", n, machine);
           });
           f.say("n = 2: {} steps, also optimal", steps({"furthest-first", 2}));
           f.shows("65 steps (bound 65)");
         },
         "schedcc compile furthest-first --ranks 64 >/dev/null"},
        {"Theorem 1, proof", "the last message for S_i is dispatched at time n - 2^(i-1)",
         "n = 2..256, i = 1..log n",
         [](Found& f) {
           for (Rank n = 2; n <= 256; n *= 2) {
             std::map<U64, U64> last;
             for (const auto& [step, t] : transfers({"furthest-first", n}))
               last[log2(t.dst) + 1] = step + 1;
             for (const auto& [i, time] : last)
               f.equal(n - (U64{1} << (i - 1)), time, "n = {}, i = {}", n, i);
           }
           f.shows("furthest-first: holds");
         },
         "schedcc compile furthest-first --ranks 8"},
        {"Theorem 1, proof", "and reaches its destination at T_i = n - 2^(i-1) + 2i - 1",
         "n = 2..256, i = 1..log n",
         [](Found& f) {
           for (Rank n = 2; n <= 256; n *= 2) {
             std::map<U64, U64> T;
             for (const auto& [step, t] : hops({"furthest-first", n}))
               if (t.dst < n) T[log2(t.dst) + 1] = step + 1;
             for (const auto& [i, time] : T)
               f.equal(n - (U64{1} << (i - 1)) + 2 * i - 1, time, "n = {}, i = {}", n, i);
           }
           f.shows("step 8");
         },
         "schedcc compile furthest-first --ranks 8 --level hop"},
        {"Theorem 1, proof", "T_i is a decreasing function of i for i >= 2", "n = 8..1024",
         [](Found& f) {
           for (U64 h = 3; h <= 10; ++h) {
             const auto T = [h](U64 i) { return (U64{1} << h) - (U64{1} << (i - 1)) + 2 * i - 1; };
             for (U64 i = 3; i <= h; ++i)
               f.holds(T(i) < T(i - 1), "n = {}: T_{} = {}, T_{} = {}", 1 << h, i - 1, T(i - 1), i,
                       T(i));
           }
           f.shows("step 8");
         },
         "schedcc compile furthest-first --ranks 8 --level hop",
         "T_2 = T_3 = n + 1; it falls from i = 3 on, so that the maximum is right"},
        {"Theorem 1, proof", "T_1 = n, T_2 = n + 1, and the maximum of all T_i is n + 1",
         "n = 4..1024",
         [](Found& f) {
           for (U64 h = 2; h <= 10; ++h) {
             const U64 n = U64{1} << h;
             U64 most = 0;
             for (U64 i = 1; i <= h; ++i)
               most = std::max(most, n - (U64{1} << (i - 1)) + 2 * i - 1);
             f.equal(n + 1, most, "n = {}", n);
           }
           f.shows("1025 steps");
         },
         "schedcc compile furthest-first --ranks 1024 >/dev/null"},
    }};

}  // namespace

Section scattering() { return scattering_section; }

}  // namespace ledger::BFT
