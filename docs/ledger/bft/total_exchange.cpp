// BFT, section 5: total exchange phase by phase, its loops and their times.

#include <algorithm>
#include <map>
#include <set>

#include "bft/capacities.hpp"
#include "bft/exchange.hpp"
#include "bft/sections.hpp"
#include "core/integers.hpp"
#include "machine/fattree.hpp"
#include "measure.hpp"

namespace ledger::BFT {

namespace {

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

/// Do the loops send each message once?
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

Rank leaves(const Capacities& c) { return Rank{1} << c.size(); }

/// Calls fn(c) for n = 2..128 leaves and all capacities with c_1 = 1 that stay or double; for 128
/// only the constant and the exponential ones.
template <typename F>
void each_doubling(F fn) {
  for (U64 h = 1; h <= 7; ++h) {
    for (const Capacities& c : doubling(h)) {
      if (h < 7 || c == constant(h) || c == exponential(h)) fn(c);
    }
  }
}

/// A schedule takes T steps, and nothing waits.
void takes(Found& f, const Case& c, U64 T, const std::string& where) {
  const Report r = checked(c);
  f.equal(T, r.steps, "{}", where);
  f.equal(0, *r.max_buffer, "{}: queue", where);
}

/// Scatterings from n = 4..128 leaves, so many at once.
void scatterings(Found& f, std::string_view schedule, U64 at_once) {
  for (Rank n = 4; n <= 128; n *= 2) {
    for (const char* machine : {"cbft", "ebft"}) {
      takes(f, {exchange(schedule), n, 1, machine}, U64{n} * (n + 1) / at_once,
            fmt::format("n = {}", n));
    }
  }
}

/// The phases of a schedule by level: the first dispatch and the last arrival.
std::map<U64, std::pair<U64, U64>> phases(std::string_view schedule, const Capacities& c) {
  std::map<U64, std::pair<U64, U64>> result;
  for (const auto& [step, t] : transfers({exchange(schedule), leaves(c), 1, fattree(c)})) {
    const U64 level = log2(t.src ^ t.dst) + 1;
    auto& [first, last] = result.try_emplace(level, step, step).first->second;
    last = std::max(last, step + 2 * level);
  }
  return result;
}

const Section total_exchange_section{
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
           scatterings(f, "scatters", 1);
           f.say("n = 2: {} steps", steps({exchange("scatters"), 2, 1, "cbft"}));
           f.shows("72 steps");
         },
         "schedcc compile total-exchange:schedule=scatters --ranks 8 --machine cbft >/dev/null"},
        {"section 5", "two scatterings at once, without contention: half of that",
         "n = 4..128; constant, exponential",
         [](Found& f) {
           scatterings(f, "paired", 2);
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
           each_doubling([&](const Capacities& c) {
             for (const auto& [i, span] : phases("phases", c)) {
               f.equal(ceil_div(U64{1} << (2 * (i - 1)), c[i - 1]) + 2 * i - 1,
                       span.second - span.first, "{}, level {}", fattree(c), i);
             }
           });
           f.shows("{} steps", equation_1({1, 2, 2}));
         },
         "schedcc compile total-exchange:schedule=phases --ranks 8 --machine fattree:cap=1,2,2 "
         ">/dev/null"},
        {"equation (1)", "T = sum of ceil(4^(i-1) / c_i) + (log n)^2",
         "n = 2..128; c_1 = 1, staying or doubling: all to n = 64",
         [](Found& f) {
           each_doubling([&](const Capacities& c) {
             takes(f, {exchange("phases"), leaves(c), 1, fattree(c)}, equation_1(c), fattree(c));
           });
           f.shows("{} steps", equation_1(constant(4)));
         },
         "schedcc compile total-exchange:schedule=phases --ranks 16 --machine cbft >/dev/null"},
        {"section 5, Pipelining",
         "phases i and i + 1 overlap by 2h_i - 3 steps, (log n)^2 - 2 log n + 1 in all",
         "n = 2..128; constant, exponential; each overlap measured",
         [](Found& f) {
           for (U64 h = 1; h <= 7; ++h) {
             for (const Capacities& c : {constant(h), exponential(h)}) {
               auto phase = phases("pipelined", c);
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
           each_doubling([&](const Capacities& c) {
             takes(f, {exchange("pipelined"), leaves(c), 1, fattree(c)}, equation_2(c), fattree(c));
           });
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
               takes(f, {algorithm, static_cast<Rank>(n), 1, "ebft"}, n + 2 * h - 2,
                     fmt::format("n = {}", n));
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

}  // namespace

Section total_exchange() { return total_exchange_section; }

}  // namespace ledger::BFT
