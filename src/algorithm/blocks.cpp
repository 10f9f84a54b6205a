#include "algorithm/blocks.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "model/algebra.hpp"

namespace schedcc {

Steps tree_scatter(std::uint64_t P, std::uint64_t total, std::uint64_t r) {
  const std::uint64_t steps = ceil_log(r, P);
  return every_step(steps, [=](std::uint64_t i, Transfers& out) {
    const std::uint64_t part = power(r, steps - 1 - i);
    for (std::uint64_t v = 0; v < P; v += r * part) {
      for (std::uint64_t w = v + part; w < std::min(v + r * part, P); w += part) {
        send_run(out, v, w, vector_block(total, P, w, std::min(part, P - w)));
      }
    }
  });
}

Steps forest_scatter(std::uint64_t P, std::uint64_t total, std::uint64_t r, std::uint64_t root) {
  if (P == 1) {
    return every_step(1, [=](std::uint64_t, Transfers& out) {
      send_run(out, root, 0, {0, static_cast<std::uint32_t>(total)});
    });
  }
  const std::uint64_t part = power(r, ceil_log(r, P) - 1);
  return Steps(ceil_log(r, P),
               [=, tree = tree_scatter(P, total, r)](std::uint64_t row, Transfers& out) {
                 const std::size_t begin = out.size();
                 if (row == 0) send_run(out, root, 0, vector_block(total, P, 0, part));
                 const std::uint64_t number = tree.fill(row, out);
                 if (row != 0) return number;
                 for (std::size_t i = begin; i < out.size(); ++i)
                   out[i].src = static_cast<Rank>(root);
                 return number;
               });
}

namespace {

/// How many blocks, from v on, a scatter leaves at rank v.
std::uint64_t blocks_at(std::uint64_t P, std::uint64_t r, std::uint64_t v, Held held) {
  if (held == Held::own_block) return 1;
  if (v == 0)
    return held == Held::tree_blocks ? P : power(r, std::max<std::uint64_t>(1, ceil_log(r, P)) - 1);
  std::uint64_t part = 1;
  while (v % (part * r) == 0) part *= r;
  return std::min(part, P - v);
}

}  // namespace

Steps circular_allgather(std::uint64_t P, std::uint64_t total, std::uint64_t r, Held held) {
  return every_step(ceil_log(r, P), [=](std::uint64_t i, Transfers& out) {
    const std::uint64_t known = power(r, i);
    for (std::uint64_t v = 0; v < P; ++v) {
      const std::uint64_t has = blocks_at(P, r, v, held);
      for (std::uint64_t far = known; far < std::min(r * known, P); far += known) {
        const std::uint64_t from = v + far < P ? v + far : v + far - P;
        const std::uint64_t begin = v + std::max(far, has);
        const std::uint64_t end = v + std::min(far + known, P);
        // Round the ring: what comes before rank P, and what after it.
        if (begin < std::min(end, P))
          send_run(out, from, v, vector_block(total, P, begin, std::min(end, P) - begin));
        if (const std::uint64_t wrapped = std::max(begin, P); wrapped < end)
          send_run(out, from, v, vector_block(total, P, wrapped - P, end - wrapped));
      }
    }
  });
}

std::optional<std::string> circular_order(std::uint64_t P, std::uint64_t r) {
  // Up to P = r + 1 every rank gets block b from rank b itself. Beyond, b - 1 serves b - 1 - r.
  if (P <= r + 1) return std::nullopt;
  return fmt::format(
      "for block b rank b - {} (modulo {}) sends its contribution to rank b - 1, and they are no "
      "neighbours",
      r + 1, P);
}

Steps scatter_allgather(std::uint64_t P, std::uint64_t K, std::uint64_t r) {
  // The steps may be one fewer than the rows.
  return Steps(
      scatter_allgather_steps(P, K, r),
      [both = sequence(tree_scatter(P, K, r), circular_allgather(P, K, r, Held::tree_blocks))](
          std::uint64_t row, Transfers& out) { return both.fill(row, out); });
}

std::uint64_t scatter_allgather_steps(std::uint64_t P, std::uint64_t K, std::uint64_t r) {
  const std::uint64_t once = ceil_log(r, P);
  // One chunk is the block of rank P - 1; in the last step it would go to those r^(once-1) or more
  // ranks before it.
  const bool nothing_last = K == 1 && P == power(r, once - 1) + 1;
  return 2 * once - (nothing_last ? 1 : 0);
}

Request at_most_one_each(Request request) {
  request.problem.chunks = std::min(request.problem.chunks, request.problem.ranks);
  return request;
}

Steps digit_exchange(std::uint64_t P, std::uint64_t K, std::uint64_t r) {
  return every_step(ceil_log(r, P), [=](std::uint64_t i, Transfers& out) {
    const std::uint64_t unit = power(r, i);
    for (std::uint64_t v = 0; v < P; ++v) {
      // Distances with digit i: what lies below it, the block has already gone.
      for (std::uint64_t distance = unit; distance < P; ++distance) {
        const std::uint64_t further = distance / unit % r * unit;
        if (further == 0) continue;
        const std::uint64_t o = (v + P - distance % unit) % P;
        send_run(
            out, v, (v + further) % P,
            {static_cast<Chunk>((o * P + (o + distance) % P) * K), static_cast<std::uint32_t>(K)});
      }
    }
  });
}

std::uint64_t allgather_volume(std::uint64_t P, std::uint64_t r) {
  std::uint64_t sum = 0;  // the nearest other has as many blocks as one has, or all that are left
  for (std::uint64_t known = 1; known < P; known *= r) sum += std::min(known, P - known);
  return sum;
}

std::uint64_t exchange_volume(std::uint64_t P, std::uint64_t r) {
  std::uint64_t sum = 0;  // of the digits but 0, none is there more often than 1
  for (std::uint64_t unit = 1; unit < P; unit *= r) {
    const std::uint64_t rest = P % (unit * r);
    sum += P / (unit * r) * unit + std::min(unit, rest - std::min(rest, unit));
  }
  return sum;
}

Steps doubling_allgather(std::uint64_t P, std::uint64_t total) {
  return every_step(ceil_log2(P), [=](std::uint64_t i, Transfers& out) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    for (std::uint64_t v = 0; v < P; ++v) {
      send_run(out, v, v ^ bit, vector_block(total, P, v & ~(bit - 1), bit));
    }
  });
}

}  // namespace schedcc
