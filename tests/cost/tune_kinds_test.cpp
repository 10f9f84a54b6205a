// Tuning: reverses, and instances at once, against timing every one of them.

#include "catch.hpp"

#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "algorithm/composition/composition.hpp"
#include "costs.hpp"
#include "schedcc/check.hpp"

using namespace costs;

namespace {

TuneRequest request(Collective collective, Rank P, const std::string& machine) {
  TuneRequest r;
  r.problem.collective = collective;
  r.problem.ranks = P;
  r.machine = machine;
  r.model = alpha_beta(1e-6, 1e-9);
  r.compositions = true;
  for (const Algorithm* a : algorithms()) r.algorithms.push_back({std::string(a->name), {}});
  return r;
}

/// The time of a composition whose schedule holds; none if it is not served, or does not hold.
std::optional<double> seconds(const std::string& text, const TuneRequest& asked, std::uint32_t K,
                              std::uint64_t bytes) {
  Request own;
  own.problem = asked.problem;
  own.problem.chunks = K;
  own.machine = make_machine(*asked.machine, own.problem.ranks);
  try {
    const auto algorithm = named_algorithm(algorithm_spec(text));
    if (!algorithm->serves(own.problem.collective) || algorithm->reason(own)) return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;  // it cannot be composed
  }
  const Source source = from_algorithm(text, own.problem, *asked.machine);
  if (check(source, own.machine).verdict() != Verdict::holds) return std::nullopt;
  return cost(source, own.machine, asked.model, {bytes, false}).seconds;
}

/// Checks that none of these compositions takes less time than what is best; how many were timed.
std::size_t compare(const TuneRequest& asked, const std::vector<std::string>& texts,
                    const std::vector<std::uint32_t>& chunks) {
  std::size_t timed = 0;
  for (const std::uint64_t bytes : {std::uint64_t{240}, std::uint64_t{240} << 10}) {
    Tuner tuner(asked);
    const auto best = tuner.best(bytes);
    REQUIRE(best);
    for (const std::string& text : texts) {
      for (const std::uint32_t K : chunks) {
        const auto other = seconds(text, asked, K, bytes);
        if (!other) continue;
        ++timed;
        INFO(best->spec.text() << " in " << best->chunks << ", " << text << " in " << K << " on "
                               << *asked.machine << ", " << bytes << " B");
        CHECK(best->seconds <= *other * (1 + 1e-9));
      }
    }
  }
  return timed;
}

const std::vector<Collective> all_collectives = {
    Collective::broadcast, Collective::reduce,         Collective::scatter,  Collective::gather,
    Collective::allgather, Collective::reduce_scatter, Collective::alltoall, Collective::allreduce};

}  // namespace

TEST_CASE("no instances of a plain algorithm are faster than the best choice") {
  std::size_t timed = 0;
  for (const Collective collective : all_collectives) {
    for (const Rank P : {5u, 8u, 12u}) {
      for (const std::uint32_t ports : {2u, 3u}) {
        std::vector<std::string> texts;
        for (const Algorithm* x : algorithms()) {
          for (std::uint32_t n = 2; n <= ports; ++n)
            texts.push_back(fmt::format("split({}, {})", n, x->name));
        }
        timed += compare(request(collective, P, fmt::format("kport:k={}", ports)), texts, {6, 24});
      }
    }
  }
  CHECK(timed > 500);
}

TEST_CASE("no reverse of a plain algorithm is faster than the best choice") {
  std::size_t timed = 0;
  for (const Collective collective : all_collectives) {
    if (!reversed(collective)) continue;
    for (const Rank P : {5u, 8u, 12u}) {
      std::vector<std::string> texts;
      for (const Algorithm* x : algorithms()) texts.push_back(fmt::format("reverse({})", x->name));
      timed += compare(request(collective, P, "duplex"), texts, {1, 6});
    }
  }
  CHECK(timed > 200);
}

TEST_CASE("several ports carry instances of an algorithm for one") {
  const TuneRequest asked = request(Collective::broadcast, 33, "kport:k=2");
  Tuner tuner(asked);
  const auto best = tuner.best(1 << 20);
  REQUIRE(best);
  CHECK(best->spec.text() == "split(2, two-tree)");
  const auto again = seconds(best->spec.text(), asked, best->chunks, 1 << 20);
  REQUIRE(again);
  CHECK(close(best->seconds, *again));
}

TEST_CASE("an algorithm that serves only the reverse of a collective is a choice backwards") {
  TuneRequest asked = request(Collective::reduce_scatter, 8, "duplex");
  asked.algorithms = {{"ring", {}}, {"neighbor-exchange", {}}};
  const auto best = Tuner(asked).best(1 << 10);
  REQUIRE(best);
  CHECK(best->spec.text() == "reverse(neighbor-exchange)");
}

TEST_CASE("given chunks are those of all instances together") {
  TuneRequest asked = request(Collective::broadcast, 33, "kport:k=2");
  for (const std::uint32_t K : {1u, 2u, 7u, 100u}) {
    asked.chunks = K;
    const auto best = Tuner(asked).best(1 << 20);
    REQUIRE(best);
    CHECK(best->chunks == K);
  }
}
