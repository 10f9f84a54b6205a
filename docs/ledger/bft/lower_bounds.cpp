// BFT, section 2: fat trees, and Table 1, lower bounds for the five operations.

#include <iterator>
#include <map>
#include <memory>
#include <set>

#include "bft/capacities.hpp"
#include "bft/examples.hpp"
#include "bft/exchange.hpp"
#include "bft/sections.hpp"
#include "machine/fattree.hpp"
#include "measure.hpp"

namespace ledger::BFT {

namespace {

/// The hops on half-duplex links: each step in two, upwards and then downwards.
std::shared_ptr<Schedule> in_halves(const std::vector<Sent>& hops) {
  std::map<U64, Transfers> halves;
  for (const auto& [step, t] : hops) halves[2 * step + (t.src < t.dst ? 0 : 1)].push_back(t);
  auto schedule = std::make_shared<Schedule>();
  for (const auto& [step, row] : halves) {
    schedule->begin_step(step);
    for (const Transfer& t : row) schedule->add(t);
  }
  return schedule;
}

const Section preliminaries_section{
    "2 Preliminaries; 2.1 Lower bounds",
    {
        {"section 2", "in the exponential tree (EBFT) each level has n links in total",
         "n = 2..1024",
         [](Found& f) {
           for (Rank n = 2; n <= 1024; n *= 2) {
             const Machine machine = make_machine("ebft", n);
             for (U64 i = 1; i <= log2(n); ++i)
               f.equal(n, (n >> (i - 1)) * machine.network()->levels()[i - 1].capacity,
                       "n = {}, level {}", n, i);
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
               const Report report = check(
                   from_schedule(request.problem, in_halves(hops(c)), 2 * n - 1), request.machine);
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
           const Report r =
               check(::bft::scatter_over_two_links(), make_machine("fattree:cap=2,2", 4));
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

}  // namespace

Section preliminaries() { return preliminaries_section; }

}  // namespace ledger::BFT
