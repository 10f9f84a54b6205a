#pragma once

// Kernels of src/algorithm/kernel and the expressions that make them, composed by the same calls.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "algorithm/from_kernel.hpp"
#include "algorithm/kernel/base.hpp"
#include "algorithm/local.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::local_terms {

using Result = std::shared_ptr<const LocalSchedule>;
using Headers = std::vector<std::string_view>;

/// A kernel and the expression that makes it.
template <typename Kernel>
struct Term {
  Kernel kernel;
  std::string text;
};

template <typename Kernel>
class ErasedSchedule : public LocalSchedule {
 public:
  ErasedSchedule(Kernel kernel, std::uint64_t P) : kernel_(std::move(kernel)), P_(P) {}
  std::uint64_t steps() const override { return kernel_.steps(); }
  std::unique_ptr<LocalRankSchedule> at(std::uint64_t rank) const override {
    return std::make_unique<ErasedRankSchedule>(kernel_.at(rank));
  }
  Steps stream() const override { return from_kernel(kernel_, P_); }

 private:
  using RankSchedule = decltype(std::declval<Kernel>().at(0));
  struct ErasedRankSchedule : LocalRankSchedule {
    explicit ErasedRankSchedule(RankSchedule inner)
        : own(std::move(inner)), active_steps(own.active_steps()) {}
    std::uint64_t next(std::uint64_t step) const override { return active_steps.next(step); }
    std::uint64_t previous(std::uint64_t step) const override {
      return active_steps.previous(step);
    }
    // Kernels take callables by value: passing the function itself would copy it repeatedly.
    void sends(std::uint64_t step, const Visit& visit) const override {
      own.sends(step, [&visit](const local::RankTransfer& p) { visit(p); });
    }
    void receives(std::uint64_t step, const Visit& visit) const override {
      own.receives(step, [&visit](const local::RankTransfer& p) { visit(p); });
    }
    RankSchedule own;
    decltype(own.active_steps()) active_steps;
  };
  Kernel kernel_;
  std::uint64_t P_;
};

/// The kernel for the request's ranks; `headers` as in LocalSchedule.
template <typename Kernel>
Result result(const LocalRequest& r, Term<Kernel> term, const Headers& headers) {
  auto erased = std::make_shared<ErasedSchedule<Kernel>>(std::move(term.kernel), r.problem.ranks);
  erased->expression = std::move(term.text);
  erased->headers = headers;
  return erased;
}

// The algebra of steps (model/algebra.hpp), of kernels.

template <typename Kernel>
Term<local::Reversed<Kernel>> reverse(Term<Kernel> t, bool reduce) {
  return {local::Reversed<Kernel>(std::move(t.kernel), reduce),
          fmt::format("Reversed({}{})", t.text, reduce ? "" : ", false")};
}

template <typename Kernel>
Term<local::Reversed<Kernel>> reverse_reducing(Term<Kernel> t) {
  return reverse(std::move(t), true);
}

template <typename A, typename B>
Term<local::Sequence<A, B>> sequence(Term<A> a, Term<B> b) {
  return {local::Sequence<A, B>(std::move(a.kernel), std::move(b.kernel)),
          fmt::format("Sequence({}, {})", a.text, b.text)};
}

/// If chunks belong to ranks, `total` > 0, each rank has K = `chunks` of them.
template <typename Kernel>
Term<local::Rooted<Kernel>> reroot(Term<Kernel> t, std::uint64_t P, std::uint64_t root,
                                   std::uint64_t shift, std::uint64_t total) {
  return {local::Rooted<Kernel>(std::move(t.kernel), P, root, shift, total),
          fmt::format("Rooted({}, ranks, root{})", t.text,
                      total > 0 ? ", root * chunks, ranks * chunks" : "")};
}

/// On LogP: `delay` and `latency` as in local::Delayed.
template <typename Kernel>
Term<local::Delayed<Kernel>> delayed(Term<Kernel> t, std::uint64_t delay, std::uint64_t latency) {
  return {local::Delayed<Kernel>(std::move(t.kernel), delay, latency),
          fmt::format("Delayed({}, {}, {})", t.text, delay, latency)};
}

/// The compositions of shapes.hpp, for terms.
template <typename Kernel>
Result rooted(const LocalRequest& r, Term<Kernel> t, const Headers& headers) {
  return schedcc::rooted(r.problem, std::move(t),
                         [&](auto term) { return result(r, std::move(term), headers); });
}
template <typename Kernel>
Result from_allgather(const LocalRequest& r, Term<Kernel> t, const Headers& headers) {
  return schedcc::from_allgather(r.problem, std::move(t),
                                 [&](auto term) { return result(r, std::move(term), headers); });
}

/// Throws InputError if a computed product, named `what`, is 2^63 or more, and its factors have
/// more than 32 bits.
void require_product(std::uint64_t a, std::uint64_t b, std::string_view what);

/// The vector's chunks: K, or K for each rank.
struct Vector {
  std::uint64_t total;
  std::string_view text;
  explicit Vector(const LocalRequest& r)
      : total(r.problem.total_chunks()),
        text(r.problem.in_blocks() ? "ranks * chunks" : "chunks") {}
};

}  // namespace schedcc::local_terms
