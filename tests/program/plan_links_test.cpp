// What pages draw of an execution plan: for which operations others wait, and the memory that they
// access; and the operations that findings name.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <regex>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "program/plan/forms.hpp"
#include "program/plan/links.hpp"
#include "right_plans.hpp"

using namespace plans;
using program::OperationRef;

namespace {

/// The threadblocks of a plan, as traces number them.
std::vector<std::pair<Rank, const PlanThreadblock*>> blocks_of(const Plan& plan) {
  std::vector<std::pair<Rank, const PlanThreadblock*>> result;
  for (Rank gpu = 0; gpu < plan.gpus.size(); ++gpu) {
    for (const PlanThreadblock& block : plan.gpus[gpu].blocks) result.emplace_back(gpu, &block);
  }
  return result;
}

/// Do the operations before it write packets to memory of their own GPU?
bool own_packets(const PlanThreadblock& block, std::uint32_t before) {
  return std::any_of(block.steps.begin(), block.steps.begin() + before, [](const PlanStep& step) {
    const std::size_t first = program::form(step.op).packed_destination;
    for (std::size_t i = first; i < step.dst.size(); ++i) {
      if (step.dst[i].where != PlanRange::Where::remote) return true;
    }
    return false;
  });
}

bool waits_for_others(const PlanGpu& gpu, const PlanThreadblock& block, std::uint32_t number) {
  const PlanStep& step = block.steps[number];
  switch (step.op) {
    case PlanOp::wait:
    case PlanOp::relaxed_wait:
      return true;
    case PlanOp::semaphore_acquire:
      return gpu.semaphores[step.semaphores.front()] == 0;
    default:
      return step.src.size() > program::form(step.op).packed_source && !own_packets(block, number);
  }
}

/// Can all operations be done, each after those that it waits for?
bool complete(const std::vector<std::pair<Rank, const PlanThreadblock*>>& blocks,
              const program::PlanLinks& links) {
  std::vector<std::uint32_t> done(blocks.size());
  const auto is_done = [&](const OperationRef& at) { return done[at.block] > at.step; };
  const auto may_end = [&](const OperationRef& at) {
    for (const program::PlanWait& wait : links.waits) {
      if (wait.to == at && !is_done(wait.from)) return false;
    }
    for (const auto& barrier : links.barriers) {
      if (std::ranges::find(barrier, at) == barrier.end()) continue;
      for (const OperationRef& other : barrier) {
        if (done[other.block] < other.step) return false;
      }
    }
    return true;
  };
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      while (done[b] < blocks[b].second->steps.size() && may_end({b, done[b]})) {
        ++done[b];
        more = true;
      }
    }
  }
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    if (done[b] < blocks[b].second->steps.size()) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("the links of a right plan", "[plan]") {
  for (const NamedPlan& named : right_plans()) {
    INFO(named.name);
    const auto blocks = blocks_of(named.plan);
    const program::PlanLinks links = program::links_of(named.plan);
    CHECK(complete(blocks, links));
    std::set<OperationRef> awaiting;
    for (const program::PlanWait& wait : links.waits) {
      CHECK(wait.from.block != wait.to.block);
      awaiting.insert(wait.to);
    }
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      const auto& [gpu, block] = blocks[b];
      for (std::uint32_t s = 0; s < block->steps.size(); ++s) {
        const PlanStep& step = block->steps[s];
        INFO(name(step.op) << " " << b << " " << s);
        if (waits_for_others(named.plan.gpus[gpu], *block, s)) CHECK(awaiting.contains({b, s}));
        if (step.op == PlanOp::barrier) {
          CHECK(std::ranges::any_of(links.barriers, [at = OperationRef{b, s}](const auto& barrier) {
            return std::ranges::find(barrier, at) != barrier.end();
          }));
        }
      }
    }
    for (const program::RemoteAccess& access : links.accesses)
      CHECK(access.gpu != blocks[access.at.block].first);
  }
}

TEST_CASE("the data that a plan moves between GPUs", "[plan]") {
  using Access = std::tuple<OperationRef, Rank, bool>;
  const auto accesses = [](const Plan& plan) {
    std::set<Access> result;
    for (const program::RemoteAccess& access : program::links_of(plan).accesses)
      result.emplace(access.at, access.gpu, access.write);
    return result;
  };
  const auto operation = [](const Plan& plan, Rank gpu, PlanOp op) {
    const auto& steps = plan.gpus[gpu].blocks.front().steps;
    const auto found = std::ranges::find(steps, op, &PlanStep::op);
    REQUIRE(found != steps.end());
    return OperationRef{gpu, static_cast<std::uint32_t>(found - steps.begin())};
  };
  const Plan put = by_put(), read = by_read();
  CHECK(accesses(put) == std::set<Access>{{operation(put, 0, PlanOp::put), 1, true},
                                          {operation(put, 1, PlanOp::put), 0, true}});
  for (const auto& [at, gpu, write] : accesses(read)) CHECK(!write);
  CHECK(!accesses(read).empty());
  CHECK(accesses(by_packets()).empty());
}

TEST_CASE("findings of plans are at all operations that they name", "[plan]") {
  const auto check_named = [](Plan plan, std::size_t least) {
    const Report report = proved(std::move(plan));
    REQUIRE(report.verdict() == Verdict::violated);
    std::size_t most = 0;
    for (const Finding& finding : report.findings) {
      static const std::regex pattern(
          R"(operation (\d+) \(\w+\) of threadblock (\d+) of GPU (\d+))");
      std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> named, marked;
      for (std::sregex_iterator i(finding.message.begin(), finding.message.end(), pattern), end;
           i != end; ++i)
        named.emplace(std::stoull((*i)[3]), std::stoull((*i)[2]), std::stoull((*i)[1]));
      if (finding.step) marked.emplace(*finding.rank, *finding.threadblock, *finding.step);
      for (const InstructionLocation& other : finding.others)
        marked.emplace(other.rank, other.threadblock, other.step);
      INFO(finding.message);
      CHECK(named == marked);
      most = std::max(most, marked.size());
    }
    CHECK(most >= least);
  };
  const auto planted = [](Plan plan, const std::function<void(Plan&)>& plant) {
    plant(plan);
    return plan;
  };
  check_named(planted(by_two_blocks(true),
                      [](Plan& p) {
                        for (std::size_t b = 0; b < 2; ++b) {
                          for (PlanStep& s : ops(p, 0, b)) {
                            if (s.op == PlanOp::barrier) s = nop();
                          }
                        }
                      }),
              2);
  check_named(planted(by_put(),
                      [](Plan& p) {
                        for (Rank r = 0; r < 2; ++r) std::swap(ops(p, r)[6], ops(p, r)[7]);
                      }),
              2);
  check_named(planted(by_put(), [](Plan& p) { ops(p, 0).pop_back(); }), 1);
}
