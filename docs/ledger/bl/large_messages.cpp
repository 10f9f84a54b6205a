// BL, very large message broadcast, and lower bounds: the pipeline against the binomial tree.

#include "bl/sections.hpp"
#include "core/integers.hpp"
#include "measure.hpp"
#include "support/packet_size.hpp"

namespace ledger::BL {

namespace {

/// Steps of α + βz each.
double time(U64 steps, double alpha, double beta, double z) {
  return static_cast<double>(steps) * (alpha + beta * z);
}

const Section large_messages_section{
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

}  // namespace

Section large_messages() { return large_messages_section; }

}  // namespace ledger::BL
