// CC, matrix multiplication: SUMMA and the 3D algorithm, and the conclusion.

#include "cc/cost.hpp"
#include "cc/sections.hpp"
#include "measure.hpp"

namespace ledger::CC {

namespace {

const Section products_section{
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

Section products() { return products_section; }

}  // namespace ledger::CC
