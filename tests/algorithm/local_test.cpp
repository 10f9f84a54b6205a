// Kernels compared with tables: a rank must compute the operations that the table has for it, for
// all ranks of all P up to 128 and of some up to 512. Where tables would be too large, random ranks
// of P = 2^30 are compared with their peers: each send has its receive, nothing is sent before it
// is held, and each chunk of a broadcast arrives once.

#include "algorithm_cases.hpp"
#include "catch.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <map>
#include <random>
#include <set>

#include <fmt/core.h>

#include "algorithm/local.hpp"
#include "format/table.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

struct Op {
  std::uint64_t step;
  bool receive;
  std::uint64_t peer, first, count;
  bool reduce;
  auto operator<=>(const Op&) const = default;
};

bool touch(const Op& a, const Op& b) {
  return a.step == b.step && a.receive == b.receive && a.peer == b.peer && a.reduce == b.reduce &&
         a.first + a.count == b.first;
}

/// In one order, with runs that touch made one.
std::vector<Op> normal(std::vector<Op> ops) {
  if (!std::ranges::is_sorted(ops)) std::ranges::sort(ops);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (kept > 0 && touch(ops[kept - 1], ops[i])) {
      ops[kept - 1].count += ops[i].count;
    } else {
      ops[kept++] = ops[i];
    }
  }
  ops.resize(kept);
  return ops;
}

void in_step(const LocalRankSchedule& own, std::uint64_t step, std::vector<Op>& ops) {
  const auto add = [&](bool receive) {
    return [&ops, step, receive](const local::RankTransfer& p) {
      ops.push_back({step, receive, p.peer, p.first, p.count, p.reduce});
    };
  };
  own.sends(step, add(false));
  own.receives(step, add(true));
}

std::vector<Op> computed(const LocalSchedule& schedule, std::uint64_t rank) {
  std::vector<Op> ops;
  const auto own = schedule.at(rank);
  for (std::uint64_t t = own->next(0); t != local::never; t = own->next(t + 1)) {
    in_step(*own, t, ops);
  }
  return normal(std::move(ops));
}

std::vector<Op> tabulated(const cpp::Table& table, Rank rank) {
  std::vector<Op> ops;
  ops.reserve(table.of(rank).size());
  for (const cpp::Operation& o : table.of(rank)) {
    ops.push_back(
        {o.step, o.kind == mpi::receive, o.peer, o.first, o.count, o.mode == mpi::reduce});
  }
  return normal(std::move(ops));
}

/// The specifications of an algorithm and a machine: all kinds of parameters and machines occur.
struct Form {
  std::string spec, machine;
};

