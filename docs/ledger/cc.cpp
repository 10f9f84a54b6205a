// CC: the claims of the lecture on communication cost, slide by slide.
//
// A cost a α + b β is held against a schedule's steps, a of them, and its volume, b words, the sum
// over the steps of the longest message: a chunk is a word. s is the size of the message or, for
// collectives of blocks, of all blocks of a rank together.

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "frontend/algebra.hpp"
#include "frontend/algorithms/blocks.hpp"
#include "frontend/algorithms/butterfly_allreduce.hpp"
#include "frontend/algorithms/packet_size.hpp"
#include "frontend/algorithms/shapes.hpp"
#include "ledger.hpp"
#include "measure.hpp"

namespace ledger {

namespace {

struct Cost {
  U64 steps, volume;
  double time(double alpha, double beta) const {
    return static_cast<double>(steps) * alpha + static_cast<double>(volume) * beta;
  }
};

Cost cost(const std::string& algorithm, const std::string& collective, Rank P, std::uint32_t K) {
  const Report report = checked({algorithm, P, K, "", collective});
  return {report.steps, report.volume};
}

void equal(Found& f, const Cost& printed, const Cost& computed, const std::string& where) {
  f.equal(printed.steps, computed.steps, "{}: α", where);
  f.equal(printed.volume, computed.volume, "{}: β", where);
}

std::string bsp(U64 h) { return fmt::format("bsp-butterfly:h={}", h); }

/// Words that the busiest rank of each step sends, or receives, over all steps.
U64 busiest(const Case& c) {
  std::map<U64, std::map<std::pair<Rank, bool>, U64>> words;
  for (const auto& [step, t] : transfers(c)) {
    words[step][{t.src, false}] += t.count;
    words[step][{t.dst, true}] += t.count;
  }
  U64 sum = 0;
  for (const auto& [step, of] : words) {
    sum += std::ranges::max_element(of, {}, [](const auto& e) { return e.second; })->second;
  }
  return sum;
}

/// CC, Algorithm 1, word for word: Allreduce(A, Π) of the ranks first .. first + P - 1 and the
/// words from `word` on, s of them, between the steps `step` and `last`.
void algorithm_1(Rank first, Rank P, Chunk word, std::uint32_t s, U64 step, U64 last,
                 std::vector<Transfers>& out) {
  if (P == 1) return;
  const Chunk R = word + s / 2;
  for (Rank j = first; j < first + P / 2; ++j) {
    const Rank x = j + P / 2;
    out[step].push_back(transfer(j, x, R, s / 2, true));
    out[step].push_back(transfer(x, j, word, s / 2, true));
    out[last].push_back(transfer(j, x, word, s / 2, false));
    out[last].push_back(transfer(x, j, R, s / 2, false));
  }
  algorithm_1(first, P / 2, word, s / 2, step + 1, last - 1, out);
  algorithm_1(first + P / 2, P / 2, R, s / 2, step + 1, last - 1, out);
}

Steps algorithm_1(std::uint32_t h, std::uint32_t s) {
  std::vector<Transfers> rows(std::size_t{2} * h);
  algorithm_1(0, Rank{1} << h, 0, s, 0, 2 * h - 1, rows);
  return every_step(2 * h, [rows](U64 t, Transfers& out) {
    out.insert(out.end(), rows[t].begin(), rows[t].end());
  });
}

std::set<std::tuple<U64, Rank, Rank, Chunk, U64, bool>> as_set(const Steps& steps) {
  std::set<std::tuple<U64, Rank, Rank, Chunk, U64, bool>> result;
  for (const auto& [step, t] : transfers(steps))
    result.emplace(step, t.src, t.dst, t.first, U64{t.count}, t.reduce != 0);
  return result;
}

const Section allreduce{
    "Recursive allreduce",
    {
        {"Algorithm 1", "every processor ends with v(i), the sum over j of A(i, j)",
         "P = 2..64, s = P, 3P; the algorithm word for word, checked as a schedule",
         [](Found& f) {
           Problem problem;
           problem.collective = Collective::allreduce;
           for (std::uint32_t h = 1; h <= 6; ++h) {
             for (const std::uint32_t s : {1U << h, 3U << h}) {
               problem.ranks = Rank{1} << h;
               problem.chunks = s;
               auto rows = stream(algorithm_1(h, s));
               const auto schedule = std::make_shared<const Schedule>(collect(*rows));
               const Report report =
                   check(from_schedule(problem, schedule), make_machine("duplex", problem.ranks));
               f.holds(report.verdict() == Verdict::holds, "P = {}, s = {}: violated",
                       problem.ranks, s);
             }
           }
           f.shows("butterfly-allreduce: holds");
         },
         "schedcc compile butterfly-allreduce --ranks 8 --chunks 8 >/dev/null"},
        {"Algorithm 1",
         "it is recursive halving, then doubling (\"recursive/butterfly allreduce\")",
         "P = 2..64, s = P, 3P",
         [](Found& f) {
           for (std::uint32_t h = 1; h <= 6; ++h) {
             for (const std::uint32_t s : {1U << h, 3U << h}) {
               const Steps reversed = relabel(butterfly_allreduce(U64{1} << h, s), [h](Rank v) {
                 Rank result = 0;
                 for (std::uint32_t bit = 0; bit < h; ++bit)
                   result |= (v >> bit & 1) << (h - 1 - bit);
                 return result;
               });
               f.holds(as_set(reversed) == as_set(algorithm_1(h, s)), "P = 2^{}, s = {}", h, s);
             }
           }
           f.say("the transfers of `butterfly-allreduce`, the bits of all ranks reversed");
           f.shows("1 -> 0 : 0-3 reduce");
         },
         "schedcc compile butterfly-allreduce --ranks 4 --chunks 8"},
        {"Allreduce cost derivation", "T = 2 sum over i = 1..h of (α + s/2^i β)",
         "h = 1..7, s = P, 4P, 7P",
         [](Found& f) {
           for (std::uint32_t h = 1; h <= 7; ++h) {
             for (const std::uint32_t m : {1U, 4U, 7U}) {
               const std::uint32_t s = m << h;
               U64 words = 0;
               for (std::uint32_t i = 1; i <= h; ++i) words += 2 * (s >> i);
               equal(f, {2 * h, words}, cost("butterfly-allreduce", "allreduce", 1 << h, s),
                     fmt::format("h = {}, s = {}", h, s));
             }
           }
           const Cost c = cost("butterfly-allreduce", "allreduce", 16, 64);
           f.shows("{} steps (bound 4), volume {}", c.steps, c.volume);
         },
         "schedcc compile butterfly-allreduce --ranks 16 --chunks 64 >/dev/null"},
        {"Allreduce cost derivation", "T(s, P) = T(s/2, P/2) + 2 (α + s/2 β)",
         "h = 2..7, s = P, 4P, 7P",
         [](Found& f) {
           for (std::uint32_t h = 2; h <= 7; ++h) {
             for (const std::uint32_t m : {1U, 4U, 7U}) {
               const std::uint32_t s = m << h;
               const Cost half = cost("butterfly-allreduce", "allreduce", 1 << (h - 1), s / 2);
               equal(f, {half.steps + 2, half.volume + s},
                     cost("butterfly-allreduce", "allreduce", 1 << h, s),
                     fmt::format("h = {}, s = {}", h, s));
             }
           }
           f.shows("volume {}", cost("butterfly-allreduce", "allreduce", 8, 32).volume);
         },
         "schedcc compile butterfly-allreduce --ranks 8 --chunks 32 >/dev/null"},
        {"Allreduce cost derivation", "T <= 2 (h α + s β)", "h = 1..7, s = P, 4P, 7P",
         [](Found& f) {
           for (std::uint32_t h = 1; h <= 7; ++h) {
             for (const std::uint32_t m : {1U, 4U, 7U}) {
               const std::uint32_t s = m << h;
               const Cost c = cost("butterfly-allreduce", "allreduce", 1 << h, s);
               f.at_most(U64{2} * h, c.steps, "h = {}, s = {}: α", h, s);
               f.at_most(U64{2} * s, c.volume, "h = {}, s = {}: β", h, s);
             }
           }
           f.say("2 h α + 2 s (P-1)/P β");
           f.shows("volume {}", cost("butterfly-allreduce", "allreduce", 128, 128).volume);
         },
         "schedcc compile butterfly-allreduce --ranks 128 --chunks 128 >/dev/null"},
        {"Allreduce cost derivation", "the sum for every s", "h = 1..5, s = 1..3P",
         [](Found& f) {
           for (std::uint32_t h = 1; h <= 5; ++h) {
             for (std::uint32_t s = 1; s <= 3U << h; ++s) {
               const double printed = 2 * s * (1 - std::ldexp(1, -static_cast<int>(h)));
               const U64 volume = cost("butterfly-allreduce", "allreduce", 1 << h, s).volume;
               f.at_most(printed, static_cast<double>(volume), "h = {}, s = {}: words", h, s);
               U64 rounded = 0;
               for (std::uint32_t i = 1; i <= h; ++i) rounded += 2 * ceil_div(s, U64{1} << i);
               expect(volume == rounded);
             }
           }
           f.say("2 sum of ceil(s/2^i) words");
           f.shows("volume {}", cost("butterfly-allreduce", "allreduce", 8, 1).volume);
         },
         "schedcc compile butterfly-allreduce --ranks 8 --chunks 1",
         "words cannot be halved for ever; even one word is sent 2 log P times"},
    }};

/// CC's S(i, j), from its formula.
std::set<Rank> S(std::uint32_t i, std::uint32_t j, std::uint32_t h) {
  std::set<Rank> result;
  for (Rank R = 0; R < Rank{1} << i; ++R) {
    Rank member = Rank{1} << j;
    for (std::uint32_t r = 1; r <= i; ++r) {
      if ((R >> (r - 1) & 1) != 0) member += Rank{1} << ((j + r) % h);
    }
    result.insert(member);
  }
  return result;
}

/// Calls fn(i, j, k) for all i, j, k = 1..h-1.
template <typename F>
void each_level(std::uint32_t h, F fn) {
  for (std::uint32_t i = 0; i < h; ++i) {
    for (std::uint32_t j = 0; j < h; ++j) {
      for (std::uint32_t k = 1; k < h; ++k) fn(i, j, k);
    }
  }
}

const Section optimal{
    "Optimal broadcast",
    {
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
               f.holds(nodes.size() == (1U << h) - 1 && !nodes.contains(0),
                       "h = {}, tree {}: {} nodes", h, packet, nodes.size());
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
        {"construction", "so s/k + h steps of messages of size k are enough",
         "h = 2..7, s/k = 1..30",
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
        {"wrapped butterfly", "the root of the j-th binomial tree is node 2^j",
         "h = 2..8, j = 0..h-1",
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
    }};

double pbt(const LogP& m, double h, double packets) {
  return PipelinedBinaryTree{.h = h,
                             .L = static_cast<double>(m.L),
                             .o = static_cast<double>(m.o),
                             .g = static_cast<double>(m.g),
                             .G = 0}
      .time_logp(packets);
}

/// The time of n data on the complete binary tree of height h: logical packets of m data go to the
/// left child, then to the right one. o = 0.
U64 logical_packets(U64 h, U64 n, U64 m, const LogP& model) {
  Problem problem;
  problem.ranks = (Rank{2} << h) - 1;
  problem.chunks = static_cast<std::uint32_t>(n);
  std::vector<std::vector<U64>> held(problem.ranks, std::vector<U64>(n));
  std::map<U64, Transfers> sends;
  for (Rank v = 0; 2 * v + 2 < problem.ranks; ++v) {
    U64 time = 0;
    for (U64 first = 0; first < n; first += m) {
      for (const Rank child : {2 * v + 1, 2 * v + 2}) {
        for (U64 c = first; c < first + m; ++c) {
          time = std::max(time, held[v][c]);
          sends[time].push_back(copy(v, child, static_cast<Chunk>(c)));
          held[child][c] = time + model.latency();
          time += model.spacing();
        }
      }
    }
  }
  auto schedule = std::make_shared<Schedule>();
  for (const auto& [time, row] : sends) {
    schedule->begin_step(time);
    for (const Transfer& t : row) schedule->add(t);
  }
  const Report report =
      check(from_schedule(problem, schedule), make_machine(spec(model), problem.ranks));
  return report.verdict() == Verdict::holds ? report.steps : 0;
}

const Section logp{
    "The LogP and LogGP models",
    {
        {"The LogP model", "a message of s packets takes 2o + L + (s-1) g, g >= o",
         "75 models: L = 0..12, o = 0..5, g = 1..20; s = 1, 2, 3, 10",
         [](Found& f) {
           for (const LogP& m : logp_models()) {
             if (m.g < m.o) continue;
             for (const std::uint32_t s : {1U, 2U, 3U, 10U}) {
               f.equal(2 * m.o + m.L + (s - 1) * m.g, steps({"logp-linear", 2, s, spec(m)}),
                       "{}, s = {}", spec(m), s);
             }
           }
           f.shows("{} cycles", steps({"logp-linear", 2, 10, spec({6, 2, 4})}));
         },
         "schedcc compile logp-linear --ranks 2 --chunks 10 --machine logp:L=6,o=2,g=4"},
        {"Broadcasts in the LogP model",
         "forward a message as soon as it is received, until all have it (Karp et al.)",
         "95 models, any g; P = 2..40",
         [](Found& f) {
           for (const LogP& m : logp_models()) {
             for (Rank P = 2; P <= 40; P += 1 + P / 4)
               f.equal(least_steps("broadcast", P, spec(m)), steps({"karp", P, 1, spec(m)}),
                       "{}, P = {}", spec(m), P);
           }
           f.say("`karp` takes the least time that there is");
           f.shows("24 cycles (bound {})", least_steps("broadcast", 8, spec({6, 2, 4})));
         },
         "schedcc compile karp --ranks 8 --machine logp:L=6,o=2,g=4"},
        {"Pipelined binary tree in LogP", "T is about h (L + 2g + o) + 2 (s/k) g, for g >= 2o",
         "the models with g >= 2o, L + 2o >= g; P = 8, 30; 1, 2 and 60 packets",
         [](Found& f) {
           double least = 1e300, most = 0;
           for (const LogP& m : logp_models()) {
             if (m.g < 2 * m.o || m.latency() < m.g) continue;
             for (const Rank P : {8U, 30U}) {
               for (const std::uint32_t K : {1U, 2U, 60U}) {
                 const double T = static_cast<double>(steps({"logp-binary", P, K, spec(m)}));
                 const double printed = pbt(m, std::log2(P), K);
                 f.at_most(printed, T, "{}, P = {}, {} packets", spec(m), P, K);
                 if (K == 60) least = std::min(least, T / printed);
                 if (K == 60) most = std::max(most, T / printed);
               }
             }
           }
           f.say("never more, and for 60 packets {:.2f} to {:.2f} of it", least, most);
           f.shows("{} cycles", steps({"logp-binary", 30, 60, spec({6, 2, 4})}));
         },
         "schedcc compile logp-binary --ranks 30 --chunks 60 --machine logp:L=6,o=2,g=4 "
         ">/dev/null"},
        {"Pipelined binary tree in LogP", "2g for each packet more, for any g >= o",
         "the models with o <= g, L + 2o >= g; P = 8, 30",
         [](Found& f) {
           for (const LogP& m : logp_models()) {
             if (m.g < m.o || m.latency() < m.g) continue;
             for (const Rank P : {8U, 30U}) {
               f.equal(
                   2 * m.g,
                   steps({"logp-binary", P, 2, spec(m)}) - steps({"logp-binary", P, 1, spec(m)}),
                   "{}, P = {}", spec(m), P);
             }
           }
           const LogP m{6, 2, 2};
           f.say("max(2g, g + 2o)");
           f.shows("{} cycles", steps({"logp-binary", 30, 60, spec(m)}));
         },
         "schedcc compile logp-binary --ranks 30 --chunks 60 --machine logp:L=6,o=2,g=2 >/dev/null",
         "where g is below 2o, a rank that receives a packet and sends it twice in 2g cycles would "
         "do "
         "two things at once"},
        {"Pipelined binary tree in LogP",
         "the cost is irrespective of the logical packet size k >= k_LogP",
         "complete trees, h = 3, 5; L = 6, o = 0, g = 4; 120 data in logical packets of 1, 2, 5, "
         "10, 40",
         [](Found& f) {
           std::string times;
           for (const U64 h : {3U, 5U}) {
             for (const U64 m : {1U, 2U, 5U, 10U, 40U}) {
               const U64 T = logical_packets(h, 120, m, {6, 0, 4});
               f.at_most(pbt({6, 0, 4}, static_cast<double>(h), 120), static_cast<double>(T),
                         "h = {}, logical packets of {}", h, m);
               if (h == 5) times += fmt::format("{}{}", times.empty() ? "" : ", ", T);
             }
           }
           f.say("for h = 5: {} cycles", times);
           f.shows("{} cycles", steps({"logp-binary", 63, 120, spec({6, 0, 4})}));
         },
         "schedcc compile logp-binary --ranks 63 --chunks 120 --machine logp:L=6,o=0,g=4 "
         ">/dev/null",
         "only the term 2 (s/k) g is; on every level the right child waits for the m data that go "
         "left "
         "first, h m g in all instead of h g"},
        {"Pipelined binary tree in LogP", "no latency term (s/k) α: overlap",
         "o = 1, 2, g = 4, P = 30; L = 4..1000",
         [](Found& f) {
           for (const U64 o : {1U, 2U}) {
             for (const U64 L : {4U, 10U, 100U, 1000U}) {
               const std::string machine = spec({L, o, 4});
               f.equal(
                   8,
                   steps({"logp-binary", 30, 2, machine}) - steps({"logp-binary", 30, 1, machine}),
                   "L = {}, o = {}", L, o);
             }
           }
           f.say("each packet costs 2g, whatever L is");
           f.shows("{} cycles", steps({"logp-binary", 30, 60, spec({100, 2, 4})}));
         },
         "schedcc compile logp-binary --ranks 30 --chunks 60 --machine logp:L=100,o=2,g=4 "
         ">/dev/null"},
        {"The LogGP model", "a message of s bytes takes 2o + L + (s-1) G",
         "s = 1, 2, 10, 1000, 10^6; G = 0.001, 0.1, 1, 5; L = 0, 6, o = 0, 2, g = 4",
         [](Found& f) {
           for (const U64 s : {1U, 2U, 10U, 1000U, 1000000U}) {
             for (const char* G : {"0.001", "0.1", "1", "5"}) {
               for (const U64 L : {0U, 6U}) {
                 for (const U64 o : {0U, 2U}) {
                   const std::string model = fmt::format("loggp:L={}s,o={}s,g=4s,G={}s/B", L, o, G);
                   f.close(
                       static_cast<double>(2 * o + L) + static_cast<double>(s - 1) * std::stod(G),
                       seconds({"linear", 2}, s, model), 1e-9, "{} bytes, {}", s, model);
                 }
               }
             }
           }
           f.shows(",109,");
         },
         "schedcc cost linear --ranks 2 --chunks 1 --bytes 100 --model loggp:L=6s,o=2s,g=4s,G=1s/B "
         "--csv"},
        {"Pipelined binary tree in LogGP", "T is about h (L + 2g + o + 2kG) + 2 (s/k)(g + kG)",
         "P = 16, 64, 1024; s = 10^6; s/k = 10, 50, 162, 400; L = 6, o = 2, g = 3, 4, G = 0.01; up "
         "to a fifth",
         [](Found& f) {
           double least = 1e300, most = 0;
           for (const Rank P : {16U, 64U, 1024U}) {
             for (const std::uint32_t K : {10U, 50U, 162U, 400U}) {
               for (const double g : {3.0, 4.0}) {
                 const PipelinedBinaryTree tree{
                     .h = std::log2(P), .L = 6, .o = 2, .g = g, .G = 0.01};
                 const double printed = tree.time(1e6, 1e6 / K);
                 const double T = seconds({"binary-tree", P, K}, 1000000,
                                          fmt::format("loggp:L=6s,o=2s,g={}s,G=0.01s/B", g));
                 f.close(printed, T, 0.21, "P = {}, {} packets", P, K);
                 least = std::min(least, T / printed);
                 most = std::max(most, T / printed);
               }
             }
           }
           f.say(
               "the schedule of the skewed `binary-tree`, every rank as soon as it can: {:.2f} to "
               "{:.2f} of it",
               least, most);
           f.shows("h (L + 2g + o + 2kG) + 2 (s/k) (g + kG)");
         },
         "schedcc cost binary-tree --ranks 64 --chunks 50 --bytes 1000000 --model "
         "loggp:L=6us,o=2us,g=4us,G=10ns/B"},
        {"Pipelined binary tree in LogGP",
         "T(k) = h (L + 2g + o + 2kG) + 2 (s/k)(g + kG) is least for k = sqrt(s/h) sqrt(g/G)",
         "h = 3, 10, 20; s = 10^3..10^9; g/G = 40, 400, 4000; L = 6, o = 2; k 1 % to both sides",
         [](Found& f) {
           for (const double h : {3.0, 10.0, 20.0}) {
             for (double s = 1e3; s < 2e9; s *= 10) {
               for (const double G : {0.1, 0.01, 0.001}) {
                 const PipelinedBinaryTree tree{.h = h, .L = 6, .o = 2, .g = 4, .G = G};
                 const double k = std::sqrt(s / h) * std::sqrt(4 / G);
                 f.holds(tree.time(s, 1.01 * k) > tree.time(s, k) &&
                             tree.time(s, k / 1.01) > tree.time(s, k),
                         "h = {}, s = {}, G = {}: not least", h, s, G);
               }
             }
           }
           f.say("g appears in it, and not L");
           f.shows("the same with the best k, sqrt(s/h) sqrt(g/G)");
         },
         "schedcc cost binary-tree --ranks 1024 --chunks 162 --bytes 1000000 --model "
         "loggp:L=6us,o=2us,g=4us,G=10ns/B"},
        {"Pipelined binary tree conclusions", "in the α-β model k_opt = sqrt(s/h) sqrt(α/β)",
         "h = 3, 10, 20; s = 10^3..10^9; α/β = 10, 1000; 2 (h + s/k)(α + kβ), k 1 % to both sides",
         [](Found& f) {
           for (const double h : {3.0, 10.0, 20.0}) {
             for (double s = 1e3; s < 2e9; s *= 10) {
               for (const double alpha : {10.0, 1000.0}) {
                 const Pipeline tree{h, alpha, 1};
                 const double k = std::sqrt(s / h) * std::sqrt(alpha);
                 f.holds(tree.time(s, 1.01 * k) > tree.time(s, k) &&
                             tree.time(s, k / 1.01) > tree.time(s, k),
                         "h = {}, s = {}, α = {}: not least", h, s, alpha);
               }
             }
           }
           f.shows("binary-tree");
         },
         "schedcc cost binary-tree --ranks 1024 --bytes 1000000 --alpha 10us --beta 10ns/B"},
    }};

constexpr std::array butterflies{"scatter", "gather", "allgather", "reduce-scatter"};
constexpr std::array compositions{"broadcast", "reduce", "allreduce"};

const Section supersteps{
    "BSP",
    {
        {"BSP model definition",
         "each processor sends and receives up to h messages in a superstep",
         "h = 1..8, h and h + 1 messages",
         [](Found& f) {
           for (std::uint32_t h = 1; h <= 8; ++h) {
             Problem problem;
             problem.collective = Collective::scatter;
             problem.ranks = h + 1;
             auto schedule = std::make_shared<Schedule>();
             schedule->begin_step(0);
             for (Rank r = 1; r <= h; ++r) schedule->add(copy(0, r, r));
             const auto verdict = [&](std::uint32_t most) {
               return check(from_schedule(problem, schedule),
                            make_machine(fmt::format("bsp:h={}", most), h + 1))
                   .verdict();
             };
             f.holds(verdict(h) == Verdict::holds, "{} messages violate h = {}", h, h);
             if (h > 1) {
               f.holds(verdict(h - 1) == Verdict::violated, "{} messages hold for h = {}", h,
                       h - 1);
             }
           }
           f.shows("bsp-butterfly:h=3: holds");
         },
         "schedcc compile bsp-butterfly:h=3 --collective scatter --ranks 4"},
        {"BSP model definition",
         "a superstep with h messages of size m costs h m g, beside the synchronization",
         "h = 1..8, m = 1, 10, 1000; l = 100, g = 1, 3",
         [](Found& f) {
           for (std::uint32_t h = 1; h <= 8; ++h) {
             for (const U64 m : {1U, 10U, 1000U}) {
               for (const U64 g : {1U, 3U}) {
                 f.close(static_cast<double>(100 + h * m * g),
                         seconds({bsp(h), h + 1, 1, "", "scatter"}, m,
                                 fmt::format("bsp:l=100s,g={}s/B", g)),
                         1e-9, "h = {}, m = {}, g = {}", h, m, g);
               }
             }
           }
           f.shows(",140,");
         },
         "schedcc cost bsp-butterfly:h=4 --collective scatter --ranks 5 --chunks 1 --bytes 10 "
         "--model bsp:l=100s,g=1s/B --csv"},
        {"BSP model definition", "for h = 1 it is close to the α-β model",
         "P = 2..64, powers of two; K = 3",
         [](Found& f) {
           for (Rank P = 2; P <= 64; P *= 2) {
             const std::string where = fmt::format("P = {}", P);
             equal(f, cost("recursive-doubling", "allgather", P, 3),
                   cost(bsp(1), "allgather", P, 3), where);
             equal(f, cost("binomial-tree", "scatter", P, 3), cost(bsp(1), "scatter", P, 3), where);
             equal(f, cost("butterfly-allreduce", "allreduce", P, P),
                   cost(bsp(1), "allreduce", P, P), where);
           }
           f.say("the same steps and words as on duplex ports");
           f.shows("{} steps", cost(bsp(1), "allgather", 64, 3).steps);
         },
         "schedcc compile bsp-butterfly:h=1 --collective allgather --ranks 64 --chunks 3 "
         ">/dev/null"},
        {"(Reduce-)Scatter and (All)Gather",
         "h = P: scatter, reduce-scatter, gather, allgather in one superstep",
         "P = 2, 3, 8, 13, 64",
         [](Found& f) {
           for (const Rank P : {2U, 3U, 8U, 13U, 64U}) {
             for (const char* c : butterflies)
               f.equal(1, cost(bsp(P), c, P, 5).steps, "{}, P = {}", c, P);
           }
           f.shows("{} step", cost(bsp(13), "allgather", 13, 5).steps);
         },
         "schedcc compile bsp-butterfly:h=13 --collective allgather --ranks 13 --chunks 5 "
         ">/dev/null"},
        {"(Reduce-)Scatter and (All)Gather",
         "their busiest processor sends, or receives, s words: s β", "P = 2, 3, 8, 13, 64; s = 5P",
         [](Found& f) {
           for (const Rank P : {2U, 3U, 8U, 13U, 64U}) {
             for (const char* c : butterflies) {
               const U64 words = busiest({bsp(P), P, 5, "", c});
               f.at_most(U64{5} * P, words, "{}, P = {}", c, P);
               expect(words == U64{5} * (P - 1));
             }
           }
           f.say("s (P-1)/P: its own block stays");
           f.shows("volume 5");
         },
         "schedcc compile bsp-butterfly:h=13 --collective allgather --ranks 13 --chunks 5 "
         ">/dev/null"},
        {"(Reduce-)Scatter and (All)Gather", "h less than P: log_{h+1}(P) supersteps",
         "h = 1..6, P = 2..128",
         [](Found& f) {
           for (U64 h = 1; h <= 6; ++h) {
             for (Rank P = 2; P <= 128; ++P) {
               const double printed = std::log(P) / std::log(static_cast<double>(h + 1));
               for (const char* c : butterflies)
                 f.at_most(printed + 1e-9, static_cast<double>(cost(bsp(h), c, P, 1).steps),
                           "{}, h = {}, P = {}", c, h, P);
             }
           }
           f.shows("{} steps", cost(bsp(3), "allgather", 5, 1).steps);
         },
         "schedcc compile bsp-butterfly:h=3 --collective allgather --ranks 5",
         "supersteps are whole: log must be rounded up where P is no power of h + 1"},
        {"(Reduce-)Scatter and (All)Gather", "the same, rounded up", "h = 1..6, P = 2..128",
         [](Found& f) {
           for (U64 h = 1; h <= 6; ++h) {
             for (Rank P = 2; P <= 128; ++P) {
               for (const char* c : butterflies)
                 f.equal(ceil_log(h + 1, P), cost(bsp(h), c, P, 1).steps, "{}, h = {}, P = {}", c,
                         h, P);
             }
           }
           f.shows("{} steps", cost(bsp(3), "allgather", 64, 1).steps);
         },
         "schedcc compile bsp-butterfly:h=3 --collective allgather --ranks 64 >/dev/null"},
        {"(Reduce-)Scatter and (All)Gather", "and s β for the busiest processor",
         "h = 1..6, P = 2..128 by 3; s = 3P",
         [](Found& f) {
           for (U64 h = 1; h <= 6; ++h) {
             for (Rank P = 2; P <= 128; P += 3) {
               for (const char* c : butterflies)
                 f.at_most(U64{3} * P, busiest({bsp(h), P, 3, "", c}), "{}, h = {}, P = {}", c, h,
                           P);
             }
           }
           f.say("s (P-1)/P words");
           f.shows("{} steps", steps({bsp(3), 64, 1, "", "scatter"}));
         },
         "schedcc compile bsp-butterfly:h=3 --collective scatter --ranks 64 >/dev/null"},
        {"BSP model definition",
         "h messages of size m cost h m a superstep, in all s words where P is a power of h + 1",
         "h = 1, 2, 3, 4, 7, P up to 128",
         [](Found& f) {
           for (const U64 h : {1U, 2U, 3U, 4U, 7U}) {
             for (U64 P = h + 1; P <= 128; P *= h + 1) {
               for (const char* c : butterflies)
                 f.at_most(P, h * cost(bsp(h), c, static_cast<Rank>(P), 1).volume,
                           "{}, h = {}, P = {}", c, h, P);
             }
           }
           f.shows("volume {}", cost(bsp(3), "allgather", 64, 1).volume);
         },
         "schedcc compile bsp-butterfly:h=3 --collective allgather --ranks 64 >/dev/null"},
        {"BSP model definition", "the same for every P", "h = 1..6, P = 2..128 by 3",
         [](Found& f) {
           for (U64 h = 1; h <= 6; ++h) {
             for (Rank P = 2; P <= 128; P += 3)
               f.at_most(U64{P}, h * cost(bsp(h), "allgather", P, 1).volume, "h = {}, P = {}", h,
                         P);
           }
           f.shows("volume {}", cost(bsp(3), "allgather", 5, 1).volume);
         },
         "schedcc compile bsp-butterfly:h=3 --collective allgather --ranks 5",
         "where the last superstep has fewer messages, h times the longest counts words that "
         "nobody sends"},
        {"Other collectives",
         "broadcast (scatter, allgather), reduce (reduce-scatter, gather), allreduce "
         "(reduce-scatter, allgather): two supersteps for h = P",
         "P = 2, 3, 8, 13, 64; s = 5P",
         [](Found& f) {
           for (const Rank P : {2U, 3U, 8U, 13U, 64U}) {
             for (const char* c : compositions)
               equal(f, {2, 10}, cost(bsp(P), c, P, 5 * P), fmt::format("{}, P = {}", c, P));
           }
           f.say("messages of s/P words in each");
           f.shows("2 steps");
         },
         "schedcc compile bsp-butterfly:h=13 --collective allreduce --ranks 13 --chunks 65 "
         ">/dev/null"},
        {"Other collectives", "in the same way with butterflies: at most 2 (h α + s β)",
         "α-β: P = 2..128, powers of two, s = 2P, 3P; BSP: h = 1..6, P = 2..128 by 7, s = 2P",
         [](Found& f) {
           for (std::uint32_t h = 1; h <= 7; ++h) {
             const Rank P = 1 << h;
             for (const std::uint32_t s : {2 * P, 3 * P}) {
               const Cost twice{2 * h, 2 * U64{s} * (P - 1) / P};
               const std::string where = fmt::format("P = {}, s = {}", P, s);
               equal(f, twice, cost("scatter-allgather", "broadcast", P, s), where);
               equal(f, twice, cost("scatter-allgather", "reduce", P, s), where);
               equal(f, twice, cost("rabenseifner", "allreduce", P, s), where);
             }
           }
           for (U64 h = 1; h <= 6; ++h) {
             for (Rank P = 2; P <= 128; P += 7) {
               for (const char* c : compositions) {
                 f.equal(2 * ceil_log(h + 1, P), steps({bsp(h), P, 2 * P, "", c}),
                         "{}, h = {}, P = {}", c, h, P);
                 f.equal(U64{4} * (P - 1), busiest({bsp(h), P, 2 * P, "", c}), "{}, h = {}, P = {}",
                         c, h, P);
               }
             }
           }
           f.say("2 h α + 2 s (P-1)/P β");
           f.shows("{} steps", cost("scatter-allgather", "broadcast", 64, 64).steps);
         },
         "schedcc compile scatter-allgather --ranks 64 --chunks 64 >/dev/null"},
        {"(Reduce-)Scatter and (All)Gather", "each of them takes a single butterfly: h α + s β",
         "P = 2..128, powers of two, K = 1, 3",
         [](Found& f) {
           for (std::uint32_t h = 1; h <= 7; ++h) {
             const Rank P = 1 << h;
             for (const std::uint32_t K : {1U, 3U}) {
               const Cost once{h, U64{K} * (P - 1)};
               const std::string where = fmt::format("P = {}, K = {}", P, K);
               equal(f, once, cost("recursive-doubling", "allgather", P, K), where);
               equal(f, once, cost("recursive-halving", "reduce-scatter", P, K), where);
               equal(f, once, cost("binomial-tree", "scatter", P, K), where);
               equal(f, once, cost("binomial-tree", "gather", P, K), where);
             }
           }
           f.say("h α + s (P-1)/P β");
           f.shows("{} steps", cost("recursive-halving", "reduce-scatter", 64, 1).steps);
         },
         "schedcc compile recursive-halving --ranks 64 >/dev/null"},
        {"Other collectives", "h = P: all-to-all with O(s) bandwidth in O(1) supersteps",
         "P = 2, 3, 8, 13, 64",
         [](Found& f) {
           for (const Rank P : {2U, 3U, 8U, 13U, 64U}) {
             f.equal(1, steps({bsp(P), P, 5, "", "alltoall"}), "P = {}", P);
             f.at_most(U64{5} * P, busiest({bsp(P), P, 5, "", "alltoall"}), "P = {}", P);
           }
           f.say("one superstep, s (P-1)/P words");
           f.shows("1 step");
         },
         "schedcc compile bsp-butterfly:h=13 --collective alltoall --ranks 13 >/dev/null"},
        {"Other collectives", "h less than P: the logarithmic factor is recovered",
         "h = 1, P = 64; h = 2, P = 81; h = 3, P = 64; h = 7, P = 64",
         [](Found& f) {
           for (const auto& [h, P] : std::map<U64, Rank>{{1, 64}, {2, 81}, {3, 64}, {7, 64}}) {
             f.equal(ceil_log(h + 1, P) * 2 * P * h / (h + 1),
                     busiest({bsp(h), P, 2, "", "alltoall"}), "h = {}, P = {}", h, P);
           }
           f.say("log_{{h+1}} P times s h/(h+1) words");
           f.shows("{} steps", steps({bsp(3), 64, 2, "", "alltoall"}));
         },
         "schedcc compile bsp-butterfly:h=3 --collective alltoall --ranks 64 --chunks 2 "
         ">/dev/null"},
    }};

const Section products{
    "Matrix multiplication",
    {
        {"SUMMA", "variant 1 computes C = A B: each processor gets the blocks that it needs",
         "square grids 1x1 to 6x6, and all grids of up to 12 ranks",
         [](Found& f) {
           for (Rank R = 1; R <= 6; ++R) {
             for (Rank C = 1; C <= 12; ++C) {
               if (R * C > 12 && R != C) continue;
               if (R * C == 1) continue;
               const std::string summa = fmt::format("summa:grid={}x{}", R, C);
               f.holds(checked({summa, R * C, 2}).verdict() == Verdict::holds, "{}", summa);
             }
           }
           f.shows("summa:grid=4x4: holds");
         },
         "schedcc compile summa:grid=4x4 --ranks 16 >/dev/null"},
        {"SUMMA", "2 sqrt(P) T_broadcast(n^2/P, sqrt(P)) <= 2 sqrt(P) log P α + 4 n^2/sqrt(P) β",
         "P = 16, 64, 256, 1024; broadcast by `butterfly` in 1, h, 3h + 1 packets",
         [](Found& f) {
           for (std::uint32_t h = 2; h <= 5; ++h) {
             const Rank side = 1 << h;
             for (const std::uint32_t K : {1U, h, 3 * h + 1}) {
               const Report r = checked(
                   {fmt::format("summa:grid={0}x{0},broadcast=butterfly", side), side * side, K});
               f.equal(U64{2} * side * (K + h), r.steps, "P = {}, K = {}", side * side, K);
               if (K != h) continue;
               f.at_most(U64{2} * side * 2 * h, r.steps, "P = {}: α", side * side);
               f.at_most(U64{4} * side * K, r.volume, "P = {}: β, in packets", side * side);
             }
           }
           f.say("2 sqrt(P) (K + h) steps; with K = h packets a block, exactly the bound");
           f.shows("{} steps", steps({"summa:grid=8x8,broadcast=butterfly", 64, 3}));
         },
         "schedcc compile summa:grid=8x8,broadcast=butterfly --ranks 64 --chunks 3 >/dev/null"},
        {"3D", "the algorithm computes C = A B", "all grids of up to 12 ranks, cubes to 4x4x4",
         [](Found& f) {
           for (Rank R = 1; R <= 12; ++R) {
             for (Rank C = 1; C <= 12; ++C) {
               for (Rank D = 1; D <= 12; ++D) {
                 if (R * C * D == 1 || (R * C * D > 12 && !(R == C && C == D && R <= 4))) continue;
                 const std::string product = fmt::format("matmul-3d:grid={}x{}x{}", R, C, D);
                 f.holds(checked({product, R * C * D, 2}).verdict() == Verdict::holds, "{}",
                         product);
               }
             }
           }
           f.shows("matmul-3d:grid=2x2x2: holds");
         },
         "schedcc compile matmul-3d:grid=2x2x2 --ranks 8 >/dev/null"},
        {"3D",
         "2 T_broadcast + T_reduce of n^2/P^(2/3) over P^(1/3) <= 2 log P α + 6 n^2/P^(2/3) β",
         "P = 64, 512, 4096; `butterfly` in 1, h, 3h + 1 packets",
         [](Found& f) {
           for (std::uint32_t h = 2; h <= 4; ++h) {
             const Rank side = 1 << h, P = side * side * side;
             for (const std::uint32_t K : {1U, h, 3 * h + 1}) {
               const Report r = checked(
                   {fmt::format("matmul-3d:grid={0}x{0}x{0},broadcast=butterfly,reduce=butterfly",
                                side),
                    P, K});
               f.equal(U64{3} * (K + h), r.steps, "P = {}, K = {}", P, K);
               if (K != h) continue;
               f.at_most(U64{2} * 3 * h, r.steps, "P = {}: α", P);
               f.at_most(U64{6} * K, r.volume, "P = {}: β, in packets", P);
             }
           }
           f.say("3 (K + h) steps; with K = h packets a block, exactly the bound");
           f.shows("{} steps",
                   steps({"matmul-3d:grid=4x4x4,broadcast=butterfly,reduce=butterfly", 64, 2}));
         },
         "schedcc compile matmul-3d:grid=4x4x4,broadcast=butterfly,reduce=butterfly --ranks 64 "
         "--chunks 2 >/dev/null"},
        {"Conclusion and summary",
         "binomial trees are good for small messages, pipelining or butterfly for large ones",
         "P = 16, α = 100, β = 1; s = 16, 1600",
         [](Found& f) {
           const auto binomial = [](double s) {
             return static_cast<double>(cost("binomial-tree", "broadcast", 16, 1).steps) *
                    (100 + s);
           };
           const auto butterfly = [](std::uint32_t s) {
             return cost("scatter-allgather", "broadcast", 16, s).time(100, 1);
           };
           f.holds(binomial(16) < butterfly(16), "16 words: {} and {}", binomial(16),
                   butterfly(16));
           f.holds(binomial(1600) > butterfly(1600), "1600 words: {} and {}", binomial(1600),
                   butterfly(1600));
           f.say("16 words: binomial tree {}, butterflies {}; 1600 words: {}, {}", binomial(16),
                 butterfly(16), binomial(1600), butterfly(1600));
           f.shows(",{},", butterfly(1600));
         },
         "schedcc cost scatter-allgather --ranks 16 --chunks 1600 --bytes 1600 --alpha 100s --beta "
         "1s/B --csv"},
    }};

}  // namespace

Paper cc() {
  return {"CC",
          "lecture on communication cost",
          {allreduce, optimal, logp, supersteps, products},
          {"Figures: pictures of trees, butterflies and models without numbers in the text.",
           "\"It is difficult to define Karp's tree explicitly\", \"the implicit choice of packet "
           "size makes "
           "LogP inflexible\", \"LogP may be a good fit for hardware-specific collectives\": "
           "judgements.",
           "What is said of systems: one-sided communication, PGAS, MPI, barriers; what the later "
           "lectures "
           "will use.",
           "SUMMA's other variants are not in the lecture; `summa:variant=A` and `B` are checked "
           "elsewhere."}};
}

}  // namespace ledger
