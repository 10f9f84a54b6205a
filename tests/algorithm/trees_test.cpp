// Trees and pipelines with their parameters: the schedules hold, and take the steps of the
// formulas, which are computed here in another way than in the algorithms.

#include "catch.hpp"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <set>

#include "algorithm/pipelined.hpp"
#include "ranges.hpp"
#include "run.hpp"
#include "schedcc/error.hpp"

using namespace schedcc;

namespace {

std::uint64_t rounds_to_reach(std::uint64_t k, std::uint64_t P) {
  std::uint64_t steps = 0;
  for (std::uint64_t reached = 1; reached < P; reached *= k) ++steps;
  return steps;
}

/// Checks the broadcast and the reduction of a case.
void check_both(run::Case c) {
  for (const char* collective : {"broadcast", "reduce"}) {
    c.collective = collective;
    const std::string fault = run::fault(c);
    if (!fault.empty()) FAIL_CHECK(fault);
  }
}

std::set<std::uint64_t> arities(Rank P) { return {2, 3, 4, 5, 6, 7, 8, P, P + 3}; }

/// One of three roots, another one for each sum of P and K; where whole ranges are tested, all.
std::set<Rank> roots_of(Rank P, std::uint32_t K) {
  const std::array<Rank, 3> roots{0, P / 3, P - 1};
  if (ranges::whole()) return {roots.begin(), roots.end()};
  return {roots[(P + K) % 3]};
}

std::uint64_t claimed(const run::Case& c) {
  const auto [algorithm, request] = run::ready(c);
  return algorithm->claim(request).steps;
}

}  // namespace

TEST_CASE("k-nomial trees: all P up to 128, any k, K and root; at most (k-1) ceil(log_k P) steps") {
  for (Rank P = 1; P <= 128; ++P) {
    for (const std::uint64_t k : arities(P)) {
      if (k < 2) continue;
      const std::string spec = fmt::format("knomial-tree:k={}", k);
      for (const std::uint32_t K : {1u, 2u, 16u}) {
        for (const Rank root : roots_of(P, K))
          check_both({.spec = spec, .P = P, .K = K, .root = root});
      }
      if (P == 1) continue;
      const std::uint64_t steps = claimed({.spec = spec, .P = P});
      CHECK(steps <= (k - 1) * rounds_to_reach(k, P));
      CHECK(steps >= rounds_to_reach(2, P));
      if (k >= P) CHECK(steps == P - 1);
      if (k == 2) CHECK(steps == rounds_to_reach(2, P));
    }
  }
  for (const std::uint64_t k : {2u, 3u, 5u}) {
    for (std::uint64_t P = k, m = 1; P <= 130; P *= k, ++m) {
      CHECK(claimed({.spec = fmt::format("knomial-tree:k={}", k), .P = static_cast<Rank>(P)}) ==
            (k - 1) * m);
    }
  }
}

TEST_CASE("k-nomial trees on simplex ports") {
  for (Rank P = 2; P <= 40; ++P) {
    for (const char* spec : {"knomial-tree:k=2", "knomial-tree:k=3", "knomial-tree:k=7"}) {
      check_both({.spec = spec, .P = P, .K = 3, .machine = "simplex", .root = P / 2});
    }
  }
}

TEST_CASE("k-ary trees: all P up to 128, any k, K and root, in k(K-1) + D steps") {
  // The ranks that are reached, counted step by step: every rank that has the packet sends it k
  // times.
  const auto D = [](std::uint64_t P, std::uint64_t k) {
    std::vector<std::uint64_t> sent{0};  // how often each rank has sent
    std::uint64_t steps = 0;
    for (; sent.size() < P; ++steps) {
      const std::size_t before = sent.size();
      for (std::size_t v = 0; v < before; ++v) {
        if (sent[v]++ < k) sent.push_back(0);
      }
    }
    return steps;
  };
  for (Rank P = 1; P <= 128; ++P) {
    for (const std::uint64_t k : arities(P)) {
      if (P == 1 && k > 8) continue;
      const std::string spec = fmt::format("kary-tree:k={}", k);
      for (const std::uint32_t K : {1u, 2u, 16u}) {
        for (const Rank root : roots_of(P, K))
          check_both({.spec = spec, .P = P, .K = K, .root = root});
        if (P > 1) CHECK(claimed({.spec = spec, .P = P, .K = K}) == k * (K - 1) + D(P, k));
      }
    }
  }
}

