// Compositions of algorithms, against the oracle and against their definition.

#include "catch.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "agreement.hpp"
#include "algorithm/composition/composition.hpp"
#include "requests.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;
using requests::algorithm_of;
using requests::request;

namespace {

/// The transfers of a composition, each with its step, in a normal order and by chunk.
std::vector<agreement::Sent> sent(const std::string& text, const Request& r) {
  const Source source = from_algorithm(text, r.problem, r.machine.spec());
  const auto stream = source.open();
  return agreement::sent(*stream);
}

using Single = std::tuple<std::uint64_t, Rank, Rank, Chunk, bool>;
std::vector<Single> singles(const std::string& text, const Request& r) {
  std::vector<Single> result;
  for (const auto& [step, t] : sent(text, r)) {
    for (std::uint32_t i = 0; i < t.count; ++i)
      result.emplace_back(step, t.src, t.dst, t.first + i, t.reduce != 0);
  }
  std::ranges::sort(result);
  return result;
}

/// What the oracle finds wrong; it counts contributions, whatever a composition claims.
std::string fault(const std::string& text, const Request& r) {
  agreement::Plan plan;
  plan.problem = r.problem;
  plan.sent = sent(text, r);
  const naive::Outcome outcome =
      naive::simulate(plan, naive::model(r.machine.spec(), r.problem.ranks));
  std::set<std::string> wrong = outcome.violated;
  for (const char* warning : {"redundancy", "agreement"}) wrong.erase(warning);
  return wrong.empty() ? "" : agreement::join(wrong);
}

/// The algorithms for duplex ranks that serve a collective.
std::vector<std::string> duplex_algorithms(Collective collective) {
  std::vector<std::string> result;
  for (const Algorithm* a : algorithms()) {
    const bool duplex = std::ranges::find(a->machines, "duplex") != a->machines.end();
    if (duplex && a->serves(collective)) result.emplace_back(a->name);
  }
  return result;
}

/// Pairs of those, in which each first one occurs, and each second one, several times.
std::vector<std::pair<std::string, std::string>> duplex_pairs(Collective first, Collective second) {
  const std::vector<std::string> x = duplex_algorithms(first), y = duplex_algorithms(second);
  std::vector<std::pair<std::string, std::string>> result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      if (x.size() * y.size() <= 20 || (i + j) % 4 == 0) result.emplace_back(x[i], y[j]);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("every pair of a reduce-scatter and an allgather is an allreduce, for any P and K") {
  int pairs = 0;
  for (const auto& [x, y] : duplex_pairs(Collective::reduce_scatter, Collective::allgather)) {
    ++pairs;
    const std::string text = fmt::format("{} as reduce-scatter then {} as allgather", x, y);
    for (Rank P = 1; P <= 33; ++P) {
      for (const std::uint32_t K : {1u, 2u, P, P + 1, 2 * P, 3 * P - 1}) {
        // The oracle is slow: many K for few P.
        if (P > 12 && K != P && K != P + 1) continue;
        const Request r = request(Collective::allreduce, P, K);
        if (algorithm_of(text)->reason(r)) continue;
        INFO(text << " P " << P << " K " << K);
        REQUIRE(fault(text, r) == "");
      }
    }
  }
  CHECK(pairs >= 9);
}

TEST_CASE("all other sequences hold for every root, as they hold together by the rules") {
  for (const CompositionRule& rule : composition_rules()) {
    for (const auto& [x, y] : duplex_pairs(rule.first, rule.second)) {
      const std::string text = fmt::format("{} as {} then {} as {}", x, info(rule.first).name, y,
                                           info(rule.second).name);
      const auto algorithm = algorithm_of(text);
      CHECK(algorithm->collectives == std::vector{rule.whole});
      for (const Rank P : {1u, 2u, 3u, 5u, 8u}) {
        for (const std::uint32_t K : {1u, 3u, P}) {
          for (Rank root = 0; root < (info(rule.whole).rooted ? P : 1); ++root) {
            const Request r = request(rule.whole, P, K, "duplex", root);
            if (algorithm->reason(r)) continue;
            INFO(text << " P " << P << " K " << K << " root " << root);
            REQUIRE(fault(text, r) == "");
          }
        }
      }
    }
  }
}

TEST_CASE("a sequence takes the steps and the volume of its parts, and claims no less") {
  for (const auto& [x, y] : duplex_pairs(Collective::reduce_scatter, Collective::allgather)) {
    const auto whole = algorithm_of(fmt::format("{} as reduce-scatter then {} as allgather", x, y));
    for (const Rank P : {2u, 5u, 8u, 12u}) {
      for (const std::uint32_t K : {P, 3 * P, 3 * P + 1}) {
        const Request r = request(Collective::allreduce, P, K);
        if (whole->reason(r)) continue;
        const CostClaim claim = whole->claim(r);
        const Report report = check(from_algorithm(*whole, r, std::string(whole->name)), r.machine);
        INFO(whole->name << " P " << P << " K " << K);
        REQUIRE(report.verdict() == Verdict::holds);
        CHECK(report.steps <= claim.steps);
        if (claim.exact) CHECK(report.steps == claim.steps);
        if (claim.volume != 0) CHECK(report.volume == claim.volume);
        if (K % P != 0) continue;
        const auto part = [&](const std::string& name, Collective collective) {
          const Algorithm& algorithm = find_algorithm(name);
          Request own = request(collective, P, K / P);
          own.parameters = Spec{}.check(algorithm.parameters, name);
          return check(from_algorithm(algorithm, own, name), own.machine);
        };
        const Report first = part(x, Collective::reduce_scatter);
        const Report second = part(y, Collective::allgather);
        CHECK(report.steps == first.steps + second.steps);
        CHECK(report.volume == first.volume + second.volume);
      }
    }
  }
}

TEST_CASE("sequences wait for messages under way, on machines with latency and with routes") {
  const std::string both = "{} as reduce then {} as broadcast";
  for (const std::string name : {"karp", "logp-linear", "logp-kary", "logp-binomial"}) {
    for (Rank P = 2; P <= 20; ++P) {
      const Request r = request(Collective::allreduce, P, 2, "logp:L=6,o=2,g=4");
      const std::string text = fmt::format("{0} as reduce then {0} as broadcast", name);
      if (algorithm_of(text)->reason(r)) continue;
      INFO(text << " P " << P);
      CHECK(fault(text, r) == "");
    }
  }
  for (const Rank P : {4u, 8u, 16u}) {
    const std::string fits = "linear as scatter then queueless as allgather";
    CHECK(requests::algorithm_error(fits).find("hop by hop") != std::string::npos);
    const std::string sums = "linear as gather then linear as broadcast";
    const Request all = request(Collective::allgather, P, 1, "fattree:cap=exponential");
    const Source source = from_algorithm(*algorithm_of(sums), all, sums);
    const Report report = check(source, all.machine);
    for (const CheckResult& c : report.checks) {
      if (c.check == "causality") CHECK(c.verdict == Verdict::holds);
    }
  }
}

TEST_CASE("the reverse of the reverse is the original, of copies transfer by transfer") {
  for (const Algorithm* a : algorithms()) {
    if (a->serves(Collective::custom)) continue;
    for (const Collective collective : a->collectives) {
      if (reversed(collective) == Collective::custom) continue;
      const std::string name(a->name);
      for (const Rank P : {1u, 2u, 4u, 7u, 8u}) {
        Request r = request(collective, P, 2);
        r.parameters = Spec{}.check(a->parameters, name);
        if (a->machines.front() != "duplex" || algorithm_of(fmt::format("({})", name))->reason(r))
          continue;
        INFO(name << " P " << P);
        CHECK(singles(fmt::format("reverse(reverse({}))", name), r) == singles(name, r));
      }
    }
  }
}

TEST_CASE("reverses of duals hold") {
  for (const Collective collective :
       {Collective::reduce, Collective::broadcast, Collective::gather, Collective::scatter,
        Collective::allgather, Collective::reduce_scatter, Collective::alltoall}) {
    const Collective other = reversed(collective).value();
    for (const std::string& name : duplex_algorithms(other)) {
      const std::string text = fmt::format("reverse({} as {})", name, info(other).name);
      for (Rank P = 1; P <= 13; ++P) {
        const Request r = request(collective, P, 2, "duplex", info(collective).rooted ? P - 1 : 0);
        if (algorithm_of(text)->reason(r)) continue;
        INFO(text << " P " << P);
        CHECK(fault(text, r) == "");
      }
    }
  }
  const Request r = request(Collective::allreduce, 6, 12);
  CHECK(fault("reverse(ring as reduce-scatter then bruck as allgather)", r) == "");
}

TEST_CASE(
    "instances of split have their own chunks and rotated ranks, and need ports of their own") {
  using enum Collective;
  for (const auto& [name, collective] :
       std::vector<std::pair<std::string, Collective>>{{"chain", broadcast},
                                                       {"chain", reduce},
                                                       {"linear", scatter},
                                                       {"binomial-tree", gather},
                                                       {"ring", allgather},
                                                       {"circulant", reduce_scatter},
                                                       {"pairwise", alltoall},
                                                       {"recursive-doubling", allreduce},
                                                       {"kogge-stone", scan}}) {
    for (const std::uint64_t n : {2u, 3u}) {
      const std::string text = fmt::format("split({}, {} as {})", n, name, info(collective).name);
      for (const Rank P : {1u, 2u, 3u, 4u, 7u, 8u}) {
        for (const std::uint32_t K : {3u, 5u}) {
          const Rank root = info(collective).rooted ? P / 2 : 0;
          const Request r = request(collective, P, K, fmt::format("kport:k={}", n), root);
          if (algorithm_of(text)->reason(r)) continue;
          INFO(text << " P " << P << " K " << K);
          CHECK(fault(text, r) == "");
        }
      }
    }
  }
  // With one port two chains from one root do not fit.
  CHECK(fault("split(2, chain as broadcast)", request(broadcast, 8, 2)) == "{ports}");
  const Request one = request(allgather, 8, 2);
  // Instance 1 of 2 over 8 ranks is rotated by 4.
  const auto all = singles("split(2, ring as allgather)", one);
  const auto ring = singles("ring", request(allgather, 8, 1));
  std::vector<Single> expected;
  for (const auto& [step, src, dst, chunk, reduce] : ring) {
    expected.emplace_back(step, src, dst, 2 * chunk, reduce);
    expected.emplace_back(step, (src + 4) % 8, (dst + 4) % 8, 2 * ((chunk + 4) % 8) + 1, reduce);
  }
  std::ranges::sort(expected);
  CHECK(all == expected);
}

TEST_CASE("as may be left out where the collective decides, and the text has one normal form") {
  const Request r = request(Collective::allreduce, 6, 6);
  CHECK(singles("circulant then ring", r) ==
        singles("circulant as reduce-scatter then ring as allgather", r));
  CHECK(singles("chain then binomial-tree", r) ==
        singles("chain as reduce then binomial-tree as broadcast", r));
  CHECK(algorithm_of("circulant then circulant")->collectives.front() == Collective::allreduce);
  CHECK(composition_text("  ( a:r=3,x  then\tb ) as  c ") == "(a:r=3,x then b) as c");
  CHECK(composition_text("split( 2 ,reverse( (a) ))") == "split(2, reverse(a))");
  CHECK(composition_text("a then (b then c)") == "a then (b then c)");
  CHECK(composition_text("(a then b) then c") == "a then b then c");
  for (const std::string text :
       {"(a then b) as c then d", "split(2, a then b) then (c then d) as e"})
    CHECK(composition_text(composition_text(text)) == composition_text(text));
}

TEST_CASE("an allreduce of three parts") {
  for (const Rank P : {2u, 5u, 8u}) {
    const Request r = request(Collective::allreduce, P, P + 1);
    CHECK(fault("binomial-tree as reduce then linear as scatter then ring as allgather", r) == "");
    CHECK(fault("binomial-tree as reduce then (linear as scatter then ring as allgather)", r) ==
          "");
    CHECK(fault("ring as reduce-scatter then linear as gather then chain as broadcast", r) == "");
  }
}

TEST_CASE("deep and long texts end with an error, not with the stack") {
  std::string deep = "ring";
  deep.insert(0, 100000, '(');
  CHECK(requests::algorithm_error(deep).find("nested more than 32 deep") != std::string::npos);
  std::string chain = "ring";
  for (int i = 0; i < 10000; ++i) chain += " then ring";
  CHECK(requests::algorithm_error(chain) != "");
}
