// levels(X, Y): compositions by nodes and rails.

#include "catch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "algorithm/composition/composition.hpp"
#include "formats.hpp"
#include "requests.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;
using requests::request;

namespace {

/// The report of a composition, which holds in no more steps than it claims.
Report checked(const std::string& text, const Request& r) {
  const auto algorithm = named_algorithm(algorithm_spec(text));
  Report report = check(from_algorithm(*algorithm, r, text), r.machine);
  INFO(text << ": " << describe(r.problem) << " on " << r.machine.spec());
  if (report.verdict() != Verdict::holds)
    FAIL_CHECK(text << ", " << describe(r.problem) << " on " << r.machine.spec() << ": "
                    << (report.findings.empty() ? "" : report.findings[0].message));
  const CostClaim claim = algorithm->claim(r);
  if (r.problem.ranks > 1) {
    CHECK(report.steps <= claim.steps);
    if (claim.exact) CHECK(report.steps == claim.steps);
    if (claim.volume != 0) CHECK(report.volume == claim.volume);
    CHECK(algorithm->agrees(r));
  }
  return report;
}

/// Collectives with the parts X and Y of levels that do them.
const std::vector<std::pair<Collective, std::string>>& served() {
  using enum Collective;
  static const std::vector<std::pair<Collective, std::string>> all{
      {allreduce, "ring, ring"},
      {allreduce, "binomial-tree, recursive-doubling"},
      {allreduce, "binomial-tree then binomial-tree, rabenseifner"},
      {allreduce, "bruck, circulant as reduce-scatter then circulant as allgather"},
      {broadcast, "binomial-tree then bruck, chain"},
      {broadcast, "chain, binary-tree"},
      {Collective::reduce, "ring then linear, binomial-tree"},
      {Collective::reduce, "linear, chain"},
      {allgather, "ring, bruck"},
      {allgather, "linear then linear, ring"},
      {reduce_scatter, "ring, bruck"},
      {reduce_scatter, "chain then linear, ring"},
      {alltoall, "pairwise, bruck"},
      {alltoall, "binomial-tree, bruck"},
      {alltoall, "linear then binomial-tree, pairwise"},
      {scatter, "binomial-tree, linear"},
      {scatter, "binomial-tree, linear, leaders"},
      {gather, "linear, binomial-tree"},
      {gather, "binomial-tree, linear, leaders"},
      {scan, "kogge-stone, kogge-stone"},
      {exscan, "kogge-stone, kogge-stone"},
      {barrier, "bruck, dissemination"},
      {barrier, "linear then binomial-tree, dissemination"},
  };
  return all;
}

}  // namespace

TEST_CASE("levels: every collective for all nodes up to 5 of up to 4 ranks, and every root") {
  for (const auto& [collective, parts] : served()) {
    for (Rank m = 1; m <= 4; ++m) {
      const std::string text = fmt::format("levels({}, {})", m, parts);
      for (Rank n = 1; n <= 5; ++n) {
        for (const std::uint32_t K : {1U, 2U, 3U, 12U, 2 * m * n}) {
          const Rank P = m * n;
          for (Rank root = 0; root < (info(collective).rooted ? P : 1); ++root) {
            const Request r = request(collective, P, K, "duplex", root);
            if (!named_algorithm(algorithm_spec(text))->reason(r)) checked(text, r);
          }
        }
      }
    }
  }
}

TEST_CASE("levels: segments at once, for every collective, and every root") {
  for (const auto& [collective, parts] : served()) {
    for (Rank m = 1; m <= 4; ++m) {
      for (Rank n = 1; n <= 4; ++n) {
        for (const std::uint32_t segments : {1U, 2U, 3U, 5U}) {
          const std::string text = fmt::format("levels({}, {}, segments={})", m, parts, segments);
          for (const std::uint32_t K : {segments, segments + 1, m * n * segments}) {
            const Rank P = m * n;
            for (Rank root = 0; root < (info(collective).rooted ? P : 1); ++root) {
              const Request r = request(collective, P, K, "kport:k=8", root);
              if (!named_algorithm(algorithm_spec(text))->reason(r)) checked(text, r);
            }
          }
        }
      }
    }
  }
}

