// Fractional trees on duplex and simplex PUs: their steps, as FT's sections 1 to 3 claim them,
// measured on the schedules, and the order of operands.

#include "catch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "core/integers.hpp"
#include "fractional_trees.hpp"

using namespace fractional_trees;

namespace {

/// The number of PUs with packet 0 after i steps on simplex PUs, from the recurrence as it stands.
U64 simplex_reach(std::int64_t i, U64 r, std::map<std::int64_t, U64>& tree) {
  const auto size = static_cast<std::int64_t>(2 * r);
  const auto N = [&](auto self, std::int64_t j) -> U64 {
    if (j < 0) return 0;
    if (j < size) return static_cast<U64>(j) + 1;
    if (const auto found = tree.find(j); found != tree.end()) return found->second;
    return tree[j] = 2 * r + 2 * self(self, j - size) + self(self, j - size - 1);
  };
  return 1 + N(N, i - 1) + N(N, i - 2);
}

U64 simplex_formula(U64 P, U64 K, U64 r) {
  if (P == 2) return K;
  std::map<std::int64_t, U64> tree;
  std::int64_t i = 0;
  while (simplex_reach(i, r, tree) < P) ++i;
  const auto d = static_cast<U64>(i - 1);
  return d + 2 * K + ceil_div(K, r) - 2;
}

}  // namespace

TEST_CASE("simplex: d + 2K + ceil(K/r) - 2 steps, for all P up to 128 and any r, K and root") {
  for (const U64 r : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 13u, 100u}) {
    const std::string spec = fmt::format("fractional-tree:r={}", r);
    for (Rank P = 2; P <= 128; ++P) {
      for (const std::uint32_t K : {1u, 2u, 3u, 5u, 8u, 14u, 20u}) {
        const Rank root = (P * K + static_cast<Rank>(r)) % P;
        const Collective c = (P + K) % 2 == 0 ? Collective::broadcast : Collective::reduce;
        const U64 T = steps(spec, request(spec, "simplex", P, K, root, c));
        if (T != simplex_formula(P, K, r)) {
          FAIL_CHECK("P = " << P << ", K = " << K << ", r = " << r << ": " << T << " steps");
        }
      }
    }
  }
}

TEST_CASE("simplex: every K up to 20 and every root of small trees") {
  for (const char* spec : {"fractional-tree", "fractional-tree:r=2", "fractional-tree:r=3",
                           "fractional-tree:r=3,coupled", "binary-tree"}) {
    for (const Rank P : {2u, 3u, 4u, 5u, 8u, 15u, 22u}) {
      for (std::uint32_t K = 1; K <= 20; ++K) {
        for (Rank root = 0; root < P; ++root) steps(spec, request(spec, "simplex", P, K, root));
      }
    }
  }
}

TEST_CASE("FT, section 3: on simplex a run of r packets goes on every 2r + 1 steps") {
  for (const Rank P : {3u, 7u, 16u, 40u, 100u, 1000u}) {
    for (const std::uint32_t r : {1u, 2u, 3u, 5u, 8u}) {
      const std::string spec = fmt::format("fractional-tree:r={}", r);
      const U64 D = steps(spec, request(spec, "simplex", P, r));
      for (const std::uint32_t runs : {2u, 3u, 7u}) {
        CHECK(steps(spec, request(spec, "simplex", P, runs * r)) == D + (2 * r + 1) * (runs - 1));
      }
    }
  }
}

TEST_CASE("FT, section 3: a factor 2 - 1/(r+1) slower than on the duplex model") {
  // A run costs 2r + 1 steps instead of r + 1, as soon as there are right successors.
  for (const U64 r : {1u, 2u, 3u, 8u, 50u}) {
    const U64 P = 1000;
    CHECK(simplex_fractional_tree_steps(P, 100 * r, r) - simplex_fractional_tree_steps(P, r, r) ==
          99 * (2 * r + 1));
    CHECK(fractional_tree_steps(P, 100 * r, r) - fractional_tree_steps(P, r, r) == 99 * (r + 1));
  }
}

TEST_CASE("FT, section 2: the binary tree takes 2 steps a packet, on simplex 3") {
  for (const Rank P : {16u, 100u}) {
    const auto T = [&](const char* machine, std::uint32_t K) {
      return steps("binary-tree", request("binary-tree", machine, P, K));
    };
    for (const std::uint32_t K : {1u, 2u, 11u}) {
      CHECK(T("duplex", K + 1) - T("duplex", K) == 2);
      CHECK(T("simplex", K + 1) - T("simplex", K) == 3);
    }
    CHECK(T("duplex", 1) == T("simplex", 1));  // the same tree
  }
}

TEST_CASE("FT, footnote 2: in couples, twice the steps of half as many duplex PUs") {
  for (const U64 r : {1u, 2u, 3u, 4u, 8u, 20u}) {
    const std::string spec = fmt::format("fractional-tree:r={},coupled", r);
    for (Rank P = 3; P <= 128; ++P) {
      for (const std::uint32_t K : {1u, 2u, 7u, 16u}) {
        const Rank root = P / 3;
        const Collective c = (P + K) % 2 == 0 ? Collective::broadcast : Collective::reduce;
        const U64 T = steps(spec, request(spec, "simplex", P, K, root, c));
        if (T != 2 * fractional_tree_steps(ceil_div(P, 2), K, r))
          FAIL_CHECK(P << ", " << K << ", " << r);
      }
    }
  }
  CHECK(steps("fractional-tree:r=3,coupled", request("fractional-tree:coupled", "simplex", 2, 9)) ==
        9);
}

