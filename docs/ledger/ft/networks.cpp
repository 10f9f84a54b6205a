// FT, section 4: fractional trees laid out on hierarchies of crossbars, and on meshes.

#include <algorithm>
#include <set>
#include <utility>

#include "core/integers.hpp"
#include "ft/sections.hpp"
#include "ft/times.hpp"
#include "measure.hpp"

namespace ledger::FT {

namespace {

std::string crossbar(U64 a, U64 b, U64 in = 2, U64 out = 2) {
  return fmt::format("crossbar:a={},b={},in={},out={}", a, b, in, out);
}

/// A broadcast by fractional trees of groups of r PUs, laid out on a network.
Case laid_out(U64 r, std::string_view layout, U64 P, const std::string& machine, U64 K = 1,
              std::string collective = "broadcast") {
  return {tree(r, fmt::format(",layout={}", layout)), static_cast<Rank>(P),
          static_cast<std::uint32_t>(K), machine, std::move(collective)};
}

/// D of both constructions: the steps of a single packet.
U64 crossbar_depth(U64 a, U64 b, U64 r, bool thin) {
  return steps(laid_out(r, thin ? "crossbar-thin" : "crossbar", a * b, crossbar(a, b)));
}

/// The links that the global groups of an a x b crossbar use: PUs outside the group that get
/// packets from it, counted for all groups.
U64 links_used(U64 a, U64 b, U64 r) {
  std::set<std::pair<U64, Rank>> links;
  for (const auto& [step, t] : transfers(laid_out(r, "crossbar", a * b, crossbar(a, b), 4 * r))) {
    const U64 module = t.src / b;
    const bool in_group = t.dst / b == module && t.dst % b < r;
    if (t.src % b < r && !in_group) links.emplace(module, t.dst);
  }
  return links.size();
}

const Section networks_section{
    "Section 4: sparse interconnection networks",
    {
        {"Hierarchies of Crossbars",
         "a group in each module and a local tree: two incoming and two outgoing channels suffice",
         "a = 2..9, b = 2..9, r <= b, K = 1, 7",
         [](Found& f) {
           for (U64 a = 2; a <= 9; ++a) {
             for (U64 b = 2; b <= 9; ++b) {
               for (U64 r = 1; r <= b; ++r) {
                 for (const U64 K : {1U, 7U}) {
                   const Case c = laid_out(r, "crossbar", a * b, crossbar(a, b), K);
                   f.at_most(U64{2}, *checked(c).congestion, "{} on {}", c.spec, c.machine);
                 }
               }
             }
           }
           f.say("at most 2 messages a step into a module, and out of it");
           f.shows(", congestion 2");
         },
         "schedcc compile fractional-tree:r=8,layout=crossbar --ranks 16384 --chunks 16 --machine "
         "crossbar:a=256,b=64 >/dev/null"},
        {"Hierarchies of Crossbars", "there will be one remaining unused link",
         "a = 2..16, b = 2r + 1, r = 1, 2, 3, 5",
         [](Found& f) {
           for (const U64 r : {1U, 2U, 3U, 5U}) {
             for (U64 a = 2; a <= 16; ++a) {
               f.equal(2 * a - 1, links_used(a, 2 * r + 1, r), "a = {}, r = {}", a, r);
             }
           }
           f.say(
               "of the 2a links of the global groups a - 1 lead to other groups and a to local "
               "trees");
           f.shows("in=2,out=2: {} steps", steps(laid_out(2, "crossbar", 80, crossbar(16, 5), 8)));
         },
         "schedcc compile fractional-tree:r=2,layout=crossbar --ranks 80 --chunks 8 --machine "
         "crossbar:a=16,b=5 >/dev/null"},
        {"Hierarchies of Crossbars",
         "with two global groups per module one connection per module less is enough",
         "a = 2..9, b = 2..9, 2r <= b, K = 1, 7, one incoming channel",
         [](Found& f) {
           for (U64 a = 2; a <= 9; ++a) {
             for (U64 b = 2; b <= 9; ++b) {
               for (U64 r = 1; 2 * r <= b; ++r) {
                 for (const U64 K : {1U, 7U})
                   f.holds(checked(laid_out(r, "crossbar-thin", a * b, crossbar(a, b, 1), K))
                                   .verdict() == Verdict::holds,
                           "a = {}, b = {}, r = {}", a, b, r);
               }
             }
           }
           f.say("holds with in=1; two messages a step may still leave a module");
           f.shows("crossbar:a=256,b=64,in=1,out=2: 144 steps");
         },
         "schedcc compile fractional-tree:r=8,layout=crossbar-thin --ranks 16384 --chunks 16 "
         "--machine crossbar:a=256,b=64,in=1,out=2 >/dev/null"},
        {"Hierarchies of Crossbars", "its additional depth is (r + 1) log b",
         "r = 1, 2, 4, a = 2^1 .. 2^12, b = 2r, 4r",
         [](Found& f) {
           for (const U64 r : {1U, 2U, 4U}) {
             for (U64 log_a = 1; log_a <= 12; ++log_a) {
               for (const U64 b : {2 * r, 4 * r}) {
                 const U64 a = U64{1} << log_a;
                 const U64 thin = crossbar_depth(a, b, r, true);
                 const U64 more = thin - std::min(thin, crossbar_depth(a, b, r, false));
                 expect(more <= (r + 1) * log_a);
                 f.at_most((r + 1) * ceil_log2(b), more, "a = {}, b = {}, r = {}", a, b, r);
               }
             }
           }
           f.say("(r + 1) log a is enough; for 256 x 64 and r = 8, D = {} and {}",
                 crossbar_depth(256, 64, 8, false), crossbar_depth(256, 64, 8, true));
           f.shows("in=2,out=2: {} steps", crossbar_depth(4096, 2, 1, true));
         },
         "schedcc compile fractional-tree:r=1,layout=crossbar-thin --ranks 8192 --machine "
         "crossbar:a=4096,b=2 >/dev/null",
         "the paths that are longer are those of the global tree, whose a nodes make it log a "
         "levels deep: where a is much larger than b, (r + 1) log b is less than they take"},
        {"Meshes; figure 4", "r = 2 on an 8 x 16 mesh: edge congestion one, even with x-y routing",
         "K = 1, 2, 3, 40, 41",
         [](Found& f) {
           for (const U64 K : {1U, 2U, 3U, 40U, 41U})
             f.equal(1, *checked(laid_out(2, "mesh", 128, "mesh:8x16", K)).congestion, "K = {}", K);
           f.say("in a corner's broadcast; its reverse, a reduction, has edges with 2");
           expect(*run::report(laid_out(2, "mesh", 128, "mesh:8x16", 40, "reduce")).congestion ==
                  2);
           f.shows(", congestion 1");
         },
         "schedcc compile fractional-tree:r=2,layout=mesh --ranks 128 --chunks 40 --machine "
         "mesh:8x16 >/dev/null"},
        {"Meshes",
         "an embedding with constant edge congestion where a/r_1 = b/r_2 is a power of two",
         "r_1, r_2 = 1, 2, 3, a/r_1 = 2, 4, 8, 16, broadcast and reduce, full pipelines",
         [](Found& f) {
           U64 broadcast = 0, reduce = 0;
           for (const U64 r1 : {1U, 2U, 3U}) {
             for (const U64 r2 : {1U, 2U, 3U}) {
               for (const U64 m : {2U, 4U, 8U, 16U}) {
                 const U64 P = m * m * r1 * r2, K = 48 * r1 * r2;
                 const auto congestion = [&](const char* collective) {
                   return *run::report(
                               laid_out(r1 * r2, "mesh", P,
                                        fmt::format("mesh:{}x{},congestion=4", m * r1, m * r2), K,
                                        collective))
                               .congestion;
                 };
                 const U64 down = congestion("broadcast"), up = congestion("reduce");
                 f.at_most(U64{3}, down, "broadcast, {} x {} groups of {} x {}", m, m, r1, r2);
                 f.at_most(U64{4}, up, "reduce, {} x {} groups of {} x {}", m, m, r1, r2);
                 broadcast = std::max(broadcast, down);
                 reduce = std::max(reduce, up);
               }
             }
           }
           f.say("at most {} messages on an edge for broadcasts, {} for reductions", broadcast,
                 reduce);
           f.shows(", congestion 3");
         },
         "schedcc compile fractional-tree:r=4,layout=mesh --ranks 1024 --chunks 192 --machine "
         "mesh:32x32,congestion=4 >/dev/null"},
    }};

}  // namespace

Section networks() { return networks_section; }

}  // namespace ledger::FT
