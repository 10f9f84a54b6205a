// Fractional trees on duplex and simplex PUs: what FT's sections 1 to 3 claim, measured on the
// schedules.

#include "catch.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <vector>

#include "checker/bounds.hpp"
#include "frontend/algorithms/fractional_tree.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/registry.hpp"

using namespace schedcc;

namespace {

using U64 = std::uint64_t;

U64 up(U64 a, U64 b) { return (a + b - 1) / b; }

Request request(const std::string& spec, const std::string& machine, Rank P, std::uint32_t K,
                Rank root = 0, Collective collective = Collective::broadcast) {
  const Spec parsed = Spec::parse(spec);
  Request r;
  r.problem.collective = collective;
  r.problem.ranks = P;
  r.problem.chunks = K;
  r.problem.root = root;
  r.machine = make_machine(machine, P);
  r.parameters = parsed.check(find_algorithm(parsed.name).parameters, spec);
  return r;
}

const Algorithm& named(const std::string& spec) { return find_algorithm(Spec::parse(spec).name); }

/// The measured steps; fails unless everything holds as promised.
U64 steps(const std::string& spec, const Request& r, const CheckOptions& options = {}) {
  const Algorithm& algorithm = named(spec);
  const Report report = check(from_algorithm(algorithm, r, spec), r.machine, options);
  const auto what = [&] { return spec + ": " + describe(r.problem) + " on " + r.machine.spec; };
  if (report.verdict() != Verdict::holds || report.findings_total != 0) {
    FAIL_CHECK(what() << ": " << report.findings.at(0).message);
  }
  if (report.below_bound) FAIL_CHECK(what() << " is below the bound");
  if (r.problem.ranks > 1 && report.steps != algorithm.promise(r).steps) {
    FAIL_CHECK(what() << " takes " << report.steps << " steps, promised "
                      << algorithm.promise(r).steps);
  }
  return report.steps;
}

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
  return d + 2 * K + up(K, r) - 2;
}

enum class Order : std::uint8_t { program, send_first };

/// The most substeps that a step takes if each rank makes its calls of the step one after the
/// other.

U64 substeps(const Steps& schedule, Order order) {
  U64 most = 0;
  Transfers row;
  for (U64 i = 0; i < schedule.size(); ++i) {
    row.clear();
    schedule.fill(i, row);
    std::map<Rank, const Transfer*> sends;  // at most one of each rank
    std::map<Rank, U64> time;               // when a rank's calls so far have completed
    for (const Transfer& t : row) sends[t.src] = &t;
    // Sending first, a message waits until its receiver has sent.
    const auto sent = [&](auto self, const Transfer& t) -> U64 {
      const auto next = sends.find(t.dst);
      return next == sends.end() ? 1 : 1 + self(self, *next->second);
    };
    for (const Transfer& t : row) {
      if (order == Order::send_first) {
        most = std::max(most, sent(sent, t));
      } else {
        const U64 done = std::max(time[t.src], time[t.dst]) + 1;
        most = std::max(most, time[t.src] = time[t.dst] = done);
      }
    }
  }
  return most;
}

/// When everything has happened if every rank makes its calls one after the other, each message
/// takes a unit of time and begins when both ends have come to it; 0 if that never happens.
U64 makespan(const Steps& schedule, Blocking order) {
  std::vector<std::pair<Rank, Rank>> messages;
  std::map<Rank, std::vector<std::size_t>> calls;  // by rank, the messages in program order
  Transfers row;
  for (U64 i = 0; i < schedule.size(); ++i) {
    row.clear();
    schedule.fill(i, row);
    const std::size_t begin = messages.size();
    for (const Transfer& t : row) messages.emplace_back(t.src, t.dst);
    const auto take = [&](bool sends, bool receives) {
      for (std::size_t m = begin; m < messages.size(); ++m) {
        if (sends) calls[messages[m].first].push_back(m);
        if (receives) calls[messages[m].second].push_back(m);
      }
    };
    take(order != Blocking::recv_first, order != Blocking::send_first);
    if (order != Blocking::program) {
      take(order == Blocking::recv_first, order == Blocking::send_first);
    }
  }
  std::map<Rank, std::size_t> place;
  std::map<Rank, U64> time;
  std::vector<Rank> ready;
  ready.reserve(calls.size());
  for (const auto& [rank, list] : calls) ready.push_back(rank);
  const auto next = [&](Rank rank, std::size_t m) {
    return place[rank] < calls[rank].size() && calls[rank][place[rank]] == m;
  };
  std::size_t done = 0;
  U64 end = 0;
  while (!ready.empty()) {
    const Rank rank = ready.back();
    if (place[rank] == calls[rank].size()) {
      ready.pop_back();
      continue;
    }
    const std::size_t m = calls[rank][place[rank]];
    const auto [src, dst] = messages[m];
    if (!next(src, m) || !next(dst, m)) {
      ready.pop_back();
      continue;
    }
    end = std::max(end, time[src] = time[dst] = std::max(time[src], time[dst]) + 1);
    ++place[src];
    ++place[dst];
    ++done;
    ready.push_back(rank == src ? dst : src);
  }
  return done == messages.size() ? end : 0;
}

