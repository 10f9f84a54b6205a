// Algorithms with parameters meet their claims in the ranges of these (claims.hpp).

#include <fmt/core.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "claims.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/spec.hpp"

using namespace schedcc;
using namespace claims;

TEST_CASE("parameters in their ranges give schedules that hold") {
  const Algorithm& tree = find_algorithm("fractional-tree");
  for (const Rank P : {2u, 3u, 7u, 13u, 18u, 40u, 64u}) {
    for (const std::uint32_t K : {1u, 2u, 5u, 12u, 13u}) {
      for (std::uint64_t r = 1; r <= P + 2; ++r) {
        const Spec spec = Spec::parse(fmt::format("fractional-tree:r={}", r));
        for (const Collective c : {Collective::broadcast, Collective::reduce}) {
          check_claim(tree, request_to(tree, c, P, K, P / 3, "duplex", spec));
        }
      }
    }
  }
  for (const char* name : {"kary-tree", "logp-kary", "logp-knomial"}) {
    const Algorithm& algorithm = find_algorithm(name);
    for (const Rank P : {2u, 3u, 4u, 7u, 18u, 33u}) {
      for (const std::uint32_t K : {1u, 2u, 5u}) {
        for (std::uint64_t k = 2; k <= P + 1; ++k) {
          const Spec spec = Spec::parse(fmt::format("{}:k={}", name, k));
          const char* const machine = k % 2 == 0 ? "logp:L=2,o=1,g=1" : "logp:L=6,o=2,g=5";
          for (const Collective c : {Collective::broadcast, Collective::reduce}) {
            check_claim(algorithm,
                        request_to(algorithm, c, P, K, P / 3,
                                   algorithm.machines[0] == "logp" ? machine : "duplex", spec));
          }
        }
      }
    }
  }
  const Algorithm& butterfly = find_algorithm("bsp-butterfly");
  for (Rank P = 2; P <= 40; ++P) {
    for (const std::uint32_t K : {1u, 2u, P - 1, P, 2 * P + 1}) {
      for (const std::uint64_t h : {2u, 3u, 4u, 7u, P - 2, P - 1, P}) {
        if (h == 0) continue;
        const Spec spec = Spec::parse(fmt::format("bsp-butterfly:h={}", h));
        for (const Collective c : butterfly.collectives) {
          const Rank root = info(c).rooted ? P / 3 : 0;
          check_claim(butterfly,
                      request_to(butterfly, c, P, K, root, fmt::format("bsp:h={}", h), spec));
        }
      }
    }
  }
  const Algorithm& karp = find_algorithm("karp");
  for (const char* machine : {"logp:L=6,o=2,g=4", "logp:L=1,o=0,g=1", "logp:L=0,o=1,g=1",
                              "logp:L=10,o=3,g=1", "logp:L=3,o=1,g=9", "logp:L=100,o=1,g=2"}) {
    for (const Rank P : {2u, 3u, 8u, 21u, 64u}) {
      for (const std::uint32_t K : {1u, 4u}) {
        for (const Collective c : {Collective::broadcast, Collective::reduce}) {
          check_claim(karp, request_to(karp, c, P, K, P - 1, machine));
        }
      }
    }
  }
}

TEST_CASE("butterflies of every radix keep the order or refuse it, and rightly so") {
  const Algorithm& butterfly = find_algorithm("bsp-butterfly");
  std::uint64_t kept = 0, refused = 0;
  for (Rank P = 2; P <= 12; ++P) {
    for (const std::uint32_t K : {1u, 3u, 2 * P}) {
      for (std::uint64_t h = 1; h <= P; ++h) {
        const std::string machine = fmt::format("bsp:h={}", h);
        for (Rank root = 0; root < P; ++root) {
          ++(order_is_exact(butterfly,
                            request_to(butterfly, Collective::reduce, P, K, root, machine))
                 ? kept
                 : refused);
        }
        for (const Collective c : {Collective::reduce_scatter, Collective::allreduce}) {
          ++(order_is_exact(butterfly, request_to(butterfly, c, P, K, 0, machine)) ? kept
                                                                                   : refused);
        }
      }
    }
  }
  CHECK(kept > 100);
  CHECK(refused > 100);
}

