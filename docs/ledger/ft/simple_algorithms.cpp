// FT, section 2: the two simple pipelined algorithms, chain and binary tree.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "ft/sections.hpp"
#include "ft/times.hpp"
#include "measure.hpp"

namespace ledger::FT {

namespace {

/// T_∞^s, T_1^s and T_r^s, (7), as printed.

double chain_time(double P, double k, double s) { return (P - 2 + s) * (1 + k / s); }
double binary_time(double d, double k, double s) { return (d + 2 * s) * (1 + k / s); }

/// Both sides of the best s of a time that should be `least` there.
template <typename T>
void best_at(Found& f, T time, double s, double least, double P, double k) {
  f.close(least, time(s), 1e-9, "P = {}, k/t = {}: at s = {:.5g}", P, k, s);
  f.holds(time(1.01 * s) > time(s) && time(s / 1.01) > time(s), "P = {}, k/t = {}: not least at {}",
          P, k, s);
}

const Section simple_algorithms_section{
    "2 Basic results: two simple pipelined algorithms",
    {
        {"chain", "T_∞^s = (P - 2 + s)(t + k/s)", "P = 2..128, s = 1..40",
         [](Found& f) {
           for (Rank P = 2; P <= 128; ++P) {
             for (std::uint32_t s = 1; s <= 40; ++s)
               f.equal(P - 2 + s, steps({"chain", P, s}), "P = {}, s = {}", P, s);
           }
           f.shows("{} steps", steps({"chain", 64, 40}));
         },
         "schedcc compile chain --ranks 64 --chunks 40 >/dev/null"},
        {"chain", "its best s is sqrt(k (P-2)/t)",
         "P = 16, 64, 1024; k/t = 1..10^6; s 1 % to both sides",
         [](Found& f) {
           for (const double P : {16.0, 64.0, 1024.0}) {
             for (const double k : some_k)
               best_at(
                   f, [&](double s) { return chain_time(P, k, s); }, std::sqrt(k * (P - 2)),
                   best_chain(P, k), P, k);
           }
           const Choice c = tuned(1024, "chain", 1000);
           f.shows("chain  {}", c.chunks);
         },
         "schedcc tune --algorithms chain,binary-tree --ranks 1024 --bytes 1000MB..1001MB --points "
         "2 --improvement chain --alpha 1us --beta 1ps/B"},
        {"chain", "T_∞^* = k (1 + sqrt(t (P-2)/k))^2",
         "P = 16, 64, 1024; k/t = 1..10^6; by schedules with whole s, to 0.2 %",
         [](Found& f) {
           for (const U64 P : {16U, 64U, 1024U}) {
             for (const double k : some_k)
               f.close(best_chain(real(P), k), chain_schedule(P, k), k < 10 ? 0.02 : 0.002,
                       "P = {}, k/t = {}", P, k);
           }
           f.say("to 2 % for k/t = 1");
           f.shows("k (1 + sqrt(t (P - 2) / k))^2, with the best s");
         },
         "schedcc cost chain --ranks 1024 --bytes 1GB --alpha 1us --beta 1ps/B"},
        {"chain", "for k much larger than tP it is quite close to (4)",
         "P = 16, 1024, 16384; k = 100 tP, 10^4 tP",
         [](Found& f) {
           std::array<double, 2> most{};
           for (const U64 P : {16U, 1024U, 16384U}) {
             for (const int far : {0, 1}) {
               const double k = (far == 0 ? 100 : 10000) * real(P);
               const double ratio = chain_schedule(P, k) / (k + std::log2(real(P)));
               f.at_most(far == 0 ? 1.25 : 1.025, ratio, "P = {}, k/t = {}", P, k);
               most[static_cast<std::size_t>(far)] =
                   std::max(most[static_cast<std::size_t>(far)], ratio);
             }
           }
           f.say("at most {:.3f} times (4), and {:.4f} times", most[0], most[1]);
           f.shows("k + t log P, for any schedule [FT (4)]");
         },
         "schedcc cost chain --ranks 16 --bytes 160GB --alpha 1us --beta 1ps/B"},
        {"binary tree",
         "every interior node forwards every packet to both successors: two steps per packet",
         "P = 4..128, K = 1, 2, 11",
         [](Found& f) {
           for (Rank P = 4; P <= 128; ++P) {
             for (const std::uint32_t K : {1U, 2U, 11U})
               f.equal(2, steps({"binary-tree", P, K + 1}) - steps({"binary-tree", P, K}),
                       "P = {}, K = {}", P, K);
           }
           f.shows("{} steps", steps({"binary-tree", 64, 12}));
         },
         "schedcc compile binary-tree --ranks 64 --chunks 12 >/dev/null"},
        {"binary tree", "replace the 2 by 3 for the simplex model", "P = 4..128, K = 1, 2, 11",
         [](Found& f) {
           for (Rank P = 4; P <= 128; ++P) {
             for (const std::uint32_t K : {1U, 2U, 11U})
               f.equal(3,
                       steps({"binary-tree", P, K + 1, "simplex"}) -
                           steps({"binary-tree", P, K, "simplex"}),
                       "P = {}, K = {}", P, K);
           }
           f.shows("{} steps", steps({"binary-tree", 64, 12, "simplex"}));
         },
         "schedcc compile binary-tree --machine simplex --ranks 64 --chunks 12 >/dev/null"},
        {"binary tree",
         "P_i = 1 + P_{i-1} + P_{i-2}, P_0 = 1, P_1 = 2, d = min{i : P_i >= P} - 1; the last leaf "
         "has its first packet one step after d",
         "P = 3..1024",
         [](Found& f) {
           std::vector<U64> reach{1, 2};
           while (reach.back() < 2000) reach.push_back(1 + reach.back() + reach[reach.size() - 2]);
           for (Rank P = 3; P <= 1024; P += P < 64 ? 1 : 37) {
             const U64 d =
                 static_cast<U64>(std::ranges::lower_bound(reach, U64{P}) - reach.begin()) - 1;
             U64 last = 0;
             for (const Sent& s : transfers({"binary-tree", P})) last = std::max(last, s.step + 1);
             f.equal(d + 1, last, "P = {}", P);
           }
           f.shows("{} steps", steps({"binary-tree", 1024}));
         },
         "schedcc compile binary-tree --ranks 1024 >/dev/null"},
        {"binary tree", "T_1^s = (d + 2s)(t + k/s)", "P = 4..128, s = 1, 2, 5, 30",
         [](Found& f) {
           for (Rank P = 4; P <= 128; ++P) {
             for (const std::uint32_t s : {1U, 2U, 5U, 30U})
               f.equal(d_of(P, 1) + 2 * s, steps({"binary-tree", P, s}), "P = {}, s = {}", P, s);
           }
           f.say("d + 2s - 1 steps");
           f.shows("{} steps", steps({"binary-tree", 64, 30}));
         },
         "schedcc compile binary-tree --ranks 64 --chunks 30 >/dev/null",
         "one step too many: packet s - 1 follows packet 0 by 2 (s - 1) steps"},
        {"binary tree", "d ≈ log_1.62 P", "P = 2^1 .. 2^60; up to 2.5",
         [](Found& f) {
           double low = 1e300, high = -1e300;
           for (U64 h = 1; h <= 60; ++h) {
             const double difference = real(d_of(U64{1} << h, 1)) -
                                       static_cast<double>(h) / std::log2((1 + std::sqrt(5)) / 2);
             f.at_most(2.5, std::abs(difference), "P = 2^{}", h);
             low = std::min(low, difference);
             high = std::max(high, difference);
           }
           f.say("d is between {:.2f} and {:.2f} less, for the golden section 1.618", -high, -low);
           f.shows("{} steps", d_of(1 << 20, 1) + 1);
         },
         "schedcc compile binary-tree --ranks 1048576 >/dev/null"},
        {"binary tree; figure 1 a", "the tree has P_5 = 18 PUs", "",
         [](Found& f) {
           U64 P = 18;
           while (fractional_tree_steps(P + 1, 1, 1) == 5) ++P;
           f.equal(18, P, "most PUs within five steps");
           f.say("1, 2, 4, 7, 12, 20; 18 PUs take {} steps as well",
                 fractional_tree_steps(18, 1, 1));
           f.shows("5 steps (bound 5)");
         },
         "schedcc compile binary-tree --ranks 20",
         "18 is not a value of the recurrence above; without its 1 the last two would be 4 + 7 = "
         "11 "
         "and 7 + 11 = 18"},
        {"binary tree", "its best s is sqrt(2kd/t)", "P = 16, 64, 1024; k/t = 1..10^6",
         [](Found& f) {
           for (const U64 P : {16U, 64U, 1024U}) {
             const double d = real(d_of(P, 1));
             for (const double k : some_k)
               f.close(binary_time(d, k, std::sqrt(2 * k * d)), best_binary(d, k), 1e-9,
                       "P = {}, k/t = {}: the least time", P, k);
           }
           f.say("it is sqrt(kd/(2t))");
           f.shows("{} chunks", tuned(1024, "binary-tree", 1000).chunks);
         },
         "schedcc cost binary-tree --ranks 1024 --bytes 1000MB --alpha 1us --beta 1ps/B",
         "the 2 belongs below the line; the T_1^* that follows is right"},
        {"binary tree", "T_1^* = k (sqrt(2) + sqrt(dt/k))^2",
         "P = 16, 64, 1024; k/t = 1..10^6; at s = sqrt(kd/(2t)), s 1 % to both sides",
         [](Found& f) {
           for (const U64 P : {16U, 64U, 1024U}) {
             const double d = real(d_of(P, 1));
             for (const double k : some_k)
               best_at(
                   f, [&](double s) { return binary_time(d, k, s); }, std::sqrt(k * d / 2),
                   best_binary(d, k), real(P), k);
           }
           f.shows("k (sqrt(2) + sqrt(d t / k))^2, with the best s");
         },
         "schedcc cost binary-tree --ranks 1024 --bytes 1GB --alpha 1us --beta 1ps/B"},
        {"binary tree",
         "for small and medium k much better than the chain, for large k almost two times slower",
         "P = 1024; k/t = 1, 1000; 10^7, 10^9",
         [](Found& f) {
           std::vector<double> ratios;
           for (const double k : {1.0, 1000.0, 1e7, 1e9}) {
             const double ratio = binary_schedule(1024, k) / chain_schedule(1024, k);
             f.holds(k < 1e6 ? ratio < 0.8 : ratio > 1.9 && ratio < 2, "k/t = {}: {}", k, ratio);
             ratios.push_back(ratio);
           }
           f.say("binary tree over chain: {:.3f}", fmt::join(ratios, ", "));
           f.shows("binary-tree");
         },
         "schedcc tune --algorithms chain,binary-tree --ranks 1024 --bytes 1MB..1000TB --points 10 "
         "--alpha 1us --beta 1ps/B"},
    }};

}  // namespace

Section simple_algorithms() { return simple_algorithms_section; }

}  // namespace ledger::FT
