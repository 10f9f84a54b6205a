// BL, the LogP model: single messages, streams, and what is in flight.

#include <algorithm>
#include <memory>

#include "algorithm/shapes.hpp"
#include "bl/sections.hpp"
#include "core/integers.hpp"
#include "measure.hpp"

namespace ledger::BL {

namespace {

const Section logp_model_section{
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

}  // namespace

Section logp_model() { return logp_model_section; }

}  // namespace ledger::BL