std::vector<Form> forms() {
  std::vector<Form> result;
  for (const std::string_view name : local_algorithms()) {
    const Algorithm& algorithm = find_algorithm(name);
    const std::string machine(algorithm.machines.front());
    if (name == "bsp-butterfly") {
      for (const int h : {1, 3, 8}) {
        result.push_back({fmt::format("{}:h={}", name, h), fmt::format("bsp:h={}", h)});
      }
    } else if (name == "bsp-pipeline") {
      for (const int levels : {1, 2, 3}) {
        const int h = levels == 1 ? 511 : levels == 2 ? 66 : 36;
        result.push_back({fmt::format("{}:levels={}", name, levels), fmt::format("bsp:h={}", h)});
      }
      result.push_back({"bsp-pipeline", "bsp:h=60"});
    } else if (name == "fractional-tree") {
      for (const int r : {1, 2, 3, 8, 100})
        result.push_back({fmt::format("{}:r={}", name, r), machine});
      result.push_back({std::string(name), machine});
    } else if (name == "knomial-tree") {
      for (const int k : {2, 3, 5, 40}) {
        result.push_back({fmt::format("{}:k={}", name, k), machine});
        result.push_back({fmt::format("{}:k={},ports=3", name, k), "kport:k=3"});
      }
    } else if (name == "kary-tree") {
      for (const int k : {1, 2, 3, 4, 7, 40})
        result.push_back({fmt::format("{}:k={}", name, k), machine});
      result.push_back({std::string(name), machine});
    } else if (name == "two-phase") {
      for (const int h : {2, 3, 7, 1000}) {
        result.push_back({std::string(name), fmt::format("bsp:h={}", h)});
      }
    } else if (name == "all-pairs") {
      result.push_back({"all-pairs:whole", "kport:k=511"});
      for (const char* ports : {"duplex", "kport:k=3", "kport:k=64", "bsp:h=511"}) {
        result.push_back({"all-pairs", ports});
      }
    } else if (name == "bruck") {
      result.push_back({"bruck", machine});
      result.push_back({"bruck:radix=4", "kport:k=3"});
      result.push_back({"bruck:radix=7,balanced", "kport:k=6"});
    } else if (name == "linear" || name == "pairwise") {
      result.push_back({std::string(name), machine});
      result.push_back({fmt::format("{}:ports=3", name), "kport:k=3"});
    } else if (name == "circulant-skips") {
      result.push_back({"circulant-skips", machine});
      result.push_back({"circulant-skips:skips=doubling", machine});
    } else if (name == "pat") {
      result.push_back({"pat", machine});
      result.push_back({"pat:aggregation=4", machine});
    } else if (name == "bine") {
      result.push_back({"bine", machine});
      result.push_back({"bine:whole", machine});
    } else if (name == "trivance") {
      result.push_back({"trivance", machine});
      result.push_back({"trivance:whole", machine});
    } else if (name == "bucket") {
      result.push_back({"bucket", "duplex"});
    } else if (name == "recexch") {
      result.push_back({"recexch", machine});
      result.push_back({"recexch:k=5", "kport:k=4"});
    } else if (name == "recursive-multiplying") {
      result.push_back({"recursive-multiplying:k=3", "kport:k=2"});
      result.push_back({"recursive-multiplying:k=8,mixed", "kport:k=7"});
    } else if (machine == "logp") {
      for (const char* logp : {"logp", "logp:L=5,o=3,g=1", "logp:L=0,o=1,g=5"})
        result.push_back({std::string(name), logp});
      // With o = 0 trees have none: a rank does two things at once.
      if (name == "logp-linear") result.push_back({std::string(name), "logp:L=1,o=0,g=1"});
      for (const int k : {1, 3, 6}) {
        if (name == "logp-kary") result.push_back({fmt::format("logp-kary:k={}", k), machine});
      }
      for (const int k : {3, 4, 7, 1000}) {
        if (name != "logp-knomial") continue;
        for (const char* logp : {"logp", "logp:L=0,o=1,g=5"})
          result.push_back({fmt::format("logp-knomial:k={}", k), logp});
      }
    } else {
      result.push_back({std::string(name), machine});
      if (name == "chain") result.push_back({"chain", "simplex"});
    }
  }
  return result;
}

Request request(const Form& form, Collective collective, Rank P, Rank root, std::uint32_t K) {
  Request r;
  const Spec spec = Spec::parse(form.spec);
  r.parameters = spec.check(find_algorithm(spec.name).parameters, spec.name);
  r.problem.collective = collective;
  r.problem.ranks = P;
  r.problem.root = r.problem.rooted() ? root : 0;
  r.problem.chunks = K;
  r.machine = make_machine(form.machine, P);
  return r;
}

const Algorithm& algorithm_of(const Form& form) {
  return find_algorithm(Spec::parse(form.spec).name);
}

/// Bine and Swing have kernels for P = 2^h.
bool has_kernel(const Form& form, const Request& r) {
  return (form.spec != "bine" && form.spec != "swing") || std::has_single_bit(r.problem.ranks);
}

/// Does a rank of a schedule that has more than a few ranks send P blocks or so in a step, one by
/// one?
bool sends_many_blocks(const Form& form, Collective collective) {
  if (info(collective).blocks == 2) {
    return form.spec.starts_with("bruck") || form.spec.starts_with("circulant-skips") ||
           form.spec == "bine" || form.machine.starts_with("bsp");
  }
  return form.spec == "pat" || form.spec == "sparbit" ||
         ((form.spec == "circulant" || form.spec == "bine" || form.spec == "swing" ||
           form.spec == "trivance") &&
          info(collective).blocks == 1 && !info(collective).rooted);
}