TEST_CASE("simplex: the direct schedule is never slower than couples, at the best r of both") {
  for (const U64 P : {3u, 4u, 7u, 16u, 64u, 100u, 1000u, 5000u}) {
    for (const U64 K : {1u, 2u, 5u, 16u, 100u, 1000u}) {
      const Request r = request("fractional-tree", "simplex", static_cast<Rank>(P),
                                static_cast<std::uint32_t>(K));
      Request coupled = r;
      coupled.parameters = request("fractional-tree:coupled", "simplex", 2, 1).parameters;
      const Algorithm& tree = find_algorithm("fractional-tree");
      INFO("P = " << P << ", K = " << K);
      CHECK(tree.claim(r).steps <= tree.claim(coupled).steps);
      CHECK(tree.claim(r).steps <= find_algorithm("chain").claim(r).steps);
      CHECK(tree.claim(r).steps <= find_algorithm("binary-tree").claim(r).steps);
    }
  }
}

TEST_CASE("without r= the steps are the fewest of all r") {
  for (const char* machine : {"duplex", "simplex"}) {
    for (const char* rest : {"", ",coupled"}) {
      for (Rank P = 2; P <= 70; P += 3) {
        for (const std::uint32_t K : {1u, 2u, 6u, 25u, 60u}) {
          U64 least = UINT64_MAX;
          for (U64 r = 1; r <= std::max<U64>(P, K) + 1; ++r) {
            const std::string spec = fmt::format("fractional-tree:r={}{}", r, rest);
            const auto T = named(spec).claim(request(spec, machine, P, K)).steps;
            least = std::min(least, T);
          }
          const std::string spec = *rest == 0 ? "fractional-tree" : "fractional-tree:coupled";
          if (named(spec).claim(request(spec, machine, P, K)).steps != least) {
            FAIL_CHECK(spec << " on " << machine << ", P = " << P << ", K = " << K);
          }
        }
      }
    }
  }
}

TEST_CASE("fractional trees keep the order of operands at the first and the last root") {
  for (const char* machine : {"duplex", "simplex"}) {
    for (const std::string& spec : variants(machine)) {
      for (const Rank P : {2u, 3u, 4u, 5u, 9u, 17u, 40u, 65u}) {
        for (const std::uint32_t K : {1u, 2u, 7u}) {
          for (const Rank root : {Rank{0}, P - 1}) {
            Request r = request(spec, machine, P, K, root, Collective::reduce);
            r.problem.ordered = true;
            const auto why = named(spec).reason(r);
            if (why) {
              FAIL_CHECK(spec << " on " << machine << ", P = " << P << ": " << *why);
            } else {
              steps(spec, r);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("fractional trees keep the order of operands exactly where they say so") {
  std::map<std::string, int> kept;
  for (const std::string machine : {"duplex", "simplex"}) {
    for (const std::string& spec : variants(machine)) {
      for (const Rank P : {3u, 4u, 6u, 7u, 12u, 13u, 21u}) {
        for (const std::uint32_t K : {1u, 2u, 5u}) {
          for (Rank root = 0; root < P; ++root) {
            Request r = request(spec, machine, P, K, root, Collective::reduce);
            Source source = from_algorithm(named(spec), r, spec);
            source.problem.ordered = r.problem.ordered = true;
            const bool serves = !named(spec).reason(r);
            const bool holds = check(source, r.machine).verdict() == Verdict::holds;
            if (serves != holds) {
              FAIL_CHECK(spec << " on " << machine << ": " << describe(r.problem) << ": serves "
                              << serves << ", holds " << holds);
            }
            if (serves && root > 0 && root + 1 < P && K > 1) {
              ++kept[fmt::format("{} {}", spec, machine)];
            }
          }
        }
      }
    }
  }
  // Roots in the middle: two trees below the root, one on each side.
  CHECK(kept["binary-tree duplex"] > 40);
  CHECK(kept["fractional-tree:r=3 simplex"] > 40);
  // On duplex PUs with r > 1 the root sends packet 1 to one PU alone, and below that are all
  // others.
  CHECK(kept["fractional-tree:r=3 duplex"] == 0);
  CHECK(kept["fractional-tree:r=8 duplex"] == 0);
}

TEST_CASE("fractional trees keep the order of operands on modules with unequal links, too") {
  std::uint64_t served = 0;
  for (const std::string spec :
       {"fractional-tree:layout=crossbar", "fractional-tree:layout=crossbar-thin"}) {
    for (const char* links : {"in=1,out=1", "in=2,out=1", "in=1,out=2", "in=3,out=2"}) {
      for (const auto& [a, b] : {std::pair<Rank, Rank>{2, 2}, {2, 3}, {3, 2}, {3, 4}, {4, 3}}) {
        for (const Rank root : {Rank{0}, a * b / 2}) {
          const std::string machine = fmt::format("crossbar:a={},b={},{}", a, b, links);
          Request r = request(spec, machine, a * b, 2, root, Collective::reduce);
          if (named(spec).reason(r)) continue;
          ++served;
          Source source = from_algorithm(named(spec), r, spec);
          source.problem.ordered = r.problem.ordered = true;
          INFO(spec << " on " << machine << ": " << describe(r.problem));
          CHECK(!named(spec).reason(r) == (check(source, r.machine).verdict() == Verdict::holds));
        }
      }
    }
  }
  CHECK(served > 10);
}
