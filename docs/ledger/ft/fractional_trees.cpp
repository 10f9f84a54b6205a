// FT, section 3: the operations of the PUs of a fractional tree in each step, and their number.

#include <algorithm>
#include <map>
#include <set>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "core/join.hpp"
#include "ft/sections.hpp"
#include "ft/times.hpp"
#include "measure.hpp"

namespace ledger::FT {

namespace {

/// Does each PU execute the pseudocode of figure 2 in each step, for s a multiple of r?
void pseudocode(Found& f, Rank P, U64 s, U64 r) {
  struct Pu {
    std::map<U64, Transfer> sends, receives;  // by step
  };
  std::map<Rank, Pu> pus;
  for (const auto& [step, t] : transfers(fractional_tree(P, s, r))) {
    pus[t.src].sends.emplace(step, t);
    pus[t.dst].receives.emplace(step, t);
  }
  for (const auto& [rank, pu] : pus) {
    // Step o of a PU counts from its recv(D[0]), which is a no-op for the root.
    const U64 begin = rank == 0 ? 0 : pu.receives.begin()->first + 1;
    std::set<Rank> down, right;
    std::set<U64> i;  // its index in the group, as seen by the packets that it sends right
    for (const auto& [step, t] : pu.sends) {
      const U64 run = (step - begin) / (r + 1), q = (step - begin) % (r + 1);
      (q == r ? right : down).insert(t.dst);
      if (q == r) i.insert(t.first - run * r);
      f.holds(q == r || t.first == run * r + q, "r = {}, P = {}, rank {}: sends {} in step {}", r,
              P, rank, t.first, step);
    }
    for (const auto& [step, t] : pu.receives) {
      const U64 o = step + 1 - begin, run = o / (r + 1), q = o % (r + 1);
      f.holds(t.first == run * r + q, "r = {}, P = {}, rank {}: receives {} in step {}", r, P, rank,
              t.first, step);
    }
    f.holds(down.size() <= 1 && right.size() <= 1 && i.size() <= 1 && (i.empty() || *i.begin() < r),
            "r = {}, P = {}, rank {}: too many successors", r, P, rank);
    f.equal(down.empty() ? 0 : s,
            static_cast<U64>(std::ranges::count_if(
                pu.sends, [&](const auto& e) { return down.contains(e.second.dst); })),
            "r = {}, P = {}, rank {}: packets sent down", r, P, rank);
    f.equal(right.empty() ? 0 : s / r,
            static_cast<U64>(std::ranges::count_if(
                pu.sends, [&](const auto& e) { return right.contains(e.second.dst); })),
            "r = {}, P = {}, rank {}: packets sent right", r, P, rank);
  }
}

std::vector<U64> recurrence(U64 r, U64 P) {
  std::vector<U64> reach;
  for (U64 i = 0; reach.empty() || reach.back() < P; ++i)
    reach.push_back(i <= r ? i + 1 : r + reach[i - r] + reach[i - r - 1]);
  return reach;
}

const Section fractional_trees_section{
    "3 Fractional tree broadcasting",
    {
        {"figure 2", "the pseudocode of every PU",
         "P = r+2..80, r = 1..6, s = 3r; each step of each PU",
         [](Found& f) {
           for (U64 r = 1; r <= 6; ++r) {
             for (Rank P = static_cast<Rank>(r) + 2; P <= 80; P += 1 + P / 16)
               pseudocode(f, P, 3 * r, r);
           }
           f.say(
               "what is sent down, sent right and received in each step is what the program says");
           f.shows("fractional-tree:r=3: holds");
         },
         "schedcc compile fractional-tree:r=3 --ranks 18 --chunks 9"},
        {"section 3",
         "every r + 1 steps the head of the right successor gets a run of r packets in the right "
         "order",
         "P = 40, 100, r = 1..6, 4 runs; every PU",
         [](Found& f) {
           for (const Rank P : {40U, 100U}) {
             for (U64 r = 1; r <= 6; ++r) {
               std::map<Rank, std::vector<U64>> received;  // step of packet 0, 1, ...
               for (const auto& [step, t] : transfers(fractional_tree(P, 4 * r, r))) {
                 auto& steps = received[t.dst];
                 f.equal(steps.size(), t.first, "P = {}, r = {}, rank {}: packet", P, r, t.dst);
                 steps.push_back(step);
               }
               for (const auto& [rank, steps] : received) {
                 for (U64 p = 0; p < steps.size(); ++p)
                   f.equal(steps[0] + p / r * (r + 1) + p % r, steps[p],
                           "P = {}, r = {}, rank {}: step", P, r, rank);
               }
             }
           }
           f.shows("fractional-tree:r=3: holds");
         },
         "schedcc compile fractional-tree:r=3 --ranks 18 --chunks 12"},
        {"section 3", "right successors receive data one step later than the downward ones",
         "P = 40, 100, r = 1..6; every group with both",
         [](Found& f) {
           for (const Rank P : {40U, 100U}) {
             for (U64 r = 1; r <= 6; ++r) {
               std::map<Rank, U64> first;         // the step in which it receives packet 0
               std::map<Rank, Rank> down, right;  // of those that pass packet 0 on
               for (const auto& [step, t] : transfers(fractional_tree(P, 2 * r, r))) {
                 if (t.first != 0) continue;
                 first[t.dst] = step;
                 const U64 held = t.src == 0 ? 0 : first[t.src] + 1;
                 (step == held ? down : right)[t.src] = t.dst;
               }
               for (const auto& [head, to] : right) {
                 Rank below = head;
                 for (U64 i = 0; i < r && down.contains(below); ++i) below = down[below];
                 f.equal(first[below] + 1, first[to], "P = {}, r = {}, group of rank {}", P, r,
                         head);
               }
             }
           }
           f.shows("fractional-tree:r=3: holds");
         },
         "schedcc compile fractional-tree:r=3 --ranks 18 --chunks 3"},
        {"section 3",
         "P_i = r + P_{i-r} + P_{i-r-1}, P_i = i + 1 for i <= r, PUs are reachable within i steps",
         "r = 1..12, P = 2..300; formula of `cost`: r up to 999, P up to 100000",
         [](Found& f) {
           for (const U64 r : {1U, 2U, 3U, 16U, 17U, 18U, 33U, 100U, 999U}) {
             for (const U64 P : {2U, 17U, 18U, 19U, 64U, 1000U, 16384U, 100000U}) {
               if (P > r + 1)
                 f.equal(recurrence(r, P).size() - 1, fractional_tree_steps(P, 1, r),
                         "r = {}, P = {}: formula", r, P);
             }
           }
           for (U64 r = 1; r <= 12; ++r) {
             for (Rank P = 2; P <= 300; P += 1 + P / 40) {
               const U64 i = recurrence(r, P).size() - 1;
               U64 last = 0;
               for (const Sent& s : transfers(fractional_tree(P, 1, r)))
                 last = std::max(last, s.step + 1);
               f.equal(i, last, "r = {}, P = {}", r, P);
             }
           }
           f.shows("{} steps", fractional_tree_steps(1024, 1, 8));
         },
         "schedcc compile fractional-tree:r=8 --ranks 1024 >/dev/null"},
        {"section 3", "d = O(r log(P/r))", "r = 1..100, P = 2r..2^40; constant 2.5",
         [](Found& f) {
           double most = 0;
           for (U64 r = 1; r <= 100; r += 1 + r / 8) {
             for (U64 P = std::max<U64>(2 * r, 4); P <= U64{1} << 40; P *= 2) {
               const double constant = real(d_of(P, r)) / (real(r) * std::log2(real(P) / real(r)));
               f.at_most(2.5, constant, "r = {}, P = {}", r, P);
               most = std::max(most, constant);
             }
           }
           f.say("at most {:.2f} r log2(P/r)", most);
           f.shows("{} steps", fractional_tree_steps(16384, 1, 23));
         },
         "schedcc compile fractional-tree:r=23 --ranks 16384 >/dev/null"},
        {"figure 1",
         "trees with r = 1, 2, 3, ∞ in which the last PU has its first packet after 5 steps",
         "their sizes by the recurrence; one PU more takes a sixth step",
         [](Found& f) {
           std::vector<U64> sizes;
           for (const U64 r : {1U, 2U, 3U, 100U}) {
             const U64 P = r == 100 ? 6 : recurrence(r, 1000)[5];
             U64 last = 0;
             for (const Sent& s : transfers(fractional_tree(P, 1, r)))
               last = std::max(last, s.step + 1);
             f.equal(5, last, "r = {}", r);
             f.equal(6, fractional_tree_steps(P + 1, 1, r), "r = {}, a PU more", r);
             sizes.push_back(P);
           }
           f.say("{} PUs", join(sizes, ", "));
           f.shows("5 steps");
         },
         "schedcc compile fractional-tree:r=2 --ranks 10"},
        {"section 3",
         "on simplex PUs a run of r packets can be forwarded in 2r + 1 steps (announced for the "
         "full paper)",
         "P = 3..1000, r = 1, 2, 3, 5, 8; 1, 2, 3, 7 runs",
         [](Found& f) {
           for (const Rank P : {3U, 7U, 16U, 40U, 100U, 1000U}) {
             for (const std::uint32_t r : {1U, 2U, 3U, 5U, 8U}) {
               const U64 D = steps({tree(r), P, r, "simplex"});
               for (const std::uint32_t runs : {2U, 3U, 7U})
                 f.equal(D + (2 * r + 1) * (runs - 1), steps({tree(r), P, runs * r, "simplex"}),
                         "P = {}, r = {}", P, r);
             }
           }
           f.say("with groups of 2r PUs");
           f.shows("{} steps", steps({tree(3), 100, 21, "simplex"}));
         },
         "schedcc compile fractional-tree:r=3 --machine simplex --ranks 100 --chunks 21 "
         ">/dev/null"},
        {"section 3", "hence only a factor 2 - 1/(r+1) slower than duplex",
         "P = 1000, r = 1, 2, 3, 8, 50; 99 runs more",
         [](Found& f) {
           for (const U64 r : {1U, 2U, 3U, 8U, 50U}) {
             const auto runs = [r](auto steps_of) {
               return steps_of(1000, 100 * r, r) - steps_of(1000, r, r);
             };
             f.equal((2 * r + 1) * 99, runs(simplex_fractional_tree_steps), "r = {}: simplex", r);
             f.equal((r + 1) * 99, runs(fractional_tree_steps), "r = {}: duplex", r);
           }
           f.say("(2r+1)/(r+1) per run");
           f.shows("{} steps", steps({tree(8), 1000, 80, "simplex"}));
         },
         "schedcc compile fractional-tree:r=8 --machine simplex --ranks 1000 --chunks 80 "
         ">/dev/null"},
        {"section 3",
         R"(send|recv can be made sequential, "send, recv" or "recv, send", without deadlocks)",
         "r = 1, 2, 3, 8, P = 2..100; program order, sending first, receiving first; rendezvous",
         [](Found& f) {
           CheckOptions options;
           options.checks = {"deadlock"};
           for (const U64 r : {1U, 2U, 3U, 8U}) {
             for (Rank P = 2; P <= 100; P += 7) {
               const auto [algorithm, request] = run::ready({tree(r), P, 11});
               for (const Blocking blocking :
                    {Blocking::program, Blocking::send_first, Blocking::recv_first}) {
                 options.blocking = blocking;
                 f.holds(
                     check(from_algorithm(*algorithm, request, tree(r)), request.machine, options)
                             .verdict() == Verdict::holds,
                     "r = {}, P = {}: a deadlock", r, P);
               }
             }
           }
           f.shows("fractional-tree:r=3: holds");
         },
         "schedcc compile fractional-tree:r=3 --ranks 64 --chunks 24 --blocking program "
         ">/dev/null"},
        {"section 3", "and without delays",
         "r = 1, 2, 3, 4, 5, 8, 200, P = 2..128, K = 1, 5, 16; each step in two halves, in the "
         "order of the schedule",
         [](Found& f) {
           for (const U64 r : {1U, 2U, 3U, 4U, 5U, 8U, 200U}) {
             for (U64 P = 2; P <= 128; P += 1 + P / 16) {
               for (const U64 K : {1U, 5U, 16U}) {
                 // When a rank has made its calls of the step, one after the other.
                 std::map<std::pair<U64, Rank>, U64> done;
                 U64 most = 0;
                 for (const auto& [step, t] : transfers(fractional_tree(P, K, r))) {
                   U64 &a = done[{step, t.src}], &b = done[{step, t.dst}];
                   most = std::max(most, a = b = std::max(a, b) + 1);
                 }
                 f.at_most(U64{2}, most, "r = {}, P = {}, K = {}: halves", r, P, K);
               }
             }
           }
           f.say("a step of sequential calls takes two halves, as two calls must");
           f.shows("fractional-tree:r=3: holds");
         },
         "schedcc compile fractional-tree:r=3 --ranks 64 --chunks 24 --blocking program "
         ">/dev/null"},
    }};

}  // namespace

Section fractional_trees() { return fractional_trees_section; }

}  // namespace ledger::FT