std::shared_ptr<const LocalSchedule> symbolic_schedule(const Form& form, const Request& r) {
  return local_schedule(algorithm_of(form), {WideProblem(r.problem), r.machine, r.parameters});
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

TEST_CASE("ranks agree with their peers at P = 2^30") {
  std::mt19937_64 random(7);
  for (const Form& form : forms()) {
    for (const Collective collective : algorithm_of(form).collectives) {
      const bool blocks = info(collective).blocks > 0;
      const Rank P = Rank{1} << 30, root = collective == Collective::reduce ? 12345678 : 0;
      Request r = request(form, collective, P, 0, blocks ? 1 : 20);
      if (r.problem.rooted()) r.problem.root = root;
      if (!has_kernel(form, r) || algorithm_of(form).reason(r)) continue;
      if (sends_many_blocks(form, collective)) continue;
      if (form.spec == "fractional-tree") continue;  // looks for the best of P group sizes
      const auto schedule = symbolic_schedule(form, r);
      for (int i = 0; i < 20; ++i) {
        const std::uint64_t rank = i == 0 ? r.problem.root : random() % P;
        const auto place = schedule->at(rank);
        INFO(form.spec << " " << describe(r.problem) << " rank " << rank);
        const std::uint64_t first = place->next(0);
        REQUIRE(first < schedule->steps());
        std::uint64_t t = first;
        for (std::size_t j = 0; j < 60; ++j) {
          // The first steps, then any.
          t = place->next(j < 30 ? t + (j > 0 ? 1 : 0) : random() % schedule->steps());
          if (t == local::never) t = first;
          std::vector<Op> own;
          in_step(*place, t, own);
          // Of many, some.
          const std::size_t stride = own.size() / 20 + 1;
          for (std::size_t k = j % stride; k < own.size(); k += stride) {
            const Op& o = own[k];
            INFO(form.spec << " " << describe(r.problem) << " rank " << rank << " step " << t);
            REQUIRE(o.peer < P);
            REQUIRE(o.peer != rank);
            std::vector<Op> theirs;
            const auto peer = schedule->at(o.peer);
            Op mirrored = o;
            if (r.machine.timing()) {  // receives start later
              const std::uint64_t delay = r.machine.receive_delay();
              mirrored.step = o.receive ? t - delay : t + delay;
            }
            REQUIRE(peer->next(mirrored.step) == mirrored.step);
            in_step(*peer, mirrored.step, theirs);
            mirrored.receive = !o.receive;
            mirrored.peer = rank;
            REQUIRE(std::ranges::count(theirs, mirrored) == 1);
          }
        }
      }
    }
  }
}

TEST_CASE("broadcasts at P = 2^30 bring every packet once, and send none too early") {
  std::mt19937_64 random(11);
  constexpr Rank P = Rank{1} << 30;
  constexpr std::uint32_t K = 50;
  for (const Form& form : forms()) {
    if (!algorithm_of(form).serves(Collective::broadcast)) continue;
    if (form.spec == "fractional-tree" || form.spec == "scatter-allgather" ||
        form.spec.starts_with("bsp-butterfly"))
      continue;
    const Request r = request(form, Collective::broadcast, P, 99, K);
    if (!has_kernel(form, r) || algorithm_of(form).reason(r)) continue;
    const auto schedule = symbolic_schedule(form, r);
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t rank = random() % P;
      const std::vector<Op> ops = computed(*schedule, rank);
      std::map<std::uint64_t, std::uint64_t> held;  // from which step, by chunk
      const std::uint64_t taken = r.machine.latency() - r.machine.receive_delay();
      for (const Op& o : ops) {
        INFO(form.spec << " rank " << rank << " step " << o.step);
        for (std::uint64_t chunk = o.first; o.receive && chunk < o.first + o.count; ++chunk)
          REQUIRE(held.emplace(chunk, o.step + taken).second);
      }
      for (std::uint64_t last_step = 0; const Op& o : ops) {
        INFO(form.spec << " rank " << rank << " step " << o.step);
        REQUIRE(o.step >= last_step);
        last_step = o.step;
        for (std::uint64_t chunk = o.first; !o.receive && chunk < o.first + o.count; ++chunk)
          REQUIRE((held.contains(chunk) && held.at(chunk) <= o.step));
      }
      INFO(form.spec << " rank " << rank);
      REQUIRE(held.size() == K);
    }
  }
}

TEST_CASE("a rank does not walk through steps in which it is idle") {
  std::mt19937_64 random(13);
  for (const Form& form : forms()) {
    if (form.spec == "fractional-tree") continue;  // looks for the best of P group sizes
    for (const Collective collective : algorithm_of(form).collectives) {
      for (const Rank P : {64u, 1000u, 4096u, Rank{1} << 30}) {
        if (form.machine.starts_with("fattree") && !std::has_single_bit(P)) continue;
        for (const std::uint32_t K : {1u, 3u, 100u}) {
          const Request r = request(form, collective, P, P / 3, K);
          // These have P blocks or so in a step.
          if (info(collective).blocks == 2 && (P > 64 || K > 1)) continue;
          if (sends_many_blocks(form, collective) && P > 4096) continue;
          if (!has_kernel(form, r) || algorithm_of(form).reason(r)) continue;
          const auto schedule = symbolic_schedule(form, r);
          const auto most = 3 * static_cast<std::uint64_t>(std::bit_width(P));
          for (int i = 0; i < 20; ++i) {
            const std::uint64_t rank = i == 0 ? r.problem.root : i == 1 ? P - 1 : random() % P;
            INFO(form.spec << " " << form.machine << " " << describe(r.problem) << " rank "
                           << rank);
            const auto place = schedule->at(rank);
            std::uint64_t idle = 0, turns = 0;
            for (std::uint64_t t = place->next(0); t != local::never && turns < 300; ++turns) {
              std::vector<Op> ops;
              in_step(*place, t, ops);
              idle = ops.empty() ? idle + 1 : 0;
              REQUIRE(idle <= most);
              const std::uint64_t next = place->next(t + 1);
              REQUIRE(next > t);
              t = next;
            }
          }
        }
      }
    }
  }
}

