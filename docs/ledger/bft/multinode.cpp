// BFT, section 4: multinode broadcasting by flooding, and its queues.

#include <algorithm>
#include <map>

#include "bft/capacities.hpp"
#include "bft/examples.hpp"
#include "bft/sections.hpp"
#include "machine/fattree.hpp"
#include "measure.hpp"

namespace ledger::BFT {

namespace {

/// The hops of flooding on the constant tree.
std::vector<Sent> flood(Rank n) { return hops({"flood", n, 1, "cbft"}); }

const Section multinode_section{
    "4 Multinode broadcasting",
    {
        {"Theorem 2", "flooding takes n + 1 steps, the minimum",
         "n = 4..1024, constant capacities; n = 4..256 three others, exponential",
         [](Found& f) {
           const auto equal = [&](Rank n, const std::string& machine) {
             const Report r = checked({"flood", n, 1, machine});
             f.equal(n + 1, r.steps, "{} leaves of {}", n, machine);
             f.equal(n + 1, *r.lower_bound->steps, "{} leaves of {}: bound", n, machine);
           };
           for (Rank n = 4; n <= 1024; n *= 2) equal(n, "cbft");
           each_tree(256, [&](U64, Rank n, const std::string& machine) { equal(n, machine); });
           f.shows("65 steps (bound 65)");
         },
         "schedcc compile flood --ranks 64 >/dev/null"},
        {"figure 3", "multinode broadcasting on four leaves, hop by hop", "the figure's five steps",
         [](Found& f) {
           std::map<U64, ::bft::Hops> ours;
           for (const auto& [step, t] : flood(4)) ours[step].emplace(t.src, t.dst, t.first);
           const std::vector<::bft::Hops> figure = ::bft::figure_3();
           for (U64 t = 0; t < figure.size(); ++t) f.holds(ours[t] == figure[t], "step {}", t);
           f.shows("holds: allgather, 4 ranks, 1 chunk on fattree:cap=constant: 5 steps");
         },
         "schedcc verify schedules/bft-figure-3.sched"},
        {"Theorem 2, proof",
         "the first two messages reach R_L at time log n, and all others cross it one by one in "
         "the following steps",
         "subtrees of n = 4..128 leaves",
         [](Found& f) {
           for (Rank n = 4; n <= 128; n *= 2) {
             const Rank R_L = FatTreeNodes{2 * n}.node(static_cast<std::uint32_t>(log2(n)), 0);
             std::map<U64, U64> reach, cross;
             for (const auto& [step, t] : flood(2 * n)) {
               if (t.dst == R_L && t.src < R_L) ++reach[step + 1];
               if (t.src == R_L && t.dst > R_L) ++cross[step + 1];
             }
             f.equal(log2(n), reach.begin()->first, "n = {}: the first at", n);
             f.equal(2, reach.begin()->second, "n = {}: so many", n);
             f.equal(n, cross.size(), "n = {}: steps in which one crosses", n);
             f.equal(log2(n) + n, cross.rbegin()->first, "n = {}: the last", n);
           }
           f.shows("flood: holds");
         },
         "schedcc compile flood --ranks 8 >/dev/null"},
        {"Theorem 2, proof",
         "the first message of T_R arrives at the first level of T_L log n + 1 steps later, or "
         "waits in a queue",
         "n = 4..128",
         [](Found& f) {
           for (Rank n = 4; n <= 128; n *= 2) {
             const FatTreeNodes tree{2 * n};
             U64 first = UINT64_MAX;
             for (const auto& [step, t] : flood(2 * n)) {
               if (t.first >= n && tree.level(t.dst) == 1 && t.dst < tree.node(1, n / 2))
                 first = std::min(first, step + 1);
             }
             f.at_least(2 * log2(n) + 1, first, "n = {}", n);
           }
           f.shows("flood: holds");
         },
         "schedcc compile flood --ranks 8 >/dev/null"},
        {"Theorem 2, proof", "n + 1 - log n >= log n + 1, since n >= 4", "n = 4..2^60",
         [](Found& f) {
           for (U64 h = 2; h <= 60; ++h) f.at_least(h + 1, (U64{1} << h) + 1 - h, "n = 2^{}", h);
           f.shows("5 steps");
         },
         "schedcc compile flood --ranks 4 >/dev/null"},
        {"section 4.1",
         "the last message for node 0 comes from distance 2 log n, n + 1 - 2 log n steps late",
         "n = 4..256",
         [](Found& f) {
           for (Rank n = 4; n <= 256; n *= 2) {
             std::pair<U64, Chunk> last{0, 0};
             for (const auto& [step, t] : flood(n)) {
               if (t.dst == 0) last = std::max(last, {step + 1, t.first});
             }
             f.equal(n + 1, last.first, "n = {}: at", n);
             f.at_least(n / 2, last.second, "n = {}: from leaf", n);
           }
           f.shows("longest queue {}", *checked({"flood", 64}).max_buffer);
         },
         "schedcc compile flood --ranks 64 >/dev/null"},
        {"section 4.1", "the average queue on its way, (n + 1 - 2i)/2i, is least for i = log n",
         "n = 4..1024, i = 1..log n",
         [](Found& f) {
           for (U64 h = 2; h <= 10; ++h) {
             const U64 n = U64{1} << h;
             for (U64 i = 1; i < h; ++i)
               f.at_least((n + 1 - 2 * h) * i, (n + 1 - 2 * i) * h, "n = {}, i = {}", n, i);
           }
           f.shows("longest queue {}", *checked({"flood", 256}).max_buffer);
         },
         "schedcc compile flood --ranks 256 >/dev/null"},
        {"section 4.1",
         "on the constant tree queues at the links of a router of level i reach 2^(i-1): upwards",
         "n = 4..1024, i = 1..log n - 1",
         [](Found& f) {
           for (Rank n = 4; n <= 1024; n *= 2) {
             for (const LevelQueues& q : checked({"flood", n, 1, "cbft"}).queues) {
               if (q.level < log2(n))
                 f.equal(U64{1} << (q.level - 1), q.up, "n = {}, level {}", n, q.level);
             }
           }
           f.say("the root has no link upwards");
           f.shows("\"up\": 16");
         },
         "schedcc compile flood --ranks 64 --json"},
        {"section 4.1", "the same downwards, and at the root", "n = 4..1024, i = 1..log n",
         [](Found& f) {
           for (Rank n = 4; n <= 1024; n *= 2) {
             const auto queues = checked({"flood", n, 1, "cbft"}).queues;
             for (const LevelQueues& q : queues) {
               const U64 paper = U64{1} << (q.level - 1);
               f.equal(paper, q.down, "n = {}, level {}", n, q.level);
               expect(q.down == (q.level > 1 && q.level < log2(n) ? paper - 2 : 0));
             }
           }
           f.say("2^(i-1) - 2 for i between 1 and log n, none at level 1 and at the root");
           f.shows("\"down\": 14");
         },
         "schedcc compile flood --ranks 64 --json",
         "what comes from above arrives two steps late, when two of those that wait have gone"},
        {"section 4.1",
         "a multinode broadcast of n + 2 log n - 2 steps without queues exists for any tree "
         "(cited)",
         "n = 2..1024; c_1 = 1 and c = 2, 2, ...",
         [](Found& f) {
           for (U64 h = 1; h <= 10; ++h) {
             for (const Capacities& c : {constant(h), exponential(h), Capacities(h, 2)}) {
               const Report r = checked({"queueless", Rank{1} << h, 1, fattree(c)});
               f.at_most((U64{1} << h) + 2 * h - 2, r.steps, "{}", fattree(c));
               f.equal(0, *r.max_buffer, "{}: queue", fattree(c));
             }
           }
           f.say("`queueless`, schedcc's own construction, takes {} steps for n = 64",
                 steps({"queueless", 64}));
           f.shows("65 steps (bound 65)");
         },
         "schedcc compile queueless --ranks 64 >/dev/null"},
        {"section 6",
         "in the minimum number of steps multinode broadcasting has excessive queueing "
         "requirements",
         "n = 4..1024",
         [](Found& f) {
           for (Rank n = 4; n <= 1024; n *= 2) {
             const Report r = checked({"queueless", n, 1, "cbft"});
             f.holds(r.steps > n + 1 || *r.max_buffer > 0, "n = {}: {} steps, longest queue {}", n,
                     r.steps, *r.max_buffer);
           }
           f.shows("65 steps (bound 65)");
         },
         "schedcc compile queueless --ranks 64 >/dev/null",
         "flooding has; `queueless` takes n + 1 steps as well, since leaves send their packets "
         "again when "
         "there is room. So the lower bound under the constraint of no queueing, which the paper "
         "asks for, "
         "is n + 1 too"},
    }};

}  // namespace

Section multinode() { return multinode_section; }

}  // namespace ledger::BFT
