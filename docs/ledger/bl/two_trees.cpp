// BL, towards an optimal algorithm: the pipelined binary tree, and two trees at once.

#include <algorithm>
#include <cmath>
#include <set>

#include "bl/sections.hpp"
#include "core/integers.hpp"
#include "measure.hpp"

namespace ledger::BL {

namespace {

const Section two_trees_section{
    "Towards an Optimal Algorithm",
    {
        {"first question", "small messages, large P: the pipelined binary tree takes O(log P)",
         "P = 2..4096, one packet",
         [](Found& f) {
           double most = 0;
           for (Rank P = 2; P <= 4096; P += P < 128 ? 1 : P / 16) {
             const U64 T = steps({"binary-tree", P});
             f.at_most(U64{2} * ceil_log2(P), T, "P = {}", P);
             most = std::max(most, static_cast<double>(T) / std::log2(P));
           }
           f.say("at most {:.2f} log2 P steps", most);
           f.shows("{} steps", steps({"binary-tree", 1024}));
         },
         "schedcc compile binary-tree --ranks 1024"},
        {"first question", "large messages, constant P: asymptotically O(sβ), off by a factor of 2",
         "P = 8, 21, 64, 100; K = 50, 1000",
         [](Found& f) {
           for (const Rank P : {8U, 21U, 64U, 100U}) {
             for (const std::uint32_t K : {50U, 1000U}) {
               f.equal(2, steps({"binary-tree", P, K + 1}) - steps({"binary-tree", P, K}),
                       "P = {}, K = {}: steps a packet", P, K);
             }
           }
           f.say("each packet costs two steps");
           f.shows("{} steps", steps({"binary-tree", 64, 1000}));
         },
         "schedcc compile binary-tree --ranks 64 --chunks 1000 >/dev/null"},
        {"two trees", "bandwidth-optimal algorithms exist, with only two trees",
         "P = 3..128; K = 2, 50, 1000",
         [](Found& f) {
           for (Rank P = 3; P <= 128; ++P) {
             for (const std::uint32_t K : {2U, 50U}) {
               f.equal(2, steps({"two-tree", P, K + 2}) - steps({"two-tree", P, K}),
                       "P = {}, K = {}: steps for two packets", P, K);
             }
             f.at_most(U64{1000} + 2 * ceil_log2(P) - 1, steps({"two-tree", P, 1000}), "P = {}", P);
           }
           f.say("`two-tree`: a step a packet, at most K + 2 lg - 1 steps");
           f.shows("{} steps", steps({"two-tree", 64, 1000}));
         },
         "schedcc compile two-tree --ranks 64 --chunks 1000 >/dev/null"},
        {"two trees", "the P/2 leaves of a binomial tree only receive",
         "P = 2..1024, powers of two",
         [](Found& f) {
           for (Rank P = 2; P <= 1024; P *= 2) {
             std::set<Rank> senders;
             for (const Sent& s : transfers({"binomial-tree", P})) senders.insert(s.transfer.src);
             f.equal(P / 2, P - senders.size(), "P = {}", P);
           }
           f.shows("6 -> 7 : 0");
         },
         "schedcc compile binomial-tree --ranks 8"},
        {"two trees", "leaves of one of the two trees are inner nodes of the other", "P = 4..128",
         [](Found& f) {
           for (Rank P = 4; P <= 128; ++P) {
             std::set<Rank> inner[2];
             for (const auto& [step, t] : transfers({"two-tree", P, 2})) {
               if (t.src != 0) inner[t.first].insert(t.src);
             }
             for (const Rank v : inner[0]) {
               f.holds(!inner[1].contains(v), "P = {}: rank {} is inner in both", P, v);
             }
           }
           f.say("no rank but the root forwards in both trees");
           f.shows("two-tree: holds");
         },
         "schedcc compile two-tree --ranks 16 --chunks 2"},
    }};

}  // namespace

Section two_trees() { return two_trees_section; }

}  // namespace ledger::BL