TEST_CASE("ranks agree with their peers beyond 2^32") {
  std::mt19937_64 random(17);
  const auto check = [&](const std::string& spec, Collective collective, std::uint64_t P,
                         std::uint64_t K, const std::string& machine = "duplex") {
    LocalRequest r;
    r.problem.collective = collective;
    r.problem.ranks = P;
    r.problem.chunks = K;
    if (r.problem.rooted()) r.problem.root = P / 3;
    r.machine = make_machine(machine, 1);
    const Algorithm& algorithm = find_algorithm(Spec::parse(spec).name);
    r.parameters = Spec::parse(spec).check(algorithm.parameters, spec);
    const auto schedule = served_schedule(algorithm, r);
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t rank = random() % P;
      const auto place = schedule->at(rank);
      for (int j = 0; j < 20; ++j) {
        const std::uint64_t t = place->next(j == 0 ? 0 : random() % schedule->steps());
        if (t == local::never) continue;
        std::vector<Op> own;
        in_step(*place, t, own);
        for (const Op& o : own) {
          INFO(spec << " " << describe(r.problem) << " rank " << rank << " step " << t);
          REQUIRE(o.peer < P);
          REQUIRE(o.first + o.count <= r.problem.total_chunks());
          std::vector<Op> theirs;
          in_step(*schedule->at(o.peer), t, theirs);
          const Op mirrored{t, !o.receive, rank, o.first, o.count, o.reduce};
          REQUIRE(std::ranges::count(theirs, mirrored) == 1);
        }
      }
    }
  };
  const std::uint64_t P = (std::uint64_t{1} << 40) + 12345;
  check("ring", Collective::allreduce, P, 20);
  check("ring", Collective::allreduce, P, 300'000);
  check("ring", Collective::reduce_scatter, P, 3);
  check("circulant", Collective::reduce, P, 20);
  check("circulant", Collective::allgather, P, 1);
  check("circulant", Collective::reduce_scatter, P, 1);
  check("recexch", Collective::allgather, P, 3);
  check("recexch:k=3", Collective::reduce_scatter, std::uint64_t{1} << 32, 1, "kport:k=2");
  check("fractional-tree:r=3", Collective::broadcast, P, 1000);
  check("rabenseifner", Collective::allreduce, P, 100'000);
  check("all-pairs", Collective::allreduce, P, 1000, "kport:k=5");
  check("two-phase", Collective::broadcast, P, 1000, "bsp:h=3");
  check("bsp-butterfly:h=7", Collective::allreduce, P, 1000, "bsp:h=7");
  check("bucket", Collective::allreduce, P - 1, 100);
  check("bucket:sides=1024x1048576x1024", Collective::reduce_scatter, std::uint64_t{1} << 40, 3);
  check("swing", Collective::allreduce, std::uint64_t{1} << 40, 100);
  check("trivance", Collective::allreduce, P, 100, "kport:k=2");
  check("trivance:whole", Collective::allreduce, 2541865828329U, 1, "kport:k=2");
  check("bsp-pipeline", Collective::reduce, P, 1000, "bsp:h=81");
  check("bine", Collective::scatter, std::uint64_t{1} << 40, 3);
  check("bine:whole", Collective::allreduce, P, 3);
  check("in-order-binary", Collective::reduce, P, 100);
  check("segmented-ring", Collective::allreduce, (1 << 28) + 1, std::uint64_t{5} << 28);
  check("two-tree", Collective::broadcast, P, 1000);
  check("split-binary-tree", Collective::reduce, P, 1000);
  check("double-binary-tree", Collective::allreduce, P, 1000, "kport:k=4");
  check("double-binary-tree", Collective::broadcast, P, 1000, "kport:k=4");
  for (const char* k : {"1", "2", "3", "100"})
    check(fmt::format("kary-tree:k={}", k), Collective::reduce, P, 1000);
  check("butterfly", Collective::broadcast, std::uint64_t{1} << 50, 1000);
  check("pairwise", Collective::alltoall, 65536, 3);
  check("pairwise", Collective::alltoall, (std::uint64_t{1} << 29) + 1, 3);
}

TEST_CASE("algorithms without a kernel are refused, each with a reason of its own") {
  std::set<std::string> reasons;
  std::size_t refused = 0;
  for (const Algorithm* algorithm : algorithms()) {
    const auto names = local_algorithms();
    if (std::ranges::count(names, algorithm->name) != 0) continue;
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