TEST_CASE("k-ary trees: k = 1 is the chain, k = 2 the binary tree, and the best k is found") {
  for (const Rank P : {2u, 3u, 4u, 9u, 20u, 64u, 100u}) {
    for (std::uint32_t K = 1; K <= 16; ++K) {
      CHECK(claimed({"kary-tree:k=1", P, K}) == claimed({"chain", P, K}));
      CHECK(claimed({"kary-tree:k=2", P, K}) ==
            (P == 2 ? 2 * K - 1 : claimed({"binary-tree", P, K})));
      std::uint64_t least = UINT64_MAX;
      for (std::uint64_t k = 1; k <= P; ++k) {
        least = std::min(least, claimed({fmt::format("kary-tree:k={}", k), P, K}));
      }
      CHECK(claimed({"kary-tree", P, K}) == least);
    }
  }
}

TEST_CASE("two-tree: all P up to 128, K up to 16, several roots; all roots for small P") {
  for (Rank P = 1; P <= 128; ++P) {
    for (std::uint32_t K = 1; K <= 16; ++K) {
      for (const Rank root : roots_of(P, K))
        check_both({.spec = "two-tree", .P = P, .K = K, .root = root});
    }
  }
  for (Rank P = 1; P <= 20; ++P) {
    for (Rank root = 0; root < P; ++root) {
      for (const std::uint32_t K : {1u, 2u, 9u}) {
        check_both({.spec = "two-tree", .P = P, .K = K, .root = root});
      }
    }
  }
}

TEST_CASE("two-tree: no rank forwards in both trees, and each tree is binary") {
  for (Rank P = 2; P <= 600; ++P) {
    const auto [algorithm, request] = run::ready({.spec = "two-tree", .P = P, .K = 2});
    std::vector<std::array<int, 2>> children(P);
    Transfers row;
    const Steps steps = algorithm->steps(request);
    for (std::uint64_t t = 0; t < steps.size(); ++t) {
      row.clear();
      steps.fill(t, row);
      for (const Transfer& x : row) ++children[x.src][x.first % 2];
    }
    REQUIRE(children[0] == std::array{1, 1});
    for (Rank v = 1; v < P; ++v) {
      REQUIRE(std::min(children[v][0], children[v][1]) == 0);
      REQUIRE(std::max(children[v][0], children[v][1]) <= 2);
    }
  }
}

TEST_CASE("two-tree: its bound holds for many P, and is met for K = 2 on 8 ranks") {
  for (const Rank P : {1000u, 1023u, 1024u, 1025u, 2049u, 4095u, 4096u, 4097u, 5000u}) {
    for (const std::uint32_t K : {1u, 2u, 3u}) {
      const std::string fault = run::fault({.spec = "two-tree", .P = P, .K = K});
      if (!fault.empty()) FAIL_CHECK(fault);
    }
  }
  CHECK(run::report({.spec = "two-tree", .P = 8, .K = 2}).steps == 2 + 2 * 3 - 1);
}

TEST_CASE("two-tree keeps the order of operands for the first and the last root") {
  for (Rank P = 2; P <= 40; ++P) {
    for (const Rank root : {0u, P - 1}) {
      const run::Case c{"two-tree", P, 5, "duplex", "reduce", root, true};
      const auto [algorithm, request] = run::ready(c);
      CHECK_FALSE(algorithm->reason(request));
      CHECK(run::fault(c).empty());
    }
    for (Rank root = 1; root + 1 < P; ++root) {
      const auto [algorithm, request] =
          run::ready({"two-tree", P, 5, "duplex", "reduce", root, true});
      CHECK(algorithm->reason(request));
    }
  }
}

namespace {

const std::vector<LogP>& models() {
  static const std::vector<LogP> all = [] {
    std::vector<LogP> models;
    for (const std::uint64_t L : {0u, 1u, 2u, 3u, 6u, 20u}) {
      for (const std::uint64_t o : {0u, 1u, 2u, 3u}) {
        for (const std::uint64_t g : {1u, 2u, 3u, 4u, 5u, 7u, 30u}) {
          if (L + o > 0) models.push_back({L, o, g});
        }
      }
    }
    return models;
  }();
  return all;
}

std::string spec(const LogP& model) {
  return fmt::format("logp:L={},o={},g={}", model.L, model.o, model.g);
}

/// min { t : N(t) >= P } with N(t) = 1 + sum over c < k of N(t - l - c s), and 0 for t < 0.
std::uint64_t kary_time(std::uint64_t P, std::uint64_t k, const LogP& model) {
  std::vector<std::uint64_t> N{1};
  while (N.back() < P) {
    const std::uint64_t t = N.size();
    std::uint64_t sum = 1;
    for (std::uint64_t c = 0; c < k; ++c) {
      const std::uint64_t delay = model.latency() + c * model.spacing();
      if (delay > t) break;
      sum += N[t - delay];
    }
    N.push_back(sum);
  }
  return N.size() - 1;
}

}  // namespace

