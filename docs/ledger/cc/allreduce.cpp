// CC, recursive allreduce: Algorithm 1 word for word, and its cost.

#include <memory>
#include <set>
#include <tuple>

#include "algorithm/doubling.hpp"
#include "algorithm/shapes.hpp"
#include "cc/cost.hpp"
#include "cc/sections.hpp"
#include "core/integers.hpp"
#include "measure.hpp"
#include "model/algebra.hpp"

namespace ledger::CC {

namespace {

/// CC, Algorithm 1, word for word: Allreduce(A, Π) of the ranks first .. first + P - 1 and the
/// words from `word` on, s of them, between the steps `step` and `last`.
void algorithm_1(Rank first, Rank P, Chunk word, std::uint32_t s, U64 step, U64 last,
                 std::vector<Transfers>& out) {
  if (P == 1) return;
  const Chunk R = word + s / 2;
  for (Rank j = first; j < first + P / 2; ++j) {
    const Rank x = j + P / 2;
    out[step].push_back(transfer(j, x, R, s / 2, true));
    out[step].push_back(transfer(x, j, word, s / 2, true));
    out[last].push_back(transfer(j, x, word, s / 2, false));
    out[last].push_back(transfer(x, j, R, s / 2, false));
  }
  algorithm_1(first, P / 2, word, s / 2, step + 1, last - 1, out);
  algorithm_1(first + P / 2, P / 2, R, s / 2, step + 1, last - 1, out);
}

/// What `butterfly-allreduce` is made of.
Steps butterfly(std::uint32_t h, std::uint32_t s) {
  const U64 P = U64{1} << h;
  return from_kernel(butterfly_allreduce(P, s, "ranks").kernel, P);
}

Steps algorithm_1(std::uint32_t h, std::uint32_t s) {
  std::vector<Transfers> rows(std::size_t{2} * h);
  algorithm_1(0, Rank{1} << h, 0, s, 0, 2 * h - 1, rows);
  return every_step(2 * h, [rows](U64 t, Transfers& out) {
    out.insert(out.end(), rows[t].begin(), rows[t].end());
  });
}

std::set<std::tuple<U64, Rank, Rank, Chunk, U64, bool>> as_set(const Steps& steps) {
  std::set<std::tuple<U64, Rank, Rank, Chunk, U64, bool>> result;
  for (const auto& [step, t] : transfers(steps))
    result.emplace(step, t.src, t.dst, t.first, U64{t.count}, t.reduce != 0);
  return result;
}

const Section allreduce_section{
    "Recursive allreduce",
    {
        {"Algorithm 1", "every processor ends with v(i), the sum over j of A(i, j)",
         "P = 2..64, s = P, 3P; the algorithm word for word, checked as a schedule",
         [](Found& f) {
           Problem problem;
           problem.collective = Collective::allreduce;
           for (std::uint32_t h = 1; h <= 6; ++h) {
             for (const std::uint32_t s : {1U << h, 3U << h}) {
               problem.ranks = Rank{1} << h;
               problem.chunks = s;
               auto rows = stream(algorithm_1(h, s));
               const auto schedule = std::make_shared<const Schedule>(collect(*rows));
               const Report report =
                   check(from_schedule(problem, schedule), make_machine("duplex", problem.ranks));
               f.holds(report.verdict() == Verdict::holds, "P = {}, s = {}: violated",
                       problem.ranks, s);
             }
           }
           f.shows("butterfly-allreduce: holds");
         },
         "schedcc compile butterfly-allreduce --ranks 8 --chunks 8 >/dev/null"},
        {"Algorithm 1",
         "it is recursive halving, then doubling (\"recursive/butterfly allreduce\")",
         "P = 2..64, s = P, 3P",
         [](Found& f) {
           for (std::uint32_t h = 1; h <= 6; ++h) {
             for (const std::uint32_t s : {1U << h, 3U << h}) {
               const Steps reversed = relabel(butterfly(h, s), [h](Rank v) {
                 Rank result = 0;
                 for (std::uint32_t bit = 0; bit < h; ++bit)
                   result |= (v >> bit & 1) << (h - 1 - bit);
                 return result;
               });
               f.holds(as_set(reversed) == as_set(algorithm_1(h, s)), "P = 2^{}, s = {}", h, s);
             }
           }
           f.say("the transfers of `butterfly-allreduce`, the bits of all ranks reversed");
           f.shows("1 -> 0 : 0-3 reduce");
         },
         "schedcc compile butterfly-allreduce --ranks 4 --chunks 8"},
        {"Allreduce cost derivation", "T = 2 sum over i = 1..h of (α + s/2^i β)",
         "h = 1..7, s = P, 4P, 7P",
         [](Found& f) {
           for (std::uint32_t h = 1; h <= 7; ++h) {
             for (const std::uint32_t m : {1U, 4U, 7U}) {
               const std::uint32_t s = m << h;
               U64 words = 0;
               for (std::uint32_t i = 1; i <= h; ++i) words += 2 * (s >> i);
               equal(f, {2 * h, words}, cost("butterfly-allreduce", "allreduce", 1 << h, s),
                     fmt::format("h = {}, s = {}", h, s));
             }
           }
           const Cost c = cost("butterfly-allreduce", "allreduce", 16, 64);
           f.shows("{} steps (bound 4), volume {}", c.steps, c.volume);
         },
         "schedcc compile butterfly-allreduce --ranks 16 --chunks 64 >/dev/null"},
        {"Allreduce cost derivation", "T(s, P) = T(s/2, P/2) + 2 (α + s/2 β)",
         "h = 2..7, s = P, 4P, 7P",
         [](Found& f) {
           for (std::uint32_t h = 2; h <= 7; ++h) {
             for (const std::uint32_t m : {1U, 4U, 7U}) {
               const std::uint32_t s = m << h;
               const Cost half = cost("butterfly-allreduce", "allreduce", 1 << (h - 1), s / 2);
               equal(f, {half.steps + 2, half.volume + s},
                     cost("butterfly-allreduce", "allreduce", 1 << h, s),
                     fmt::format("h = {}, s = {}", h, s));
             }
           }
           f.shows("volume {}", cost("butterfly-allreduce", "allreduce", 8, 32).volume);
         },
         "schedcc compile butterfly-allreduce --ranks 8 --chunks 32 >/dev/null"},
        {"Allreduce cost derivation", "T <= 2 (h α + s β)", "h = 1..7, s = P, 4P, 7P",
         [](Found& f) {
           for (std::uint32_t h = 1; h <= 7; ++h) {
             for (const std::uint32_t m : {1U, 4U, 7U}) {
               const std::uint32_t s = m << h;
               const Cost c = cost("butterfly-allreduce", "allreduce", 1 << h, s);
               f.at_most(U64{2} * h, c.steps, "h = {}, s = {}: α", h, s);
               f.at_most(U64{2} * s, c.volume, "h = {}, s = {}: β", h, s);
             }
           }
           f.say("2 h α + 2 s (P-1)/P β");
           f.shows("volume {}", cost("butterfly-allreduce", "allreduce", 128, 128).volume);
         },
         "schedcc compile butterfly-allreduce --ranks 128 --chunks 128 >/dev/null"},
        {"Allreduce cost derivation", "the sum for every s", "h = 1..5, s = 1..3P",
         [](Found& f) {
           for (std::uint32_t h = 1; h <= 5; ++h) {
             for (std::uint32_t s = 1; s <= 3U << h; ++s) {
               const double printed = 2 * s * (1 - std::ldexp(1, -static_cast<int>(h)));
               const U64 volume = cost("butterfly-allreduce", "allreduce", 1 << h, s).volume;
               f.at_most(printed, static_cast<double>(volume), "h = {}, s = {}: words", h, s);
               U64 rounded = 0;
               for (std::uint32_t i = 1; i <= h; ++i) rounded += 2 * ceil_div(s, U64{1} << i);
               expect(volume == rounded);
             }
           }
           f.say("2 sum of ceil(s/2^i) words");
           f.shows("volume {}", cost("butterfly-allreduce", "allreduce", 8, 1).volume);
         },
         "schedcc compile butterfly-allreduce --ranks 8 --chunks 1",
         "words cannot be halved forever; even one word is sent 2 log P times"},
    }};

}  // namespace

Section allreduce() { return allreduce_section; }

}  // namespace ledger::CC
