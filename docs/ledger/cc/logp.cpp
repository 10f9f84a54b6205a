// CC, the LogP and LogGP models: the pipelined binary tree, and packets of either kind.

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "cc/sections.hpp"
#include "core/join.hpp"
#include "measure.hpp"
#include "support/packet_size.hpp"

namespace ledger::CC {

namespace {

/// The time of the pipelined binary tree of height h in LogP.

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

const Section logp_section{
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
               const U64 more =
                   steps({"logp-binary", P, 2, spec(m)}) - steps({"logp-binary", P, 1, spec(m)});
               f.equal(2 * m.g, more, "{}, P = {}", spec(m), P);
               expect(more == std::max(2 * m.g, m.g + 2 * m.o));
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
           std::vector<U64> times;
           for (const U64 h : {3U, 5U}) {
             for (const U64 m : {1U, 2U, 5U, 10U, 40U}) {
               const U64 T = logical_packets(h, 120, m, {6, 0, 4});
               f.at_most(pbt({6, 0, 4}, static_cast<double>(h), 120), static_cast<double>(T),
                         "h = {}, logical packets of {}", h, m);
               if (h == 5) times.push_back(T);
             }
           }
           f.say("for h = 5: {} cycles", join(times, ", "));
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
        {"The LogGP model",
         "a message of s bytes takes 2o + L + (s-1) G; the processor is free meanwhile, so that "
         "the "
         "next begins max(o, g + (s-1) G) after it",
         "s = 1, 2, 10, 1000, 10^6; G = 0.001, 0.1, 1, 5; L = 0, 6, o = 0, 2, 9, g = 4; P = 2, 8",
         [](Found& f) {
           for (const U64 s : {1U, 2U, 10U, 1000U, 1000000U}) {
             for (const char* G : {"0.001", "0.1", "1", "5"}) {
               for (const U64 L : {0U, 6U}) {
                 for (const U64 o : {0U, 2U, 9U}) {
                   const std::string model = fmt::format("loggp:L={}s,o={}s,g=4s,G={}s/B", L, o, G);
                   const double bytes = static_cast<double>(s - 1) * std::stod(G);
                   const double apart = std::max(static_cast<double>(o), 4 + bytes);
                   for (const Rank P : {2U, 8U}) {
                     f.close(static_cast<double>(2 * o + L) + bytes + (P - 2) * apart,
                             seconds({"linear", P}, s, model), 1e-9, "{} bytes, {}", s, model);
                   }
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

}  // namespace

Section logp() { return logp_section; }

}  // namespace ledger::CC
