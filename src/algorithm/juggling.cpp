// Total exchange on the exponential fat tree in n + 2h - 3 steps, by juggling.
//
// In every step all leaves k send to k xor m for one mask m, as in `xor`. A packet of phase i, that
// is 2^(i-1) <= m < 2^i, sent in step t, is received in step t + 2i - 1, and on the path down it
// shares branches exactly with the packets that are received in the same step. So the only
// condition is that no two masks are received in one step. This is juggling with one hand: masks
// are balls, and a phase is the height of a throw. As all heights 2i are even, there are two
// independent jugglers, one in the even steps and one in the odd ones; each counts time in units of
// two steps, in which heights are the phases 1..h.
//
// The first juggler has h balls and throws only height h, so that each ball is back for its next
// throw:
//     h h h h ... h                                    floor(K(n-1)/2) throws
// The second one has h-1 balls and makes all the other throws. In place of two throws of height h-1
// there may be one of height h and one of height h-2: they land in the same two units. Before each
// next lower height there must be a pause of a unit:
//     h h-2 h h-2 ...  h-1 h-1 ... h-1 _ h-2 ... h-2 _ ... _ 2 2 ... 2 _ 1 ... 1
// There are h-2 pauses, and both have caught all balls after K(n-1) + 2h - 2 steps.
//
// No schedule takes fewer, with queues or without (analysis/bounds.cpp). BFT conjectures in section
// 5.1 that on the exponential tree none takes less than n + 2 log n - 2 steps; this one takes
// n + 2 log n - 3, for every n >= 8.

#include "algorithm/juggling.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "algorithm/shapes.hpp"

namespace schedcc {

namespace {

struct Throw {
  std::uint64_t step;
  Rank mask;
  std::uint32_t j;  ///< which of the K packets
};

/// The throws of both jugglers, by step.
std::vector<Throw> throws(std::uint32_t h, std::uint64_t K) {
  std::vector<Throw> result;
  std::vector<std::uint64_t> done(h + 1);  // throws of each height so far
  const auto send = [&](std::uint64_t step, std::uint32_t i) {
    const std::uint64_t x = done[i]++;
    const Rank low = Rank{1} << (i - 1);
    result.push_back({step, static_cast<Rank>(low + x / K), static_cast<std::uint32_t>(x % K)});
  };
  const auto all = [&](std::uint32_t i) { return K << (i - 1); };

  const std::uint64_t first = K * ((std::uint64_t{1} << h) - 1) / 2;
  for (std::uint64_t u = 0; u < first; ++u) send(2 * u, h);

  std::uint64_t u = 0;
  while (done[h] < all(h)) {
    send(2 * u++ + 1, h);
    send(2 * u++ + 1, h - 2);
  }
  for (std::uint32_t i = h - 1; i >= 1; --i, ++u) {
    while (done[i] < all(i)) send(2 * u++ + 1, i);
  }
  std::ranges::sort(result, {}, &Throw::step);
  return result;
}

}  // namespace

Steps juggled_exchange(Rank n, std::uint32_t K) {
  const auto plan = std::make_shared<const std::vector<Throw>>(throws(ceil_log2(n), K));
  return Steps(plan->size(), [=](std::uint64_t row, Transfers& out) {
    const Throw& t = (*plan)[row];
    for (Rank k = 0; k < n; ++k)
      out.push_back(copy(k, k ^ t.mask, (k * n + (k ^ t.mask)) * K + t.j));
    return t.step;
  });
}

}  // namespace schedcc
