// Irregular blocks: for any block sizes, including zeros, the schedules of the four algorithms hold
// and take at most the steps of the regular schedule, and equal it if all blocks have one size.

#include <fmt/core.h>

#include "agreement.hpp"
#include "analysis/bounds.hpp"
#include "catch.hpp"
#include "core/join.hpp"
#include "model/algebra.hpp"
#include "random_numbers.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"

using namespace agreement;

namespace {

using random_numbers::Random;

BlockSizes some_sizes(std::uint64_t blocks, Random& random) {
  const std::uint32_t largest = 1 + random.below(9);
  const std::uint32_t zeros = random.below(5);  // of 4: none, some, most, all of them
  BlockSizes sizes;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    sizes.push_back(random.below(4) < zeros ? 0 : 1 + random.below(largest));
  }
  return sizes;
}

Request request(const Algorithm& algorithm, Collective collective, Rank P, Rank root,
                std::string_view machine, const BlockSizes& sizes) {
  Request r;
  r.problem.collective = collective;
  r.problem.ranks = P;
  r.problem.root = root;
  r.problem.chunks = 3;  // which irregular blocks make no use of
  r.machine = make_machine(machine, P);
  r.parameters = Spec{}.check(algorithm.parameters, "");
  r.block_sizes = sizes;
  return r;
}

/// Calls f(algorithm, collective, machine) for everything that serves irregular blocks.
template <typename F>
void each_service(F f) {
  for (const Algorithm* a : algorithms()) {
    for (const Collective collective : a->collectives) {
      if (!a->whole_blocks || block_count(collective, 2) == 0) continue;
      const Parameters standard = Spec{}.check(a->parameters, a->name);
      for (const std::string& machine : a->machines_for(standard)) f(*a, collective, machine);
    }
  }
}

Rank some_root(Collective collective, Rank P, Random& random) {
  return info(collective).rooted ? random.below(P) : 0;
}

std::string text(const BlockSizes& sizes) { return join(sizes, " "); }

std::vector<std::pair<std::uint64_t, Transfers>> rows(const Steps& steps) {
  std::vector<std::pair<std::uint64_t, Transfers>> result;
  for (std::uint64_t i = 0; i < steps.size(); ++i) {
    Transfers row;
    const std::uint64_t number = steps.fill(i, row);
    result.emplace_back(number, std::move(row));
  }
  return result;
}

/// What is wrong with a schedule for irregular blocks; empty if nothing is.
std::string difference(const Algorithm& algorithm, const Request& r) {
  const Source source = from_algorithm(algorithm, r, std::string(algorithm.name));
  const Report report = check(source, r.machine);
  if (report.verdict() != Verdict::holds) {
    return report.findings.empty() ? "unknown" : report.findings[0].message;
  }
  if (report.findings_total != 0) return "warnings";
  if (report.below_bound) return "below the bound";
  std::uint64_t total = 0;
  bool zeros = false;
  for (const std::uint32_t size : *r.block_sizes) {
    total += size;
    zeros |= size == 0;
  }
  if (report.chunks != std::max<std::uint64_t>(total, 1)) return "other chunks";
  if (r.problem.ranks == 1) return report.steps == 0 ? "" : "steps for one rank";
  const std::uint64_t claimed = algorithm.claim(r).steps;
  if (zeros ? report.steps > claimed : report.steps != claimed) return "other steps than claimed";
  std::uint64_t busy = 0;
  for (const auto& [number, row] : rows(algorithm.steps(r))) {
    if (row.empty() || number != busy++) return "an idle step";
  }
  return {};
}

}  // namespace

TEST_CASE("random block sizes hold, all P up to 64") {
  Random random(7);
  each_service([&](const Algorithm& algorithm, Collective collective, std::string_view machine) {
    for (Rank P = 1; P <= 64; ++P) {
      const std::uint64_t blocks = block_count(collective, P);
      for (int i = 0; i < (blocks > 1000 ? 2 : 6); ++i) {
        const Request r = request(algorithm, collective, P, some_root(collective, P, random),
                                  machine, some_sizes(blocks, random));
        if (algorithm.reason(r)) continue;  // it needs more ports for this P
        const std::string wrong = difference(algorithm, r);
        if (wrong.empty()) continue;
        FAIL_CHECK(algorithm.name << ", " << describe(r.problem) << ", " << text(*r.block_sizes)
                                  << ": " << wrong);
      }
    }
  });
}

TEST_CASE("irregular blocks agree with the simulator") {
  Random random(8);
  each_service([&](const Algorithm& algorithm, Collective collective, std::string_view machine) {
    for (Rank P = 1; P <= 7; ++P) {
      for (int i = 0; i < 5; ++i) {
        const Request r = request(algorithm, collective, P, some_root(collective, P, random),
                                  machine, some_sizes(block_count(collective, P), random));
        if (algorithm.reason(r)) continue;
        const naive::Plan plan{algorithm.problem(r), sent(*stream(algorithm.steps(r))), 0};
        const std::string difference = disagreement(plan, std::string(machine));
        if (!difference.empty()) FAIL_CHECK(text(*r.block_sizes) << "\n" << difference);
      }
    }
  });
}