/// Couples are for simplex PUs only.
std::vector<std::string> variants(std::string_view machine) {
  std::vector<std::string> all{
      "fractional-tree",     "fractional-tree:coupled",     "binary-tree",
      "fractional-tree:r=1", "fractional-tree:r=1,coupled", "fractional-tree:r=2",
      "fractional-tree:r=3", "fractional-tree:r=3,coupled", "fractional-tree:r=4",
      "fractional-tree:r=8", "fractional-tree:r=8,coupled"};
  if (machine == "duplex") std::erase_if(all, [](auto& s) { return s.ends_with("coupled"); });
  return all;
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
        if (T != 2 * fractional_tree_steps(up(P, 2), K, r)) FAIL_CHECK(P << ", " << K << ", " << r);
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
      CHECK(tree.promise(r).steps <= tree.promise(coupled).steps);
      CHECK(tree.promise(r).steps <= find_algorithm("chain").promise(r).steps);
      CHECK(tree.promise(r).steps <= find_algorithm("binary-tree").promise(r).steps);
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
            const auto T = named(spec).promise(request(spec, machine, P, K)).steps;
            least = std::min(least, T);
          }
          const std::string spec = *rest == 0 ? "fractional-tree" : "fractional-tree:coupled";
          if (named(spec).promise(request(spec, machine, P, K)).steps != least) {
            FAIL_CHECK(spec << " on " << machine << ", P = " << P << ", K = " << K);
          }
        }
      }
    }
  }
}

TEST_CASE("FT, section 1: for simplex, up to 3/2 times as fast as both simple algorithms") {
  // Times in units of the start-up t = 1 for messages of size k in s packets of size k/s, at the
  // best s and r. The gain grows with P towards 3/2 and does not reach it.
  const auto best = [](double k, auto steps) {
    double least = 1e300;
    for (double s = 1; s < 4 * k + 4; s = std::max(s + 1, std::floor(s * 1.05))) {
      least = std::min(least, steps(static_cast<U64>(s)) * (1 + k / s));
    }
    return least;
  };
  double before = 1;
  for (const U64 P : {64u, 1024u, 16384u, 1048576u}) {
    double gain = 0;
    for (double k = 64; k < 20.0 * static_cast<double>(P); k *= 2) {
      const double chain = best(k, [&](U64 s) { return static_cast<double>(P - 3 + 2 * s); });
      const double binary = best(
          k, [&](U64 s) { return static_cast<double>(simplex_fractional_tree_steps(P, s, 1)); });
      double tree = 1e300;
      for (U64 r = 1; r < 200; r += 1 + r / 5) {
        const U64 one = simplex_fractional_tree_steps(P, 1, r);  // d + 1
        tree = std::min(
            tree, best(k, [&](U64 s) { return static_cast<double>(one + 2 * s + up(s, r) - 3); }));
      }
      gain = std::max(gain, std::min(chain, binary) / tree);
    }
    INFO("P = " << P << ": " << gain);
    CHECK(gain > before);
    CHECK(gain < 1.5);
    before = gain;
  }
  CHECK(before > 1.4);
}

TEST_CASE("FT, section 3: sequential programs without delays: two substeps a step") {
  for (const U64 r : {1u, 2u, 3u, 4u, 5u, 8u, 200u}) {
    for (U64 P = 2; P <= 128; ++P) {
      for (const U64 K : {1u, 2u, 5u, 9u, 16u}) {
        const Steps schedule = fractional_tree(P, K, r, P % 5);
        if (substeps(schedule, Order::program) > 2) {
          FAIL_CHECK("P = " << P << ", K = " << K << ", r = " << r);
        }
      }
    }
  }
  for (const char* spec : {"fractional-tree:r=3", "chain", "binary-tree"}) {  // also turned round
    const Request r = request(spec, "duplex", 50, 12, 20, Collective::reduce);
    CHECK(substeps(named(spec).steps(r), Order::program) == 2);
  }
}

