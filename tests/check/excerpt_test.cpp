// Checks by an excerpt: the report is that of the check of all transfers, byte by byte.

#include <tuple>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "excerpts.hpp"
#include "random_plans.hpp"

using namespace agreement;
using namespace excerpts;
using ranges::part;

TEST_CASE("checks by an excerpt report the same for every algorithm") {
  std::size_t cases = 0, seen = 0;
  for (const Rank ranks : {2, 3, 5, 8, 12}) {
    for (const std::uint32_t chunks : {300, 517}) {
      for_some_cases(ranks, chunks, part(1, 3), [&](const Case& c) {
        const Source source = from_algorithm(*c.algorithm, c.request, "algorithm");
        if (source.problem.collective == Collective::alltoall) return;
        INFO(c.text());
        same_by_excerpt(source, c.request.machine);
        seen += by_excerpt(source, c.request.machine).has_value();
        ++cases;
      });
    }
  }
  CHECK(cases > 100);
  CHECK(seen > 50);
}

TEST_CASE("pipelines are checked by an excerpt") {
  using enum Collective;
  for (const Rank ranks : {2, 6, 33}) {
    for (const auto& [spec, collective] :
         {std::pair("circulant", broadcast), std::pair("circulant", reduce),
          std::pair("fractional-tree:r=3", broadcast), std::pair("chain", broadcast),
          std::pair("binary-tree", broadcast)}) {
      INFO(spec << " on " << ranks);
      const Problem problem{collective, ranks, 0, 700, false, nullptr};
      const Source source = from_algorithm(spec, problem);
      CHECK(by_excerpt(source, make_machine(source.machine, ranks)));
    }
  }
}

TEST_CASE("messages of several chunks are checked by an excerpt of rows") {
  for (const Rank ranks : {2, 6, 17, 64}) {
    INFO(ranks << " ranks");
    const Problem problem{Collective::allreduce, ranks, 0, 800, false, nullptr};
    const Source source = from_algorithm("double-binary-tree", problem);
    const Machine machine = make_machine(source.machine, ranks);
    same_by_excerpt(source, machine);
    const auto report = by_excerpt(source, machine);
    REQUIRE(report);
    CHECK(report->width == 2);
  }
}

TEST_CASE("checks by an excerpt report the same where rows are read in parts") {
  using enum Collective;
  for (const auto& [spec, collective, root] :
       {std::tuple("circulant", broadcast, 0), std::tuple("fractional-tree:r=5", broadcast, 0),
        std::tuple("fractional-tree:r=5", broadcast, 77),
        std::tuple("fractional-tree:r=5", reduce, 0)}) {
    INFO(spec << " from " << root);
    Problem problem{collective, 9000, static_cast<Rank>(root), 300, false, nullptr};
    const Source source = from_algorithm(spec, problem);
    const Machine machine = make_machine(source.machine, problem.ranks);
    same_by_excerpt(source, machine);
    CHECK(by_excerpt(source, machine));
  }
}

TEST_CASE("a few generations show what all packets of a pipeline do") {
  // The steps of packet c are those of its class, c mod `size`, so many periods later.
  Random random(10);
  std::size_t seen = 0, few = 0;
  for (int i = 0; i < part(300, 5000); ++i) {
    const Rank ranks = 2 + random.below(6);
    const std::uint32_t size = 1 + random.below(3), chunks = 120 + random.below(100);
    const std::uint32_t period = size * ranks;  // so that a rank is free for the next generation
    const bool reduces = random.one_in(3), down = random.one_in(2);
    Problem problem{
        reduces ? Collective::reduce : Collective::broadcast, ranks, 0, chunks, false, nullptr};
    Rows steps((chunks / size + 2) * period + 200);
    const std::uint32_t longest = 1 + random.below(40);  // a rank keeps a packet so long
    std::vector<std::vector<std::pair<std::uint32_t, Transfer>>> classes(size);
    for (auto& transfers : classes) {
      std::uint32_t at = random.below(3);
      for (Rank to = 1; to < ranks; ++to) {
        transfers.emplace_back(at, copy(to - 1, to, 0));
        at += 1 + random.below(longest);
      }
      if (!reduces) continue;
      for (auto& [when, t] : transfers) {
        when = at - when;
        t = {t.dst, t.src, 0, 1, 1};
      }
    }
    for (std::uint32_t n = 0; n < chunks; ++n) {
      for (auto [at, t] : classes[n % size]) {
        t.first = down ? chunks - 1 - n : n;
        const std::size_t step = n / size * period + at;
        if (step >= steps.size()) steps.resize(step + 1);
        steps[step].push_back(t);
      }
    }
    // A change of one transfer is to be seen wherever it is.
    if (random.one_in(3)) {
      Transfers& step = steps[random.below(steps.size())];
      if (!step.empty()) step[random.below(step.size())].dst = random.below(ranks);
    }
    const Source source = source_of_rows(problem, steps);
    const Machine machine = make_machine("kport:k=5", ranks);
    CheckOptions asked;
    if (random.one_in(3)) asked.max_buffer = random.below(6);
    same_by_excerpt(source, machine, asked);
    const auto report = by_excerpt(source, machine, asked);
    seen += report.has_value();
    few += report && report->max_buffer > 1;
  }
  CHECK(seen > 50);
  CHECK(few > 20);
}

