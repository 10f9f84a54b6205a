// Kernels compared with tables: a rank must compute the operations that the table has for it, for
// all ranks of all P up to 128 and of some up to 512.

#include "algorithm_cases.hpp"
#include "catch.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "algorithm/entry.hpp"
#include "format/table.hpp"
#include "kernel_cases.hpp"
#include "schedcc/error.hpp"

using namespace kernel_cases;

namespace {

std::vector<Op> tabulated(const cpp::Table& table, Rank rank) {
  std::vector<Op> ops;
  ops.reserve(table.of(rank).size());
  for (const cpp::Operation& o : table.of(rank)) {
    ops.push_back(
        {o.step, o.kind == mpi::receive, o.peer, o.first, o.count, o.mode == mpi::reduce});
  }
  return normal(std::move(ops));
}

/// Compares all ranks; the number of operations.
std::uint64_t compare(const Form& form, const Request& r) {
  const Source source = from_algorithm(algorithm_of(form), r, form.spec);
  const cpp::Table table = cpp::by_rank(source, r.machine);
  const auto schedule = symbolic_schedule(form, r);
  std::uint64_t count = 0;
  for (Rank rank = 0; rank < r.problem.ranks; ++rank) {
    const std::vector<Op> ops = computed(*schedule, rank);
    count += ops.size();
    if (ops == tabulated(table, rank)) continue;
    FAIL(form.spec << " " << form.machine << " " << describe(r.problem) << ": rank " << rank);
  }
  return count;
}

/// Not every P is tested. Fat trees have P = 2^h leaves. Total exchanges have P^2 blocks, and so do
/// all ranks together if they send one by one; machines other than duplex and simplex have many
/// collectives; with parameters most of an allgather is the same, and a reduce-scatter is the
/// reverse of one: above 64 their P are powers of two and multiples of 61 (above 256: 427 and 512).
///
/// Of the others, P above 128 would be nine tenths of the work: there P are the 30 multiples of 13,
/// 256, 510 and 512. As 13 is odd, they have all remainders by 16, and with them all K and roots
/// that a P is given; also all remainders by 3 and 5. Where whole ranges are tested, they are all P
/// up to 256 and the multiples of 7. (Larger numbers: P = 2^30 below.)
bool is_tested(const Form& form, Collective collective, Rank P) {
  if (form.machine.starts_with("fattree") && !std::has_single_bit(P)) return false;
  if (form.spec == "trivance:whole") return true;  // of P = 3^h
  const bool dense = info(collective).blocks == 2 || !form.machine.ends_with("plex") ||
                     sends_many_blocks(form, collective) ||
                     (info(collective).blocks == 1 && form.spec.find(':') != std::string::npos) ||
                     (collective == Collective::reduce_scatter &&
                      algorithm_of(form).serves(Collective::allgather));
  const Rank stride = ranges::part(13U, 7U);
  if (P > ranges::part(128U, 256U) && P % stride != 0 && P != 256 && P < 510) return false;
  return !dense || P <= 64 || P % 61 == 0 || std::has_single_bit(P);
}

}  // namespace

TEST_CASE("a rank computes its operations of the table, for all P up to 128 and some up to 512") {
  for (const Form& form : forms()) {
    std::uint64_t cases = 0;
    for (const Collective collective : algorithm_of(form).collectives) {
      for (Rank P = 1; P <= 512; ++P) {
        if (!is_tested(form, collective, P)) continue;
        const std::uint32_t K = std::array{1u, 2u, 5u, 12u}[P % 4];
        const Rank root = std::array{0u, P - 1, P / 2, P / 3}[P / 4 % 4];
        const Request r = request(form, collective, P, root, K);
        if (!has_kernel(form, r) || algorithm_of(form).reason(r)) continue;
        ++cases;
        if (agreement::chosen()) compare(form, r);
      }
    }
    INFO(form.spec);
    CHECK(cases >= 9);
  }
}

TEST_CASE("a rank computes its operations of the table, for many K and all roots") {
  for (const Form& form : forms()) {
    for (const Collective collective : algorithm_of(form).collectives) {
      for (const Rank P : {1u, 2u, 3u, 4u, 7u, 8u, 13u, 16u, 33u}) {
        if (!is_tested(form, collective, P)) continue;
        const bool dense = info(collective).blocks == 2;
        for (const std::uint32_t K : {1u, 2u, 3u, 4u, 7u, 16u, 40u}) {
          const bool rooted = request(form, collective, P, 0, K).problem.rooted();
          const Rank stride = P <= 8 ? 1 : P / 4;
          for (Rank root = 0; root < (rooted ? P : 1); root += stride) {
            const Request r = request(form, collective, P, root, dense ? K % 4 + 1 : K);
            if (!has_kernel(form, r) || algorithm_of(form).reason(r)) continue;
            if (agreement::chosen()) compare(form, r);
          }
        }
      }
    }
  }
}

TEST_CASE("an ordered reduce-scatter halves from the lowest bit up") {
  for (const Rank P : {2u, 8u, 64u}) {
    Request r = request({"recursive-halving", "duplex"}, Collective::reduce_scatter, P, 0, 3);
    r.problem.ordered = true;
    compare({"recursive-halving", "duplex"}, r);
  }
}

TEST_CASE("a segmented ring reduces the segments of large blocks one after another") {
  for (const Rank P : {2u, 3u, 4u, 7u, 16u, 33u}) {
    for (const std::uint32_t K : {5 * P, 5 * P + 1, 7 * P - 1}) {
      const Form any{"segmented-ring", "duplex"}, five{"segmented-ring:segments=5", "duplex"};
      compare(any, request(any, Collective::allreduce, P, 0, K));
      compare(five, request(five, Collective::allreduce, P, 0, K));
    }
  }
}

TEST_CASE("algorithms without a kernel are refused, each with a reason of its own") {
  std::set<std::string> reasons;
  std::size_t refused = 0;
  for (const Algorithm* algorithm : algorithms()) {
    if (AlgorithmEntry::of(*algorithm).kernel != nullptr) continue;
    ++refused;
    Request r;
    r.problem.ranks = 8;
    try {
      local_schedule(*algorithm, {WideProblem(r.problem), r.machine, r.parameters});
      FAIL(algorithm->name);
    } catch (const InputError& error) {
      const std::string why = error.what();
      INFO(why);
      CHECK(why.find("its steps are made for all ranks together") == std::string::npos);
      reasons.insert(why);
    }
  }
  CHECK(reasons.size() == refused);
}
