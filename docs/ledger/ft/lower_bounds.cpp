// FT, section 2: lower bounds, compared with schedules with every whole number of packets.

#include <cmath>

#include "core/integers.hpp"
#include "ft/sections.hpp"
#include "ft/times.hpp"
#include "measure.hpp"

namespace ledger::FT {

namespace {

const Section lower_bounds_section{
    "2 Basic results: lower bounds",
    {
        {"equation (4)", "T >= k + t log P on duplex PUs",
         "P = 2..4096; k/t = 1..10^6; whole s = 1..10^5",
         [](Found& f) {
           for (U64 P = 2; P <= 4096; P = P < 16 ? P + 1 : P * 2) {
             for (const double k : some_k) {
               for (U64 s = 1; s < 100000; s = s * 3 / 2 + 1) {
                 const U64 least = s - 1 + ceil_log2(P);
                 f.at_least((k + std::log2(real(P))) * (1 - 1e-12), real(least) * (1 + k / real(s)),
                            "P = {}, k/t = {}, s = {}", P, k, s);
               }
             }
           }
           f.say("no number of packets is below it");
           f.shows("k + t log P, for any schedule [FT (4)]");
         },
         "schedcc cost circulant --ranks 1024 --bytes 1GB --alpha 1us --beta 1ps/B"},
        {"Lower Bounds", "T >= 2 (1 - 1/P) k on simplex PUs",
         "P = 2, 3, 16, 64, 1000, 4096; k/t = 1..10^6; whole s = 1..10^5",
         [](Found& f) {
           for (const Rank P : {2U, 3U, 16U, 64U, 1000U, 4096U}) {
             for (const double k : some_k) {
               for (std::uint32_t s = 1; s < 100000; s = s * 3 / 2 + 1)
                 f.at_least(2 * (1 - 1.0 / P) * k * (1 - 1e-12),
                            real(least_steps("broadcast", P, "simplex", s)) * (1 + k / s),
                            "P = {}, k/t = {}, s = {}", P, k, s);
             }
           }
           f.shows("(bound {})", least_steps("broadcast", 64, "simplex", 100));
         },
         "schedcc compile fractional-tree --machine simplex --ranks 64 --chunks 100 >/dev/null"},
        {"equation (5)", "T >= 2 (1 - 1/P) k + t (log P - 4) on simplex PUs", "the same",
         [](Found& f) {
           for (const Rank P : {2U, 3U, 16U, 64U, 1000U, 4096U}) {
             for (const double k : some_k) {
               for (std::uint32_t s = 1; s < 100000; s = s * 3 / 2 + 1)
                 f.at_least((2 * (1 - 1.0 / P) * k + std::log2(P) - 4) * (1 - 1e-12),
                            real(least_steps("broadcast", P, "simplex", s)) * (1 + k / s),
                            "P = {}, k/t = {}, s = {}", P, k, s);
             }
           }
           f.say(
               "schedcc's bound, the least T with sum of min(2^t, P/2) >= s (P-1) over t = 0..T-1, "
               "is never below it");
           f.shows("(bound {})", least_steps("broadcast", 1000, "simplex", 100));
         },
         "schedcc compile fractional-tree --machine simplex --ranks 1000 --chunks 100 >/dev/null"},
        {"Lower Bounds", "in s packets at least s - 1 + log P steps",
         "P = 2..100, s = 1, 2, 9; reached by `circulant`",
         [](Found& f) {
           for (Rank P = 2; P <= 100; ++P) {
             for (const std::uint32_t s : {1U, 2U, 9U}) {
               f.equal(s - 1 + ceil_log2(P), least_steps("broadcast", P, "duplex", s),
                       "P = {}, s = {}", P, s);
               f.equal(s - 1 + ceil_log2(P), steps({"circulant", P, s}),
                       "P = {}, s = {}: circulant", P, s);
             }
           }
           f.say("with log P rounded up it is the least number of steps, for every P");
           f.shows("{} steps (bound {})", steps({"circulant", 100, 9}),
                   least_steps("broadcast", 100, "duplex", 9));
         },
         "schedcc compile circulant --ranks 100 --chunks 9 >/dev/null"},
        {"before equation (6)", "(s - 1 + log P)(t + k/s) is least for s = sqrt(k t/log P)",
         "P = 4..4096; k/t = 10..10^6",
         [](Found& f) {
           for (double h = 2; h <= 12; ++h) {
             for (const double k : some_k) {
               if (k < 10) continue;
               const double least = square(std::sqrt(k) + std::sqrt(h - 1));
               const double s = std::sqrt(k / h);  // as printed, in packets: t = 1
               f.close((s - 1 + h) * (1 + k / s), least, 1e-9, "P = 2^{}, k/t = {}: the least time",
                       h, k);
             }
           }
           f.say("it is least for s = sqrt(k (log P - 1)/t)");
           f.shows("chunks (chunks chosen)");
         },
         "schedcc cost circulant --ranks 1024 --bytes 1GB --alpha 1us --beta 1ps/B",
         "the fraction is upside down (its dimension is wrong, too: s has none), and the 1 of s - "
         "1 is lost"},
        {"equation (6)", "so T >= k (1 + sqrt(t log P/k))^2 for packets of one size",
         "P = 4..4096; k/t = 1..10^6; `circulant` with the best whole s",
         [](Found& f) {
           for (std::uint32_t h = 2; h <= 12; ++h) {
             for (const double k : some_k)
               f.at_least(square(std::sqrt(k) + std::sqrt(real(h))),
                          circulant_schedule(U64{1} << h, k),
                          "P = 2^{}, k/t = {}: a schedule takes", h, k);
           }
           f.say("P = 1024, k/t = 1000: {:.1f} printed, a schedule takes {:.1f}",
                 square(std::sqrt(1000) + std::sqrt(10)), circulant_schedule(1024, 1000));
           f.shows("0.001198");
         },
         "schedcc cost circulant --ranks 1024 --bytes 1000MB --alpha 1us --beta 1ps/B --csv",
         "with s - 1 + log P steps it must have log P - 1 in place of log P"},
        {"equation (6)", "with log P - 1 in place of log P", "the same",
         [](Found& f) {
           for (std::uint32_t h = 2; h <= 12; ++h) {
             for (const double k : some_k)
               f.at_least(square(std::sqrt(k) + std::sqrt(h - 1.0)) * (1 - 1e-12),
                          circulant_schedule(U64{1} << h, k), "P = 2^{}, k/t = {}", h, k);
           }
           f.shows("FT (6), corrected");
         },
         "schedcc cost circulant --ranks 1024 --bytes 1GB --alpha 1us --beta 1ps/B"},
    }};

}  // namespace

Section lower_bounds() { return lower_bounds_section; }

}  // namespace ledger::FT