TEST_CASE("FT, section 3: sending first everywhere, calls wait for one another in long rows") {
  // In a chain under way all PUs send at once, and only the last one is ready to receive.
  CHECK(substeps(fractional_tree(30, 40, 29), Order::send_first) == 29);
  CHECK(substeps(fractional_tree(64, 24, 3), Order::send_first) > 4);
}

TEST_CASE("sequential programs: the times of docs/sequential-programs.md") {
  const U64 P = 1024, K = 456, r = 8;
  const Steps duplex = fractional_tree(P, K, r);
  CHECK(duplex.span() == 569);
  CHECK(makespan(duplex, Blocking::program) == 1136);
  CHECK(makespan(duplex, Blocking::send_first) == 1458);
  CHECK(makespan(duplex, Blocking::recv_first) == 2178);
  CHECK(makespan(simplex_fractional_tree(P, K, r), Blocking::program) == 1027);
  const Request ring = request("circulant", "duplex", 64, 24);
  CHECK(makespan(find_algorithm("circulant").steps(ring), Blocking::send_first) == 0);
}

TEST_CASE("fractional trees cannot deadlock: a step's messages form no cycle") {
  for (const char* machine : {"duplex", "simplex"}) {
    for (const std::string& spec : variants(machine)) {
      for (Rank P = 2; P <= 128; P += P < 20 ? 1 : 9) {
        for (const std::uint32_t K : {1u, 4u, 11u}) {
          for (const Blocking blocking :
               {Blocking::program, Blocking::send_first, Blocking::recv_first}) {
            for (const U64 eager : {0u, 1u}) {
              CheckOptions options;
              options.checks = {"deadlock"};
              options.blocking = blocking;
              options.eager = eager;
              const Collective c = K == 4 ? Collective::reduce : Collective::broadcast;
              steps(spec, request(spec, machine, P, K, P / 2, c), options);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("where messages do form a cycle, the check finds it") {
  // Not a tree: in a step of the circulant broadcast everybody sends and receives.
  const Request r = request("circulant", "duplex", 64, 24);
  const auto verdict = [&](Blocking blocking, U64 eager) {
    CheckOptions options;
    options.blocking = blocking;
    options.eager = eager;
    const Report report =
        check(from_algorithm(find_algorithm("circulant"), r, "circulant"), r.machine, options);
    if (report.verdict() == Verdict::violated) {
      CHECK(report.findings.at(0).check == "deadlock");
      CHECK(report.findings.at(0).message.find("these calls wait for one another: rank") == 0);
    }
    return report.verdict();
  };
  CHECK(verdict(Blocking::send_first, 0) == Verdict::violated);
  CHECK(verdict(Blocking::recv_first, 0) == Verdict::violated);
  CHECK(verdict(Blocking::recv_first, 1) == Verdict::violated);
  CHECK(verdict(Blocking::send_first, 1) == Verdict::holds);
  CHECK(verdict(Blocking::program, 0) == Verdict::holds);
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

TEST_CASE("FT, section 1: all simplex PUs busy; the least T with sum of min(2^t, P/2) >= K (P-1)") {
  const Machine simplex = make_machine("simplex", 2);
  for (Rank P = 2; P <= 70; ++P) {
    for (std::uint32_t K = 1; K <= 20; ++K) {
      U64 T = 0;
      for (U64 moved = 0; moved < U64{K} * (P - 1); ++T) {
        moved += T < 32 ? std::min(U64{1} << T, U64{P / 2}) : P / 2;
      }
      Problem problem;
      problem.ranks = P;
      problem.chunks = K;
      U64 latency = 0;
      while ((U64{1} << latency) < P) ++latency;
      // The last packet's K - 1 + ceil(log2 P) is the better bound where few ranks have much to do.
      if (*lower_bound(problem, simplex, 1).steps != std::max(T, K - 1 + latency)) {
        FAIL_CHECK("P = " << P << ", K = " << K);
      }
    }
  }
}

TEST_CASE("FT (5): 2 (1 - 1/P) k + t (log P - 4) bounds every s, and so does schedcc's bound") {
  const Machine simplex = make_machine("simplex", 2);
  for (const Rank P : {2u, 3u, 16u, 64u, 1000u, 4096u}) {
    for (const double k : {1.0, 16.0, 256.0, 65536.0}) {  // t = 1
      const double five = 2 * (1 - 1.0 / P) * k + std::log2(P) - 4;
      for (std::uint32_t s = 1; s < 100000; s = s * 3 / 2 + 1) {
        Problem problem;
        problem.ranks = P;
        problem.chunks = s;
        const double bound =
            static_cast<double>(*lower_bound(problem, simplex, 1).steps) * (1 + k / s);
        if (bound < five * (1 - 1e-12)) FAIL_CHECK("P = " << P << ", k = " << k << ", s = " << s);
      }
    }
  }
}

TEST_CASE("FT (1), (2): the best s of the chain, and of the binary tree, where the text differs") {
  for (const double P : {16.0, 64.0, 1024.0}) {
    for (const double k : {100.0, 5000.0, 1e6}) {  // t = 1
      const auto chain = [&](double s) { return (P - 2 + s) * (1 + k / s); };
      const double T = k * std::pow(1 + std::sqrt((P - 2) / k), 2);
      CHECK(chain(std::sqrt(k * (P - 2))) == Approx(T));
      CHECK(chain(std::sqrt(k * (P - 2)) * 1.1) > T);
      CHECK(chain(std::sqrt(k * (P - 2)) / 1.1) > T);

      const auto d = static_cast<double>(fractional_tree_steps(static_cast<U64>(P), 1, 1) - 1);
      const auto tree = [&](double s) { return (d + 2 * s) * (1 + k / s); };
      const double T_1 = k * std::pow(std::sqrt(2) + std::sqrt(d / k), 2);
      CHECK(tree(std::sqrt(k * d / 2)) == Approx(T_1));
      CHECK(tree(std::sqrt(2 * k * d)) > 1.0005 * T_1);  // the s that the text gives
    }
  }
}

TEST_CASE("FT (7), (8): the best s of the fractional tree, and the performance examples") {
  for (const double r : {1.0, 3.0, 8.0}) {
    for (const double k : {100.0, 5000.0, 1e6}) {  // t = 1
      const auto d = static_cast<double>(fractional_tree_steps(1024, 1, static_cast<U64>(r)) - 1);
      const auto T = [&](double s) { return (d + s * (1 + 1 / r)) * (1 + k / s); };
      const double s = std::sqrt(k * d * r / (r + 1));
      const double eight = k * (1 + 1 / r) * std::pow(1 + std::sqrt(d * r / (k * (r + 1))), 2);
      CHECK(T(s) == Approx(eight));
      CHECK(T(s * 1.1) > eight);
      CHECK(T(s / 1.1) > eight);
    }
  }
  // P = 1024, k/t = 4096.
  const double k = 4096;
  const auto printed = [&](U64 r, double s) {  // (7), over k
    const auto d = static_cast<double>(fractional_tree_steps(1024, 1, r) - 1);
    return (d + s * (1 + 1.0 / static_cast<double>(r))) * (1 + k / s) / k;
  };
  const auto measured = [&](U64 r, U64 s) {
    return static_cast<double>(fractional_tree_steps(1024, s, r)) *
           (1 + k / static_cast<double>(s)) / k;
  };
  CHECK(std::cbrt(k / 9) == Approx(7.69).epsilon(0.001));  // r is about 8
  CHECK(std::sqrt(k * 57 * 8 / 9) == Approx(456).epsilon(0.001));
  CHECK(printed(8, 456) == Approx(1.389).epsilon(0.0004));
  CHECK(measured(8, 456) == Approx(1.387).epsilon(0.0004));  // a step less than (7)
  CHECK(printed(10, 503) == Approx(1.387).epsilon(0.0004));
  CHECK(std::sqrt(k * static_cast<double>(fractional_tree_steps(1024, 1, 10) - 1) * 10 / 11) ==
        Approx(503).epsilon(0.001));
  // T_* with d / (r + 1) = 57 / 9.
  CHECK(std::pow(1 + std::cbrt(57 / (k * 9)), 3) == Approx(1.389).epsilon(0.001));
}
