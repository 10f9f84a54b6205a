// Samples: of a schedule that is right they have no finding, whatever the algorithm, the number of
// ranks and the machine; of one that is wrong in many places they have one, of the check that says
// what is wrong. Wrong schedules are those of kernels whose ranks are changed in between.

#include "catch.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "algorithm/local.hpp"
#include "check/sample/sample.hpp"
#include "local_algorithms.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

using local::RankTransfer;

/// Changes of a kernel: of the step that a rank is asked for, after which it names all steps, and
/// of the transfers in it.
struct Change {
  std::function<std::uint64_t(std::uint64_t step)> step = {};
  /// `receive`: from the receiver's side. False: the transfer is left out.
  std::function<bool(std::uint64_t rank, bool receive, RankTransfer& part)> part =
      [](std::uint64_t, bool, RankTransfer&) { return true; };
};

class ChangedRank : public LocalRankSchedule {
 public:
  ChangedRank(std::unique_ptr<LocalRankSchedule> inner, std::uint64_t rank, std::uint64_t steps,
              const Change& change)
      : inner_(std::move(inner)), rank_(rank), steps_(steps), change_(change) {}

  std::uint64_t next(std::uint64_t step) const override {
    if (!change_.step) return inner_->next(step);
    return step < steps_ ? step : local::never;
  }
  std::uint64_t previous(std::uint64_t step) const override {
    return change_.step ? std::min(step, steps_ - 1) : inner_->previous(step);
  }
  void sends(std::uint64_t step, const Visit& visit) const override {
    inner_->sends(original(step), changed(false, visit));
  }
  void receives(std::uint64_t step, const Visit& visit) const override {
    inner_->receives(original(step), changed(true, visit));
  }

 private:
  std::uint64_t original(std::uint64_t step) const {
    return change_.step ? change_.step(step) : step;
  }
  Visit changed(bool receive, const Visit& visit) const {
    return [this, receive, visit](RankTransfer part) {
      if (change_.part(rank_, receive, part)) visit(part);
    };
  }

  std::unique_ptr<LocalRankSchedule> inner_;
  std::uint64_t rank_, steps_;
  const Change& change_;
};

class Changed : public LocalSchedule {
 public:
  Changed(std::shared_ptr<const LocalSchedule> inner, Change change)
      : inner_(std::move(inner)), change_(std::move(change)) {}

  std::uint64_t steps() const override { return inner_->steps(); }
  std::unique_ptr<LocalRankSchedule> at(std::uint64_t rank) const override {
    return std::make_unique<ChangedRank>(inner_->at(rank), rank, steps(), change_);
  }
  Steps stream() const override { return inner_->stream(); }

 private:
  std::shared_ptr<const LocalSchedule> inner_;
  Change change_;
};

struct Computed {
  WideProblem problem;
  Machine machine;
  std::shared_ptr<const LocalSchedule> schedule;
};

/// On the first machine that the algorithm is for, or another one. Throws InputError if there is
/// none.
Computed computed(std::string_view name, Collective collective, std::uint64_t ranks,
                  std::uint64_t chunks, const std::string& machine = "") {
  LocalRequest request;
  request.problem.collective = collective;
  request.problem.ranks = ranks;
  request.problem.chunks = chunks;
  if (request.problem.rooted()) request.problem.root = ranks / 3;
  const Algorithm& algorithm = find_algorithm(name);
  request.parameters =
      Spec::parse(std::string(name)).check(algorithm.parameters, std::string(name));
  const auto& named =
      machine.empty() ? std::string(algorithm.machines_for(request.parameters).front()) : machine;
  request.machine = make_machine(named, static_cast<Rank>(std::min<std::uint64_t>(ranks, 64)));
  return {request.problem, request.machine, served_schedule(algorithm, request)};
}

Sample sample(const Computed& of, const LocalSchedule& schedule, std::uint64_t places) {
  return check_sample(of.problem, schedule, of.machine, {.places = places});
}

/// Is the check violated after the change, by a sample of 300 places?
bool finds(std::string_view check, const Computed& of, Change change) {
  const Sample result = sample(of, Changed(of.schedule, std::move(change)), 300);
  return std::ranges::find(result.checks, std::pair(check, true)) != result.checks.end();
}
bool clean(const Computed& of) {
  return sample(of, Changed(of.schedule, {}), 300).findings_total == 0;
}

}  // namespace

TEST_CASE("a sample of a schedule that is right has no finding") {
  for (const std::string_view name : local_algorithms()) {
    const Algorithm& algorithm = find_algorithm(name);
    std::uint64_t cases = 0;
    for (const Collective collective : algorithm.collectives) {
      for (const std::uint64_t P : {1, 2, 3, 4, 6, 7, 8, 13, 16, 24, 37, 64}) {
        for (const std::uint64_t K : {1, 2, 5}) {
          try {
            const Computed it = computed(name, collective, P, K);
            const Sample result = sample(it, *it.schedule, 30);
            INFO(name << " " << describe(it.problem) << " on " << it.machine.spec());
            for (const Finding& finding : result.findings) UNSCOPED_INFO(finding.message);
            CHECK(result.findings_total == 0);
            CHECK(result.places == (P == 1 ? 0 : 30));
            CHECK(result.idle == 0);
            CHECK(result.held == result.messages);
            CHECK(result.undecided == 0);
            ++cases;
          } catch (const InputError&) {
          }
        }
      }
    }
    INFO(name);
    CHECK(cases >= 12);
  }
}