TEST_CASE(
    "levels: one segment is none unless stages overlap, and more are at most stages as fast") {
  const CostModel model = make_cost_model("alpha-beta:alpha=1us,beta=1GB/s");
  std::size_t alike = 0, timed = 0;
  for (const auto& of_parts : served()) {
    const std::string& parts = of_parts.second;
    const Request r = request(of_parts.first, 16, 64, "kport:k=8");
    const auto of = [&](const std::string& segments) {
      const Spec spec = algorithm_spec(fmt::format("levels(4, {}{})", parts, segments));
      return from_algorithm(*named_algorithm(spec), r, "levels");
    };
    bool one_differs = false;
    std::size_t stages = 0;
    for (const LevelDecomposition& way : level_decompositions(r.problem, 4)) {
      one_differs |= way.overlap.one_segment_differs;
      stages = std::max(stages, way.overlap.stages);
    }
    INFO(describe(r.problem) << ", " << parts);
    if (!one_differs) {
      ++alike;
      CHECK(formats::written(of(""), "sched") == formats::written(of(", segments=1"), "sched"));
    }
    for (const std::uint64_t bytes : {std::uint64_t{6400}, std::uint64_t{64000000}}) {
      const double whole = cost(of(", segments=1"), r.machine, model, {bytes}).seconds;
      for (const int segments : {2, 3, 8}) {
        ++timed;
        const Source cut = of(fmt::format(", segments={}", segments));
        CHECK(cost(cut, r.machine, model, {bytes}).seconds * static_cast<double>(stages) >=
              whole * (1 - 1e-9));
      }
    }
  }
  CHECK(alike > 10);
  CHECK(timed > 100);
}

TEST_CASE("levels: in one segment the own node's blocks take no steps of their own") {
  using enum Collective;
  for (const Collective collective : {allgather, reduce_scatter}) {
    const Request r = request(collective, 12, 1, "kport:k=2");
    const Report after = checked("levels(4, ring, ring)", request(collective, 12, 1, "duplex"));
    const Report at_once = checked("levels(4, ring, ring, segments=1)", r);
    CHECK(after.volume == 3 * 3 + 2);
    CHECK(at_once.steps == 3 + 3);
    CHECK(at_once.volume == 3 * 2 + 3);
  }
  Request ordered = request(reduce_scatter, 12, 2, "kport:k=4");
  ordered.problem.ordered = true;
  CHECK(named_algorithm(algorithm_spec("levels(4, linear then linear, linear then linear)"))
            ->reason(ordered) == std::nullopt);
  CHECK(named_algorithm(
            algorithm_spec("levels(4, linear then linear, linear then linear, segments=2)"))
            ->reason(ordered));
}

TEST_CASE(
    "levels: the volume of the full-lane allreduce, and of the allgather, inside and outside") {
  using enum Collective;
  for (Rank m = 2; m <= 5; ++m) {
    for (Rank n = 2; n <= 5; ++n) {
      const Rank P = m * n;
      const std::string text = fmt::format("levels({}, ring, ring)", m);
      const Report sum = checked(text, request(allreduce, P, P, "duplex"));
      CHECK(sum.steps == 2 * (m - 1) + 2 * (n - 1));
      CHECK(sum.volume == 2 * n * (m - 1) + 2 * (n - 1));
      const Report blocks = checked(text, request(allgather, P, 1, "duplex"));
      CHECK(blocks.steps == (m - 1) + (n - 1));
      CHECK(blocks.volume == P - 1);
      const std::string pairs = fmt::format("levels({}, pairwise, pairwise)", m);
      CHECK(checked(pairs, request(alltoall, P, 1, "duplex")).volume == n * (m - 1) + m * (n - 1));
    }
  }
}

TEST_CASE("levels: the nodes of the machine, levels in levels, reverses, and ports") {
  using enum Collective;
  const std::string rings = "levels(ring, ring)";
  checked(rings, request(allreduce, 32, 32, "cluster:8x4,nics=8"));
  checked(rings, request(allreduce, 32, 32, "cluster:8x4,nics=8,rails"));
  checked("levels(bruck, ring)", request(allgather, 12, 2, "crossbar:a=3,b=4,in=4,out=4"));
  checked("levels(levels(2, bruck, ring), ring)", request(allgather, 24, 1, "cluster:8x3,nics=8"));
  checked("reverse(levels(4, ring, bruck) as allgather)", request(reduce_scatter, 12, 2, "duplex"));
  checked("levels(4, all-pairs, all-pairs)", request(allreduce, 16, 16, "kport:k=3"));
  checked("levels(4, trivance, trivance)", request(allreduce, 12, 12, "kport:k=2"));
}

