// CC, optimal broadcast: what it costs, and how h binomial trees make it. The trees' place in the
// wrapped butterfly is in wrapped_butterfly.cpp.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cc/cost.hpp"
#include "cc/sections.hpp"
#include "cc/wrapped_butterfly.hpp"
#include "measure.hpp"
#include "support/packet_size.hpp"

namespace ledger::CC {

namespace {

const std::vector<Claim> trees{
    {"first slide", "(sqrt(hα) + sqrt(sβ))^2 <= 2 (hα + sβ)",
     "h = 1..20, α = 1, 10, 333, s = 1..10^9, β = 0.5",
     [](Found& f) {
       for (double h = 1; h <= 20; ++h) {
         for (const double alpha : {1.0, 10.0, 333.0}) {
           for (double s = 1; s < 2e9; s *= 10) {
             const Pipeline butterfly{h, alpha, 0.5};
             f.at_most(2 * (h * alpha + s * 0.5) * (1 + 1e-12), butterfly.best_time(s),
                       "h = {}, α = {}, s = {}", h, alpha, s);
           }
         }
       }
       f.shows(",144,");
     },
     "schedcc cost butterfly --ranks 16 --chunks 8 --bytes 64 --alpha 4s --beta 1s/B --csv"},
    {"first slide", "that cost is optimal if all messages are of the same size",
     "h = 2..7; α = 4, β = 1, s = 64; all numbers of packets",
     [](Found& f) {
       for (std::uint32_t h = 2; h <= 7; ++h) {
         const Pipeline butterfly{static_cast<double>(h), 4, 1};
         double least = 1e300;
         for (std::uint32_t K = 1; K <= 64; ++K) {
           const U64 T = cost("circulant", "broadcast", 1 << h, K).steps;
           least = std::min(least, static_cast<double>(T) * (4 + 64.0 / K));
         }
         f.at_least(butterfly.best_time(64), least, "h = {}: `circulant` takes", h);
       }
       f.say("K - 1 + h steps are possible, and least: (sqrt((h-1) α) + sqrt(s β))^2");
       f.shows(",132,");
     },
     "schedcc cost circulant --ranks 16 --chunks 8 --bytes 64 --alpha 4s --beta 1s/B --csv",
     "the construction leaves a step unused, K + h instead of K - 1 + h"},
    {"first slide",
     "the butterfly collectives, whose messages differ in size, do not have a lower cost",
     "P = 2..128, α = 1, 4, 16, 64, β = 1, s = P, 4P, 16P",
     [](Found& f) {
       for (std::uint32_t h = 1; h <= 7; ++h) {
         for (const double alpha : {1.0, 4.0, 16.0, 64.0}) {
           for (const std::uint32_t m : {1U, 4U, 16U}) {
             const std::uint32_t s = m << h;
             const Pipeline equal{static_cast<double>(h), alpha, 1};
             f.at_least(equal.best_time(s),
                        cost("scatter-allgather", "broadcast", 1 << h, s).time(alpha, 1),
                        "h = {}, α = {}, s = {}", h, alpha, s);
           }
         }
       }
       f.say("P = 16, α = 16, s = 64: {} against {}",
             cost("scatter-allgather", "broadcast", 16, 64).time(16, 1),
             Pipeline{4, 16, 1}.best_time(64));
       f.shows(",{},", cost("scatter-allgather", "broadcast", 16, 64).time(16, 1));
     },
     "schedcc cost scatter-allgather --ranks 16 --chunks 64 --bytes 64 --alpha 16s --beta 1s/B "
     "--csv",
     "true of the bound 2 (hα + sβ); but two butterflies cost s (P-1)/P words each"},
    {"construction", "h binomial trees of height h with all nodes except the root", "h = 2..8",
     [](Found& f) {
       for (std::uint32_t h = 2; h <= 8; ++h) {
         std::map<Chunk, std::set<Rank>> reached;
         for (const Sent& s : transfers({"butterfly", Rank{1} << h, h}))
           reached[s.transfer.first].insert(s.transfer.dst);
         f.equal(h, reached.size(), "h = {}: trees", h);
         for (const auto& [packet, nodes] : reached) {
           f.holds(nodes.size() == (1U << h) - 1 && !nodes.contains(0), "h = {}, tree {}: {} nodes",
                   h, packet, nodes.size());
         }
       }
       f.shows("butterfly: holds");
     },
     "schedcc compile butterfly --ranks 8 --chunks 3"},
    {"construction", "|S(i, j)| = 2^i", "h = 2..12, all i, j",
     [](Found& f) {
       for (std::uint32_t h = 2; h <= 12; ++h) {
         for (std::uint32_t i = 0; i < h; ++i) {
           for (std::uint32_t j = 0; j < h; ++j)
             f.equal(U64{1} << i, S(i, j, h).size(), "h = {}, i = {}, j = {}", h, i, j);
         }
       }
       f.shows("butterfly: holds");
     },
     "schedcc compile butterfly --ranks 8 --chunks 3"},
    {"construction", "S(i, j) and S(i-k mod h, j+k mod h) are disjoint for any k",
     "h = 2..10, all i, j, k = 1..h-1",
     [](Found& f) {
       for (std::uint32_t h = 2; h <= 10; ++h) {
         each_level(h, [&](std::uint32_t i, std::uint32_t j, std::uint32_t k) {
           const auto a = S(i, j, h), b = S((i + h - k) % h, (j + k) % h, h);
           f.holds(std::ranges::none_of(a, [&](Rank v) { return b.contains(v); }),
                   "h = {}, i = {}, j = {}, k = {}: they share a node", h, i, j, k);
         });
       }
       f.shows("butterfly: holds");
     },
     "schedcc compile butterfly --ranks 1024 --chunks 40 >/dev/null"},
    {"construction", "S(i, j) is Π without the S(i-k mod h, j+k mod h), k = 1..h-1",
     "h = 2..10, all i, j",
     [](Found& f) {
       for (std::uint32_t h = 2; h <= 10; ++h) {
         for (std::uint32_t i = 0; i < h; ++i) {
           for (std::uint32_t j = 0; j < h; ++j) {
             std::vector<bool> left((std::size_t{1} << h), true);
             left[0] = false;
             for (std::uint32_t k = 1; k < h; ++k) {
               for (const Rank v : S((i + h - k) % h, (j + k) % h, h)) left[v] = false;
             }
             const auto own = S(i, j, h);
             f.holds(static_cast<std::size_t>(std::ranges::count(left, true)) == own.size() &&
                         std::ranges::all_of(own, [&](Rank v) { return left[v]; }),
                     "h = {}, i = {}, j = {}", h, i, j);
           }
         }
       }
       f.shows("butterfly: holds");
     },
     "schedcc compile butterfly --ranks 1024 --chunks 40 >/dev/null"},
    {"construction", "so s/k + h steps of messages of size k are enough", "h = 2..7, s/k = 1..30",
     [](Found& f) {
       for (std::uint32_t h = 2; h <= 7; ++h) {
         for (std::uint32_t K = 1; K <= 30; ++K)
           f.equal(K + h, steps({"butterfly", Rank{1} << h, K}), "h = {}, s/k = {}", h, K);
       }
       f.say("for h = 1, where nobody is left for the last level, {} steps for 9 packets",
             steps({"butterfly", 2, 9}));
       f.shows("{} steps", steps({"butterfly", 16, 8}));
     },
     "schedcc compile butterfly --ranks 16 --chunks 8 >/dev/null"},
    {"construction", "min over k of (s/k + h)(α + kβ) = (sqrt(hα) + sqrt(sβ))^2",
     "h = 2..20, α = 1, 10, 333, s = 10..10^6, β = 0.5, k 1 % to both sides; h = 4, α = 4, β = "
     "1, s = 64, K = 1..64",
     [](Found& f) {
       for (double h = 2; h <= 20; ++h) {
         for (const double alpha : {1.0, 10.0, 333.0}) {
           for (double s = 10; s < 2e6; s *= 10) {
             const Pipeline p{h, alpha, 0.5};
             const double k = p.best_packet(s), least = p.best_time(s);
             f.close(least, p.time(s, k), 1e-12, "h = {}, α = {}, s = {}", h, alpha, s);
             f.holds(p.time(s, 1.01 * k) > least && p.time(s, k / 1.01) > least,
                     "h = {}, α = {}, s = {}: no minimum", h, alpha, s);
           }
         }
       }
       double least = 1e300;
       U64 best = 0;
       for (std::uint32_t K = 1; K <= 64; ++K) {
         const double T = static_cast<double>(steps({"butterfly", 16, K})) * (4 + 64.0 / K);
         if (T < least) std::tie(least, best) = std::pair(T, K);
       }
       f.close((Pipeline{4, 4, 1}.best_time(64)), least, 1e-12, "the schedules");
       f.say(
           "for h = 4, α = 4, β = 1, s = 64 the best of all schedules has {} packets and cost "
           "{}",
           best, least);
       f.shows(",{},", least);
     },
     "schedcc cost butterfly --ranks 16 --bytes 64 --alpha 4s --beta 1s/B --csv"},
};

}  // namespace

Section optimal_broadcast() {
  Section section{"Optimal broadcast", trees};
  for (const Claim& claim : wrapped_butterfly()) section.claims.push_back(claim);
  return section;
}

}  // namespace ledger::CC