TEST_CASE("LogP trees hold for all L, o, g, several K and roots") {
  for (const LogP& model : models()) {
    for (const Rank P : {2u, 3u, 5u, 8u, 13u, 28u}) {
      for (const std::uint32_t K : {1u, 2u, 7u}) {
        for (const char* tree :
             {"karp", "logp-linear", "logp-binary", "logp-binomial", "logp-knomial:k=3",
              "logp-knomial:k=5", "logp-kary:k=1", "logp-kary:k=3", "logp-kary:k=6"}) {
          check_both({.spec = tree, .P = P, .K = K, .machine = spec(model), .root = P / 3});
        }
      }
    }
  }
}

TEST_CASE("LogP trees hold for all P up to 128 and any k") {
  for (Rank P = 1; P <= 128; ++P) {
    for (const char* machine : {"logp:L=6,o=2,g=4", "logp:L=2,o=3,g=1", "logp:L=0,o=1,g=9"}) {
      for (const Rank root : {0u, P - 1}) {
        for (const char* tree : {"logp-linear", "logp-binary", "logp-binomial"}) {
          check_both({.spec = tree, .P = P, .K = 3, .machine = machine, .root = root});
        }
        for (const std::uint64_t k : arities(P)) {
          if (k < 2) continue;
          for (const char* tree : {"logp-knomial", "logp-kary"}) {
            check_both({.spec = fmt::format("{}:k={}", tree, k),
                        .P = P,
                        .K = 3,
                        .machine = machine,
                        .root = root});
          }
        }
      }
    }
  }
}

TEST_CASE("LogP: k-ary trees take what the recurrence says, and k >= P - 1 is Karp's tree") {
  for (const LogP& model : models()) {
    for (const Rank P : {2u, 3u, 4u, 7u, 12u, 40u}) {
      for (const std::uint64_t k : {1u, 2u, 3u, 8u}) {
        CHECK(claimed({fmt::format("logp-kary:k={}", k), P, 1, spec(model)}) ==
              kary_time(P, k, model));
      }
      CHECK(claimed({fmt::format("logp-kary:k={}", P), P, 1, spec(model)}) ==
            claimed({"karp", P, 1, spec(model)}));
      CHECK(claimed({"logp-kary:k=2", P, 9, spec(model)}) ==
            claimed({"logp-binary", P, 9, spec(model)}));
    }
  }
}

TEST_CASE("LogP: k-nomial trees of k^h ranks take h (k-2) s + l + (h-1) max(l, s)") {
  for (const LogP& model : models()) {
    const std::uint64_t l = model.latency(), s = model.spacing();
    for (const std::uint64_t k : {2u, 3u, 4u, 9u}) {
      for (std::uint64_t P = k, h = 1; P <= 300; P *= k, ++h) {
        const std::string tree = k == 2 ? "logp-binomial" : fmt::format("logp-knomial:k={}", k);
        CHECK(claimed({tree, static_cast<Rank>(P), 1, spec(model)}) ==
              h * (k - 2) * s + l + (h - 1) * std::max(l, s));
      }
    }
    CHECK(claimed({"logp-knomial:k=9", 9, 4, spec(model)}) ==
          claimed({"logp-linear", 9, 4, spec(model)}));
  }
}