TEST_CASE("levels within levels are not taken for a sequence, with whatever nodes") {
  using enum Collective;
  const auto reason = [](const std::string& text, const Request& r) {
    return named_algorithm(algorithm_spec(text))->reason(r).value_or("");
  };
  for (const std::string inner : {"levels(ring, ring)", "levels(2, ring, ring)"}) {
    for (const char* text : {"levels({}, ring)", "levels(8, {}, ring)", "levels(4, {}, ring)"}) {
      for (const Collective collective : {allreduce, allgather, reduce_scatter}) {
        const std::string whole = fmt::format(fmt::runtime(text), inner);
        const Request r = request(collective, 16, 16, "duplex");
        const std::string why = reason(whole, r);
        INFO(whole);
        if (whole.find("levels(ring") == std::string::npos && whole.starts_with("levels(8")) {
          CHECK(why.empty());
        } else if (whole.find("levels(ring") != std::string::npos) {
          CHECK(why.find("duplex has no nodes") != std::string::npos);
        }
        if (why.empty()) checked(whole, r);
      }
    }
  }
  // An allreduce by levels has two stages where its nodes are all ranks; it is none the less not
  // the sequence of these two.
  for (Rank m = 2; m <= 6; m += 2) {
    for (Rank n = 1; n <= 4; ++n) {
      const Rank P = m * n;
      const Report nested = checked(fmt::format("levels({}, levels(2, ring, bruck), ring)", m),
                                    request(allreduce, P, P, "duplex"));
      CHECK(nested.steps == 2 * (1 + (m == 2   ? 0
                                      : m == 4 ? 1
                                               : 2)) +
                                2 * (n - 1));  // ceil(log2(m / 2)) by bruck
    }
  }
}

TEST_CASE("levels of a scan, a scatter, a gather, a barrier and an alltoall: steps and volume") {
  using enum Collective;
  const auto lg = [](Rank n) { return std::bit_width(n - 1); };
  for (Rank m = 2; m <= 6; ++m) {
    for (Rank n = 2; n <= 5; ++n) {
      const Rank P = m * n;
      const auto text = [m](const char* parts) { return fmt::format("levels({}, {})", m, parts); };
      // On one port everything that a root sends, or receives, goes through it, and nothing twice.
      for (const char* trees : {"binomial-tree, linear", "binomial-tree, linear, leaders"}) {
        const Report out = checked(text(trees), request(scatter, P, 3, "duplex", P - 1));
        CHECK(out.steps == lg(m) + n - 1);
        CHECK(out.volume == 3 * (P - 1));
        CHECK(checked(text(trees), request(gather, P, 3, "duplex", 1)).volume == 3 * (P - 1));
      }
      const Report sums = checked(text("kogge-stone, kogge-stone"), request(scan, P, 1, "duplex"));
      CHECK(sums.steps == (m - 1) + lg(n) + 1 + lg(m - 1));
      const Request below = request(exscan, P, 1, "duplex");
      CHECK(checked(text("kogge-stone, kogge-stone"), below).steps == sums.steps + 1);
      const Report all = checked(text("bruck, dissemination"), request(barrier, P, 1, "duplex"));
      CHECK(all.steps == lg(n) + lg(m));
      const Report led = checked(text("binomial-tree, dissemination"),
                                 request(barrier, P, 1, fmt::format("cluster:{}x{}", m, n)));
      CHECK(led.steps == 2 * lg(m) + lg(n));
      const Report exchange = checked(text("linear, pairwise"),
                                      request(alltoall, P, 1, fmt::format("cluster:{}x{}", m, n)));
      CHECK(exchange.findings_total == 0);  // nothing comes back
      CHECK(exchange.volume == 2 * (m - 1) * (P - 1) + (n - 1) * m * m);
    }
  }
  // Every rank's contributions come in order.
  Request ordered = request(scan, 15, 2, "duplex");
  ordered.problem.ordered = true;
  checked("levels(5, kogge-stone, kogge-stone)", ordered);
  checked("levels(5, kogge-stone, kogge-stone)", request(scan, 15, 2, "kport:k=3"));
  ordered.problem.collective = exscan;
  checked("levels(5, kogge-stone, kogge-stone)", ordered);
  checked("levels(5, kogge-stone, kogge-stone, segments=2)", request(exscan, 15, 3, "kport:k=8"));
}

