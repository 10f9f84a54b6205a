// CC, the BSP model: butterflies of degree h + 1, and what is composed of them.

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "cc/cost.hpp"
#include "cc/sections.hpp"
#include "core/integers.hpp"
#include "measure.hpp"

namespace ledger::CC {

namespace {

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

constexpr std::array butterflies{"scatter", "gather", "allgather", "reduce-scatter"};
constexpr std::array compositions{"broadcast", "reduce", "allreduce"};

const Section supersteps_section{
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
         "supersteps are whole: log must be rounded up where P is not a power of h + 1"},
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
         "h = 1..6, P = 2..128; s = 3P",
         [](Found& f) {
           for (U64 h = 1; h <= 6; ++h) {
             for (Rank P = 2; P <= 128; ++P) {
               for (const char* c : butterflies) {
                 const U64 words = busiest({bsp(h), P, 3, "", c});
                 f.at_most(U64{3} * P, words, "{}, h = {}, P = {}", c, h, P);
                 expect(words == U64{3} * (P - 1));
               }
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
         "α-β: P = 2..128, powers of two, s = 2P, 3P; BSP: h = 1..6, P = 2..128 by 3, s = 2P",
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
             for (Rank P = 2; P <= 128; P += 3) {
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

}  // namespace

Section supersteps() { return supersteps_section; }

}  // namespace ledger::CC
