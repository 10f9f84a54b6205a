#include "cc/wrapped_butterfly.hpp"

#include <deque>
#include <map>

#include "measure.hpp"

namespace ledger::CC {

namespace {

const std::vector<Claim> claims{
    {"wrapped butterfly", "it has no cycles of length less than h",
     "h = 2..10, cycles along the edges' direction",
     [](Found& f) {
       for (std::uint32_t h = 2; h <= 10; ++h) {
         // Breadth first from node 0 of level 0, until it is reached again.
         std::map<std::pair<std::uint32_t, Rank>, U64> distance;
         std::deque<std::pair<std::uint32_t, Rank>> queue{{0, 0}};
         distance[{0, 0}] = 0;
         U64 girth = 0;
         while (girth == 0) {
           const auto [level, v] = queue.front();
           queue.pop_front();
           const U64 next = distance[{level, v}] + 1;
           for (const Rank w : {v, v ^ (Rank{1} << level)}) {
             const std::pair<std::uint32_t, Rank> node{(level + 1) % h, w};
             if (node == std::pair<std::uint32_t, Rank>{0, 0}) girth = next;
             if (distance.try_emplace(node, next).second) queue.push_back(node);
           }
         }
         f.at_least(U64{h}, girth, "h = {}: the shortest cycle", h);
       }
       f.shows("butterfly: holds");
     },
     "schedcc compile butterfly --ranks 8 --chunks 6"},
    {"wrapped butterfly", "each level connects nodes one bit flip away", "h = 2..8, K = 2h + 1",
     [](Found& f) {
       for (std::uint32_t h = 2; h <= 8; ++h) {
         for (const auto& [step, t] : transfers({"butterfly", Rank{1} << h, 2 * h + 1}))
           f.equal(U64{1} << (step % h), t.src ^ t.dst, "h = {}, step {}", h, step);
       }
       f.say("in step t everybody flips bit t mod h");
       f.shows("6 -> 7 : ");
     },
     "schedcc compile butterfly --ranks 8 --chunks 6"},
    {"wrapped butterfly", "the root sends to node 2^j mod p at step j", "h = 2..8, K = 2h + 1",
     [](Found& f) {
       for (std::uint32_t h = 2; h <= 8; ++h) {
         const U64 p = U64{1} << h;
         for (const auto& [step, t] : transfers({"butterfly", Rank{1} << h, 2 * h + 1})) {
           if (t.src == 0) f.equal((U64{1} << step) % p, t.dst, "h = {}, step {}", h, step);
         }
       }
       f.shows("0 -> 1 : 3");
     },
     "schedcc compile butterfly --ranks 8 --chunks 6",
     "it is 2^(j mod h); 2^j mod p is the root itself from step h on"},
    {"wrapped butterfly", "the root of the j-th binomial tree is node 2^j", "h = 2..8, j = 0..h-1",
     [](Found& f) {
       for (std::uint32_t h = 2; h <= 8; ++h) {
         for (const auto& [step, t] : transfers({"butterfly", Rank{1} << h, h})) {
           if (t.src == 0) f.equal(U64{1} << t.first, t.dst, "h = {}, tree {}", h, t.first);
         }
       }
       f.shows("0 -> 4 : 2");
     },
     "schedcc compile butterfly --ranks 8 --chunks 3"},
    {"wrapped butterfly", "bit j is not flipped again until the j-th tree completes",
     "h = 2..8, K = 2h + 1",
     [](Found& f) {
       for (std::uint32_t h = 2; h <= 8; ++h) {
         for (const auto& [step, t] : transfers({"butterfly", Rank{1} << h, 2 * h + 1})) {
           if (t.src == 0) continue;  // packet s is flipped at bit s mod h after h steps
           const bool flipped = (t.src ^ t.dst) == Rank{1} << (t.first % h);
           f.holds(flipped == (step == t.first + h), "h = {}, packet {}, step {}", h, t.first,
                   step);
         }
       }
       f.shows("butterfly: holds");
     },
     "schedcc compile butterfly --ranks 8 --chunks 6"},
    {"wrapped butterfly",
     "senders of level i of tree j: S(i, j) = {2^j + sum of 2^(j+r mod h), r in R subset of "
     "{1..i}}",
     "h = 2..8, K = 2h + 1",
     [](Found& f) {
       for (std::uint32_t h = 2; h <= 8; ++h) {
         const std::uint32_t K = 2 * h + 1;
         std::map<std::pair<Chunk, U64>, std::set<Rank>> senders;
         for (const auto& [step, t] : transfers({"butterfly", Rank{1} << h, K}))
           senders[{t.first, step}].insert(t.src);
         for (Chunk s = 0; s < K; ++s) {
           for (std::uint32_t i = 0; i < h; ++i) {
             std::set<Rank> level = S(i, s % h, h);
             if (i == h - 1) level.erase(Rank{1} << (s % h));  // its partner is the root
             f.holds(senders[{s, s + 1 + i}] == level, "h = {}, packet {}, level {}", h, s, i);
           }
         }
       }
       f.say("on the last level without node 2^j, whose partner is the root");
       f.shows("butterfly: holds");
     },
     "schedcc compile butterfly --ranks 8 --chunks 7"},
    {"wrapped butterfly", "S(i-k, j+k mod h), k <= i, has no elements with summand 2^j",
     "h = 2..10, all i, j, k = 1..i",
     [](Found& f) {
       for (std::uint32_t h = 2; h <= 10; ++h) {
         each_level(h, [&](std::uint32_t i, std::uint32_t j, std::uint32_t k) {
           if (k > i) return;
           for (const Rank v : S(i - k, (j + k) % h, h))
             f.holds((v >> j & 1) == 0, "h = {}, i = {}, j = {}, k = {}: {}", h, i, j, k, v);
         });
       }
       f.shows("butterfly: holds");
     },
     "schedcc compile butterfly --ranks 8 --chunks 7"},
};

}  // namespace

std::vector<Claim> wrapped_butterfly() { return claims; }

}  // namespace ledger::CC
