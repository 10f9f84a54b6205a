// LIB: allgather, reduce-scatter and total exchange of whole blocks.

#include <bit>

#include "core/integers.hpp"
#include "libraries/sections.hpp"
#include "measure.hpp"

namespace ledger::LIB {

namespace {

/// The schedule takes these steps, and each step's largest messages these blocks together.
void costs(Found& f, const Case& c, U64 steps, U64 blocks) {
  const Report report = checked(c);
  f.equal(steps, report.steps, "{}, P = {}: steps", c.spec, c.P);
  f.equal(blocks, report.volume, "{}, P = {}: blocks", c.spec, c.P);
}

/// NCCL's aggregation of P ranks, where nothing limits it: doubled while it is below floor(P/2).
U64 nccl_aggregation(Rank P) {
  U64 A = 1;
  while (A < P / 2) A *= 2;
  return A;
}

/// The largest messages of all steps of Bruck's allgather together, in blocks.
U64 bruck_volume(Rank P, U64 r) {
  return checked({fmt::format("bruck:radix={}", r), P, 1, "", "allgather"}).volume;
}

const Section blocks_section{
    "Blocks",
    {
        {"Träff 2024, arXiv 2410.14234",
         "reduce-scatter and allgather in lg rounds, P - 1 blocks sent by every rank, for any P",
         "P = 2..66; skips ceil(s/2), and powers of two",
         [](Found& f) {
           for (Rank P = 2; P <= 66; ++P) {
             for (const std::string spec : {"circulant-skips", "circulant-skips:skips=doubling"}) {
               for (const std::string collective : {"reduce-scatter", "allgather"})
                 costs(f, {spec, P, 1, "", collective}, ceil_log2(P), P - 1);
             }
           }
           f.shows("5 steps (bound 5), volume 21 (bound 21)");
         },
         "schedcc compile circulant-skips --collective reduce-scatter --ranks 22 >/dev/null"},
        {"Jeaugey 2025, arXiv 2506.20252",
         "PAT takes lg steps with the largest aggregation, P - 1 without",
         "allgather and reduce-scatter, P = 2..66, A = Q/2 and A = 1",
         [](Found& f) {
           for (Rank P = 2; P <= 66; ++P) {
             for (const std::string collective : {"allgather", "reduce-scatter"}) {
               costs(f, {"pat", P, 1, "", collective}, ceil_log2(P), P - 1);
               costs(f, {"pat:aggregation=1", P, 1, "", collective}, P - 1, P - 1);
             }
           }
           f.shows("5 steps (bound 5), volume 16 (bound 16)");
         },
         "schedcc compile pat --ranks 17 >/dev/null"},
        {"NCCL, src/device (PAT)",
         "with the aggregation that it chooses where buffers allow any, lg steps", "P = 2..130",
         [](Found& f) {
           for (Rank P = 2; P <= 130; ++P) {
             const std::string spec = fmt::format("pat:aggregation={}", nccl_aggregation(P));
             f.equal(ceil_log2(P), steps({spec, P, 1}), "P = {}, A = {}", P, nccl_aggregation(P));
           }
           f.shows("6 steps (bound 5)");
         },
         "schedcc compile pat:aggregation=8 --ranks 17 >/dev/null",
         "the aggregation is doubled only while it is below floor(P/2), which for P = 2^j + 1 is a "
         "power of two, half as large as it may be: one step more"},
        {"Loch, Koslovski 2021, arXiv 2109.08751",
         "Sparbit takes lg steps and sends P - 1 blocks, for any P", "P = 2..130",
         [](Found& f) {
           for (Rank P = 2; P <= 130; ++P) costs(f, {"sparbit", P, 1}, ceil_log2(P), P - 1);
           f.shows("3 steps (bound 3), volume 5 (bound 5)");
         },
         "schedcc compile sparbit --ranks 6 >/dev/null"},
        {"Chen, Zhang, Zhang, Yuan 2005", "neighbour exchange takes P/2 steps, for even P",
         "P = 2, 4, ..., 130",
         [](Found& f) {
           for (Rank P = 2; P <= 130; P += 2) costs(f, {"neighbor-exchange", P, 1}, P / 2, P - 1);
           f.shows("6 steps (bound 6), volume 11 (bound 11)");
         },
         "schedcc compile neighbor-exchange --ranks 12 >/dev/null"},
        {"Bruck et al. 1997, as MPICH's k_brucks",
         "with k = r - 1 ports the allgather takes log_r P steps (rounded up), and the largest "
         "messages of the steps have ceil((P-1)/k) blocks together",
         "P = 2..66, r = 2..8",
         [](Found& f) {
           U64 worst = 100;
           for (U64 r = 2; r <= 8; ++r) {
             for (Rank P = 2; P <= 66; ++P) {
               const U64 least = ceil_div(P - 1, std::min<U64>(r, P) - 1);
               const U64 blocks = bruck_volume(P, r);
               f.equal(least, blocks, "P = {}, r = {}: blocks", P, r);
               worst = std::max(worst, 100 * blocks / least);
             }
           }
           f.say("up to {}.{:02} times as many", worst / 100, worst % 100);
           f.shows("2 steps (bound 2), volume 3 (bound 2)");
         },
         "schedcc compile bruck:radix=3 --ranks 5 >/dev/null",
         "the last step fills its messages one after the other: for P = 5, r = 3 one has two "
         "blocks, the other none"},
        {"the same, with the blocks of the last step in runs of nearly equal size", "the same",
         "P = 2..66, r = 2..8",
         [](Found& f) {
           for (U64 r = 2; r <= 8; ++r) {
             for (Rank P = 2; P <= 66; ++P) {
               const std::string spec = fmt::format("bruck:balanced,radix={}", r);
               for (const std::string collective : {"allgather", "reduce-scatter"})
                 costs(f, {spec, P, 1, "", collective}, ceil_log(r, P),
                       ceil_div(P - 1, std::min<U64>(r, P) - 1));
             }
           }
           f.shows("2 steps (bound 2), volume 2 (bound 2)");
         },
         "schedcc compile bruck:balanced,radix=3 --ranks 5 >/dev/null"},
    }};

}  // namespace

Section blocks() { return blocks_section; }

}  // namespace ledger::LIB