TEST_CASE("a sample looks for what is received in the last cycle, in no time") {
  const Algorithm& linear = find_algorithm("logp-linear");
  for (const Collective collective : linear.collectives) {
    const Computed it = computed(linear.name, collective, 7, 3, "logp:L=6,o=0,g=4");
    CHECK(sample(it, *it.schedule, 300).findings_total == 0);
  }
}

TEST_CASE("a sample finds what is wrong in many places") {
  for (const std::uint64_t P : {std::uint64_t{16}, std::uint64_t{1} << 40}) {
    const Computed tree = computed("binomial-tree", Collective::broadcast, P, 1, "duplex");
    CHECK(clean(tree));
    const auto combined = [](auto, bool receive, RankTransfer& part) {
      part.reduce = receive;
      return true;
    };
    CHECK(finds("matching", tree, {.part = combined}));
    const auto unexpected = [](auto rank, bool receive, RankTransfer&) {
      return !receive || rank % 3 != 0;
    };
    CHECK(finds("matching", tree, {.part = unexpected}));
    CHECK(finds("shape", tree, {.part = [](auto, bool, RankTransfer& part) {
                  ++part.count;  // there is one chunk
                  return true;
                }}));
    CHECK(finds("shape", tree, {.part = [P](auto, bool, RankTransfer& part) {
                  part.peer += P;
                  return true;
                }}));
    const std::uint64_t last = tree.schedule->steps() - 1;
    CHECK(finds("causality", tree, {.step = [last](std::uint64_t t) { return last - t; }}));
    // Every other rank gets nothing, and nothing is sent to it.
    const auto left_out = [](auto rank, bool receive, RankTransfer& part) {
      return (receive ? rank : part.peer) % 2 == 0;
    };
    CHECK(finds("delivery", tree, {.part = left_out}));
    CHECK_FALSE(finds("matching", tree, {.part = left_out}));
  }
  const Computed pairs = computed("all-pairs", Collective::allgather, 16, 1, "bsp:h=15");
  CHECK(clean(pairs));
  for (const char* machine : {"kport:k=3", "duplex"})
    CHECK(finds("ports", {pairs.problem, make_machine(machine, 16), pairs.schedule}, {}));
}

TEST_CASE("a sample sees what few ranks send among many that are idle") {
  // The chunks that even ranks send in the second half are exchanged in pairs, at both ends, so
  // that the next ranks do not hold what they send on.
  const auto exchanged = [](auto rank, bool receive, RankTransfer& part) {
    if (!part.reduce && (receive ? part.peer : rank) % 2 == 0) part.first ^= 1;
    return true;
  };
  for (const std::uint64_t P : {std::uint64_t{1} << 12, std::uint64_t{1} << 40}) {
    for (const std::uint64_t K : {2, 8, 64}) {
      INFO(P << " ranks, " << K << " chunks");
      const Computed ring = computed("ring", Collective::allreduce, P, K, "duplex");
      const Sample right = sample(ring, *ring.schedule, 100);
      CHECK(right.findings_total == 0);
      CHECK(right.held == right.messages);
      CHECK(right.chunks > right.undecided);
      CHECK(finds("causality", ring, {.part = exchanged}));
      const Computed chain = computed("chain", Collective::broadcast, P, K, "duplex");
      CHECK(clean(chain));
      CHECK(finds("causality", chain, {.part = exchanged}));
    }
  }
  // Those that send have received in all of the steps of the first half, or in none.
  const auto copied = [](auto, bool, RankTransfer& part) { return !part.reduce; };
  const Computed pairs = computed("all-pairs", Collective::allreduce, 1 << 9, 8, "duplex");
  CHECK(clean(pairs));
  CHECK(finds("causality", pairs, {.part = copied}));
}

TEST_CASE("a sample sees that sums are sent before parts of them arrive") {
  const std::vector<std::pair<std::string_view, Collective>> rules{
      {"binomial-tree", Collective::reduce},   {"chain", Collective::reduce},
      {"fractional-tree", Collective::reduce}, {"circulant", Collective::reduce},
      {"ring", Collective::reduce_scatter},    {"recursive-halving", Collective::reduce_scatter}};
  for (const auto& [name, collective] : rules) {
    for (const std::uint64_t P : {8, 64, 512}) {
      const Computed it = computed(name, collective, P, 2, "duplex");
      INFO(name << ": " << describe(it.problem));
      CHECK(clean(it));
      const std::uint64_t last = it.schedule->steps() - 1;
      const Change backwards{.step = [last](std::uint64_t t) { return last - t; }};
      CHECK(finds("delivery", it, backwards));
      CHECK_FALSE(finds("matching", it, backwards));
    }
  }
}

TEST_CASE("a sample says how much it looked at, and is the same each time") {
  const Computed ring =
      computed("ring", Collective::allgather, std::uint64_t{1} << 40, 1, "duplex");
  const Sample first = sample(ring, *ring.schedule, 50), again = sample(ring, *ring.schedule, 50);
  CHECK(first.places == 50);
  CHECK(first.messages == 100);
  CHECK(first.chunks == again.chunks);
  CHECK(first.undecided == 50 + 100 - first.held);  // a block may come in any of 2^40 steps
  const Computed doubling =
      computed("sparbit", Collective::allgather, std::uint64_t{1} << 40, 1, "duplex");
  const Sample many = sample(doubling, *doubling.schedule, 50);
  CHECK(many.unread > 0);
  CHECK(many.unread < 50);
  CHECK(many.findings_total == 0);
}
