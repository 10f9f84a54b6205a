// BL: the claims of the lecture on broadcast and LogP, slide by slide. Formulas that are pictures
// on the slides are not in its text; what the text says of them is held.

#include <algorithm>
#include <set>

#include "checker/bounds.hpp"
#include "frontend/algorithms/blocks.hpp"
#include "frontend/algorithms/packet_size.hpp"
#include "frontend/algorithms/shapes.hpp"
#include "ledger.hpp"
#include "measure.hpp"

namespace ledger {

namespace {

/// Steps of α + βz each.
double time(U64 steps, double alpha, double beta, double z) {
  return static_cast<double>(steps) * (alpha + beta * z);
}

std::string named(std::string_view algorithm, U64 k) {
  return fmt::format("{}:k={}", algorithm, k);
}

double log(double base, double x) { return std::log(x) / std::log(base); }

/// BL's L + 2o, and what is between two sends.
double latency(const LogP& model) { return static_cast<double>(model.latency()); }
double spacing(const LogP& model) { return static_cast<double>(model.spacing()); }

constexpr double tiny = 1e-9;

/// log_k P (L + (k-1) s + 2o) and log_k P (L + (k-2) s + 2o), with a logarithm of some kind.
double kary_bound(double log, double k, const LogP& m) {
  return log * (latency(m) + (k - 1) * spacing(m));
}
double knomial_bound(double log, double k, const LogP& m) {
  return log * (latency(m) + (k - 2) * spacing(m));
}

/// The bound of a LogP tree, for P = 2..64 and all models with L + 2o >= `least` max(o, g).
void bounded(Found& f, std::string_view tree, U64 k, U64 least, bool rounded_up,
             double (*bound)(double, double, const LogP&)) {
  for (const LogP& m : logp_models()) {
    if (m.latency() < least * m.spacing()) continue;
    for (const Rank P : {2U, 3U, 4U, 7U, 8U, 9U, 31U, 32U, 64U}) {
      const double levels =
          rounded_up ? static_cast<double>(ceil_log(k, P)) : log(static_cast<double>(k), P);
      const std::string algorithm =
          tree == "logp-binary" || tree == "logp-binomial" ? std::string(tree) : named(tree, k);
      f.at_most(bound(levels, static_cast<double>(k), m) + tiny,
                static_cast<double>(steps({algorithm, P, 1, spec(m)})), "{} on {} ranks of {}",
                algorithm, P, spec(m));
    }
  }
}

const Section messages{
    "A Simple Model for Communication",
    {
        {"A Simple Model",
         "T(s) = α + βs, and the bandwidth s / T(s) approaches 1/β asymptotically",
         "α = 1, 10, 333, β = 0.25, 1, s = 10^4 .. 10^9 α/β",
         [](Found& f) {
           for (const double alpha : {1.0, 10.0, 333.0}) {
             for (const double beta : {0.25, 1.0}) {
               for (double ratio = 1e4; ratio < 2e9; ratio *= 10) {
                 const double s = ratio * alpha / beta;
                 f.close(1 / beta, s / (alpha + beta * s), 1.1 / ratio, "s = {}", s);
               }
             }
           }
           f.say("short of 1/β by a part of α / (βs)");
           f.shows(",1000010,");
         },
         "schedcc cost linear --ranks 2 --chunks 1 --bytes 1000000 --alpha 10s --beta 1s/B --csv"},
        {"A Simple Model; Bandwidth vs. Latency", "s_1/2 = α/β: half of the bandwidth",
         "α = 1, 10, 333, β = 0.25, 1",
         [](Found& f) {
           for (const double alpha : {1.0, 10.0, 333.0}) {
             for (const double beta : {0.25, 1.0}) {
               const double s = alpha / beta;
               f.close(0.5 / beta, s / (alpha + beta * s), tiny, "α = {}, β = {}", alpha, beta);
             }
           }
           f.shows(",20,");
         },
         "schedcc cost linear --ranks 2 --chunks 1 --bytes 10 --alpha 10s --beta 1s/B --csv"},
        {"Quick Example", "simplest linear broadcast: (P-1)(α + βs)", "P = 2..64",
         [](Found& f) {
           for (Rank P = 2; P <= 64; ++P) f.equal(P - 1, steps({"linear", P}), "P = {}", P);
           f.say("`linear`: P - 1 steps of the whole message");
           f.shows("{} steps", steps({"linear", 10}));
         },
         "schedcc compile linear --ranks 10"},
    }};

const Section trees{
    "Trees",
    {
        {"k-ary Tree Broadcast",
         "the best k-ary tree is ternary (\"faster than in a ternary tree?\")",
         "k = 2..64, time k log_k P (α + βs)",
         [](Found& f) {
           for (double k = 2; k <= 64; ++k) {
             if (k != 3) f.holds(3 / std::log(3) < k / std::log(k), "k = {} is better", k);
           }
           f.say("with k sends on each of log_k P levels k / ln k counts: 2.731 for k = 3");
           f.shows("{} steps", steps({"kary-tree:k=3", 81}));
         },
         "schedcc compile kary-tree:k=3 --ranks 81"},
        {"k-ary Tree Broadcast", "the best k is independent of P, α, βs (\"Really?\")",
         "P = 2..4096, k = 2..8, k ceil(log_k P) steps",
         [](Found& f) {
           std::set<U64> best;
           for (U64 P = 2; P <= 4096; ++P) {
             U64 k_best = 2;
             for (U64 k = 3; k <= 8; ++k) {
               if (k * ceil_log(k, P) < k_best * ceil_log(k_best, P)) k_best = k;
             }
             best.insert(k_best);
             f.equal(3, k_best, "P = {}: the best k", P);
           }
           f.say("the best k of whole levels is one of {}", fmt::join(best, ", "));
           f.shows("{} steps", steps({"kary-tree:k=2", 4}));
         },
         "schedcc compile kary-tree:k=2 --ranks 4",
         "of α, β and s it is; but levels are whole, so that 4 ranks want k = 2: 4 steps, not 6"},
        {"k-ary Tree Broadcast", "ternary is best, of the trees as they can be scheduled",
         "P = 4, 10, 27, 81, 128, k = 1..9",
         [](Found& f) {
           for (const Rank P : {4U, 10U, 27U, 81U, 128U}) {
             const U64 three = steps({"kary-tree:k=3", P});
             for (U64 k = 1; k <= 9; ++k) {
               f.at_least(three, steps({named("kary-tree", k), P}), "P = {}, k = {}", P, k);
             }
             f.equal(ceil_log2(P), steps({"kary-tree:k=9", P}), "P = {}, k = 9 for lg", P);
           }
           f.shows("{} steps", steps({"kary-tree:k=9", 27}));
         },
         "schedcc compile kary-tree:k=9 --ranks 27",
         "the count of the slide has ranks wait for their level; where they need not, more "
         "successors never hurt for one packet, and from k = lg on it is the binomial tree"},
        {"Faster Trees?", "roots that keep sending (k-nomial) are faster than a k-ary tree",
         "k = 2..8, P = 2..128",
         [](Found& f) {
           for (U64 k = 2; k <= 8; ++k) {
             for (Rank P = 2; P <= 128; ++P) {
               f.at_most(k * ceil_log(k, P), steps({named("knomial-tree", k), P}), "k = {}, P = {}",
                         k, P);
             }
           }
           f.say("at most (k-1) ceil(log_k P) steps, against k ceil(log_k P)");
           f.shows("{} steps", steps({"knomial-tree:k=3", 81}));
         },
         "schedcc compile knomial-tree:k=3 --ranks 81"},
        {"Faster Trees?", "the k-nomial tree takes (k-1) log_k P (α + βs)",
         "P = k^m <= 6561, k = 2..9",
         [](Found& f) {
           for (U64 k = 2; k <= 9; ++k) {
             U64 m = 1;
             for (U64 P = k; P <= 6561; P *= k, ++m) {
               f.equal((k - 1) * m, steps({named("knomial-tree", k), static_cast<Rank>(P)}),
                       "k = {}, P = {}", k, P);
             }
           }
           f.shows("{} steps", steps({"knomial-tree:k=4", 64}));
         },
         "schedcc compile knomial-tree:k=4 --ranks 64"},
        {"Faster Trees?", "for k = 2 it is a binomial tree", "P = 2..128",
         [](Found& f) {
           for (Rank P = 2; P <= 128; ++P) {
             std::set<std::tuple<U64, Rank, Rank>> sets[2];
             for (const auto& [step, t] : transfers({"knomial-tree:k=2", P}))
               sets[0].emplace(step, t.src, t.dst);
             for (const auto& [step, t] : transfers({"binomial-tree", P}))
               sets[1].emplace(step, t.src, t.dst);
             f.holds(sets[0] == sets[1], "P = {}: another tree", P);
           }
           f.say("the same transfers in the same steps");
           f.shows("{} steps", steps({"knomial-tree:k=2", 64}));
         },
         "schedcc compile knomial-tree:k=2 --ranks 64"},
        {"Faster Trees?", "its time rises with k > 1, so that k_opt = 2",
         "k = 1.01 .. 20 by 0.01 for (k-1) / ln k; P = 2..128, k = 2..9 for schedules",
         [](Found& f) {
           for (int i = 101; i < 2000; ++i) {
             const double k = i / 100.0, next = (i + 1) / 100.0;
             f.holds((next - 1) / std::log(next) > (k - 1) / std::log(k), "it falls at k = {}", k);
           }
           for (Rank P = 2; P <= 128; ++P) {
             for (U64 k = 3; k <= 9; ++k) {
               f.at_least(U64{ceil_log2(P)}, steps({named("knomial-tree", k), P}), "k = {}, P = {}",
                          k, P);
             }
           }
           f.shows("{} steps", steps({"knomial-tree:k=3", 64}));
         },
         "schedcc compile knomial-tree:k=3 --ranks 64"},
        {"Faster Trees?", "the binomial tree is asymptotically optimal for s = 1", "P = 2..1024",
         [](Found& f) {
           for (Rank P = 2; P <= 1024; ++P) {
             f.equal(least_steps("broadcast", P, "duplex"), ceil_log2(P), "P = {}", P);
           }
           for (const Rank P : {2U, 100U, 1000U, 1024U}) {
             f.equal(ceil_log2(P), steps({"binomial-tree", P}), "P = {}", P);
           }
           f.say("for one packet it is optimal: lg steps");
           f.shows("10 steps (bound {})", least_steps("broadcast", 1000, "duplex"));
         },
         "schedcc compile binomial-tree --ranks 1000"},
    }};

const Section large{
    "Very Large Message Broadcast; Lower Bounds",
    {
        {"Very Large Message Broadcast", "the pipeline takes (P - 2 + s/z)(α + βz)",
         "P = 2..128, s/z = 1..40",
         [](Found& f) {
           for (Rank P = 2; P <= 128; ++P) {
             for (std::uint32_t K = 1; K <= 40; ++K) {
               f.equal(P - 2 + K, steps({"chain", P, K}), "P = {}, s/z = {}", P, K);
             }
           }
           f.shows("{} steps", steps({"chain", 4, 10}));
         },
         "schedcc compile chain --ranks 4 --chunks 10"},
        {"Very Large Message Broadcast", "binomial tree, α = 10, β = 1, P = 4, s = 10^6: 2,000,020",
         "",
         [](Found& f) {
           const double T = time(steps({"binomial-tree", 4}), 10, 1, 1e6);
           f.close(2'000'020, T, 0, "time");
           f.say("{}", T);
           f.shows(",{},", T);
         },
         "schedcc cost binomial-tree --ranks 4 --chunks 1 --bytes 1000000 --alpha 10s --beta 1s/B "
         "--csv"},
        {"Very Large Message Broadcast", "pipeline with z = 10^5: 1,200,120", "",
         [](Found& f) {
           const double T = time(steps({"chain", 4, 10}), 10, 1, 1e5);
           f.close(1'200'120, T, 0, "time");
           f.say("{}", T);
           f.shows(",{},", T);
         },
         "schedcc cost chain --ranks 4 --chunks 10 --bytes 1000000 --alpha 10s --beta 1s/B --csv"},
        {"Very Large Message Broadcast", "pipeline with z_opt: 1,008,964", "",
         [](Found& f) {
           const Pipeline chain{.n = 2, .alpha = 10, .beta = 1};
           const double z = chain.best_packet(1e6);
           const double whole = time(steps({"chain", 4, 447}), 10, 1, 1e6 / 447);
           f.equal(1'008'964, static_cast<U64>(chain.best_time(1e6)), "z_opt");
           f.equal(1'008'964, static_cast<U64>(whole), "447 packets");
           f.say("{:.2f} with z_opt = {:.2f}, and {:.2f} with 447 packets of one size",
                 chain.best_time(1e6), z, whole);
           f.shows(",{:.2f},", chain.best_time(1e6));
         },
         "schedcc cost chain --ranks 4 --chunks 447 --bytes 1000000 --alpha 10s --beta 1s/B --csv"},
        {"Lower Bounds", "for large messages the binomial tree is a factor log2 P slower",
         "P = 2^h <= 1024; K = 1..8 packets",
         [](Found& f) {
           for (std::uint32_t h = 1; h <= 10; ++h) {
             for (std::uint32_t K = 1; K <= 8; ++K) {
               f.equal(U64{h} * K, steps({"binomial-tree", Rank{1} << h, K}), "P = 2^{}, K = {}", h,
                       K);
             }
           }
           f.say("log2 P times the whole message, however it is cut");
           f.shows("{} steps", steps({"binomial-tree", 64, 7}));
         },
         "schedcc compile binomial-tree --ranks 64 --chunks 7"},
        {"Lower Bounds", "for small messages the pipeline is a factor P / log2 P slower",
         "P = 128..4096, powers of two; to 1 %",
         [](Found& f) {
           for (Rank P = 128; P <= 4096; P *= 2) {
             const double lg = ceil_log2(P);
             f.close(P / lg, static_cast<double>(steps({"chain", P})) / lg, 0.01, "P = {}", P);
           }
           f.say("(P-1) / log2 P");
           f.shows("{} steps (bound {})", steps({"chain", 128}), ceil_log2(128));
         },
         "schedcc compile chain --ranks 128"},
    }};

const Section optimal{
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

const Section logp_basics{
    "The LogP Model",
    {
        {"Simple Examples", "a single message: 2o + L", "95 models: L = 0..12, o = 0..5, g = 1..20",
         [](Found& f) {
           for (const LogP& m : logp_models()) {
             f.equal(2 * m.o + m.L, steps({"logp-linear", 2, 1, spec(m)}), "{}", spec(m));
           }
           f.shows("{} cycles", steps({"logp-linear", 2, 1, spec({6, 2, 4})}));
         },
         "schedcc compile logp-linear --ranks 2 --machine logp:L=6,o=2,g=4"},
        {"Simple Examples", "ping-pong round-trip: 4o + 2L", "the same models",
         [](Found& f) {
           Problem problem;  // 1 sends its contribution to 0, and gets the sum back
           problem.collective = Collective::allreduce;
           problem.ranks = 2;
           const auto round_trip = [&](const LogP& m, U64 pong) {
             auto schedule = std::make_shared<Schedule>();
             schedule->begin_step(0);
             schedule->add(transfer(1, 0, 0, 1, true));
             schedule->begin_step(pong);
             schedule->add(copy(0, 1, 0));
             return check(from_schedule(problem, schedule), make_machine(spec(m), 2));
           };
           for (const LogP& m : logp_models()) {
             const Report report = round_trip(m, m.latency());
             f.holds(report.verdict() == Verdict::holds, "{} does not hold", spec(m));
             f.equal(4 * m.o + 2 * m.L, report.steps, "{}", spec(m));
             if (m.latency() > 1) {
               f.holds(round_trip(m, m.latency() - 1).verdict() == Verdict::violated, "{}: faster",
                       spec(m));
             }
           }
           f.say("and a cycle sooner is a violation");
           f.shows("20 cycles");
         },
         "printf 'schedcc 1\\ncollective allreduce\\nranks 2\\nchunks 1\\nmachine "
         "logp:L=6,o=2,g=4\\n"
         "step 0\\n1 -> 0 : 0 reduce\\nstep 10\\n0 -> 1 : 0\\n' | schedcc verify -"},
        {"Simple Examples", "n messages: L + (n-1) max(g, o) + 2o",
         "the same models; n = 2, 3, 10, 50",
         [](Found& f) {
           for (const LogP& m : logp_models()) {
             for (const std::uint32_t n : {2U, 3U, 10U, 50U}) {
               f.equal(m.L + (n - 1) * std::max(m.g, m.o) + 2 * m.o,
                       steps({"logp-linear", 2, n, spec(m)}), "{} of {}", n, spec(m));
             }
           }
           f.shows("{} cycles", steps({"logp-linear", 2, 10, spec({6, 2, 4})}));
         },
         "schedcc compile logp-linear --ranks 2 --chunks 10 --machine logp:L=6,o=2,g=4"},
        {"Simplifications", "where o > g, g can be ignored",
         "L = 0, 6, 20; o = 5, g = 1..5; n = 1, 10",
         [](Found& f) {
           for (const U64 L : {0U, 6U, 20U}) {
             for (const std::uint32_t n : {1U, 10U}) {
               const U64 T = steps({"logp-linear", 3, n, spec({L, 5, 1})});
               for (U64 g = 2; g <= 5; ++g) {
                 f.equal(T, steps({"logp-linear", 3, n, spec({L, 5, g})}), "L = {}, g = {}", L, g);
               }
             }
           }
           f.shows("{} cycles", steps({"logp-linear", 3, 10, spec({6, 5, 4})}));
         },
         "schedcc compile logp-linear --ranks 3 --chunks 10 --machine logp:L=6,o=5,g=4"},
        {"Simplifications", "for long streams of messages L, and the -1 of n - 1, can be left out",
         "the same models; n = 10000, to 1 %",
         [](Found& f) {
           const std::uint32_t n = 10000;
           for (const LogP& m : logp_models()) {
             f.close(static_cast<double>(n * m.spacing()),
                     static_cast<double>(steps({"logp-linear", 2, n, spec(m)})), 0.01, "{}",
                     spec(m));
           }
           f.shows("{} cycles", steps({"logp-linear", 2, n, spec({12, 2, 4})}));
         },
         "schedcc compile logp-linear --ranks 2 --chunks 10000 --machine logp:L=12,o=2,g=4 "
         ">/dev/null"},
        {"Benefits over Latency/Bandwidth Model", "L/g messages can be in flight",
         "the same models with g >= o, 50 messages",
         [](Found& f) {
           for (const LogP& m : logp_models()) {
             if (m.g < m.o) continue;
             U64 most = 0;
             const auto sent = transfers({"logp-linear", 2, 50, spec(m)});
             for (const Sent& a : sent) {
               const auto in_flight = std::ranges::count_if(
                   sent, [&](const Sent& b) { return b.step <= a.step && a.step < b.step + m.L; });
               most = std::max(most, static_cast<U64>(in_flight));
             }
             f.equal(ceil_div(m.L, m.g), most, "{}", spec(m));
           }
           f.say("rounded up, ceil(L/g)");
           f.shows("holds");
         },
         "schedcc compile logp-linear --ranks 2 --chunks 50 --machine logp:L=12,o=2,g=4"},
    }};

const Section logp_broadcasts{
    "Example: Broadcasts",
    {
        {"linear", "T_lin = L + (P-2) max(o, g) + 2o", "the 95 models; P = 2, 3, 9, 30",
         [](Found& f) {
           for (const LogP& m : logp_models()) {
             for (const Rank P : {2U, 3U, 9U, 30U}) {
               f.equal(m.L + (P - 2) * std::max(m.o, m.g) + 2 * m.o,
                       steps({"logp-linear", P, 1, spec(m)}), "P = {}, {}", P, spec(m));
             }
           }
           f.shows("{} cycles", steps({"logp-linear", 9, 1, spec({6, 2, 4})}));
         },
         "schedcc compile logp-linear --ranks 9 --machine logp:L=6,o=2,g=4"},
        {"binary", "T_bin <= log2 P (L + max(o, g) + 2o)",
         "the 95 models; P = 2, 3, 4, 7, 8, 9, 31, 32, 64",
         [](Found& f) {
           bounded(f, "logp-binary", 2, 0, false, kary_bound);
           f.say("floor(log2 P) levels are enough");
           f.shows("{} cycles", steps({"logp-binary", 31, 1, spec({6, 2, 4})}));
         },
         "schedcc compile logp-binary --ranks 31 --machine logp:L=6,o=2,g=4"},
        {"k-ary", "T <= log_k P (L + (k-1) max(o, g) + 2o)", "the same; k = 2, 3, 5",
         [](Found& f) {
           for (const U64 k : {2U, 3U, 5U}) bounded(f, "logp-kary", k, 0, false, kary_bound);
           f.shows("{} cycles", steps({"logp-kary:k=3", 2, 1, spec({100, 0, 1})}));
         },
         "schedcc compile logp-kary:k=3 --ranks 2 --machine logp:L=100,o=0,g=1",
         "levels are whole: two ranks need L + 2o, however large k is, and log_3 2 (100 + 2) is "
         "64.4 "
         "where L = 100, o = 0, g = 1"},
        {"k-ary", "the same with ceil(log_k P)", "the same",
         [](Found& f) {
           for (const U64 k : {2U, 3U, 5U}) bounded(f, "logp-kary", k, 0, true, kary_bound);
           f.shows("{} cycles", steps({"logp-kary:k=3", 31, 1, spec({6, 2, 4})}));
         },
         "schedcc compile logp-kary:k=3 --ranks 31 --machine logp:L=6,o=2,g=4"},
        {"binomial", "T_bin <= log2 P (L + 2o), where L > g",
         "the models with L + 2o >= max(o, g); P as above",
         [](Found& f) {
           bounded(f, "logp-binomial", 2, 1, false, knomial_bound);
           f.shows("{} cycles", steps({"logp-binomial", 3, 1, spec({10, 0, 9})}));
         },
         "schedcc compile logp-binomial --ranks 3 --machine logp:L=10,o=0,g=9",
         "the last level is a whole one: three ranks of L = 10, o = 0, g = 9 need 10 + 9, and "
         "log2 3 * 10 is 15.8"},
        {"binomial", "the same with ceil(log2 P), with equality for P = 2^h", "the same",
         [](Found& f) {
           bounded(f, "logp-binomial", 2, 1, true, knomial_bound);
           for (const LogP& m : logp_models()) {
             if (m.latency() < m.spacing()) continue;
             for (Rank P = 2; P <= 64; P *= 2) {
               f.equal(ceil_log2(P) * m.latency(), steps({"logp-binomial", P, 1, spec(m)}),
                       "P = {}, {}", P, spec(m));
             }
           }
           f.shows("{} cycles", steps({"logp-binomial", 64, 1, spec({6, 2, 4})}));
         },
         "schedcc compile logp-binomial --ranks 64 --machine logp:L=6,o=2,g=4"},
        {"k-nomial", "T <= log_k P (L + (k-2) max(o, g) + 2o)", "the same; k = 2, 3, 5",
         [](Found& f) {
           for (const U64 k : {2U, 3U, 5U}) bounded(f, "logp-knomial", k, 1, false, knomial_bound);
           f.shows("{} cycles", steps({"logp-knomial:k=3", 2, 1, spec({6, 2, 4})}));
         },
         "schedcc compile logp-knomial:k=3 --ranks 2 --machine logp:L=6,o=2,g=4",
         "levels are whole here too: two ranks need L + 2o, and log_3 2 is less than 1"},
        {"k-nomial", "the same with ceil(log_k P), with equality for P = k^h",
         "the same; k = 3, P = 3..81, and k = 8, P = 8, 64",
         [](Found& f) {
           for (const U64 k : {2U, 3U, 5U}) bounded(f, "logp-knomial", k, 1, true, knomial_bound);
           for (const auto& [k, P] :
                {std::pair<U64, Rank>{3, 3}, {3, 9}, {3, 81}, {8, 8}, {8, 64}}) {
             for (const LogP& m : logp_models()) {
               if (m.latency() < m.spacing()) continue;
               f.equal(ceil_log(k, P) * (m.latency() + (k - 2) * m.spacing()),
                       steps({named("logp-knomial", k), P, 1, spec(m)}), "k = {}, P = {}, {}", k, P,
                       spec(m));
             }
           }
           f.shows("{} cycles", steps({"logp-knomial:k=3", 81, 1, spec({6, 2, 4})}));
         },
         "schedcc compile logp-knomial:k=3 --ranks 81 --machine logp:L=6,o=2,g=4"},
        {"binomial, k-nomial", "they need L > g (the slide assumes it)",
         "P = 64, the models with L + 2o < max(o, g)",
         [](Found& f) {
           for (const LogP& m : logp_models()) {
             if (m.latency() >= m.spacing()) continue;
             f.holds(steps({"logp-binomial", 64, 1, spec(m)}) > 6 * m.latency(),
                     "{}: the bound holds", spec(m));
           }
           f.say("without it the gaps of the root count: L + 2o + 5 max(o, g) for 64 ranks");
           f.shows("{} cycles", steps({"logp-binomial", 64, 1, spec({1, 1, 20})}));
         },
         "schedcc compile logp-binomial --ranks 64 --machine logp:L=1,o=1,g=20"},
        {"optimal k", "the best k solves 0 = o ln k - L/k + o (o > g)",
         "L = 0.5, 1, 6, 20, 1000; o = 1, 2, 5",
         [](Found& f) {
           for (const double L : {0.5, 1.0, 6.0, 20.0, 1000.0}) {
             for (const double o : {1.0, 2.0, 5.0}) {
               const double k = best_knomial_degree(L, o);  // where the bound is least
               f.holds(std::abs(o * std::log(k) - L / k + o) < 1e-6 * (L + o),
                       "L = {}, o = {}: the bound is least at k = {:.2f}, where it is {:.2f}", L, o,
                       k, o * std::log(k) - L / k + o);
             }
           }
           f.say(
               "with L = 6, o = 2 the printed equation has its zero at 1.87, where the bound is 47 "
               "% "
               "above the least, at k = {:.1f}",
               best_knomial_degree(6, 2));
           f.shows("{} cycles", steps({"logp-knomial:k=4", 4096, 1, spec({6, 2, 1})}));
         },
         "schedcc compile logp-knomial:k=4 --ranks 4096 --machine logp:L=6,o=2,g=1 >/dev/null",
         "the last sign: the derivative of (L + ko) / ln k has the zero of o ln k - L/k - o"},
        {"optimal k", "with the sign mended the schedules agree",
         "P = 4096, k = 2, 4, 8, 16, 64; L = 6, o = 2, g = 1",
         [](Found& f) {
           const std::string machine = spec({6, 2, 1});
           const U64 best = steps({"logp-knomial:k=4", 4096, 1, machine});
           for (const U64 k : {2U, 8U, 16U, 64U}) {
             f.holds(steps({named("logp-knomial", k), 4096, 1, machine}) > best, "k = {} is better",
                     k);
           }
           f.say("of the trees with 4096 = k^m ranks k = 4 is best, next to {:.1f}",
                 best_knomial_degree(6, 2));
           f.shows("{} cycles", steps({"logp-knomial:k=8", 4096, 1, machine}));
         },
         "schedcc compile logp-knomial:k=8 --ranks 4096 --machine logp:L=6,o=2,g=1 >/dev/null"},
        {"optimal k", "for larger L k grows, for larger o it shrinks",
         "L = 0.5, 1, 6, 20, 1000; o = 1, 2, 5; each by half",
         [](Found& f) {
           for (const double L : {0.5, 1.0, 6.0, 20.0, 1000.0}) {
             for (const double o : {1.0, 2.0, 5.0}) {
               const double k = best_knomial_degree(L, o);
               f.holds(best_knomial_degree(1.5 * L, o) > k, "L = {}, o = {}", L, o);
               f.holds(best_knomial_degree(L, 1.5 * o) < k, "L = {}, o = {}", L, o);
             }
           }
           f.shows("{} cycles", steps({"logp-knomial:k=16", 4096, 1, spec({60, 2, 1})}));
         },
         "schedcc compile logp-knomial:k=16 --ranks 4096 --machine logp:L=60,o=2,g=1 >/dev/null"},
    }};

const Section optimal_logp{
    "Example: Optimal Broadcast",
    {
        {"can we do better?", "a fixed k in all stages might not be optimal",
         "the 95 models; P = 2, 5, 8, 33; k = 2..8",
         [](Found& f) {
           U64 better = 0;
           for (const LogP& m : logp_models()) {
             for (const Rank P : {2U, 5U, 8U, 33U}) {
               const U64 karp = steps({"karp", P, 1, spec(m)});
               U64 least = UINT64_MAX;
               for (U64 k = 2; k <= 8; ++k) {
                 least = std::min(least, steps({named("logp-knomial", k), P, 1, spec(m)}));
               }
               f.at_most(least, karp, "P = {}, {}", P, spec(m));
               if (karp < least) ++better;
             }
           }
           f.holds(better > 0, "no tree of Karp's is better");
           f.say("Karp's tree is never slower than the best k-nomial tree, and faster {} times",
                 better);
           f.shows("{} cycles", steps({"logp-binomial", 8, 1, spec({6, 2, 4})}));
         },
         "schedcc compile logp-binomial --ranks 8 --machine logp:L=6,o=2,g=4"},
        {"Optimal Broadcast",
         "each process that received the value sends it on, and receives it exactly once",
         "the 95 models; P = 2, 8, 33",
         [](Found& f) {
           for (const LogP& m : logp_models()) {
             for (const Rank P : {2U, 8U, 33U}) {
               std::set<Rank> received;
               for (const Sent& s : transfers({"karp", P, 1, spec(m)})) {
                 f.holds(received.insert(s.transfer.dst).second, "P = {}, {}: twice", P, spec(m));
               }
               f.equal(P - 1, received.size(), "P = {}, {}", P, spec(m));
             }
           }
           f.shows("7 transfers");
         },
         "schedcc compile karp --ranks 8 --machine logp:L=6,o=2,g=4"},
        {"P = 8, L = 6, g = 4, o = 2", "the optimal tree takes 24 cycles (the picture's example)",
         "",
         [](Found& f) {
           const Report karp = checked({"karp", 8, 1, spec({6, 2, 4})});
           f.equal(24, karp.steps, "time");
           f.equal(24, *karp.lower_bound->steps, "bound");
           f.say("{} cycles, and no schedule takes less; the binomial tree takes {}", karp.steps,
                 steps({"logp-binomial", 8, 1, spec({6, 2, 4})}));
           f.shows("{} cycles (bound {})", karp.steps, *karp.lower_bound->steps);
         },
         "schedcc compile karp --ranks 8 --machine logp:L=6,o=2,g=4"},
        {"Optimal Broadcast Runtime",
         "P(t), the PEs reached by t, is a generalized Fibonacci recurrence (o > g)",
         "L = 1, 6, o = 2, 5, g = 1, 2; L = 6, o = 2, g = 4; L = 2, o = 1, g = 7; t up to P(t) = "
         "3000",
         [](Found& f) {
           for (const LogP& m : {LogP{1, 2, 1}, LogP{6, 2, 1}, LogP{1, 5, 2}, LogP{6, 5, 2},
                                 LogP{6, 2, 4}, LogP{2, 1, 7}}) {
             std::vector<U64> P{1};
             for (U64 t = 1; P.back() < 3000; ++t) {
               const U64 later = t >= m.spacing() ? P[t - m.spacing()] : 1;
               P.push_back(t < m.latency() ? 1 : later + P[t - m.latency()]);
             }
             for (U64 t = 1; t < P.size(); ++t) {
               if (P[t] == P[t - 1]) continue;
               for (const U64 ranks : {P[t - 1] + 1, P[t]}) {
                 f.equal(t, least_steps("broadcast", static_cast<Rank>(ranks), spec(m)),
                         "{} ranks of {}", ranks, spec(m));
               }
             }
           }
           f.say("P(t) = P(t - max(o, g)) + P(t - L - 2o), P(t) = 1 for t less than L + 2o");
           f.shows("{} cycles", steps({"karp", 1000, 1, spec({6, 5, 2})}));
         },
         "schedcc compile karp --ranks 1000 --machine logp:L=6,o=5,g=2"},
    }};

}  // namespace

Paper bl() {
  return {
      "BL",
      "lecture on broadcast and the LogP model",
      {messages, trees, large, optimal, logp_basics, logp_broadcasts, optimal_logp},
      {"Formulas that are pictures on the slides and are not in its text: the k-ary and k-nomial "
       "times, the simple lower bound, the pipelined tree's time and its best z, the bounds of "
       "P(t).",
       "\"s_1/2 is in the order of kilobytes on real systems\", and what is said of real networks, "
       "offloading and multicores: about hardware.",
       "\"A closed solution is an interesting open problem\"; open problems, and announcements."}};
}

}  // namespace ledger
