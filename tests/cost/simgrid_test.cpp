// The model `simgrid`: where a link has one message at a time it is the asynchronous clock of the
// model `machine`; and messages that share a link end when a fluid model says they do. Without
// libsimgrid there is nothing to test.

#include <vector>

#include "catch.hpp"
#include "cost/simulation.hpp"
#include "costs.hpp"
#include "linked.hpp"

using namespace costs;
using agreement::Random;

namespace {

/// Is there a library to test with? Under sanitizers its stacks are not understood.
bool can_simulate() {
#ifdef SCHEDCC_SANITIZED
  return false;
#else
  return !simgrid_version().empty();
#endif
}

double seconds(const Source& source, const Machine& machine, const char* model,
               std::uint64_t bytes) {
  return cost(source, machine, make_cost_model(model), {.bytes = bytes}).asynchronous.value();
}

/// Of a step with these messages, a chunk each unless they have more.
double of_step(const std::vector<Transfer>& transfers, std::uint32_t chunks, std::uint64_t bytes,
               const Machine& machine, Rank ranks, const char* model) {
  auto schedule = std::make_shared<Schedule>();
  schedule->begin_step(0);
  for (const Transfer& t : transfers) schedule->add(t);
  return seconds(from_schedule({.ranks = ranks, .chunks = chunks}, schedule), machine, model,
                 bytes);
}

}  // namespace

TEST_CASE("simgrid: one message at a time on a link takes what the model machine says") {
  if (!can_simulate()) return;
  Random random(3);
  double worst = 0;
  std::size_t compared = 0;
  for (const auto& [text, collective, P, K] :
       {std::tuple("chain", Collective::broadcast, 5u, 4u),
        std::tuple("binomial-tree", Collective::reduce, 8u, 1u),
        std::tuple("ring", Collective::allreduce, 6u, 6u),
        std::tuple("recursive-doubling", Collective::allgather, 8u, 2u),
        std::tuple("bruck", Collective::alltoall, 7u, 1u),
        std::tuple("pairwise", Collective::alltoall, 6u, 3u),
        std::tuple("circulant", Collective::broadcast, 13u, 5u),
        std::tuple("fractional-tree:r=3", Collective::broadcast, 16u, 6u),
        std::tuple("rabenseifner", Collective::allreduce, 8u, 8u)}) {
    // One port: on a star the lines of a rank have one message at a time.
    const Machine machine = make_machine(linked::star(P, random).machine(), P);
    const Spec spec = Spec::parse(text);
    const Source source = from_algorithm(find_algorithm(spec.name),
                                         request(spec, collective, P, K, machine.spec()), text);
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1000003}}) {
      INFO(text << " P " << P << " K " << K << ", " << bytes << " bytes");
      const double ours = seconds(source, machine, "machine", bytes);
      const double theirs = seconds(source, machine, "simgrid", bytes);
      worst = std::max(worst, std::abs(theirs - ours) / ours);
      CHECK(std::abs(theirs - ours) <= 0.01 * ours);
      ++compared;
    }
  }
  INFO("at most " << worst << " apart");
  CHECK(compared == 18);
}

TEST_CASE("simgrid: messages that share a link share its bandwidth") {
  if (!can_simulate()) return;
  // Two switches, three ranks at each, and a link between them that all messages take.
  linked::Net net{6, 2, 2, true, {}};
  for (Rank r = 0; r < 6; ++r) net.cable(r, 6 + r / 3, {1e-6, 1e-12}, {1e-6, 1e-12});
  net.cable(6, 7, {1e-6, 1e-9}, {1e-6, 1e-9});
  const Machine machine = make_machine(net.machine(), 6);
  for (const char* model : {"machine", "simgrid"}) {
    INFO(model);
    const auto near = [&](double a, double b) { return std::abs(a - b) <= 1e-3 * b; };
    CHECK(near(of_step({copy(0, 3, 0)}, 1, 1000000, machine, 6, model), 1e-3 + 3e-6));
    CHECK(
        near(of_step({copy(0, 3, 0), copy(1, 4, 0)}, 1, 1000000, machine, 6, model), 2e-3 + 3e-6));
    // The other direction is another link.
    CHECK(
        near(of_step({copy(0, 3, 0), copy(4, 1, 0)}, 1, 1000000, machine, 6, model), 1e-3 + 3e-6));
    // 1, 2 and 3 MB: the last ends when all have passed.
    CHECK(near(
        of_step({copy(0, 3, 0), copy(1, 4, 0, 2), copy(2, 5, 0, 3)}, 3, 3000000, machine, 6, model),
        6e-3 + 3e-6));
  }
}

TEST_CASE("simgrid: ranks are busy with their messages as in the model machine") {
  if (!can_simulate()) return;
  linked::Net net{4, 1, 3, true, {}, 1e-5, 1e-4};
  for (Rank r = 0; r < 4; ++r) net.cable(r, 4, {1e-6, 1e-9}, {1e-6, 1e-9});
  const Machine machine = make_machine(net.machine(), 4);
  for (const std::vector<Transfer>& step : {std::vector{copy(0, 1, 0)},
                                            {copy(0, 1, 0), copy(1, 0, 0)},
                                            {copy(0, 1, 0), copy(0, 2, 0), copy(0, 3, 0)},
                                            {copy(1, 0, 0), copy(2, 0, 0), copy(3, 0, 0)}}) {
    const double ours = of_step(step, 1, 0, machine, 4, "machine");
    CHECK(of_step(step, 1, 0, machine, 4, "simgrid") == Approx(ours).epsilon(1e-3));
  }
}

TEST_CASE("simgrid: messages of different steps share links, too") {
  if (!can_simulate()) return;
  // Rank 0 sends to 2 in step 0; 1 is idle until step 1, and sends to 3 over the same link.
  linked::Net net{4, 2, 1, true, {}};
  for (Rank r = 0; r < 4; ++r) net.cable(r, 4 + r / 2, {0, 1e-12}, {0, 1e-12});
  net.cable(4, 5, {1e-6, 1e-9}, {1e-6, 1e-9});
  const Machine machine = make_machine(net.machine(), 4);
  auto schedule = std::make_shared<Schedule>();
  schedule->begin_step(0);
  schedule->add(copy(0, 2, 0));
  schedule->begin_step(1);
  schedule->add(copy(1, 3, 0));
  const Source source = from_schedule({.ranks = 4}, schedule);
  CHECK(seconds(source, machine, "machine", 1000000) == Approx(1e-3 + 1e-6));
  CHECK(seconds(source, machine, "simgrid", 1000000) == Approx(2e-3 + 1e-6).epsilon(1e-3));
}

TEST_CASE("simgrid: what it cannot simulate is refused") {
  const CostModel model = make_cost_model("simgrid");
  const auto why = reason_against(model, make_machine("duplex", 4));
  REQUIRE(why);
  if (simgrid_version().empty()) {
    CHECK(why->find("schedcc is built without SimGrid") == 0);
    return;
  }
  CHECK(why->find("its links have no latency and bandwidth") == 0);
  const Request r = request(Spec::parse("ring"), Collective::allgather, 8, 1, "dgx-1");
  const Source ring = from_algorithm(find_algorithm("ring"), r, "ring");
  CHECK_THROWS_AS(cost(ring, r.machine, model, {.bytes = 1, .critical_path = true}), InputError);
}