TEST_CASE("levels of an alltoall by leaders claim their volume if whole rows are gathered") {
  const CostModel model = make_cost_model("alpha-beta:alpha=1us,beta=1ns/B");
  for (const char* parts :
       {"linear, pairwise", "binomial-tree, bruck", "linear then binomial-tree, circulant-skips",
        "reverse(binomial-tree) then linear, pairwise"}) {
    for (Rank m = 1; m <= 5; ++m) {
      for (Rank n = 1; n <= 4; ++n) {
        for (const std::uint32_t K : {1U, 3U}) {
          const std::string text = fmt::format("levels({}, {})", m, parts);
          const Request r = request(Collective::alltoall, m * n, K, "duplex");
          const auto algorithm = named_algorithm(algorithm_spec(text));
          if (algorithm->reason(r) || m * n == 1) continue;
          INFO(text << " on " << m * n);
          const Report report = checked(text, r);
          CHECK(algorithm->claim(r).volume == report.volume);
          const auto formulas =
              time_formulas(algorithm_spec(text), r.problem, r.machine, model, 6000);
          REQUIRE(formulas.size() == 1);
          const double bytes = static_cast<double>(report.volume) * 6000 / K;
          CHECK(formulas[0].seconds ==
                Approx(static_cast<double>(report.steps) * model.alpha + bytes * model.beta));
        }
      }
    }
  }
}

TEST_CASE("levels of the machine, one in another") {
  using enum Collective;
  for (const char* machine : {"cluster:2x3x2,nics=2", "cluster:3x2x4,nics=3,ports=2"}) {
    const std::uint64_t P = machine_ranks(machine).value();
    const auto ranks = static_cast<Rank>(P);
    const Rank inner = machine[8] == '2' ? 2 : 3;
    for (const Collective c : {allreduce, allgather, reduce_scatter}) {
      const Request r = request(c, ranks, ranks, machine);
      const Report report = checked("levels(ring, bruck, ring)", r);
      const std::string numbers =
          fmt::format("levels({}, levels({}, ring, bruck), ring)", 6, inner);
      CHECK(checked(numbers, r).steps == report.steps);
      CHECK(checked("levels(levels(ring,bruck),ring)", r).steps == report.steps);
      CHECK(checked("levels(6, levels(ring,bruck), ring)", r).steps == report.steps);
    }
  }
}

TEST_CASE("commas end the words of algorithms without parameters") {
  const auto same = [](const std::string& a, const std::string& b) {
    CHECK(algorithm_spec(a).text() == algorithm_spec(b).text());
  };
  same("levels(4,ring,ring)", "levels(4, ring, ring)");
  same("levels(4,ring,ring,segments=2)", "levels(4, ring, ring, segments=2)");
  same("levels(4,chain,chain,leaders,segments=2)", "levels(4, chain, chain, leaders, segments=2)");
  same("levels(4, fractional-tree:r=3,coupled, chain)",
       "levels(4, (fractional-tree:r=3,coupled), chain)");
  same("levels(chain,chain,chain)", "levels(levels(chain, chain), chain)");
}

TEST_CASE("levels keep the order of operands if their parts do") {
  Request r = request(Collective::allreduce, 24, 3, "duplex");
  r.problem.ordered = true;
  checked("levels(4, binomial-tree, rabenseifner)", r);
  const auto rings = named_algorithm(algorithm_spec("levels(4, ring, ring)"));
  CHECK(rings->reason(r));
}

