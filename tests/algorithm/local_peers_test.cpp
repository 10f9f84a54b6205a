// Kernels for which tables would be too large: random ranks of P = 2^30, and beyond 2^32, are
// compared with their peers: each send has its receive, nothing is sent before it is held, and each
// chunk of a broadcast arrives once.

#include "catch.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <random>

#include <fmt/core.h>

#include "kernel_cases.hpp"

using namespace kernel_cases;

TEST_CASE("ranks agree with their peers at P = 2^30") {
  std::mt19937_64 random(7);
  for (const Form& form : forms()) {
    for (const Collective collective : algorithm_of(form).collectives) {
      const bool blocks = info(collective).in_blocks();
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
