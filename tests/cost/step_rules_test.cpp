// The quick test of the rules on single steps, against the checks.

#include "catch.hpp"

#include <memory>
#include <string>

#include "cost/step_rules.hpp"
#include "cost/validity.hpp"
#include "costs.hpp"
#include "random_plans.hpp"

using namespace costs;
using agreement::Random;

TEST_CASE("a step keeps the rules if the checks say so") {
  Random random(11);
  std::size_t kept = 0, broken = 0;
  for (const char* text :
       {"duplex", "simplex", "kport:k=2", "duplex:width=2", "cluster:4x2", "cluster:2x4,nics=2",
        "cluster:2x2x2,nics=2,rails,oversubscription=2", "cluster:4x2,ports=2,shared",
        "crossbar:a=2,b=4,in=1,out=2", "mesh:2x4", "switch", "switch:ports=2,only=reduces"}) {
    const Machine machine = make_machine(text, 8);
    StepRules rules(machine);
    Problem problem;
    problem.collective = Collective::allreduce;
    problem.ranks = 8;
    problem.chunks = 4;
    for (int i = 0; i < 400; ++i) {
      auto schedule = std::make_shared<Schedule>();
      schedule->begin_step(0);
      const bool same = random.one_in(2);  // chunks, so that switches have something to do
      for (std::uint32_t n = 0; n <= random.below(5); ++n) {
        Transfer t = copy(random.below(8), random.below(8), same ? 0 : random.below(2));
        t.count = (same ? 1 : 1 + random.below(3)) & max_transfer_count;
        t.reduce = random.one_in(2) ? 1u : 0u;
        if (t.src != t.dst) schedule->add(t);
      }
      const Source source = from_schedule(problem, schedule);
      const Step step = (*schedule)[0];
      if (step.transfers.empty()) continue;
      MessageReader reader(ChunkBytes(4, 4), false);
      reader.group_by_switches(machine.in_network(), problem);
      const auto why = broken_rule(source, machine, {});
      if (why && why->check == "shape") continue;
      INFO(text << (why ? ": " + why->reason : std::string()));
      CHECK(rules.keep(reader.read(step)) == !why);
      (why ? broken : kept) += 1;
    }
  }
  CHECK(kept > 500);
  CHECK(broken > 500);
}

TEST_CASE("a root that breaks the limits of ports breaks a rule") {
  std::size_t broken = 0, missed = 0;
  for (const char* const text :
       {"duplex", "simplex", "kport:k=2", "kport:k=4", "cluster:3x4,nics=2", "crossbar:a=3,b=4"}) {
    const Machine machine = make_machine(text, 12);
    for (const Algorithm* algorithm : algorithms()) {
      for (const Collective collective : algorithm->collectives) {
        for (const std::uint32_t K : {1u, 5u, 24u}) {
          for (const char* const h : {"", ":h=2", ":h=11"}) {
            const Spec spec = Spec::parse(std::string(algorithm->name) + h);
            Request r;
            try {
              r = request(spec, collective, 12, K, text);
              if (algorithm->reason(r)) continue;
            } catch (const InputError&) {  // parameters that it does not have, or that it needs
              continue;
            }
            r.problem.root = info(collective).rooted ? 5 : 0;
            INFO(spec.text() << " on " << text << ": " << info(collective).name << ", K = " << K);
            const bool found = root_breaks_ports(*algorithm, r);
            const auto why = broken_rule(from_algorithm(*algorithm, r, spec.text()), machine, {});
            if (found) CHECK(why);
            broken += found;
            missed += why && why->check == "ports" && !found;
          }
        }
      }
    }
  }
  CHECK(broken > 100);
  CHECK(missed > 10);  // other ranks, or later steps
}