TEST_CASE("levels that do not keep the order of operands are refused, with the part and why") {
  using enum Collective;
  const std::vector<std::string> algorithms{
      "ring",   "bruck",         "recursive-halving",      "reverse(recursive-halving)",
      "chain",  "binomial-tree", "circulant-skips",        "recursive-doubling",
      "linear", "reverse(ring)", "reverse(reverse(bruck))"};
  std::size_t holding = 0, refused = 0;
  for (const std::string& x : algorithms) {
    for (const std::string& y : algorithms) {
      for (const auto& [m, n] : {std::pair(2, 4), std::pair(4, 2), std::pair(3, 3)}) {
        const std::string text = fmt::format("levels({}, {}, {})", m, x, y);
        if (!requests::algorithm_error(text).empty()) continue;
        const auto algorithm = named_algorithm(algorithm_spec(text));
        for (const Collective c : {Collective::reduce, allreduce, reduce_scatter}) {
          if (!algorithm->serves(c)) continue;
          Request r = request(c, static_cast<Rank>(m * n), 2, "duplex", c == Collective::reduce);
          if (algorithm->reason(r)) continue;
          r.problem.ordered = true;
          const auto why = algorithm->reason(r);
          if (!why) checked(text, r);
          ++(why ? refused : holding);
        }
      }
    }
  }
  CHECK(holding > 30);
  CHECK(refused > 30);
  Request r = request(reduce_scatter, 8, 1, "duplex");
  r.problem.ordered = true;
  // The reverse of a reverse is the original, which keeps the order.
  checked("levels(4, reverse(recursive-halving), circulant-skips)", r);
  const auto ring = named_algorithm(algorithm_spec("levels(4, reverse(sparbit), circulant-skips)"));
  CHECK(ring->reason(r).value_or("").starts_with(
      "'reverse(sparbit)', as reduce-scatter with 2 chunks a block: rank "));
}

TEST_CASE("levels: what is refused") {
  using enum Collective;
  const auto reason = [](const std::string& text, const Request& r) {
    return named_algorithm(algorithm_spec(text))->reason(r).value_or("");
  };
  const auto says = [](const std::string& text, const std::string& what) {
    INFO(text << ": " << requests::algorithm_error(text));
    CHECK(requests::algorithm_error(text).find(what) != std::string::npos);
  };
  says("levels(4, ring, ring, segment=2)",
       "column 23: unknown option of levels 'segment'; did you mean 'segments'?");
  says("levels(4, ring, ring, segments)", "column 23: the number of segments is missing");
  says("levels(4, ring, ring, 2)", "column 23: '2' is neither 'leaders' nor");
  says("levels(4, ring, ring leaders)", "')' is missing");
  says("levels(4, ring, ring, leaders, segments=2, segments=3)", "given twice");
  says("levels(4, kogge-stone, ring)", "for allgather X is for allgather, or for gather and");
  says("levels(4, ring, ring, leaders)", "for allgather X is for gather and broadcast");
  CHECK(reason("levels(ring, ring, ring)", request(allreduce, 8, 8, "cluster:4x2"))
            .find("has no nodes on 2 levels") != std::string::npos);
  CHECK(reason("levels(ring, ring)", request(allreduce, 6, 6, "duplex")).find("levels(8, ring") !=
        std::string::npos);
  CHECK(reason("levels(4, ring, ring)", request(allreduce, 6, 6, "duplex")) ==
        "6 ranks cannot be divided into nodes of 4");
  CHECK(reason("levels(3, ring, recursive-doubling)", request(allgather, 9, 1, "duplex"))
            .find("power of two") != std::string::npos);
  CHECK(requests::algorithm_error("levels(4, kogge-stone, ring)").find("do not fit together") !=
        std::string::npos);
  CHECK(requests::algorithm_error("levels(4, ring)").find("column 15: ',' is missing") !=
        std::string::npos);
  CHECK(requests::algorithm_error("levels(0, ring, ring)").find("column 8") != std::string::npos);
  CHECK(reason("levels(4, ring, ring, segments=3)", request(allgather, 8, 2, "kport:k=2")) ==
        "its 3 segments need a chunk each of every block: at least --chunks 3, not 2");
  CHECK(requests::algorithm_error("levels(4, ring, ring, segments=0)").find("column 32") !=
        std::string::npos);
  CHECK(requests::algorithm_error("levles(4, ring, ring)").find("did you mean 'levels'") !=
        std::string::npos);
}