namespace {

/// Can a rank receive once, from 0 to o, and send c times in every period? `first` and `last` are
/// the first send and the one before the next; all times for the next are tried.
bool fits(std::uint64_t period, std::uint64_t c, const LogP& model, std::uint64_t first,
          std::uint64_t last) {
  const std::uint64_t s = model.spacing();
  if (period < s) return false;  // receives
  if (c == 0) return first + period >= last + s;
  for (std::uint64_t next = last + s; next + model.o <= period; ++next) {
    if (fits(period, c - 1, model, first, next)) return true;
  }
  return false;
}

bool fits(std::uint64_t period, std::uint64_t c, const LogP& model) {
  for (std::uint64_t first = model.o; first + model.o <= period; ++first) {
    if (fits(period, c - 1, model, first, first)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("LogP: the least period of a rank with c children is (c-1) s + max(s, 2o)") {
  for (const LogP& model : models()) {
    for (const std::uint64_t c : {1u, 2u, 3u}) {
      const std::uint64_t s = model.spacing();
      if (s > 7) continue;
      const std::uint64_t least = (c - 1) * s + std::max(s, 2 * model.o);
      CHECK(fits(least, c, model));
      for (std::uint64_t period = 1; period < least; ++period) {
        CHECK_FALSE(fits(period, c, model));
      }
      // A chain, and the trees over enough ranks that a rank beside the root has c children.
      if (c == 1) {
        CHECK(claimed({"logp-kary:k=1", 5, 8, spec(model)}) ==
              claimed({"logp-kary:k=1", 5, 1, spec(model)}) + 7 * least);
      } else if (c == 2) {
        CHECK(claimed({"logp-binary", 64, 8, spec(model)}) ==
              claimed({"logp-binary", 64, 1, spec(model)}) + 7 * least);
      }
    }
  }
}

TEST_CASE("trees with any k refuse the order of operands exactly where it would be broken") {
  std::uint64_t kept = 0, refused = 0;
  for (const char* tree : {"knomial-tree", "kary-tree", "logp-knomial", "logp-kary"}) {
    for (Rank P = 2; P <= 9; ++P) {
      for (const std::uint64_t k : {2u, 3u, 4u, 12u}) {
        for (Rank root = 0; root < P; ++root) {
          const std::string spec = fmt::format("{}:k={}", tree, k);
          auto [algorithm, request] = run::ready({spec, P, 3, "", "reduce", root});
          Source source = from_algorithm(*algorithm, request, spec);
          source.problem.ordered = request.problem.ordered = true;
          const bool serves = !algorithm->reason(request);
          CHECK(serves == (check(source, request.machine).verdict() == Verdict::holds));
          ++(serves ? kept : refused);
        }
      }
    }
  }
  CHECK(kept > 100);
  CHECK(refused > 100);
}

TEST_CASE("LogP trees refuse other machines, and times that no number can hold") {
  for (const char* tree :
       {"karp", "logp-linear", "logp-binary", "logp-binomial", "logp-knomial", "logp-kary"}) {
    const auto why = [&](Rank P, std::uint32_t K, const char* machine) {
      const auto [algorithm, request] = run::ready({tree, P, K, machine});
      return algorithm->reason(request).value_or("");
    };
    CHECK(why(8, 1, "duplex") == "its tree is made from the L, o and g of a logp machine");
    CHECK(why(8, 1, "logp").empty());
    CHECK(why(8, 2147483647, "logp:L=4294967295,o=1,g=1") ==
          "its times might not be below 2^64 cycles");
    CHECK(why(8, 2147483647, "logp").empty());
  }
}

TEST_CASE("pipelined: packets take every send of the tree, a period apart") {
  const std::vector<Send> sends{{0, 0, 1}, {3, 0, 2}, {10, 1, 3}};
  for (const std::uint64_t period : {1u, 2u, 3u, 4u, 5u, 7u, 100u}) {
    for (const std::uint64_t K : {1u, 2u, 5u}) {
      std::multiset<std::array<std::uint64_t, 4>> expected, got;
      for (std::uint64_t p = 0; p < K; ++p) {
        for (const Send& s : sends) expected.insert({s.time + p * period, s.from, s.to, p});
      }
      const Steps steps = pipelined(sends, period, K);
      std::uint64_t before = 0;
      for (std::uint64_t i = 0; i < steps.size(); ++i) {
        Transfers row;
        const std::uint64_t t = steps.fill(i, row);
        CHECK((i == 0 || t > before));
        before = t;
        for (const Transfer& x : row) got.insert({t, x.src, x.dst, x.first});
      }
      CHECK(got == expected);
      CHECK(steps.span() == 10 + (K - 1) * period + 1);
    }
  }
  CHECK(pipelined(sends, 3, 0).size() == 0);
  CHECK(pipelined({}, 3, 5).size() == 0);
}
