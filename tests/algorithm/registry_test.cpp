// Every entry of the registry meets its claims (claims.hpp): a loop over all algorithms,
// collectives, ranks, chunks and roots. A schedule that is served holds and takes the claimed
// number of steps.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "claims.hpp"
#include "ranges.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

using namespace schedcc;
using namespace claims;

namespace {

/// Does the machine exist for P ranks?
bool exists(std::string_view machine, Rank P) {
  try {
    make_machine(machine, P);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Calls f(algorithm, collective, machine) for everything that the registry has.
template <typename F>
void each_service(F f) {
  for (const Algorithm* algorithm : algorithms()) {
    for (const Collective collective : algorithm->collectives) {
      const Parameters standard = Spec{}.check(algorithm->parameters, algorithm->name);
      for (const std::string& machine : algorithm->machines_for(standard)) {
        f(*algorithm, collective, machine);
      }
    }
  }
}

/// The roots of a case: all; or the first, the middle or the last, depending on K, so that three
/// values of K test all three for every P. Other combinations of K and root are tested where all
/// roots are.
std::set<Rank> roots_of(Collective collective, Rank P, std::size_t turn, bool all_roots) {
  std::set<Rank> roots;
  if (!info(collective).rooted) return {0};
  if (!all_roots) return {std::array{Rank{0}, P / 2, P - 1}[turn % 3]};
  for (Rank root = 0; root < P; ++root) roots.insert(root);
  return roots;
}

/// Of the numbers of ranks, the powers of two, and of the others every `stride`-th, beginning with
/// another one for each service; for each of them every `chunk_stride`-th number of chunks,
/// beginning with another one for each number of ranks; collectives with at most `max_blocks` kinds
/// of blocks, 0 for those of one message. Where whole ranges are tested, all of them. (`make sweep`
/// takes more.)
struct Selection {
  std::size_t stride = 1;
  std::size_t chunk_stride = 1;
  int max_blocks = 2;
};

void sweep(const std::vector<Rank>& ranks, const std::vector<std::uint32_t>& chunks, bool all_roots,
           const Selection& selection = {}) {
  const std::size_t stride = ranges::part(selection.stride, std::size_t{1});
  const std::size_t chunk_stride = ranges::part(selection.chunk_stride, std::size_t{1});
  std::size_t service = 0;
  each_service([&](const Algorithm& algorithm, Collective collective, std::string_view machine) {
    if (info(collective).blocks > selection.max_blocks) return;
    std::size_t turn = service++;
    for (const Rank P : ranks) {
      if (!std::has_single_bit(P) && turn++ % stride != 0) continue;
      if (!exists(machine, P)) continue;
      for (std::size_t i = P % chunk_stride; i < chunks.size(); i += chunk_stride) {
        for (const Rank root : roots_of(collective, P, P / 3 + i, all_roots)) {
          check_claim(algorithm, request_to(algorithm, collective, P, chunks[i], root, machine));
        }
      }
    }
  });
}

std::vector<Rank> from_to(Rank least, Rank most) {
  std::vector<Rank> result;
  for (Rank P = least; P <= most; ++P) result.push_back(P);
  return result;
}

}  // namespace

TEST_CASE("every algorithm holds in its steps: every root for small P, all K up to 20") {
  std::vector<std::uint32_t> chunks;
  for (std::uint32_t K = 1; K <= 20; ++K) chunks.push_back(K);
  sweep(from_to(1, 12), chunks, true, {.chunk_stride = 3});
  sweep(from_to(1, 12), chunks, false, {.stride = 2});
}

TEST_CASE("every algorithm holds in its steps: all P from 13 to 64, several roots") {
  sweep(from_to(13, 64), {1, 2, 3, 5, 8, 17}, false, {.chunk_stride = 3});
}

TEST_CASE("every algorithm holds in its steps: P from 65 to 128, fewer chunks than ranks") {
  sweep(from_to(65, 128), {1}, false, {.stride = 4});
  sweep(from_to(65, 128), {2, 40}, false, {.stride = 4, .max_blocks = 0});
}

TEST_CASE("every algorithm holds in its steps: some hundreds of ranks") {
  sweep({65, 96, 100, 127, 128}, {7}, false, {.stride = 4});  // and with one chunk, above
  sweep({129, 191, 255, 256, 257, 300}, {1, 7}, false, {.stride = 5, .chunk_stride = 2});
  sweep({129, 191, 255, 256, 257, 300, 365, 512}, {1, 7}, false, {.max_blocks = 0});
  // Total exchanges of so many ranks, in blocks of several chunks, would be half of the time of
  // this file: they have blocks of one.
  sweep({365, 512}, {1}, false, {.stride = 2});
  sweep({365, 512}, {2}, false, {.stride = 2, .max_blocks = 1});
}

TEST_CASE("the order of operands is refused exactly where it would be broken") {
  std::uint64_t kept = 0, refused = 0;
  each_service([&](const Algorithm& algorithm, Collective collective, std::string_view machine) {
    if (!info(collective).reduction) return;
    for (Rank P = 1; P <= 10; ++P) {
      if (!exists(machine, P)) continue;
      for (const std::uint32_t K : {1u, 2u, 5u}) {
        for (Rank root = 0; root < (info(collective).rooted ? P : 1); ++root) {
          const Request r = request_to(algorithm, collective, P, K, root, machine);
          if (!algorithm.made_for(r) || algorithm.reason(r)) continue;
          ++(order_is_exact(algorithm, r) ? kept : refused);
        }
      }
    }
  });
  CHECK(kept > 100);
  CHECK(refused > 100);
}