namespace {

/// Specifications of the algorithms whose parameters are radices, ports or distances, for P ranks.
std::vector<Spec> parameter_specs(Rank P, std::mt19937_64& random) {
  std::vector<Spec> result{Spec::parse("circulant-skips:skips=doubling")};
  for (std::uint64_t value : {2, 3, 4, 5, 8}) {
    for (const char* form :
         {"bruck:radix={}", "bruck:radix={},balanced", "recexch:k={}", "recursive-multiplying:k={}",
          "recursive-multiplying:k={},mixed", "pairwise:ports={}", "linear:ports={}",
          "knomial-tree:ports={}", "knomial-tree:k=5,ports={}", "pat:aggregation={}"})
      result.push_back(Spec::parse(fmt::format(fmt::runtime(form), value)));
  }
  for (int i = 0; i < 3; ++i) {
    std::string skips;
    for (std::uint64_t above = P; above > 1;) {
      const std::uint64_t least = (above + 1) / 2;
      above = least + random() % (above - least);
      skips += fmt::format("{}{}", skips.empty() ? "" : ",", above);
    }
    if (!skips.empty()) result.push_back(Spec::parse("circulant-skips:skips=" + skips));
  }
  return result;
}

/// Calls f(algorithm, request) for all their collectives.
template <typename F>
void each_parameter(Rank P, std::uint32_t K, std::mt19937_64& random, F f) {
  for (const Spec& spec : parameter_specs(P, random)) {
    const Algorithm& algorithm = find_algorithm(spec.name);
    const Parameters given = spec.check(algorithm.parameters, spec.name);
    const std::string machine = algorithm.machines_for(given).front();
    for (const Collective c : algorithm.collectives)
      f(algorithm, request_to(algorithm, c, P, K, 0, machine, spec));
  }
}

}  // namespace

TEST_CASE("radices, ports and distances give schedules that meet their claims") {
  std::mt19937_64 random(12);
  for (const Rank P : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 12u, 13u, 16u, 17u, 27u, 33u}) {
    for (const std::uint32_t K : {1u, 3u, 2 * P}) {
      if (P > 16 && K > 3) continue;
      each_parameter(P, K, random, check_claim);
    }
  }
}

TEST_CASE("radices, ports and distances keep the order of operands or refuse it, and rightly so") {
  std::mt19937_64 random(13);
  std::uint64_t kept = 0, refused = 0;
  for (Rank P = 1; P <= 10; ++P) {
    for (const std::uint32_t K : {1u, 2u, 5u}) {
      each_parameter(P, K, random, [&](const Algorithm& algorithm, const Request& r) {
        if (!info(r.problem.collective).reduction || algorithm.reason(r)) return;
        const bool in_order = order_is_exact(algorithm, r);
        ++(in_order ? kept : refused);
        if (!in_order) return;
        Request ordered = r;
        ordered.problem.ordered = true;
        check_claim(algorithm, ordered);
      });
    }
  }
  CHECK(kept > 100);
  CHECK(refused > 100);
}

TEST_CASE("an algorithm's own number of ports is that of the machine that it is for") {
  const auto machines = [](std::string_view spec) {
    const Spec named = Spec::parse(spec);
    const Algorithm& algorithm = find_algorithm(named.name);
    return algorithm.machines_for(named.check(algorithm.parameters, named.name));
  };
  using Names = std::vector<std::string>;
  CHECK(machines("bruck") == Names{"duplex"});
  CHECK(machines("bruck:radix=4") == Names{"kport:k=3"});
  CHECK(machines("recexch:k=2") == Names{"duplex"});
  CHECK(machines("pairwise:ports=4") == Names{"kport:k=4"});
  CHECK(machines("linear") == Names{"duplex", "simplex"});
  CHECK(machines("linear:ports=4") == Names{"kport:k=4"});
  CHECK(machines("bsp-butterfly:h=4") == Names{"bsp:h=4"});
  CHECK(machines("two-phase") == Names{"bsp:h=2", "bsp", "kport"});
}
