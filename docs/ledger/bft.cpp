// BFT: the claims of "Communications in Binary Fat Trees", section by section. n = P = 2^h leaves.

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "frontend/algorithms/shapes.hpp"
#include "ledger.hpp"
#include "machine/fattree.hpp"
#include "measure.hpp"

namespace ledger {

namespace {

using Capacities = std::vector<U64>;

std::string fattree(const Capacities& c) {
  return fmt::format("fattree:cap={}", fmt::join(c, ","));
}

Capacities constant(U64 h) { return Capacities(h, 1); }

Capacities exponential(U64 h) {
  Capacities c;
  for (U64 i = 0; i < h; ++i) c.push_back(U64{1} << i);
  return c;
}

/// All capacities with c_1 = 1 that stay or double from level to level.
std::vector<Capacities> doubling(U64 h) {
  std::vector<Capacities> all;
  for (U64 which = 0; which < U64{1} << (h - 1); ++which) {
    Capacities c{1};
    for (U64 i = 1; i < h; ++i) c.push_back(c.back() << (which >> (i - 1) & 1));
    all.push_back(c);
  }
  return all;
}

/// Some that follow no rule: with c_1 = 1, or larger.
std::vector<Capacities> arbitrary(U64 h, const std::vector<Capacities>& patterns) {
  std::vector<Capacities> all;
  for (const Capacities& pattern : patterns) {
    Capacities c;
    for (U64 i = 0; i < h; ++i) c.push_back(pattern[std::min<U64>(i, pattern.size() - 1)]);
    all.push_back(c);
  }
  return all;
}

/// Constant, exponential, and others; single links at the leaves.
std::vector<Capacities> single_links(U64 h) {
  auto all = arbitrary(h, {{1, 1, 3, 3, 5}, {1, 4, 4, 7}, {1, 2, 3, 5, 8, 13}});
  all.push_back(constant(h));
  all.push_back(exponential(h));
  return all;
}

/// Calls fn(h, n, machine) for n = 4..most leaves and all capacities with single links at them.
template <typename F>
void each_tree(U64 most, F fn) {
  for (U64 h = 2; U64{1} << h <= most; ++h) {
    for (const Capacities& c : single_links(h)) fn(h, Rank{1} << h, fattree(c));
  }
}

U64 log2(U64 n) { return static_cast<U64>(std::bit_width(n)) - 1; }

std::string exchange(std::string_view schedule) {
  return fmt::format("total-exchange:schedule={}", schedule);
}

/// Table 1's bound for total exchange.
U64 table_1(U64 n, const Capacities& c) { return std::max(n + 1, ceil_div(n * n, 4 * c.back())); }

/// (1) and (2).
U64 sum(const Capacities& c) {
  U64 result = 0;
  for (U64 i = 0; i < c.size(); ++i) result += ceil_div(U64{1} << (2 * i), c[i]);
  return result;
}
U64 equation_1(const Capacities& c) { return sum(c) + c.size() * c.size(); }
U64 equation_2(const Capacities& c) { return sum(c) + 2 * c.size() - 1; }

const Section preliminaries{
    "2 Preliminaries; 2.1 Lower bounds",
    {
        {"section 2", "in the exponential tree (EBFT) each level has n links in total",
         "n = 2..1024",
         [](Found& f) {
           for (Rank n = 2; n <= 1024; n *= 2) {
             const Machine machine = make_machine("ebft", n);
             for (U64 i = 1; i <= log2(n); ++i)
               f.equal(n, (n >> (i - 1)) * machine.capacities[i - 1], "n = {}, level {}", n, i);
           }
           f.shows("fattree:cap=exponential: 5 steps");
         },
         "schedcc compile furthest-first --ranks 4 --machine ebft"},
        {"section 2", "half-duplex links slow down by at most a factor of two",
         "n = 4..64; broadcast, scatter, multinode broadcast, total exchange; each step in two "
         "halves, upwards and downwards",
         [](Found& f) {
           for (Rank n = 4; n <= 64; n *= 2) {
             const std::vector<Case> cases{
                 {"fattree-broadcast", n}, {"furthest-first", n}, {"flood", n}, {"xor", n}};
             for (const Case& c : cases) {
               const auto [algorithm, request] = run::ready(c);
               const auto sent = hops(c);
               auto schedule = std::make_shared<Schedule>();
               for (U64 first = 0, end = 0; first < sent.size(); first = end) {
                 while (end < sent.size() && sent[end].step == sent[first].step) ++end;
                 for (const bool up : {true, false}) {
                   bool begun = false;
                   for (U64 i = first; i < end; ++i) {
                     const Transfer& t = sent[i].transfer;
                     if ((t.src < t.dst) != up) continue;
                     if (!begun) schedule->begin_step(2 * sent[i].step + (up ? 0 : 1));
                     begun = true;
                     schedule->add(t);
                   }
                 }
               }
               const Report report =
                   check(from_schedule(request.problem, schedule, 2 * n - 1), request.machine);
               f.holds(report.verdict() == Verdict::holds, "{}, n = {}", c.spec, n);
               f.at_most(2 * steps(c), report.steps, "{}, n = {}", c.spec, n);
             }
           }
           f.shows("flood: holds");
         },
         "schedcc compile flood --ranks 8 >/dev/null"},
        {"section 2.1", "broadcasting takes 2 log n steps, and no less",
         "n = 4..1024; constant, exponential, three others",
         [](Found& f) {
           each_tree(1024, [&](U64 h, Rank n, const std::string& machine) {
             const Report r = checked({"fattree-broadcast", n, 1, machine});
             f.equal(2 * h, r.steps, "n = {}", n);
             f.equal(2 * h, *r.lower_bound->steps, "n = {}: bound", n);
           });
           f.shows("{} steps (bound {})", 12, least_steps("broadcast", 64, "cbft"));
         },
         "schedcc compile fattree-broadcast --ranks 64 --machine cbft >/dev/null"},
        {"section 2.1", "routers replicate the message towards all directions: each branch once",
         "n = 2..1024",
         [](Found& f) {
           for (Rank n = 2; n <= 1024; n *= 2)
             f.equal(2 * n - 2, *checked({"fattree-broadcast", n}).hops, "n = {}: hops", n);
           f.shows("14 transfers");
         },
         "schedcc compile fattree-broadcast --ranks 8"},
        {"Table 1", "scatter, gather, multinode broadcast: n + 1 steps at least",
         "n = 4..1024, c_1 = 1: constant, exponential, three others",
         [](Found& f) {
           each_tree(1024, [&](U64, Rank n, const std::string& machine) {
             for (const char* c : {"scatter", "gather", "allgather"})
               f.equal(n + 1, least_steps(c, n, machine), "{}, {} leaves of {}", c, n, machine);
           });
           f.shows("{} steps (bound {})", 65, 65);
         },
         "schedcc compile furthest-first --ranks 64 --machine ebft >/dev/null"},
        {"Table 1", "the same for any n and any capacities c_i >= 1", "n = 2; n = 4, c = 2, 2",
         [](Found& f) {
           for (const char* c : {"scatter", "gather", "allgather"})
             f.at_least(U64{3}, least_steps(c, 2, "cbft"), "n = 2: {}", c);
           auto schedule = std::make_shared<Schedule>();
           schedule->begin_step(0);
           schedule->add(copy(0, 2, 2));
           schedule->add(copy(0, 3, 3));
           schedule->begin_step(1);
           schedule->add(copy(0, 1, 1));
           Problem problem;
           problem.collective = Collective::scatter;
           problem.ranks = 4;
           const Report r =
               check(from_schedule(problem, schedule), make_machine("fattree:cap=2,2", 4));
           f.at_least(U64{5}, r.verdict() == Verdict::holds ? r.steps : 99,
                      "n = 4, c = 2, 2: a scatter");
           f.say("scatter over c = 2, 2 in {} steps", r.steps);
           f.shows("4 steps (bound 4)");
         },
         "printf 'schedcc 1\\ncollective scatter\\nranks 4\\nroot 0\\nchunks 1\\nmachine "
         "fattree:cap=2,2\\n"
         "step 0\\n0 -> 2 : 2\\n0 -> 3 : 3\\nstep 1\\n0 -> 1 : 1\\n' | schedcc verify -",
         "it counts on a single link at each leaf, and on leaves at distance four"},
        {"section 2.1",
         "in gathering, at most two messages are received in the first four steps, and two steps "
         "are without one",
         "n = 4..256",
         [](Found& f) {
           for (Rank n = 4; n <= 256; n *= 2) {
             std::set<U64> receptions;
             for (const auto& [step, t] : hops({"furthest-first", n, 1, "", "gather"}))
               if (t.dst == 0) receptions.insert(step);
             f.equal(2,
                     static_cast<U64>(std::distance(receptions.begin(), receptions.lower_bound(4))),
                     "n = {}: in four steps", n);
             f.equal(2, *receptions.rbegin() + 1 - receptions.size(), "n = {}: steps without", n);
           }
           f.shows("gather, 64 ranks, root 0, 1 chunk on fattree:cap=constant: 65 steps");
         },
         "schedcc compile furthest-first --collective gather --ranks 64 >/dev/null"},
        {"section 2.1",
         "in multinode broadcasting every node sends and receives n - 1 different messages",
         "n = 4..256",
         [](Found& f) {
           for (Rank n = 4; n <= 256; n *= 2) {
             U64 sent = 0, received = 0;
             for (const auto& [step, t] : hops({"flood", n})) {
               if (t.src == 0) ++sent;
               if (t.dst == 0) ++received;
             }
             f.equal(n - 1, received, "n = {}: received", n);
             f.equal(n - 1, sent, "n = {}: sent by a leaf", n);
           }
           f.shows("0 -> 4 : 0");
         },
         "schedcc compile flood --ranks 4",
         "it receives n - 1, which is what the bound counts on, but sends its own once: routers "
         "copy it"},
        {"section 2.1", "(n/2)^2 messages of a total exchange cross the root from left to right",
         "n = 2..64",
         [](Found& f) {
           for (Rank n = 2; n <= 64; n *= 2) {
             const FatTreeNodes tree{n};
             U64 crossing = 0;
             for (const auto& [step, t] : hops({"xor", n})) {
               if (t.dst == tree.root() && t.src == tree.root() - 2) ++crossing;
             }
             f.equal(U64{n} * n / 4, crossing, "n = {}", n);
           }
           f.shows("xor: holds");
         },
         "schedcc compile xor --ranks 16 >/dev/null"},
        {"Table 1", "total exchange: at least max(n + 1, n^2 / 4c_log n) steps",
         "n = 4..256; c_1 = 1, staying or doubling from level to level, all of them",
         [](Found& f) {
           for (U64 h = 2; h <= 8; ++h) {
             for (const Capacities& c : doubling(h))
               f.at_least(table_1(U64{1} << h, c),
                          least_steps("alltoall", Rank{1} << h, fattree(c)), "{}", fattree(c));
           }
           f.shows("bound {}", least_steps("alltoall", 16, "cbft"));
         },
         "schedcc compile total-exchange --ranks 16 --machine cbft >/dev/null"},
        {"Table 1", "the same for n = 2, where it is 3", "",
         [](Found& f) {
           const U64 T = steps({exchange("phases"), 2, 1, "cbft"});
           f.at_least(table_1(2, {1}), T, "two leaves exchange");
           f.shows("{} steps", T);
         },
         "schedcc compile total-exchange:schedule=phases --ranks 2 --machine cbft",
         "two leaves have no other at distance four"},
        {"section 2.1", "total exchange is Ω(n^2) on the constant, Ω(n) on the exponential tree",
         "n = 4..256",
         [](Found& f) {
           for (Rank n = 4; n <= 256; n *= 2) {
             f.at_least(U64{n} * n / 4, least_steps("alltoall", n, "cbft"), "n = {}: constant", n);
             f.at_least(U64{n} / 2, least_steps("alltoall", n, "ebft"), "n = {}: exponential", n);
           }
           f.say("n^2/4 + 2 log n - 1 and n + 2 log n - 3 (n >= 8) are necessary and possible");
           f.shows("74 steps (bound");
         },
         "schedcc compile xor --ranks 64 >/dev/null"},
        {"Table 1", "the bound for total exchange is not tight", "n = 8..128",
         [](Found& f) {
           for (U64 h = 3; h <= 7; ++h) {
             for (const Capacities& c : {constant(h), exponential(h)}) {
               f.holds(least_steps("alltoall", Rank{1} << h, fattree(c)) > table_1(U64{1} << h, c),
                       "{}: it is tight", fattree(c));
             }
           }
           f.shows("bound {}", least_steps("alltoall", 64, "cbft"));
         },
         "schedcc compile total-exchange --ranks 64 --machine cbft >/dev/null"},
        {"section 2.1",
         "for scattering, gathering and multinode broadcasting larger capacities offer no "
         "advantage",
         "n = 4, c = 2, 2",
         [](Found& f) {
           f.at_least(least_steps("scatter", 4, "cbft"),
                      least_steps("scatter", 4, "fattree:cap=2,2"), "scatter");
           f.say("with c_1 = 1 none (rows of Table 1 above)");
           f.shows("4 steps (bound 4)");
         },
         "printf 'schedcc 1\\ncollective scatter\\nranks 4\\nroot 0\\nchunks 1\\nmachine "
         "fattree:cap=2,2\\n"
         "step 0\\n0 -> 2 : 2\\n0 -> 3 : 3\\nstep 1\\n0 -> 1 : 1\\n' | schedcc verify -",
         "those above the leaves' branches do not; thicker branches at the leaves do"},
    }};

const Section scattering{
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

/// The hops of flooding on the constant tree.
std::vector<Sent> flood(Rank n) { return hops({"flood", n, 1, "cbft"}); }

const Section multinode{
    "4 Multinode broadcasting",
    {
        {"Theorem 2", "flooding takes n + 1 steps, the minimum",
         "n = 4..1024, constant capacities; n = 4..128 three others, exponential",
         [](Found& f) {
           const auto equal = [&](Rank n, const std::string& machine) {
             const Report r = checked({"flood", n, 1, machine});
             f.equal(n + 1, r.steps, "{} leaves of {}", n, machine);
             f.equal(n + 1, *r.lower_bound->steps, "{} leaves of {}: bound", n, machine);
           };
           for (Rank n = 4; n <= 1024; n *= 2) equal(n, "cbft");
           each_tree(128, [&](U64, Rank n, const std::string& machine) { equal(n, machine); });
           f.shows("65 steps (bound 65)");
         },
         "schedcc compile flood --ranks 64 >/dev/null"},
        {"figure 3", "multinode broadcasting on four leaves, hop by hop", "the figure's five steps",
         [](Found& f) {
           using Hops = std::set<std::tuple<Rank, Rank, Chunk>>;
           std::map<U64, Hops> ours;
           for (const auto& [step, t] : flood(4)) ours[step].emplace(t.src, t.dst, t.first);
           const std::vector<Hops> figure{
               {{0, 4, 0}, {1, 4, 1}, {2, 5, 2}, {3, 5, 3}},
               {{4, 0, 1}, {4, 1, 0}, {4, 6, 0}, {5, 2, 3}, {5, 3, 2}, {5, 6, 2}},
               {{4, 6, 1}, {5, 6, 3}, {6, 4, 2}, {6, 5, 0}},
               {{4, 0, 2}, {4, 1, 2}, {5, 2, 0}, {5, 3, 0}, {6, 4, 3}, {6, 5, 1}},
               {{4, 0, 3}, {4, 1, 3}, {5, 2, 1}, {5, 3, 1}},
           };
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
             for (const LevelQueues& q : queues)
               f.equal(U64{1} << (q.level - 1), q.down, "n = {}, level {}", n, q.level);
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

/// The transfers of the loops of section 5 with the upper ends as printed, or one earlier: pairs.
std::vector<std::pair<U64, U64>> loops(U64 h, bool exponential, bool as_printed) {
  std::vector<std::pair<U64, U64>> sent;
  for (U64 i = 0; i < h; ++i) {
    const U64 half = U64{1} << (h - i - 1), end = half + (as_printed ? 1 : 0);
    if (exponential) {
      for (U64 k = 0; k < U64{1} << h; ++k) {
        for (U64 l = 0; l < end; ++l) sent.emplace_back(k, k ^ half ^ l);
      }
      continue;
    }
    for (U64 j = 0; j < U64{1} << i; ++j) {
      for (U64 k = 0; k < end; ++k) {
        for (U64 l = 0; l < end; ++l) {
          const U64 left = 2 * half * j;
          sent.emplace_back(left + k, left + half + l);
          sent.emplace_back(left + half + k, left + l);
        }
      }
    }
  }
  return sent;
}

void each_pair_once(Found& f, bool as_printed) {
  for (U64 h = 1; h <= 7; ++h) {
    for (const bool exponential : {false, true}) {
      const U64 n = U64{1} << h;
      const auto sent = loops(h, exponential, as_printed);
      std::set<std::pair<U64, U64>> pairs;
      for (const auto& [from, to] : sent) {
        if (from < n && to < n && from != to) pairs.emplace(from, to);
      }
      f.holds(sent.size() == n * (n - 1) && pairs.size() == sent.size(),
              "{} tree, n = {}: {} messages, where {} pairs have one each",
              exponential ? "exponential" : "constant", n, sent.size(), n * (n - 1));
    }
  }
}

const Section exchanging{
    "5 Total exchange",
    {
        {"Table 1; section 5",
         "total exchange is the only operation for which branch capacities matter",
         "n = 8..128, constant and exponential (c_1 = 1)",
         [](Found& f) {
           for (Rank n = 8; n <= 128; n *= 2) {
             for (const char* c : {"broadcast", "scatter", "gather", "allgather"})
               f.equal(least_steps(c, n, "cbft"), least_steps(c, n, "ebft"), "{}, n = {}", c, n);
             f.holds(least_steps("alltoall", n, "cbft") > steps({"total-exchange", n, 1, "ebft"}),
                     "n = {}", n);
           }
           f.shows("73 steps");
         },
         "schedcc compile total-exchange --ranks 64 --machine ebft >/dev/null"},
        {"section 5", "n consecutive scatterings take n (n + 1) steps, without queues",
         "n = 4..128; constant, exponential",
         [](Found& f) {
           for (Rank n = 4; n <= 128; n *= 2) {
             for (const char* machine : {"cbft", "ebft"}) {
               const Report r = checked({exchange("scatters"), n, 1, machine});
               f.equal(U64{n} * (n + 1), r.steps, "n = {}", n);
               f.equal(0, *r.max_buffer, "n = {}: queue", n);
             }
           }
           f.say("n = 2: {} steps", steps({exchange("scatters"), 2, 1, "cbft"}));
           f.shows("72 steps");
         },
         "schedcc compile total-exchange:schedule=scatters --ranks 8 --machine cbft >/dev/null"},
        {"section 5", "two scatterings at once, without contention: half of that",
         "n = 4..128; constant, exponential",
         [](Found& f) {
           for (Rank n = 4; n <= 128; n *= 2) {
             for (const char* machine : {"cbft", "ebft"}) {
               const Report r = checked({exchange("paired"), n, 1, machine});
               f.equal(U64{n} * (n + 1) / 2, r.steps, "n = {}", n);
               f.equal(0, *r.max_buffer, "n = {}: queue", n);
             }
           }
           f.shows("36 steps");
         },
         "schedcc compile total-exchange:schedule=paired --ranks 8 --machine cbft >/dev/null"},
        {"section 5", "in phase i the nodes at level log n - i are R_j, j = 0..2^(i-1) - 1",
         "n = 2..1024, i = 0..log n - 1",
         [](Found& f) {
           for (U64 h = 1; h <= 10; ++h) {
             const FatTreeNodes tree{U64{1} << h};
             for (U64 i = 0; i < h; ++i) {
               const auto level = static_cast<std::uint32_t>(h - i);
               U64 nodes = 0;
               for (U64 v = 0; v < tree.size(); ++v) nodes += tree.level(v) == level ? 1 : 0;
               f.close(std::ldexp(1, static_cast<int>(i) - 1), static_cast<double>(nodes), 0,
                       "n = 2^{}, i = {}: nodes", h, i);
             }
           }
           f.shows("total-exchange:schedule=phases: holds");
         },
         "schedcc compile total-exchange:schedule=phases --ranks 8 --machine cbft >/dev/null",
         "phases count from 0: there are 2^i, and j ends at 2^i - 1, here and in the loop for the "
         "constant tree"},
        {"section 5, phase i", "a node at level h_i passes 4^(h_i - 1) messages in each direction",
         "n = 2..64, all phases",
         [](Found& f) {
           for (U64 h = 1; h <= 6; ++h) {
             const FatTreeNodes tree{U64{1} << h};
             std::map<Rank, U64> up;  // over its left branch, from there to the other side
             const Case c{exchange("phases"), Rank{1} << h, 1, "cbft"};
             const std::uint32_t n = 1U << h;
             for (const auto& [step, t] : hops(c)) {
               const U64 level = log2(t.first / n ^ t.first % n) + 1;  // where its ends meet
               if (t.dst > t.src && tree.level(t.dst) == level && t.src % 2 == 0) ++up[t.dst];
             }
             for (const auto& [node, messages] : up)
               f.equal(U64{1} << (2 * (tree.level(node) - 1)), messages, "n = 2^{}, node {}", h,
                       node);
           }
           f.shows("total-exchange:schedule=phases: holds");
         },
         "schedcc compile total-exchange:schedule=phases --ranks 8 --machine cbft >/dev/null"},
        {"section 5, the three loops", "For k, l = 0 to 2^(h_i - 1)",
         "constant and exponential tree, n = 2..128; the loops word for word",
         [](Found& f) {
           each_pair_once(f, true);
           f.shows("total-exchange:schedule=phases: holds");
         },
         "schedcc compile total-exchange:schedule=phases --ranks 8 --machine ebft >/dev/null",
         "they must end one earlier, as their comments say"},
        {"section 5, the three loops", "ending at 2^(h_i - 1) - 1, they send each message once",
         "the same",
         [](Found& f) {
           each_pair_once(f, false);
           f.shows("xor: holds");
         },
         "schedcc compile xor --ranks 8 >/dev/null"},
        {"section 5", "phase i takes ceil(4^(h_i - 1) / c_(h_i)) + 2h_i - 1 steps",
         "n = 2..128; c_1 = 1, staying or doubling, all of them; each phase measured",
         [](Found& f) {
           for (U64 h = 1; h <= 7; ++h) {
             const std::uint32_t n = 1U << h;
             for (const Capacities& c : doubling(h)) {
               if (h == 7 && c != constant(h) && c != exponential(h)) continue;
               std::map<U64, std::pair<U64, U64>> phase;  // by level: first dispatch, last arrival
               for (const auto& [step, t] : transfers({exchange("phases"), n, 1, fattree(c)})) {
                 const U64 level = log2(t.src ^ t.dst) + 1;
                 auto& [first, last] = phase.try_emplace(level, step, step).first->second;
                 last = std::max(last, step + 2 * level);
               }
               for (const auto& [i, span] : phase) {
                 f.equal(ceil_div(U64{1} << (2 * (i - 1)), c[i - 1]) + 2 * i - 1,
                         span.second - span.first, "{}, level {}", fattree(c), i);
               }
             }
           }
           f.shows("{} steps", equation_1({1, 2, 2}));
         },
         "schedcc compile total-exchange:schedule=phases --ranks 8 --machine fattree:cap=1,2,2 "
         ">/dev/null"},
        {"equation (1)", "T = sum of ceil(4^(i-1) / c_i) + (log n)^2",
         "n = 2..128; c_1 = 1, staying or doubling: all to n = 64",
         [](Found& f) {
           for (U64 h = 1; h <= 7; ++h) {
             for (const Capacities& c : doubling(h)) {
               if (h == 7 && c != constant(h) && c != exponential(h)) continue;
               const Report r = checked({exchange("phases"), Rank{1} << h, 1, fattree(c)});
               f.equal(equation_1(c), r.steps, "{}", fattree(c));
               f.equal(0, *r.max_buffer, "{}: queue", fattree(c));
             }
           }
           f.shows("{} steps", equation_1(constant(4)));
         },
         "schedcc compile total-exchange:schedule=phases --ranks 16 --machine cbft >/dev/null"},
        {"section 5, Pipelining",
         "phases i and i + 1 overlap by 2h_i - 3 steps, (log n)^2 - 2 log n + 1 in all",
         "n = 2..128; constant, exponential; each overlap measured",
         [](Found& f) {
           for (U64 h = 1; h <= 7; ++h) {
             const std::uint32_t n = 1U << h;
             for (const Capacities& c : {constant(h), exponential(h)}) {
               std::map<U64, std::pair<U64, U64>> phase;
               for (const auto& [step, t] : transfers({exchange("pipelined"), n, 1, fattree(c)})) {
                 const U64 level = log2(t.src ^ t.dst) + 1;
                 auto& [first, last] = phase.try_emplace(level, step, step).first->second;
                 last = std::max(last, step + 2 * level);
               }
               U64 saved = 0;
               for (U64 i = h; i >= 2; --i) {
                 f.equal(2 * i - 3, phase[i].second - phase[i - 1].first, "{}, level {}",
                         fattree(c), i);
                 saved += 2 * i - 3;
               }
               f.equal(h * h + 1 - 2 * h, saved, "{}: in all", fattree(c));
             }
           }
           f.shows("{} steps", equation_2(constant(4)));
         },
         "schedcc compile total-exchange:schedule=pipelined --ranks 16 --machine cbft >/dev/null"},
        {"equation (2)", "T = sum of ceil(4^(i-1) / c_i) + 2 log n - 1",
         "n = 2..128; c_1 = 1, staying or doubling: all to n = 64",
         [](Found& f) {
           for (U64 h = 1; h <= 7; ++h) {
             for (const Capacities& c : doubling(h)) {
               if (h == 7 && c != constant(h) && c != exponential(h)) continue;
               const Report r = checked({exchange("pipelined"), Rank{1} << h, 1, fattree(c)});
               f.equal(equation_2(c), r.steps, "{}", fattree(c));
               f.equal(0, *r.max_buffer, "{}: queue", fattree(c));
             }
           }
           f.shows("{} steps", equation_2(exponential(4)));
         },
         "schedcc compile total-exchange:schedule=pipelined --ranks 16 --machine ebft >/dev/null"},
        {"equations (1), (2)", "they are for any capacities pattern",
         "n = 4, 8; c_i = 1..8 that do not fall",
         [](Found& f) {
           for (const U64 h : {2U, 3U}) {
             for (U64 a = 1; a <= 8; ++a) {
               for (U64 b = a; b <= 8; ++b) {
                 for (U64 d = b; d <= (h == 2 ? b : 8); ++d) {
                   Capacities c{a, b, d};
                   c.resize(h);
                   f.at_least(least_steps("alltoall", Rank{1} << h, fattree(c)), equation_2(c),
                              "{}: (2)", fattree(c));
                 }
               }
             }
           }
           const U64 T = steps({exchange("pipelined"), 4, 1, "fattree:cap=1,4"});
           f.say("c = 1, 4: (2) is {}, the schedule takes {}, and no schedule takes less than {}",
                 equation_2({1, 4}), T, least_steps("alltoall", 4, "fattree:cap=1,4"));
           f.shows("{} steps (bound {})", T, least_steps("alltoall", 4, "fattree:cap=1,4"));
         },
         "schedcc compile total-exchange:schedule=pipelined --ranks 4 --machine fattree:cap=1,4",
         "two branches below feed a branch, so that it carries no more than min(c_i, 2c_(i-1), "
         "4c_(i-2), ...): "
         "c_i at most 2c_(i-1) is needed"},
        {"section 5", "for the constant tree (2) is (n^2 - 1)/3 + 2 log n - 1", "n = 2..128",
         [](Found& f) {
           for (U64 h = 1; h <= 7; ++h) {
             const U64 n = U64{1} << h;
             f.equal((n * n - 1) / 3 + 2 * h - 1,
                     steps({exchange("pipelined"), Rank{1} << h, 1, "cbft"}), "n = {}", n);
           }
           f.shows("{} steps", (64 * 64 - 1) / 3 + 11);
         },
         "schedcc compile total-exchange:schedule=pipelined --ranks 64 --machine cbft >/dev/null"},
        {"equation (3)", "for the exponential tree it is n + 2 log n - 2",
         "n = 2..256, `xor` and `pipelined`",
         [](Found& f) {
           for (U64 h = 1; h <= 8; ++h) {
             const U64 n = U64{1} << h;
             for (const std::string& algorithm : {std::string("xor"), exchange("pipelined")}) {
               const Report r = checked({algorithm, static_cast<Rank>(n), 1, "ebft"});
               f.equal(n + 2 * h - 2, r.steps, "n = {}", n);
               f.equal(0, *r.max_buffer, "n = {}: queue", n);
             }
           }
           f.shows("74 steps");
         },
         "schedcc compile xor --ranks 64 >/dev/null"},
        {"sections 5 and 5.1",
         "(2) is close to Table 1's bounds, a very small multiplicative factor in the worst case",
         "n = 4..1024; c_1 = 1, staying or doubling, all of them; up to a factor of 2",
         [](Found& f) {
           double most = 0;
           for (U64 h = 2; h <= 10; ++h) {
             for (const Capacities& c : doubling(h)) {
               const double factor = static_cast<double>(equation_2(c)) /
                                     static_cast<double>(table_1(U64{1} << h, c));
               f.at_most(2.0, factor, "{}", fattree(c));
               most = std::max(most, factor);
             }
           }
           f.say("at most {:.3f}; n = 1024: constant {:.3f}, exponential {:.3f}", most,
                 static_cast<double>(equation_2(constant(10))) /
                     static_cast<double>(table_1(1024, constant(10))),
                 static_cast<double>(equation_2(exponential(10))) /
                     static_cast<double>(table_1(1024, exponential(10))));
           f.shows("{} steps", steps({exchange("pipelined"), 16, 1, "fattree:cap=1,1,2,4"}));
         },
         "schedcc compile total-exchange:schedule=pipelined --ranks 16 --machine "
         "fattree:cap=1,1,2,4 >/dev/null",
         "Table 1 counts on the root's branches alone; where capacities are constant below and "
         "double "
         "above, each level takes as long as the one above it"},
    }};

const Section exponential_case{
    "5.1 The exponential capacities case",
    {
        {"section 5.1",
         "T >= n - 1 + h for h holes per node on the average, with equality if all have as many",
         "n = 2..256, `xor`",
         [](Found& f) {
           for (Rank n = 2; n <= 256; n *= 2) {
             std::map<Rank, U64> received;
             for (const Sent& s : transfers({"xor", n})) ++received[s.transfer.dst];
             const U64 T = steps({"xor", n});
             for (const auto& [leaf, messages] : received)
               f.equal(T - (n - 1), T - messages, "n = {}, leaf {}: holes", n, leaf);
           }
           f.say("2 log n - 1 holes at each leaf");
           f.shows("74 steps");
         },
         "schedcc compile xor --ranks 64 >/dev/null"},
        {"section 5.1",
         "no external message arrives before time t + 2(log n - i + 1), so that periods have that "
         "many steps of holes",
         "n = 2, two messages from each to each, i = 1",
         [](Found& f) {
           const U64 T = steps({"xor", 2, 2});
           U64 lemma = 2;  // T (T - K (n-1)) >= 2n K (1 - 2^-i)(log n - i + 1)
           while (lemma * (lemma - 2) < 4) ++lemma;
           f.at_least(lemma, T, "so (4) for two messages: `xor`");
           f.shows("{} steps", T);
         },
         "schedcc compile xor --ranks 2 --chunks 2",
         "a message sent in step t arrives in step t + 2(log n - i + 1) - 1: periods are one step "
         "too long. "
         "For one message from each to each (4) holds nevertheless"},
        {"equation (4)", "h T >= 2n (1 - 2^-i)(log n - i + 1) for every i",
         "n = 2..1024, at the least T; i = 1..log n",
         [](Found& f) {
           for (U64 h = 1; h <= 10; ++h) {
             const U64 n = U64{1} << h, T = least_steps("alltoall", Rank{1} << h, "ebft");
             for (U64 i = 1; i <= h; ++i)
               f.at_least(2 * (n - (n >> i)) * (h - i + 1), (T - (n - 1)) * T, "n = {}, i = {}", n,
                          i);
           }
           f.shows("73 steps (bound 73)");
         },
         "schedcc compile total-exchange --ranks 64 --machine ebft >/dev/null"},
        {"equation (5)", "(4) with i = log log n + 1 is at least 2n log n - 2n log log n - n",
         "n = 4, 16, 256, 65536, where log log n is whole",
         [](Found& f) {
           for (const double l : {1.0, 2.0, 3.0, 4.0}) {
             const double L = std::exp2(l), n = std::exp2(L), i = l + 1;
             const double four = 2 * n * (1 - std::exp2(-i)) * (L - i + 1);
             f.close(2 * n * L - 2 * n * l - n + n * l / L, four, 1e-12, "n = {}", n);
             f.at_least(2 * n * L - 2 * n * l - n, four, "n = {}", n);
           }
           f.shows("bound {}", least_steps("alltoall", 16, "ebft"));
         },
         "schedcc compile total-exchange --ranks 16 --machine ebft >/dev/null"},
        {"section 5.1", "if h is less than q = 2 log n - 2 log log n - 1, then T > n - 1 + q",
         "n = 16, 256, 65536; h up to q - 1",
         [](Found& f) {
           for (const double l : {2.0, 3.0, 4.0}) {
             const double L = std::exp2(l), n = std::exp2(L), q = 2 * L - 2 * l - 1;
             f.holds(n + n / (q - 1) > n - 1 + q, "n = {}", n);
           }
           f.say("for n = 4, where q - 1 = 0, (5) alone says so");
           f.shows("bound {}", least_steps("alltoall", 16, "ebft"));
         },
         "schedcc compile total-exchange --ranks 16 --machine ebft >/dev/null"},
        {"equation (6), Lemma 3",
         "total exchange takes at least n + 2 log n - 2 log log n - 2 steps",
         "n = 2..1024, beside the least number of steps",
         [](Found& f) {
           for (U64 h = 1; h <= 10; ++h) {
             const double n = std::exp2(h), L = static_cast<double>(h);
             const U64 least = least_steps("alltoall", Rank{1} << h, "ebft");
             f.at_least(n + 2 * L - 2 * std::log2(L) - 2, static_cast<double>(least), "n = {}", n);
           }
           f.say("n = 256: {} beside {}, which is least", 256 + 16 - 6 - 2,
                 least_steps("alltoall", 256, "ebft"));
           f.shows("{} steps (bound {})", steps({"total-exchange", 256, 1, "ebft"}),
                   least_steps("alltoall", 256, "ebft"));
         },
         "schedcc compile total-exchange --ranks 256 --machine ebft >/dev/null"},
        {"section 5.1", "the algorithm is within 2 log log n steps of the optimum", "n = 4..256",
         [](Found& f) {
           for (U64 h = 2; h <= 8; ++h) {
             const U64 T = steps({"xor", Rank{1} << h});
             f.at_most(2 * std::log2(static_cast<double>(h)),
                       static_cast<double>(T - least_steps("alltoall", Rank{1} << h, "ebft")),
                       "n = 2^{}", h);
           }
           f.say("it is one step from it for n >= 8");
           f.shows("74 steps (bound 73)");
         },
         "schedcc compile xor --ranks 64 >/dev/null"},
        {"section 5.1, conjecture",
         "no total exchange takes less than n + 2 log n - 2 steps on the exponential tree",
         "n = 2..256",
         [](Found& f) {
           for (U64 h = 1; h <= 8; ++h) {
             const U64 n = U64{1} << h;
             const Report r = checked({"total-exchange", static_cast<Rank>(n), 1, "ebft"});
             f.at_least(n + 2 * h - 2, r.steps, "n = {}", n);
             expect(r.steps == *r.lower_bound->steps && *r.max_buffer == 0);
           }
           f.say(
               "n = 2, 4 as conjectured; from n = 8 on n + 2 log n - 3, and no fewer are possible; "
               "a solver finds the same for n = 4, 8 and 16, with waiting and without: "
               "[prover.md](prover.md)");
           f.shows("11 steps (bound 11)");
         },
         "schedcc verify schedules/bft-conjecture.sched",
         "two interleaved sequences of dispatches, as jugglers throw, leave no step unused"},
        {"section 6", "improved bounds need to be found, as the straightforward ones are not tight",
         "n = 8..128; constant, exponential",
         [](Found& f) {
           for (U64 h = 3; h <= 7; ++h) {
             const U64 n = U64{1} << h;
             for (const Capacities& c : {constant(h), exponential(h)}) {
               const Report r = checked({"total-exchange", static_cast<Rank>(n), 1, fattree(c)});
               f.holds(*r.lower_bound->steps > table_1(n, c), "{}: Table 1's is the best",
                       fattree(c));
               f.equal(*r.lower_bound->steps, r.steps, "{}", fattree(c));
             }
             expect(least_steps("alltoall", static_cast<Rank>(n), "cbft") == n * n / 4 + 2 * h - 1);
             expect(least_steps("alltoall", static_cast<Rank>(n), "ebft") == n + 2 * h - 3);
           }
           f.say(
               "n^2/4 + 2 log n - 1 on the constant tree, n + 2 log n - 3 on the exponential one; "
               "both are reached");
           f.shows("1035 steps (bound 1035)");
         },
         "schedcc compile total-exchange --ranks 64 --machine cbft >/dev/null"},
    }};

}  // namespace

Paper bft() {
  return {"BFT",
          "Communications in Binary Fat Trees",
          {preliminaries, scattering, multinode, exchanging, exponential_case},
          {"Figures 1, 2 and 4: pictures of the tree and its notation.",
           "Section 5.1: that an optimal exchange for the collapsed graph G_i is strictly faster "
           "than one for the tree "
           "(\"intuitively\"): its bound is passed by, see the conjecture.",
           "That the results extend to b-ary fat trees: no formula is given.",
           "Section 1: history, and the importance of the five operations."}};
}

}  // namespace ledger
