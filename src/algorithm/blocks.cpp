#include "algorithm/blocks.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "model/algebra.hpp"

namespace schedcc {

using namespace local_terms;

Term<local::TreeScatter> tree_scatter(const LocalRequest& r, std::uint64_t radix,
                                      std::string_view text) {
  const Vector v(r);
  return {{r.problem.ranks, v.total, radix},
          fmt::format("TreeScatter(ranks, {}, {})", v.text, text)};
}

Result circular(const LocalRequest& r, std::uint64_t radix, std::string_view text) {
  const Headers headers{"blocks.hpp", "trees.hpp", "circular.hpp"};
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  const Vector v(r);
  require_product(radix, P, "the radix times P");
  switch (r.problem.collective) {
    case Collective::scatter:
    case Collective::gather:
      return rooted(r, tree_scatter(r, radix, text), headers);
    case Collective::broadcast:
    case Collective::reduce:
      return rooted(r,
                    Term<local::ScatterAllgather>{
                        {P, K, radix}, fmt::format("ScatterAllgather(ranks, chunks, {})", text)},
                    headers);
    case Collective::alltoall:
      return result(r,
                    Term<local::DigitExchange>{
                        {P, K, radix}, fmt::format("DigitExchange(ranks, chunks, {})", text)},
                    headers);
    default:
      return from_allgather(
          r,
          Term<local::CircularAllgather>{
              {P, v.total, radix}, fmt::format("CircularAllgather(ranks, {}, {})", v.text, text)},
          headers);
  }
}

Steps from_kernel(const local::CircularAllgather& kernel, std::uint64_t P) {
  const auto append = [kernel, P](std::uint64_t step, const RowParts& parts, Transfers& out) {
    const local::Ranks receivers{P * parts.first / parts.of, P * parts.end / parts.of, 1};
    append_receives(kernel, receivers, kernel.step_data(step), out);
  };
  return every_step_in_parts(kernel.steps(), append, P);
}

Steps from_kernel(const local::ScatterAllgather& kernel, std::uint64_t P) {
  // The steps may be one fewer than the rows.
  const Steps both = from_kernel(kernel.both(), P);
  return Steps(
      kernel.steps(), [both](std::uint64_t row, Transfers& out) { return both.fill(row, out); },
      both.parts(),
      [both](std::uint64_t row, const RowParts& parts, Transfers& buffer) {
        return both.read(row, parts, buffer);
      });
}

std::optional<std::string> circular_order(std::uint64_t P, std::uint64_t r) {
  // Up to P = r + 1 every rank gets block b from rank b itself. Beyond, b - 1 serves b - 1 - r.
  if (P <= r + 1) return std::nullopt;
  return fmt::format(
      "for block b rank b - {} (modulo {}) sends its contribution to rank b - 1, and the two are "
      "not neighbours",
      r + 1, P);
}

Request at_most_one_each(Request request) {
  request.problem.chunks = std::min(request.problem.chunks, request.problem.ranks);
  return request;
}

std::uint64_t scatter_allgather_steps(std::uint64_t P, std::uint64_t K, std::uint64_t r) {
  const std::uint64_t once = ceil_log(r, P);
  return 2 * once - (K == 1 && P == power(r, once - 1) + 1 ? 1 : 0);
}

std::uint64_t allgather_volume(std::uint64_t P, std::uint64_t r) {
  std::uint64_t sum = 0;  // the nearest one sends as many blocks as a rank has, or all that remain
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

}  // namespace schedcc