TEST_CASE("what begins later than the first packets, or ends before the last ones, is seen") {
  // Of packet c two transfers in row c q, and others, perhaps malformed, of most packets.
  Random random(11);
  std::size_t wrong = 0;
  for (int i = 0; i < part(400, 8000); ++i) {
    const std::uint32_t chunks = 300, rows = 1 + random.below(3);
    const bool down = random.one_in(2);
    const Problem problem{Collective::broadcast, 3, 0, chunks, false, nullptr};
    Rows steps(std::size_t{chunks} * rows + 8);
    const auto add = [&](std::uint32_t packet, std::size_t row, Transfer t) {
      t.first = down ? chunks - 1 - packet : packet;
      steps[row].push_back(t);
    };
    struct Further {
      std::uint32_t first, last, row;
      Transfer transfer;
    };
    std::vector<Further> further;
    for (std::uint32_t n = random.below(4); n > 0; --n) {
      const std::uint32_t first = random.one_in(2) ? random.below(3) : 0;
      const std::uint32_t last = chunks - (random.one_in(2) ? random.below(3) : 0);
      const Transfer t =
          copy(random.below(4), random.below(3), 0, random.one_in(4) ? random.below(3) : 1);
      further.push_back({first, last, random.below(8), t});
    }
    for (std::uint32_t packet = 0; packet < chunks; ++packet) {
      const std::size_t row = std::size_t{packet} * rows;
      add(packet, row, copy(0, 1, 0));
      add(packet, row, copy(0, 2, 0));
      for (const Further& f : further) {
        // Also earlier than the packet itself.
        const std::size_t place = row + f.row < 4 ? 0 : row + f.row - 4;
        if (packet >= f.first && packet < f.last) add(packet, place, f.transfer);
      }
    }
    const Source source = source_of_rows(problem, steps);
    const Machine machine = make_machine("kport:k=9", problem.ranks);
    CheckOptions asked;
    if (random.one_in(4)) asked.checks = {"buffers", "causality"};
    wrong += !holds(same_by_excerpt(source, machine, asked));
  }
  CHECK(wrong > 50);
}

TEST_CASE("checks by an excerpt report the same for mutants") {
  Random random(8);
  std::size_t right = 0, wrong = 0, seen = 0;
  for (const Rank ranks : {3, 6}) {
    for_some_cases(ranks, 400, 1, [&](const Case& c) {
      const Source source = from_algorithm(*c.algorithm, c.request, "algorithm");
      if (!by_excerpt(source, c.request.machine)) return;
      const Rows whole = rows_of(source);
      for (int i = 0; i < part(8, 100); ++i) {
        Rows changed = whole;
        const std::uint32_t kind = random.below(7);
        const Transfers& some = whole[random.below(whole.size())];
        if (some.empty()) continue;
        const Transfer like = random.pick(some);
        const std::size_t from = random.below(whole.size());
        // One transfer, all between two ranks, or all of them from or up to a step on.
        const std::uint32_t extent = random.below(4);
        std::size_t count = 0;
        change(changed, source.problem, kind, random, [&](std::size_t step, const Transfer& t) {
          const bool same = t.src == like.src && t.dst == like.dst;
          if (extent == 0) return step >= from && same && count++ == 0;
          return same && (extent == 1 || (extent == 2) == (step < from));
        });
        CheckOptions asked;
        asked.strict = random.one_in(2);
        if (random.one_in(3)) asked.max_buffer = random.below(4);
        if (random.one_in(3)) asked.blocking = static_cast<Blocking>(random.below(4));
        INFO(c.text() << ", change " << kind << " of " << extent);
        const Source made = source_of_rows(source.problem, changed);
        const Machine machine =
            random.one_in(2) ? c.request.machine : make_machine("kport:k=2", ranks);
        (holds(same_by_excerpt(made, machine, asked)) ? right : wrong)++;
        seen += by_excerpt(made, machine, asked).has_value();
      }
    });
  }
  CHECK(wrong > 50);
  CHECK(right > 10);
  CHECK(seen > 5);
}

TEST_CASE("checks by an excerpt report the same for random pipelines") {
  // Packets follow a few routes in turn, with pauses; then a few of their transfers are changed.
  Random random(9);
  std::size_t seen = 0;
  for (int i = 0; i < part(300, 10000); ++i) {
    const Rank ranks = 2 + random.below(3);
    const std::uint32_t classes = 1 + random.below(3), chunks = 200 + random.below(200);
    Problem problem{Collective::broadcast, ranks, 0, chunks, false, nullptr};
    const std::uint32_t gap = 1 + random.below(3);  // steps between packets
    std::vector<std::vector<std::pair<std::uint32_t, Transfer>>> routes(classes);
    for (auto& route : routes) {
      std::vector<Rank> order;
      for (Rank r = 1; r < ranks; ++r) order.push_back(r);
      for (std::size_t k = order.size(); k > 1; --k)
        std::swap(order[k - 1], order[random.below(k)]);
      std::uint32_t at = 0;
      Rank from = 0;
      for (const Rank to : order) {
        route.emplace_back(at, copy(from, to, 0));
        at += 1 + random.below(3);
        if (random.one_in(2)) from = to;
      }
    }
    Rows steps(chunks * gap + 32);
    for (std::uint32_t c = 0; c < chunks; ++c) {
      for (auto [at, t] : routes[c % classes]) {
        t.first = c;
        steps[c * gap + at].push_back(t);
      }
    }
    for (std::uint32_t n = random.below(3); n > 0; --n) {
      Transfers& step = steps[random.below(steps.size())];
      if (step.empty()) continue;
      Transfer& t = step[random.below(step.size())];
      random.one_in(2) ? void(t.first = random.below(chunks)) : void(t.dst = random.below(ranks));
    }
    const Source source = source_of_rows(problem, steps);
    const Machine machine = make_machine(random.one_in(3) ? "duplex" : "kport:k=9", ranks);
    same_by_excerpt(source, machine);
    seen += by_excerpt(source, machine).has_value();
  }
  CHECK(seen > 50);
}