TEST_CASE("blocks of one size are regular") {
  each_service([&](const Algorithm& algorithm, Collective collective, std::string_view machine) {
    for (const Rank P : {1u, 2u, 3u, 8u, 13u}) {
      for (const std::uint32_t K : {1u, 3u}) {
        const BlockSizes sizes(block_count(collective, P), K);
        const Request irregular =
            request(algorithm, collective, P, info(collective).rooted ? P / 2 : 0, machine, sizes);
        if (algorithm.reason(irregular)) continue;
        Request regular = irregular;
        regular.block_sizes.reset();
        regular.problem.chunks = K;
        INFO(algorithm.name << " " << describe(regular.problem));
        CHECK(rows(algorithm.steps(irregular)) == rows(algorithm.steps(regular)));
        // ... and so is what their busiest rank must carry.
        const Problem custom = algorithm.problem(irregular);
        const LowerBound ours = lower_bound(custom, irregular.machine, 1);
        const LowerBound theirs = lower_bound(regular.problem, irregular.machine, 1);
        CHECK(*ours.volume == *theirs.volume);
        CHECK(*ours.steps <= *theirs.steps);
      }
    }
  });
}

TEST_CASE("empty blocks need no steps") {
  each_service([&](const Algorithm& algorithm, Collective collective, std::string_view machine) {
    for (const Rank P : {1u, 2u, 5u, 16u}) {
      const BlockSizes none(block_count(collective, P), 0);
      Request r = request(algorithm, collective, P, 0, machine, none);
      if (algorithm.reason(r)) continue;
      const Report report = check(from_algorithm(algorithm, r, "none"), r.machine);
      CHECK(report.verdict() == Verdict::holds);
      CHECK(report.steps == 0);
      CHECK(report.transfers == 0);
      CHECK(report.title.starts_with(info(collective).name));
      CHECK(report.title.ends_with(", irregular blocks"));
    }
  });
}

TEST_CASE("idle steps vanish between busy ones") {
  // Only ranks 1 and 4 of 6 get anything from the linear scatter: two steps, one after the other.
  const Algorithm& linear = find_algorithm("linear");
  const Request r = request(linear, Collective::scatter, 6, 0, "duplex", {3, 2, 0, 0, 1, 0});
  CHECK(rows(linear.steps(r)) == std::vector<std::pair<std::uint64_t, Transfers>>{
                                     {0, {copy(0, 1, 3, 2)}}, {1, {copy(0, 4, 5, 1)}}});
}

TEST_CASE("irregular reductions are refused in order exactly where it would be broken") {
  Random random(9);
  int kept = 0, refused = 0;
  each_service([&](const Algorithm& algorithm, Collective collective, std::string_view machine) {
    if (!info(collective).reduction) return;
    for (Rank P = 1; P <= 8; ++P) {
      for (int i = 0; i < 40; ++i) {
        BlockSizes sizes(block_count(collective, P), 0);
        sizes[random.below(static_cast<std::uint32_t>(sizes.size()))] = 2;
        if (random.below(2) == 0) sizes.back() = 3;
        Request r = request(algorithm, collective, P, 0, machine, sizes);
        if (algorithm.reason(r)) continue;
        Source source = from_algorithm(algorithm, r, "in order");
        source.problem.ordered = r.problem.ordered = true;
        const bool serves = !algorithm.reason(r);
        const bool holds = check(source, r.machine).verdict() == Verdict::holds;
        ++(serves ? kept : refused);
        if (serves != holds) FAIL_CHECK(text(sizes) << ": serves " << serves);
      }
    }
  });
  CHECK(kept > 30);
  CHECK(refused > 30);
}

TEST_CASE("what has no irregular blocks is refused") {
  const auto why = [](const char* name, Collective collective, Rank P, const BlockSizes& sizes) {
    const Algorithm& algorithm = find_algorithm(name);
    return algorithm.reason(request(algorithm, collective, P, 0, "duplex", sizes))
        .value_or("served");
  };
  CHECK(why("linear", Collective::broadcast, 3, {1, 2, 3}) ==
        "broadcast has no blocks whose sizes could differ");
  CHECK(why("ring", Collective::allreduce, 3, {1, 2, 3}) ==
        "allreduce has no blocks whose sizes could differ");
  CHECK(why("recursive-doubling", Collective::allgather, 4, {1, 2, 3, 4}) ==
        "its blocks are all of one size; for irregular blocks of allgather there is ring, "
        "all-pairs, sparbit, bine");
  CHECK(why("ring", Collective::allgather, 3, {1, 2}) == "2 sizes are given for 3 blocks");
  CHECK(why("pairwise", Collective::alltoall, 2, {1, 2}) == "2 sizes are given for 4 blocks");
  CHECK(why("ring", Collective::allgather, 2, {1, 2}) == "served");
  for (const Algorithm* a : algorithms()) {
    if (a->whole_blocks) continue;
    for (const Collective collective : a->collectives) {
      const BlockSizes sizes(std::max<std::uint64_t>(block_count(collective, 4), 1), 1);
      const std::string machine = a->machines_for({}).front();
      CHECK(a->reason(request(*a, collective, 4, 0, machine, sizes)).has_value());
    }
  }
  Problem problem;
  problem.collective = Collective::allgather;
  problem.ranks = 2;
  CHECK_THROWS_AS(with_block_sizes(problem, {1}), InputError);
  CHECK_THROWS_AS(with_block_sizes(problem, {max_transfer_count, 1}), InputError);
}
