// BL, a simple model for communication: α + βs, and the linear broadcast.

#include "bl/sections.hpp"
#include "measure.hpp"

namespace ledger::BL {

namespace {

constexpr double rounding = 1e-9;

const Section messages_section{
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
               f.close(0.5 / beta, s / (alpha + beta * s), rounding, "α = {}, β = {}", alpha, beta);
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

}  // namespace

Section messages() { return messages_section; }

}  // namespace ledger::BL
