// Every entry of the registry meets its claims: a loop over all algorithms, collectives, ranks,
// chunks and roots. A schedule that is served holds and takes the claimed number of steps. A
// request that is refused has a reason, and is refused because of the order of operands only if the
// schedule would break that order.

#include "catch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "algorithm/library_names.hpp"
#include "ranges.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

using namespace schedcc;

namespace {

Request request(const Algorithm& algorithm, Collective collective, Rank P, std::uint32_t K,
                Rank root, std::string_view machine, const Spec& spec = {}) {
  Request r;
  r.problem.collective = collective;
  r.problem.ranks = P;
  r.problem.chunks = K;
  r.problem.root = root;
  r.machine = make_machine(machine, P);
  r.parameters = spec.check(algorithm.parameters, algorithm.name);
  return r;
}

/// Does the machine exist for P ranks?
bool exists(std::string_view machine, Rank P) {
  try {
    make_machine(machine, P);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// The chunks that the busiest rank sends, or receives, and the messages, one after another, that
/// lead to the first chunk of some rank; of a reduction, backwards, to its last one.
struct MessageCounts {
  std::uint64_t busiest = 0, hops = 0;
};

MessageCounts message_counts(const Source& source) {
  std::vector<Transfer> transfers;
  const auto steps = source.open();
  for (Step step; steps->next(step);)
    transfers.insert(transfers.end(), step.transfers.begin(), step.transfers.end());
  if (source.problem.collective == Collective::reduce) {
    std::ranges::reverse(transfers);
    for (Transfer& t : transfers) std::swap(t.src, t.dst);
  }
  std::map<Rank, std::uint64_t> sent, received;
  std::map<std::pair<Rank, Chunk>, std::uint64_t> hops;
  MessageCounts result;
  for (const Transfer& t : transfers) {
    const std::uint64_t before = hops[{t.src, t.first}];
    for (Chunk c = t.first; c < t.first + t.count; ++c) hops[{t.dst, c}] = before + 1;
    if (received[t.dst] == 0) result.hops = std::max(result.hops, before + 1);
    result.busiest = std::max({result.busiest, sent[t.src] += t.count, received[t.dst] += t.count});
  }
  return result;
}

void check_claim(const Algorithm& algorithm, const Request& r) {
  if (!algorithm.made_for(r)) return;
  if (const auto why = algorithm.reason(r)) {
    if (why->empty()) FAIL_CHECK("a refusal without a reason");
    return;
  }
  const Report report = check(from_algorithm(algorithm, r, std::string(algorithm.name)), r.machine);
  const auto what = [&] {
    return fmt::format("{}: {} on {}", algorithm.name, describe(r.problem), r.machine.spec());
  };
  // Catch2's macros cost more than a small schedule, so that only what is wrong goes through them.
  if (report.verdict() != Verdict::holds) {
    FAIL_CHECK(what() << ": " << (report.findings.empty() ? "" : report.findings[0].message));
  }
  if (report.findings_total != 0 && algorithm.agrees(r)) FAIL_CHECK(what() << " has warnings");
  if (report.below_bound) FAIL_CHECK(what() << " is below the bound");
  if (r.problem.ranks == 1) {
    if (report.steps != 0) FAIL_CHECK(what() << " takes steps");
    return;
  }
  const CostClaim claim = algorithm.claim(r);
  if (claim.width != 0 && report.width > claim.width) {
    FAIL_CHECK(what() << " has a message of " << report.width << " chunks, claimed "
                      << claim.width);
  }
  if (claim.volume != 0 && report.volume != claim.volume) {
    FAIL_CHECK(what() << " has volume " << report.volume << ", claimed " << claim.volume);
  }
  const bool in_every_step = claim.width == 1 && claim.exact && !claim.idle && !r.machine.timing();
  if (in_every_step && report.volume != report.steps) {
    FAIL_CHECK(what() << " has volume " << report.volume << " in " << report.steps << " steps");
  }
  if (claim.busiest != 0 || claim.hops != 0) {
    const auto counts = message_counts(from_algorithm(algorithm, r, std::string(algorithm.name)));
    if (counts.busiest < claim.busiest || counts.hops < claim.hops) {
      FAIL_CHECK(what() << " has a rank of " << counts.busiest << " chunks and a path of "
                        << counts.hops << " messages, claimed " << claim.busiest << " and "
                        << claim.hops);
    }
  }
  if (claim.exact ? report.steps != claim.steps : report.steps > claim.steps) {
    FAIL_CHECK(what() << " takes " << report.steps << " steps, claimed " << claim.steps);
  }
}

/// Calls f(algorithm, collective, machine) for everything that the registry has.
template <typename F>
void each_service(F f) {
  for (const Algorithm* algorithm : algorithms()) {
    for (const Collective collective : algorithm->collectives) {
      const Parameters standard = Spec{}.check(algorithm->parameters, algorithm->name);
      for (const std::string& machine : algorithm->machines_for(standard)) {
        f(*algorithm, collective, machine);
      }
    }
  }
}

/// The roots of a case: all; or the first, the middle or the last, depending on K, so that three
/// values of K test all three for every P. Other combinations of K and root are tested where all
/// roots are.
std::set<Rank> roots_of(Collective collective, Rank P, std::size_t turn, bool all_roots) {
  std::set<Rank> roots;
  if (!info(collective).rooted) return {0};
  if (!all_roots) return {std::array{Rank{0}, P / 2, P - 1}[turn % 3]};
  for (Rank root = 0; root < P; ++root) roots.insert(root);
  return roots;
}

/// Of the numbers of ranks, the powers of two, and of the others every `stride`-th, beginning with
/// another one for each service; for each of them every `chunk_stride`-th number of chunks,
/// beginning with another one for each number of ranks; collectives with at most `max_blocks` kinds
/// of blocks, 0 for those of one message. Where whole ranges are tested, all of them. (`make sweep`
/// takes more.)
struct Selection {
  std::size_t stride = 1;
  std::size_t chunk_stride = 1;
  int max_blocks = 2;
};

void sweep(const std::vector<Rank>& ranks, const std::vector<std::uint32_t>& chunks, bool all_roots,
           const Selection& selection = {}) {
  const std::size_t stride = ranges::part(selection.stride, std::size_t{1});
  const std::size_t chunk_stride = ranges::part(selection.chunk_stride, std::size_t{1});
  std::size_t service = 0;
  each_service([&](const Algorithm& algorithm, Collective collective, std::string_view machine) {
    if (info(collective).blocks > selection.max_blocks) return;
    std::size_t turn = service++;
    for (const Rank P : ranks) {
      if (!std::has_single_bit(P) && turn++ % stride != 0) continue;
      if (!exists(machine, P)) continue;
      for (std::size_t i = P % chunk_stride; i < chunks.size(); i += chunk_stride) {
        for (const Rank root : roots_of(collective, P, P / 3 + i, all_roots)) {
          check_claim(algorithm, request(algorithm, collective, P, chunks[i], root, machine));
        }
      }
    }
  });
}

std::vector<Rank> from_to(Rank least, Rank most) {
  std::vector<Rank> result;
  for (Rank P = least; P <= most; ++P) result.push_back(P);
  return result;
}

}  // namespace

TEST_CASE("every algorithm holds in its steps: every root for small P, all K up to 20") {
  std::vector<std::uint32_t> chunks;
  for (std::uint32_t K = 1; K <= 20; ++K) chunks.push_back(K);
  sweep(from_to(1, 12), chunks, true, {.chunk_stride = 3});
  sweep(from_to(1, 12), chunks, false, {.stride = 2});
}

TEST_CASE("every algorithm holds in its steps: all P from 13 to 64, several roots") {
  sweep(from_to(13, 64), {1, 2, 3, 5, 8, 17}, false, {.chunk_stride = 3});
}

TEST_CASE("every algorithm holds in its steps: P from 65 to 128, fewer chunks than ranks") {
  sweep(from_to(65, 128), {1}, false, {.stride = 4});
  sweep(from_to(65, 128), {2, 40}, false, {.stride = 4, .max_blocks = 0});
}

TEST_CASE("every algorithm holds in its steps: some hundreds of ranks") {
  sweep({65, 96, 100, 127, 128}, {7}, false, {.stride = 4});  // and with one chunk, above
  sweep({129, 191, 255, 256, 257, 300}, {1, 7}, false, {.stride = 5, .chunk_stride = 2});
  sweep({129, 191, 255, 256, 257, 300, 365, 512}, {1, 7}, false, {.max_blocks = 0});
  // Total exchanges of so many ranks, in blocks of several chunks, would be half of the time of
  // this file: they have blocks of one.
  sweep({365, 512}, {1}, false, {.stride = 2});
  sweep({365, 512}, {2}, false, {.stride = 2, .max_blocks = 1});
}

TEST_CASE("parameters in their ranges give schedules that hold") {
  const Algorithm& tree = find_algorithm("fractional-tree");
  for (const Rank P : {2u, 3u, 7u, 13u, 18u, 40u, 64u}) {
    for (const std::uint32_t K : {1u, 2u, 5u, 12u, 13u}) {
      for (std::uint64_t r = 1; r <= P + 2; ++r) {
        const Spec spec = Spec::parse(fmt::format("fractional-tree:r={}", r));
        for (const Collective c : {Collective::broadcast, Collective::reduce}) {
          check_claim(tree, request(tree, c, P, K, P / 3, "duplex", spec));
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
                        request(algorithm, c, P, K, P / 3,
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
                      request(butterfly, c, P, K, root, fmt::format("bsp:h={}", h), spec));
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
          check_claim(karp, request(karp, c, P, K, P - 1, machine));
        }
      }
    }
  }
}

namespace {

/// Is the order of operands refused just where it would be broken? Returns whether it is kept.
bool order_is_exact(const Algorithm& algorithm, const Request& r) {
  Request ordered = r;
  ordered.problem.ordered = true;
  const bool serves = !algorithm.reason(ordered);
  // What is refused is built as if the order did not matter.
  Source source = from_algorithm(algorithm, serves ? ordered : r, std::string(algorithm.name));
  source.problem.ordered = true;
  const bool holds = check(source, r.machine).verdict() == Verdict::holds;
  if (serves != holds) {
    FAIL_CHECK(algorithm.name << ": " << describe(r.problem) << " on " << r.machine.spec()
                              << " in order: serves " << serves << ", holds " << holds);
  }
  return serves;
}

}  // namespace

TEST_CASE("the order of operands is refused exactly where it would be broken") {
  std::uint64_t kept = 0, refused = 0;
  each_service([&](const Algorithm& algorithm, Collective collective, std::string_view machine) {
    if (!info(collective).reduction) return;
    for (Rank P = 1; P <= 10; ++P) {
      if (!exists(machine, P)) continue;
      for (const std::uint32_t K : {1u, 2u, 5u}) {
        for (Rank root = 0; root < (info(collective).rooted ? P : 1); ++root) {
          const Request r = request(algorithm, collective, P, K, root, machine);
          if (!algorithm.made_for(r) || algorithm.reason(r)) continue;
          ++(order_is_exact(algorithm, r) ? kept : refused);
        }
      }
    }
  });
  CHECK(kept > 100);
  CHECK(refused > 100);
}

TEST_CASE("butterflies of every radix keep the order or refuse it, and rightly so") {
  const Algorithm& butterfly = find_algorithm("bsp-butterfly");
  std::uint64_t kept = 0, refused = 0;
  for (Rank P = 2; P <= 12; ++P) {
    for (const std::uint32_t K : {1u, 3u, 2 * P}) {
      for (std::uint64_t h = 1; h <= P; ++h) {
        const std::string machine = fmt::format("bsp:h={}", h);
        for (Rank root = 0; root < P; ++root) {
          ++(order_is_exact(butterfly, request(butterfly, Collective::reduce, P, K, root, machine))
                 ? kept
                 : refused);
        }
        for (const Collective c : {Collective::reduce_scatter, Collective::allreduce}) {
          ++(order_is_exact(butterfly, request(butterfly, c, P, K, 0, machine)) ? kept : refused);
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
      f(algorithm, request(algorithm, c, P, K, 0, machine, spec));
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

TEST_CASE("names of libraries are stated for existing algorithms only") {
  std::set<std::string_view> seen;
  for (const std::string_view name : algorithms_with_library_names()) {
    CHECK(find_algorithm(name).name == name);
    CHECK(seen.insert(name).second);
    CHECK_FALSE(library_names(name).empty());
  }
  CHECK(library_names("karp").empty());
  for (const LibraryNames& own : library_names("ring"))
    CHECK(std::ranges::find(libraries, own.library) != libraries.end());
}

TEST_CASE("every name is found, and near misses are suggested") {
  for (const Algorithm* a : algorithms()) CHECK(&find_algorithm(a->name) == a);
  for (const MachineInfo& m : machines()) CHECK_NOTHROW(check_machine(m.name));
  for (const Format* f : formats()) CHECK(&find_format(f->name) == f);
  for (const CollectiveInfo& c : collectives()) CHECK(find_collective(c.name) == c.collective);
  const auto message = [](auto find, const char* name) -> std::string {
    try {
      find(name);
    } catch (const InputError& error) {
      return error.what();
    }
    return "found";
  };
  CHECK(message(find_algorithm, "fractonal-tree") ==
        "unknown algorithm 'fractonal-tree'; did you mean 'fractional-tree'?");
  CHECK(message(check_machine, "duplx") == "unknown machine 'duplx'; did you mean 'duplex'?");
  CHECK(message(find_collective, "brodcast") ==
        "unknown collective 'brodcast'; did you mean 'broadcast'?");
  CHECK(message(find_collective, "zzzzzz") ==
        "unknown collective 'zzzzzz'; there are broadcast, scatter, gather, allgather, alltoall, "
        "reduce, allreduce, reduce-scatter, scan, exscan, barrier, custom");
  CHECK(message(find_algorithm, "zzzzzz") ==
        fmt::format("unknown algorithm 'zzzzzz'; there are {} (schedcc list algorithms)",
                    algorithms().size()));
  std::string all;
  for (const Format* f : formats()) all += (all.empty() ? "" : ", ") + std::string(f->name);
  CHECK(message(find_format, "zzzzzz") == "unknown format 'zzzzzz'; there are " + all);
}
